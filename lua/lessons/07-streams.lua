return {
  title = "Streams and time: calls return before the work is done",
  ranks = 2,
  steps = {
    {
      text = [[
A collective does not move data when it is called. It puts work into a stream and returns; the GPU does it
later, in the order of the stream. At this prompt time passes by itself, so you do not see it. `:step 0` stops
that: from then on only `:step` lets events happen, one at a time.

x is rank + 1 on both ranks.]],
      setup = 'x = cuda.buffer("float32", 2):fill(rank + 1)\nworld:all_reduce(x)\nstream:sync()\nx:fill(rank + 1)',
      task = "Stop the time, then all-reduce x. Look at x.",
      check = function(s)
        local n = #s.calls(0, "ncclAllReduce")
        if n < 2 then return nil end
        if s.streams() == 0 and s.holds(0, "x", 3) then
          return false, "the sum is there already: the time has not been stopped. :again, and :step 0 first"
        end
        if s.input:find("%f[%w_]x%f[^%w_]") and not s.input:find("all_reduce") then return true end
      end,
      right = "The call has returned, and x is what it was.",
      hints = { ":step 0", "world:all_reduce(x)", "x" },
      solution = ":step 0\nworld:all_reduce(x)\nx",
      wrong = { { "world:all_reduce(x)", "has not been stopped" } },
    },
    {
      text = [[
`:streams` shows what is on the streams. `:step` lets one event happen.]],
      task = "Let the sum come about.",
      check = function(s)
        if s.holds(0, "x", 3) and s.holds(1, "x", 3) then return true end
      end,
      right = "All data of a collective moves in one event here. `:time` tells when that was.",
      hints = { ":step" },
      solution = ":step",
    },
    {
      text = [[
Whoever reads too early reads what was there before. On a GPU nothing warns you. The cure is to wait:
stream:sync() returns when all that is in the stream is done. While time stands still that is never: the
ranks wait. `:go` lets time pass again.]],
      setup = "x:fill(rank + 1)\n:go\n:step 0\nworld:all_reduce(x)",
      task = "The all-reduce is under way again. Wait for the stream, then let time pass.",
      check = function(s)
        if #s.waiting == 2 then return false, "good, both ranks wait for their streams; now :go" end
        local c = s.calls(0, "cudaStreamSynchronize")
        if s.holds(0, "x", 3) and #c > 0 and #s.waiting == 0 and s.streams() == 0 then
          if #c < 2 then return false, "the sum is there, but nobody waited for it: stream:sync()" end
          return true
        end
      end,
      hints = { "stream:sync()", ":go" },
      solution = "stream:sync()\n:go",
      wrong = { { "stream:sync()", "now :go" }, { ":go", "nobody waited" } },
    },
    {
      text = [[
A second stream runs beside the first. To order two streams one records an event in the one and lets the other
wait for it; the host does not wait at all:

    e = cuda.event()
    e:record(stream)     -- behind all that is in `stream` now
    side:wait(e)         -- what comes into `side` later waits for that

Time stands still, and an all-reduce of x is in `stream`, behind a second of other work.]],
      setup = ':go\nx:fill(rank + 1)\ny = cuda.buffer("float32", 2):fill(0)\nside = cuda.stream()\n:step 0\nstream:delay(1)\nworld:all_reduce(x)',
      task = [[Copy x to y in the stream `side`, but only when the all-reduce is done: y:copy_from(x, { stream = side }).
Then :go.]],
      check = function(s)
        local copied = #s.calls(0, "cudaMemcpyAsync") > 0
        if not copied then return nil end
        if s.holds(0, "y", 3) and #s.calls(0, "cudaStreamWaitEvent") > 0 then return true end
        if s.holds(0, "y", 1) then return false, "the copy did not wait: y is what x was before. :again, with an event" end
        if s.holds(0, "y", 3) then return false, "the copy came after the host had waited; do it with an event. :again" end
      end,
      right = "So communication and computation overlap, and still nothing is read too early.",
      hints = { "e = cuda.event()", "e:record(stream) side:wait(e)", "y:copy_from(x, { stream = side })", ":go" },
      solution = "e = cuda.event()\ne:record(stream)\nside:wait(e)\ny:copy_from(x, { stream = side })\n:go",
      wrong = {
        { "y:copy_from(x, { stream = side })\n:go", "did not wait" },
        { ":go\ny:copy_from(x, { stream = side })", "with an event" },
      },
    },
  },
}
