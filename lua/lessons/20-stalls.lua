return {
  title = "When NCCL stalls, although all calls are right",
  ranks = 4,
  steps = {
    {
      text = [[
A collective ends on a rank when the rank has its data. In an all-reduce every rank needs the data of all, so none
ends before the last rank has begun.

Rank 3 computes for 5 seconds before its all-reduce. The other ranks call at once.]],
      setup = 'x = cuda.buffer("float32", 4):fill(1)\nworld:all_reduce(x)\nstream:sync()',
      task = "After how many seconds, roughly, does stream:sync() return on rank 0?",
      answer = "5",
      right = "Rank 0 waits for rank 3. In a profile, rank 0 seems to spend 5 seconds in the all-reduce.",
      hints = { "What does rank 0 need from rank 3?" },
      wrong = {
        { "0", "the all-reduce needs the data of rank 3" },
        { "20", "the ranks wait at the same time, not one after another" },
        { "15", "the ranks wait at the same time, not one after another" },
        { "@3 stream:delay(5)\nworld:all_reduce(x)\n5", "before you make the call" },
      },
    },
    {
      text = "`stream:delay(5)` stands for such a computation. `:time` shows the virtual time.",
      setup = 'x:fill(1)',
      task = "Let rank 3 alone compute for 5 seconds in `stream`. Then all ranks all-reduce x and call stream:sync().",
      check = function(s)
        local late = 0
        for r = 0, 3 do
          for _, c in ipairs(s.made(r, "ncsDelay")) do
            if c.seconds ~= 5 then return false, "the computation takes 5 seconds; `:again`" end
            if r ~= 3 then return false, "only rank 3 computes; `:again`" end
            late = late + 1
          end
        end
        if #s.made(0, "ncclAllReduce") == 0 then return nil end
        if late == 0 then return false, "rank 3 must compute before its all-reduce; `:again`" end
        if unfinished(s) then return false, "all ranks must make the call" end
        if #s.made(0, "cudaStreamSynchronize") == 0 then return false, "now stream:sync(), and look at `:time`" end
        return all_hold(s, "x", 4) or nil
      end,
      right = "A slow rank makes all others look slow. To find it, look for the rank that waits least.",
      hints = { "@3 stream:delay(5)", "world:all_reduce(x) stream:sync()", ":time" },
      calls = { { "ncclAllReduce", op = "sum" } },
      solution = "@3 stream:delay(5)\nworld:all_reduce(x)\nstream:sync()",
      wrong = {
        { "world:all_reduce(x)\nstream:sync()", "must compute before" },
        { "stream:delay(5)\nworld:all_reduce(x)\nstream:sync()", "only rank 3" },
        { "@3 stream:delay(1)\nworld:all_reduce(x)\nstream:sync()", "5 seconds" },
        { "@3 stream:delay(5)\nx:fill(4)", "" },
        { "@3 stream:delay(5)\n@0..2 world:all_reduce(x)", "all ranks" },
      },
    },
    {
      text = [[
Work in a stream is done in order. If the first item of a stream waits, everything behind it waits, too.

Each rank uses one stream for two communicators, `a` and `b`, over the same ranks. Rank 0 calls on a, then on b;
rank 1 calls on b, then on a. Neither rank synchronizes between the calls.]],
      task = "Can both ranks complete their work? Type yes or no.",
      answer = "no",
      right = "The first item in rank 0's stream waits for rank 1's call on a, which is the second item in rank 1's stream, and the other way round.",
      hints = { "Draw the two streams: which item is first, and what does it wait for?" },
      wrong = {
        { "yes", "the calls return, but the work in the streams waits in a circle" },
        { "sometimes", "with one stream per rank, the order of the calls decides, not timing" },
        { "later", "the first item of each stream waits forever" },
        { "rank 0", "rank 0's first item waits for rank 1's second item" },
      },
    },
    {
      text = "Two communicators exist: `a` and `b`, both over all ranks.",
      setup = ':reset -n 2\na = world:split { color = 0 }\nb = world:split { color = 0 }\nx = cuda.buffer("float32", 4):fill(1)\na:all_reduce(x) b:all_reduce(x) stream:sync()',
      task = "Create this stall: rank 0 calls all_reduce on a, then b; rank 1 on b, then a. No rank calls stream:sync().",
      check = function(s)
        for r = 0, 1 do
          if #s.made(r, "cudaStreamSynchronize") > 0 then return false, "without stream:sync(); `:again`" end
        end
        if #s.made(0, "ncclAllReduce") < 2 or #s.made(1, "ncclAllReduce") < 2 then return nil end
        if s.streams() > 0 then return true end
        return false, "the work was completed: the orders must differ. `:again`"
      end,
      right = "All calls returned, and both streams stand still. `:streams` and `:why` show it. The remedy is one order on all ranks.",
      hints = { "@0 a:all_reduce(x) b:all_reduce(x)", "@1 b:all_reduce(x) a:all_reduce(x)" },
      calls = { { "ncclAllReduce", times = 2 } },
      solution = "@0 a:all_reduce(x) b:all_reduce(x)\n@1 b:all_reduce(x) a:all_reduce(x)",
      wrong = {
        { "a:all_reduce(x) b:all_reduce(x)", "the orders must differ" },
        { "@0 a:all_reduce(x) stream:sync() b:all_reduce(x)\n@1 b:all_reduce(x) stream:sync() a:all_reduce(x)", "without stream:sync()" },
        { "@0 a:all_reduce(x) b:all_reduce(x)", "" },
        { "@0 world:all_reduce(x) b:all_reduce(x)\n@1 world:all_reduce(x) b:all_reduce(x)", "the orders must differ" },
      },
    },
    {
      text = [[
Two streams per rank seem to solve this: one for each communicator. Then no item waits behind another one. But each
NCCL kernel occupies a part of the GPU until it ends. If there is no room for a second kernel, or the hardware runs
the streams one after another, the same circle closes. NCCL's guide says: use several communicators concurrently
only if all ranks launch them in the same order (NCCL user guide, "Using multiple NCCL communicators concurrently").]],
      task = "Is a program correct whose ranks launch two communicators in different orders, on two streams? Type yes or no.",
      answer = "no",
      right = "It may pass for years on one machine, and hang on another. Since NCCL 2.26 a launch order can be enforced: NCCL_LAUNCH_ORDER_IMPLICIT.",
      hints = { "Does NCCL promise that both kernels run at the same time?" },
      wrong = {
        { "yes", "NCCL does not promise that both kernels run at the same time" },
        { "sometimes", "a program is correct only if it always works" },
        { "maybe", "NCCL does not promise that both kernels run at the same time" },
        { "often", "a program is correct only if it always works" },
      },
    },
  },
}
