local function fn_calls(s, rank, ...)
  local n = 0
  for _, c in ipairs(s.made(rank)) do
    for _, name in ipairs { ... } do n = n + (c.fn == name and 1 or 0) end
  end
  return n
end

return {
  title = "Streams and time: calls return before the work is done",
  ranks = 2,
  steps = {
    {
      text = [[
A collective call moves no data. It puts work into a stream and returns. The GPU does the work later, in the order
of the stream.

At this prompt, time passes by itself, so you do not see the delay. `:step 0` stops the time. From then on, work
happens only when you type `:step`. On both ranks, x is rank + 1, so the sum is 3.]],
      setup = 'x = cuda.buffer("float32", 2):fill(rank + 1)\nworld:all_reduce(x)\nstream:sync()\nx:fill(rank + 1)',
      task = "The time is stopped, and both ranks call world:all_reduce(x). What does x hold on rank 1 when the call has returned?",
      answer = "2",
      right = "The call has returned, but the work has not been done: x is what it was.",
      hints = { "When does the GPU do the work?" },
      wrong = {
        { "3", "3 is the sum, and nobody has computed it yet: the time is stopped" },
        { "1", "1 is the x of rank 0" },
        { "0", "the call does not clear x" },
        { ":step 0\nworld:all_reduce(x)\n2", "before you make the call" },
      },
    },
    {
      text = "Now look.",
      task = "Stop the time with `:step 0`, then all-reduce x, then look at x.",
      check = function(s)
        if #s.made(0, "ncclAllReduce") == 0 then return nil end
        if s.streams() == 0 then
          return false, "the work is done already: the time was not stopped. `:again`, and `:step 0` first"
        end
        if s.input:find("%f[%w_]x%f[^%w_]") and not s.input:find("all_reduce") then return true end
      end,
      right = "The call has returned, and x has not changed.",
      hints = { ":step 0", "world:all_reduce(x)", "x" },
      calls = { { "ncclAllReduce", op = "sum" } },
      solution = ":step 0\nworld:all_reduce(x)\nx",
      wrong = {
        { "world:all_reduce(x)", "was not stopped" },
        { "world:all_reduce(x)\nx", "was not stopped" },
        { ":step 0\nx", "" },
        { "x:fill(rank + 1)\nx", "" },
      },
    },
    {
      text = "`:streams` lists the work on the streams. `:step` lets one event happen.",
      task = "Let the all-reduce finish.",
      check = function(s)
        if all_hold(s, "x", 3) then return true end
        if #s.made(0, "ncclAllReduce") > 0 then return false, "the call was made before; only `:step` is missing. `:again`" end
      end,
      right = "The simulator moves all data of a collective in one event. `:time` shows when it happened.",
      hints = { ":step" },
      calls = {},
      solution = ":step",
      wrong = {
        { "x:fill(3)", "" },
        { "x", "" },
        { "world:all_reduce(x)", "only `:step` is missing" },
        { ":step 0", "" },
      },
    },
    {
      text = [[
A program that reads too early reads the old data, and on a GPU nothing warns it. The remedy is to wait:
stream:sync() returns when all work in the stream is done. While the time is stopped, that does not happen, so the
ranks wait. `:go` lets time pass again.]],
      setup = "x:fill(rank + 1)\n:go\n:step 0\nworld:all_reduce(x)",
      task = "The all-reduce was called again. Wait for the stream on both ranks, then let time pass.",
      check = function(s)
        if #s.waiting == 2 then return false, "good, both ranks wait for their streams; now `:go`" end
        if #s.waiting == 1 then return false, "one rank waits; the other must wait, too" end
        if s.streams() > 0 then return nil end
        if fn_calls(s, 0, "cudaStreamSynchronize") == 0 or fn_calls(s, 1, "cudaStreamSynchronize") == 0 then
          return false, "the sum is there, but no rank waited for it with stream:sync()"
        end
        return all_hold(s, "x", 3) or nil
      end,
      right = "Both ranks read x only after the sum was there.",
      hints = { "stream:sync()", ":go" },
      calls = { { "cudaStreamSynchronize" } },
      solution = "stream:sync()\n:go",
      wrong = {
        { "stream:sync()", "now `:go`" },
        { ":go", "no rank waited" },
        { "@0 stream:sync()", "one rank waits" },
        { ":go\nx:fill(3)", "no rank waited" },
      },
    },
    {
      text = [[
A second stream runs next to the first. An event orders two streams: one stream records it, the other waits for
it. The host does not wait.

    e = cuda.event()
    e:record(stream)     -- after all work that is in `stream` now
    side:wait(e)         -- work that comes into `side` later waits for e

The time is stopped. In `stream` there is one second of other work, then an all-reduce of x.]],
      setup = ':go\nx:fill(rank + 1)\ny = cuda.buffer("float32", 2):fill(0)\nside = cuda.stream()\n:step 0\nstream:delay(1)\nworld:all_reduce(x)',
      task = [[Copy x to y in the stream `side`, after the all-reduce: y:copy_from(x, { stream = side }). Do not let the
host wait. Then `:go`.]],
      check = function(s)
        if fn_calls(s, 0, "cudaMemcpyAsync") == 0 then return nil end
        if fn_calls(s, 0, "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize") > 0 then
          return false, "the host waited; let the stream `side` wait for an event. `:again`"
        end
        if s.streams() > 0 then return nil end
        if s.holds(0, "y", 1) then return false, "the copy did not wait: y holds the old x. `:again`, with an event" end
        if all_hold(s, "y", 3) then
          if fn_calls(s, 0, "cudaStreamWaitEvent") > 0 then return true end
          return false, "the copy was made after the work was done; use an event. `:again`"
        end
      end,
      right = "Communication and computation overlap in this way, and nothing is read too early.",
      hints = { "e = cuda.event()", "e:record(stream) side:wait(e)", "y:copy_from(x, { stream = side })", ":go" },
      calls = { { "cudaEventRecord" }, { "cudaStreamWaitEvent" }, { "cudaMemcpyAsync" } },
      solution = "e = cuda.event()\ne:record(stream)\nside:wait(e)\ny:copy_from(x, { stream = side })\n:go",
      wrong = {
        { "y:copy_from(x, { stream = side })\n:go", "did not wait" },
        { ":go\ny:copy_from(x, { stream = side })", "use an event" },
        { "stream:sync()\n:go\ny:copy_from(x, { stream = side })", "the host waited" },
        { "e = cuda.event() side:wait(e) e:record(stream) y:copy_from(x, { stream = side })\n:go", "did not wait" },
        { "y:fill(3)\n:go", "" },
      },
    },
  },
}
