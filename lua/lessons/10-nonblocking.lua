return {
  title = "Calls that do not block, and errors",
  ranks = 2,
  steps = {
    {
      text = [[
Making a communicator waits for all its ranks. A non-blocking one does not: the call returns at once, and one
asks until it is ready.

    c = nccl.init_rank(2, id, rank, { blocking = 0 })
    c:async_error()        -- "ncclInProgress", later "ncclSuccess"
    c:wait_ready()         -- asks until it is

An id for it is there, as `id`.]],
      setup = '@0 store:set("id", nccl.unique_id())\nid = store:get("id")',
      task = "Make such a c on rank 0 alone, and ask c:async_error(). Then make it on rank 1, and let both wait_ready().",
      check = function(s)
        local made, late = s.calls(0, "ncclCommInitRankConfig"), s.calls(1, "ncclCommInitRankConfig")
        if #s.waiting > 0 then
          return false, "rank " .. s.waiting[1] .. " waits in the call: blocking = 0 is missing. :again"
        end
        if #late == 0 then
          if s.replies[0] == '"ncclInProgress"' then return false, "good so far, it is in progress; now rank 1" end
          return nil
        end
        if #made == 0 then return false, "rank 0 first; :again" end
        return s.input:find("wait_ready") and not next(s.errors) or nil
      end,
      right = "In between, rank 0 could have done something else, or given up.",
      hints = { "@0 c = nccl.init_rank(2, id, rank, { blocking = 0 })", "@0 c:async_error()",
                "@1 the same as rank 0", "c:wait_ready() on both" },
      solution = [[
@0 c = nccl.init_rank(2, id, rank, { blocking = 0 })
@0 c:async_error()
@1 c = nccl.init_rank(2, id, rank, { blocking = 0 })
c:wait_ready()]],
      wrong = {
        { "@0 c = nccl.init_rank(2, id, rank)", "blocking = 0 is missing" },
        { "@1 c = nccl.init_rank(2, id, rank, { blocking = 0 })", "rank 0 first" },
        { "@0 c = nccl.init_rank(2, id, rank, { blocking = 0 })\n@0 c:async_error()", "now rank 1" },
      },
    },
    {
      text = [[
What NCCL refuses comes back as a code; here it is raised as an error, which has the code, its name and NCCL's
own words. pcall(f, ...) catches it: it gives false and the error.

`C` gives the plain codes: C.ncclAllReduce(...) returns 4 for ncclInvalidArgument. `:help 4` tells of it.]],
      task = "Call C.ncclAllReduce with 99 as data type (the fourth argument), and look at what it returns.",
      setup = 'x = cuda.buffer("float32", 4):fill(1)',
      check = function(s)
        local c = s.calls(0, "ncclAllReduce")
        if #c > 0 and c[#c].rc == 4 then return true end
        if #c > 0 and c[#c].rc == 0 then return false, "that one was fine; the fourth argument is the type" end
      end,
      right = "4, ncclInvalidArgument. NCCL checks what one rank can see alone, and nothing that needs the others.",
      hints = { "C.ncclAllReduce(x, x, 4, 99, C.ncclSum, world, stream)" },
      solution = "C.ncclAllReduce(x, x, 4, 99, C.ncclSum, world, stream)",
      wrong = { { "C.ncclAllReduce(x, x, 4, C.ncclFloat32, C.ncclSum, world, stream)", "the fourth argument" } },
    },
    {
      text = [[
If a call fails on one rank only, the others wait for it for ever: nobody tells them. `:fault` makes a call fail:

    :fault fail rank=1 func="ncclAllReduce" nth=1 code=6]],
      setup = 'x = cuda.buffer("float32", 4):fill(1)',
      task = "Let the next all-reduce fail on rank 1, then make it on both.",
      check = function(s)
        if s.errors[1] and s.errors[1]:find("ncclRemoteError") and #s.waiting == 1 then return true end
        if s.holds(0, "x", 2) then return false, "it has not failed: the fault comes first. :again" end
      end,
      right = "Rank 1 has its error, rank 0 waits. `:why` says so; the next lesson but one is about ways out.",
      hints = { ':fault fail rank=1 func="ncclAllReduce" nth=1 code=6', "world:all_reduce(x)" },
      solution = ':fault fail rank=1 func="ncclAllReduce" nth=1 code=6\nworld:all_reduce(x)',
      wrong = { { "world:all_reduce(x)", "the fault comes first" } },
    },
  },
}
