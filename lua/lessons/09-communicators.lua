return {
  title = "Several communicators, and their order",
  ranks = 4,
  steps = {
    {
      text = [[
A communicator can be split. The ranks that pass the same color get one communicator, ordered by a key (by rank if
no key is given). All ranks of the old communicator must make the call:

    row = world:split { color = rank // 2 }

`//` is integer division.]],
      task = "Which ranks are in the same communicator as rank 3 after this line? Type their numbers, with rank 3.",
      answer = "2 3",
      right = "rank // 2 is 0, 0, 1, 1: ranks 0 and 1 get one communicator, ranks 2 and 3 the other.",
      hints = { "Compute rank // 2 for ranks 0, 1, 2 and 3." },
      wrong = {
        { "1 3", "that is the result of rank % 2; rank // 2 of rank 1 is 0, and of rank 3 it is 1" },
        { "3", "rank 2 has the same color: 2 // 2 is 1, as 3 // 2" },
        { "0 1 2 3", "the ranks pass two different colors" },
        { "world:split { color = rank // 2 }\n2 3", "before you make the call" },
      },
    },
    {
      text = "Now do it.",
      task = "Make `row`, with ranks 0 and 1 in one communicator and 2 and 3 in another. Then look at it: row",
      check = function(s)
        if #s.waiting > 0 then return false, "all ranks of world must make the call" end
        if #s.made(0, "ncclCommSplit") == 0 then
          return nil, next(s.errors) and "a color is needed: world:split { color = ... }" or nil
        end
        local name, size = {}, nil
        for r = 0, 3 do
          name[r], size = (s.replies[r] or ""):match("^comm (%S+) %d+/(%d+)")
          if not name[r] then return nil end
        end
        if size == "4" then return false, "all four ranks are in one communicator; the colors must differ" end
        if name[0] ~= name[1] or name[2] ~= name[3] then return false, "0 and 1 belong together, and 2 and 3; `:again`" end
        if not s.input:find("row") then return false, "give it a name: row = world:split { color = ... }" end
        return true
      end,
      right = "comm world/split1.0 0/2 means: rank 0 of 2 ranks. `:comms` lists all communicators.",
      hints = { "rank // 2 is 0 0 1 1." },
      calls = { { "ncclCommSplit", comm = "world" } },
      solution = "row = world:split { color = rank // 2 }\nrow",
      wrong = {
        { "@0 row = world:split { color = 0 }", "all ranks of world" },
        { "row = world:split { color = 0 }\nrow", "all four ranks are in one" },
        { "row = world:split { color = rank % 2 }\nrow", "0 and 1 belong together" },
        { "world:split { color = rank // 2 }", "give it a name" },
        { "row = world:split()", "a color is needed" },
      },
    },
    {
      text = [[
Each communicator counts its ranks from 0: row.rank is 0 or 1, and a root of `row` is one of these. A rank that
passes nccl.NOCOLOR gets nil. A communicator can be split several times: rank % 2 makes columns.]],
      task = "Make `col` with ranks 0 and 2 in one and 1 and 3 in the other. Then add x over row, and the result over col.",
      setup = 'row = world:split { color = rank // 2 }\nx = cuda.buffer("float32", 1):fill(rank + 1)',
      check = function(s)
        local c = s.made(0, "ncclAllReduce")
        for _, call in ipairs(c) do
          if call.comm == "world" then return false, "use two sums, over row and over col, not one over world; `:again`" end
        end
        if all_hold(s, "x", 10) then return #c == 2 or nil end
        if unfinished(s) then return false, "ranks wait for others; `:waits` shows for whom" end
        local n = 0
        for r = 0, 3 do n = n + (s.holds(r, "x", 10) and 1 or 0) end
        if n == 2 or #c == 2 then return false, "not all ranks hold 10: does col contain ranks 0 and 2? `:again`" end
      end,
      right = "3 and 7 over the rows, then 10 over the columns: an all-reduce in two dimensions.",
      hints = { "col = world:split { color = rank % 2 }", "row:all_reduce(x)", "col:all_reduce(x)" },
      calls = { { "ncclAllReduce", times = 2, op = "sum" }, { "ncclCommSplit" } },
      solution = "col = world:split { color = rank % 2 }\nrow:all_reduce(x)\ncol:all_reduce(x)",
      wrong = {
        { "world:all_reduce(x)", "use two sums" },
        { "col = world:split { color = rank % 2 }\nx:fill(10)", "" },
        { "col = world:split { color = rank // 2 }\nrow:all_reduce(x)\ncol:all_reduce(x)", "does col contain" },
        { "col = world:split { color = rank % 2 }\n@0,1 row:all_reduce(x)\n@0 col:all_reduce(x)", "ranks wait" },
        { "col = world:split { color = rank % 2 }\nrow:all_reduce(x)\ncol:all_reduce(x)\nx:fill(10)", "by hand" },
      },
    },
    {
      text = [[
Communicators are independent of each other. Suppose rank 0 is in a call on row and waits there for rank 1, and
rank 1 is in a call on world and waits there for rank 0. Both wait forever, although each rank made the right
calls. All ranks that share two communicators must use them in the same order.]],
      task = "Create this hang: ranks 0 and 1 use row and world in opposite orders, with a stream:sync() after each call.",
      check = function(s)
        for _, f in ipairs(s.findings) do if f == "comm-order" then return true end end
        if #s.waiting == 0 then return nil end
        return false, "ranks wait, but not in a circle; ranks 2 and 3 must call world, too. `:why`, or `:again`"
      end,
      right = "`:why` reports it: no call is missing, only the order is wrong.",
      hints = {
        "@0 row:all_reduce(x) stream:sync() world:all_reduce(x) stream:sync()",
        "@1 the same with world first; @2,3 world:all_reduce(x)",
      },
      solution = "@0 row:all_reduce(x) stream:sync() world:all_reduce(x) stream:sync()\n@1 world:all_reduce(x) stream:sync() row:all_reduce(x) stream:sync()\n@2,3 world:all_reduce(x)",
      wrong = {
        { "@0 row:all_reduce(x) stream:sync()", "not in a circle" },
        { "@0,1 row:all_reduce(x) stream:sync() world:all_reduce(x) stream:sync()", "not in a circle" },
        { "row:all_reduce(x) stream:sync() world:all_reduce(x) stream:sync()", "" },
        { "@0 world:all_reduce(x) stream:sync()\n@2,3 world:all_reduce(x)", "not in a circle" },
      },
    },
  },
}
