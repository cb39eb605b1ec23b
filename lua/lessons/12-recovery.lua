return {
  title = "Abort, and continuing without a rank",
  ranks = 4,
  steps = {
    {
      text = [[
Rank 2 is killed while the job runs. The other ranks are in a call that rank 2 will never make.]],
      setup = 'x = cuda.buffer("float32", 4):fill(1)\nworld:all_reduce(x) stream:sync()',
      task = "How long do the other ranks wait, if the program does nothing about it? Type a number of seconds, or forever.",
      answer = "forever",
      right = "NCCL has no timeout for a collective. The program itself must notice, and abort the communicator.",
      hints = { "Does NCCL tell a rank that another one has died?" },
      wrong = {
        { "30", "a watchdog of a framework may end a job after some time; NCCL itself does not" },
        { "60", "a watchdog of a framework may end a job after some time; NCCL itself does not" },
        { "0", "the ranks do not notice that rank 2 is gone" },
        { ":fault kill rank=2\n@0,1,3 world:all_reduce(x)\nforever", "before you make the call" },
      },
    },
    {
      text = [[
comm:abort() ends all work of a communicator, whatever it waits for. But the ranks are inside the call, so another
thread of the process must call it. This line starts such a thread, which aborts after 60 seconds:

    spawn(function() sleep(60) world:abort() end)

sleep uses virtual time, which passes at once at this prompt. So stop the time first with `:step 0`; `:go` lets it
pass again.]],
      task = [[Stop the time. Start such a thread on ranks 0, 1 and 3. Kill rank 2 with `:fault kill rank=2`. On the other
ranks, all-reduce x and call stream:sync(). Then `:go`.]],
      check = function(s)
        local aborted = 0
        for _, r in ipairs { 0, 1, 3 } do aborted = aborted + (#s.made(r, "ncclCommAbort") > 0 and 1 or 0) end
        local called = #s.made(0, "ncclAllReduce") > 0
        if aborted == 3 and #s.waiting == 0 and called then return true end
        if #s.waiting == 3 and aborted == 0 then
          return false, "they wait. If the threads are running, type `:go`; if not, `:again`"
        end
        if aborted > 0 and not called then
          return false, "the 60 seconds passed before anything happened: stop the time first. `:again`"
        end
        if aborted > 0 then return false, "not every rank has such a thread; `:again`" end
      end,
      right = "After 60 seconds of virtual time the threads ended the work. `world.interrupted` says that work was cut short.",
      hints = { ":step 0", "@0,1,3 spawn(function() sleep(60) world:abort() end)", ":fault kill rank=2",
                "@0,1,3 world:all_reduce(x) stream:sync()", ":go" },
      calls = { { "ncclAllReduce", ranks = { 0, 1, 3 } }, { "ncclCommAbort", ranks = { 0, 1, 3 } } },
      solution = ":step 0\n@0,1,3 spawn(function() sleep(60) world:abort() end)\n:fault kill rank=2\n@0,1,3 world:all_reduce(x) stream:sync()\n:go",
      wrong = {
        { ":fault kill rank=2\n@0,1,3 world:all_reduce(x) stream:sync()", "type `:go`; if not" },
        { "@0,1,3 spawn(function() sleep(60) world:abort() end)", "stop the time first" },
        { ":step 0\n@0 spawn(function() sleep(60) world:abort() end)\n:fault kill rank=2\n@0,1,3 world:all_reduce(x) stream:sync()\n:go", "not every rank" },
        { "@0,1,3 world:abort()", "stop the time first" },
      },
    },
    {
      text = [[
An aborted communicator cannot be used again. The remaining ranks can create a new one. One of them makes a unique
id, and the others must get it. `store` is a key-value store that all ranks share:

    if rank == 0 then store:set("id", nccl.unique_id()) end
    c = nccl.init_rank(3, store:get("id"), ({ [0] = 0, [1] = 1, [3] = 2 })[rank])

The new communicator counts its ranks from 0: rank 3 of the job becomes rank 2 of 3.]],
      task = "Create c on ranks 0, 1 and 3. Fill x with 1 there, and all-reduce it over c: the sum is 3.",
      check = function(s)
        if all_hold(s, "x", 3, { 0, 1, 3 }) then return true end
        if next(s.errors) then return false, "a line failed; each rank needs the id, and a rank of its own from 0 to 2" end
        if unfinished(s) then return false, "ranks wait; `:waits` shows for whom. Do all three know the id, and each its own rank?" end
      end,
      right = "The job continues with three ranks.",
      hints = { "@0 store:set(\"id\", nccl.unique_id())",
                "@0,1,3 c = nccl.init_rank(3, store:get(\"id\"), rank == 3 and 2 or rank)",
                "@0,1,3 x:fill(1) c:all_reduce(x) stream:sync()" },
      calls = { { "ncclAllReduce", ranks = { 0, 1, 3 } } }, fills = true,
      solution = "@0 store:set(\"id\", nccl.unique_id())\n@0,1,3 c = nccl.init_rank(3, store:get(\"id\"), rank == 3 and 2 or rank)\n@0,1,3 x:fill(1) c:all_reduce(x) stream:sync()",
      wrong = {
        { "@0,1 c = nccl.init_rank(3, store:get(\"id\"), rank)", "ranks wait" },
        { "@0,1,3 x:fill(3)", "the task needs all_reduce" },
        { "@0 store:set(\"id\", nccl.unique_id())\n@0,1,3 c = nccl.init_rank(3, store:get(\"id\"), rank)", "a line failed" },
        { "@0,1,3 x:fill(1) world:all_reduce(x)", "a line failed" },
      },
    },
    {
      text = [[
Since version 2.27, NCCL can do this in one call: comm:shrink(ranks) makes a new communicator without some ranks.
Only the ranks that stay make the call. With { abort = true } it first aborts the work of the old communicator.]],
      task = "Remove rank 1 of c: on ranks 0 and 3 create d = c:shrink({ 1 }). Fill x with 1, and add it over d: the sum is 2.",
      check = function(s)
        if all_hold(s, "x", 2, { 0, 3 }) then return true end
        if s.errors[1] or #s.made(1, "ncclCommShrink") > 0 then return false, "rank 1 is removed: it makes no call. `:again`" end
        if unfinished(s) then return false, "ranks wait; all ranks that stay must make the call" end
        if next(s.errors) then return false, "a line failed; read the error above" end
      end,
      right = "d has two ranks. Rank 3 of the job is rank 1 of d.",
      hints = { "@0,3 d = c:shrink({ 1 })", "@0,3 x:fill(1) d:all_reduce(x) stream:sync()" },
      calls = { { "ncclCommShrink", ranks = { 0, 3 } }, { "ncclAllReduce", ranks = { 0, 3 } } }, fills = true,
      solution = "@0,3 d = c:shrink({ 1 })\n@0,3 x:fill(1) d:all_reduce(x) stream:sync()",
      wrong = {
        { "@0 d = c:shrink({ 1 })", "all ranks that stay" },
        { "@0,3 x:fill(2)", "the task needs shrink" },
        { "@0,1,3 d = c:shrink({ 1 })", "it makes no call" },
        { "@0,3 x:fill(1) c:all_reduce(x)", "ranks wait" },
      },
    },
  },
}
