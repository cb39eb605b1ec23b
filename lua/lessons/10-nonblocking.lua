return {
  title = "Calls that do not block, and errors",
  ranks = 2,
  steps = {
    {
      text = [[
Creating a communicator waits for all its ranks. With blocking = 0, the call returns at once, and the program asks
until the communicator is ready:

    c = nccl.init_rank(2, id, rank, { blocking = 0 })
    c:async_error()        -- "ncclInProgress", later "ncclSuccess"
    c:wait_ready()         -- asks until it is ready

A unique id for it exists: `id`.]],
      setup = '@0 store:set("id", nccl.unique_id())\nid = store:get("id")',
      task = "Create such a c on rank 0 only, and type @0 c:async_error(). Then create it on rank 1, and call c:wait_ready() on both.",
      check = function(s)
        local made, late = s.made(0, "ncclCommInitRankConfig"), s.made(1, "ncclCommInitRankConfig")
        if #s.waiting > 0 then
          return false, "rank " .. s.waiting[1] .. " waits in the call: blocking = 0 is missing. `:again`"
        end
        if #s.made(0, "ncclCommInitRank") > 0 then return false, "pass { blocking = 0 } on both ranks; `:again`" end
        if #made == 0 then return nil, #late > 0 and "rank 0 first; `:again`" or nil end
        if #late == 0 then
          return false, s.replies[0] == '"ncclInProgress"' and "good, it is in progress; now rank 1" or "now ask @0 c:async_error()"
        end
        local asked = #s.made(0, "ncclCommGetAsyncError")
        if asked == 0 then return false, "ask rank 0 before rank 1 makes the call: @0 c:async_error(). `:again`" end
        return s.input:find("wait_ready") and not next(s.errors) or nil
      end,
      right = "In the meantime, rank 0 could have done other work, or given up.",
      hints = { "@0 c = nccl.init_rank(2, id, rank, { blocking = 0 })", "@0 c:async_error()",
                "@1 the same as rank 0", "c:wait_ready() on both" },
      calls = { { "ncclCommInitRankConfig" } },
      solution = [[
@0 c = nccl.init_rank(2, id, rank, { blocking = 0 })
@0 c:async_error()
@1 c = nccl.init_rank(2, id, rank, { blocking = 0 })
c:wait_ready()]],
      wrong = {
        { "@0 c = nccl.init_rank(2, id, rank)", "blocking = 0 is missing" },
        { "@1 c = nccl.init_rank(2, id, rank, { blocking = 0 })", "rank 0 first" },
        { "@0 c = nccl.init_rank(2, id, rank, { blocking = 0 })\n@0 c:async_error()", "now rank 1" },
        { "@0 c = nccl.init_rank(2, id, rank, { blocking = 0 })", "now ask" },
        { "c = nccl.init_rank(2, id, rank)", "pass { blocking = 0 }" },
      },
    },
    {
      text = [[
NCCL reports a bad argument with a code. At this prompt the code is raised as an error with its name and NCCL's
own words; pcall(f, ...) catches it.

`C` has the functions as C has them. They return the code: C.ncclAllReduce(...) returns 4 for ncclInvalidArgument.
`:help 4` explains this code.]],
      task = "Call C.ncclAllReduce with 99 as the data type (the fourth argument), and look at what it returns.",
      setup = 'x = cuda.buffer("float32", 4):fill(1)',
      check = function(s)
        local c = s.made(0, "ncclAllReduce")
        if #c == 0 then return nil, next(s.errors) and "use C.ncclAllReduce, which returns the code" or nil end
        if c[#c].rc == 0 then return false, "that call was fine; the fourth argument is the data type" end
        if s.input:find("C.ncclAllReduce", 1, true) then return c[#c].rc == 4 or nil end
        return false, "use C.ncclAllReduce, which returns the code"
      end,
      right = "4 is ncclInvalidArgument. NCCL checks what one rank can see alone; it does not compare ranks.",
      hints = { "C.ncclAllReduce(x, x, 4, 99, C.ncclSum, world, stream)" },
      solution = "C.ncclAllReduce(x, x, 4, 99, C.ncclSum, world, stream)",
      wrong = {
        { "C.ncclAllReduce(x, x, 4, C.ncclFloat32, C.ncclSum, world, stream)", "the fourth argument" },
        { "world:all_reduce(x, { dtype = 99 })", "use C.ncclAllReduce" },
        { "4", "" },
        { "C.ncclAllReduce(x, x, 99, C.ncclFloat32, C.ncclSum, world, stream)", "" },
      },
    },
    {
      text = [[
Rank 0 passes count = 4 to an all-reduce, and rank 1 passes count = 2. Both arguments are valid on their own.]],
      setup = 'x = cuda.buffer("float32", 4):fill(1)',
      task = "Does NCCL return an error code to one of the ranks? Type yes or no.",
      answer = "no",
      right = "NCCL does not compare the arguments of the ranks. The result is undefined: wrong data, or a hang. ncclscript compares them.",
      hints = { "Which checks can one rank make alone?" },
      wrong = {
        { "yes", "each rank's arguments are valid on their own, and NCCL does not compare them" },
        { "rank 1", "each rank's arguments are valid on their own, and NCCL does not compare them" },
        { "both", "each rank's arguments are valid on their own, and NCCL does not compare them" },
        { "@0 world:all_reduce(x)\n@1 world:all_reduce(x, { count = 2 })\nno", "before you make the call" },
      },
    },
    {
      text = [[
If a call fails on one rank only, nobody tells the other ranks: they wait forever. `:fault` makes a call fail:

    :fault fail rank=1 func="ncclAllReduce" nth=1 code=6]],
      setup = 'x = cuda.buffer("float32", 4):fill(1)',
      task = "Let the next all-reduce fail on rank 1. Then call it on both ranks.",
      check = function(s)
        if s.errors[1] and s.errors[1]:find("ncclRemoteError") and #s.made(0, "ncclAllReduce") > 0 then return true end
        if s.holds(0, "x", 2) then return false, "the call did not fail: the fault must come first. `:again`" end
        if s.errors[0] and s.errors[0]:find("ncclRemoteError") then return false, "the call failed on rank 0, not on rank 1; `:again`" end
        if unfinished(s) then return false, "both ranks must make the call" end
      end,
      right = "Rank 1 got its error, and rank 0 waits. `:why` reports this. Lesson 12 shows what a program can do.",
      hints = { ':fault fail rank=1 func="ncclAllReduce" nth=1 code=6', "world:all_reduce(x)" },
      solution = ':fault fail rank=1 func="ncclAllReduce" nth=1 code=6\nworld:all_reduce(x)',
      wrong = {
        { "world:all_reduce(x)", "the fault must come first" },
        { ':fault fail rank=0 func="ncclAllReduce" nth=1 code=6\nworld:all_reduce(x)', "not on rank 1" },
        { "@0 world:all_reduce(x)", "both ranks" },
        { '@1 error("ncclInternalError")', "" },
      },
    },
  },
}
