return {
  title = "Abort, and going on without a rank",
  ranks = 4,
  steps = {
    {
      text = [[
Rank 2 has died. The others are in a call that it will never make, and wait for ever: nothing tells them. On a
cluster one would kill the job. In the process itself somebody has to notice, and abort the communicator:
comm:abort() ends what is under way, whatever it waits for.

But the ranks are in the call. A second thread of each has to do it. Here is one, started beforehand:

    spawn(function() sleep(60) world:abort() end)

sleep is in virtual time, which passes at this prompt as fast as it can. Stop it first, by `:step 0`; `:go` lets
it pass again.]],
      setup = 'x = cuda.buffer("float32", 4):fill(1)\nworld:all_reduce(x) stream:sync()',
      task = [[With the time stopped, start such a thread on ranks 0, 1 and 3; kill rank 2 by `:fault kill rank=2`; all-reduce x
on the others and let them wait for the stream. Then :go.]],
      check = function(s)
        local dead = true
        for _, r in ipairs { 0, 1, 3 } do dead = dead and #s.calls(r, "ncclCommAbort") > 0 end
        if dead and #s.waiting == 0 and #s.calls(0, "ncclAllReduce") > 1 then return true end
        if #s.waiting == 3 and #s.calls(0, "ncclCommAbort") == 0 then
          return false, "they wait; if the threads are there, :go, else :again"
        end
        if #s.calls(0, "ncclCommAbort") > 0 then
          return false, "the minute was over before anything had happened: stop the time first. :again"
        end
      end,
      right = "After a minute of virtual time the threads have ended it. `world.interrupted` says that work was cut short.",
      hints = { ":step 0", "@0,1,3 spawn(function() sleep(60) world:abort() end)", ":fault kill rank=2",
                "@0,1,3 world:all_reduce(x) stream:sync()", ":go" },
      solution = ":step 0\n@0,1,3 spawn(function() sleep(60) world:abort() end)\n:fault kill rank=2\n@0,1,3 world:all_reduce(x) stream:sync()\n:go",
      wrong = {
        { ":fault kill rank=2\n@0,1,3 world:all_reduce(x) stream:sync()", "else :again" },
        { "@0,1,3 spawn(function() sleep(60) world:abort() end)", "stop the time first" },
      },
    },
    {
      text = [[
An aborted communicator is gone. Those who are left can make a new one: one of them gets an id, which the
others have to be told; `store` is a place to leave things for each other.

    if rank == 0 then store:set("id", nccl.unique_id()) end
    c = nccl.init_rank(3, store:get("id"), ({ [0] = 0, [1] = 1, [3] = 2 })[rank])

Ranks are counted anew: rank 3 of the run is rank 2 of three.]],
      task = "Make c on ranks 0, 1 and 3, and all-reduce x (fill it with 1 before) over it: 3 is to come out.",
      check = function(s)
        local n = 0
        for _, r in ipairs { 0, 1, 3 } do n = n + (s.holds(r, "x", 3) and 1 or 0) end
        if n == 3 then return true end
        if #s.waiting > 0 then return false, "ranks wait; :waits. Do all three know the id, and each its own rank?" end
      end,
      right = "The job goes on with three.",
      hints = { "@0 store:set(\"id\", nccl.unique_id())",
                "@0,1,3 c = nccl.init_rank(3, store:get(\"id\"), rank == 3 and 2 or rank)",
                "@0,1,3 x:fill(1) c:all_reduce(x) stream:sync()" },
      calls = { { "ncclAllReduce", ranks = { 0, 1, 3 } } }, fills = true,
      solution = "@0 store:set(\"id\", nccl.unique_id())\n@0,1,3 c = nccl.init_rank(3, store:get(\"id\"), rank == 3 and 2 or rank)\n@0,1,3 x:fill(1) c:all_reduce(x) stream:sync()",
      wrong = {
        { "@0,1 c = nccl.init_rank(3, store:get(\"id\"), rank)", "ranks wait" },
        { "@0,1,3 x:fill(3)", "made no call" },
      },
    },
    {
      text = [[
NCCL since 2.27 can do it in one call: comm:shrink(ranks) makes a new communicator without some ranks, which
need not take part; with { abort = true } it ends what is under way first. Let c lose its rank 1.]],
      task = "On ranks 0 and 3 make d = c:shrink({ 1 }), and sum x (fill it with 1) over d: 2 is to come out.",
      check = function(s)
        if s.holds(0, "x", 2) and s.holds(3, "x", 2) then return true end
        if s.errors[1] then return false, "rank 1 is left out: it makes no call" end
        if #s.waiting > 0 then return false, "ranks wait; :waits. Shrink is called by those who stay, all of them" end
      end,
      hints = { "@0,3 d = c:shrink({ 1 })", "@0,3 x:fill(1) d:all_reduce(x) stream:sync()" },
      calls = { { "ncclCommShrink", ranks = { 0, 3 } }, { "ncclAllReduce", ranks = { 0, 3 } } }, fills = true,
      solution = "@0,3 d = c:shrink({ 1 })\n@0,3 x:fill(1) d:all_reduce(x) stream:sync()",
      wrong = {
        { "@0 d = c:shrink({ 1 })", "those who stay" },
        { "@0,3 x:fill(2)", "made no call" },
      },
    },
  },
}
