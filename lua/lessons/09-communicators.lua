return {
  title = "Several communicators, and their order",
  ranks = 4,
  steps = {
    {
      text = [[
A communicator can be split: those who give the same colour come into one, in order of a key (of the rank, if
none is given). All ranks of the old one have to make the call.

    row = world:split { color = rank // 2 }]],
      task = "Make `row`, with ranks 0 and 1 in one and 2 and 3 in another. Then look at it: row",
      check = function(s)
        if #s.waiting > 0 then return false, "all ranks of world have to make the call" end
        local c = s.calls(0, "ncclCommSplit")
        if #c == 0 then return next(s.errors) and false, next(s.errors) and "color is needed: world:split { color = ... }" or nil end
        local name, size = {}, nil
        for r = 0, 3 do
          name[r], size = (s.replies[r] or ""):match("^comm (%S+) %d+/(%d+)")
          if not name[r] then return nil end
        end
        if size == "4" then return false, "all four came into one; the colour has to differ" end
        if name[0] ~= name[1] or name[2] ~= name[3] then return false, "0 and 1 belong together, and 2 and 3; :again" end
        if not s.input:find("row") then return false, "give it a name: row = world:split { color = ... }" end
        return true
      end,
      right = "`row` shows which: comm world/split1.0 0/2 is rank 0 of 2. `:comms` lists all.",
      hints = { "rank // 2 is 0 0 1 1." },
      solution = "row = world:split { color = rank // 2 }\nrow",
      wrong = {
        { "@0 row = world:split { color = 0 }", "all ranks of world" },
        { "row = world:split { color = 0 }\nrow", "all four came into one" },
        { "row = world:split { color = rank % 2 }\nrow", "0 and 1 belong together" },
        { "world:split { color = rank // 2 }", "give it a name" },
      },
    },
    {
      text = [[
Ranks are counted anew in each communicator: row.rank is 0 or 1, and a root is one of these. nccl.NOCOLOR gives
no communicator at all: the result is nil. Splits may be repeated, also across: columns are made by rank % 2.]],
      task = "Make `col` with ranks 0 and 2 in one, 1 and 3 in the other; then sum x (rank + 1) over row, and that over col.",
      setup = 'row = world:split { color = rank // 2 }\nx = cuda.buffer("float32", 1):fill(rank + 1)',
      check = function(s)
        local n = 0
        for r = 0, 3 do n = n + (s.holds(r, "x", 10) and 1 or 0) end
        if n == 4 then
          if #s.calls(0, "ncclAllReduce") ~= 2 then return false, "by two sums, over row and over col; :again" end
          return true
        end
        if #s.waiting > 0 then return false, "ranks wait for others; :waits shows for whom" end
        if n == 2 then return false, "only some have 10: does col go across?" end
      end,
      right = "3 and 7 over the rows, 10 over the columns: an all-reduce in two dimensions.",
      hints = { "col = world:split { color = rank % 2 }", "row:all_reduce(x)", "col:all_reduce(x)" },
      calls = { { "ncclAllReduce", times = 2, op = "sum" }, { "ncclCommSplit" } },
      solution = "col = world:split { color = rank % 2 }\nrow:all_reduce(x)\ncol:all_reduce(x)",
      wrong = {
        { "world:all_reduce(x)", "by two sums" },
        { "col = world:split { color = rank % 2 }\nx:fill(10)", "by two sums" },
      },
    },
    {
      text = [[
Different communicators know nothing of each other. If rank 0 is in a call of row and waits there for rank 1,
and rank 1 is in a call of world and waits for rank 0, both wait for ever, although each made all the right
calls. The order has to be the same on all ranks that share two of them.]],
      task = "Provoke it: ranks 0 and 1 use both, in opposite orders, each with a stream:sync() behind each call.",
      check = function(s)
        for _, f in ipairs(s.findings) do if f == "comm-order" then return true end end
        if #s.waiting == 0 then return nil end
        return false, "ranks wait, but not in a circle; ranks 2 and 3 have to come to world too. :why, or :again"
      end,
      right = "`:why` tells of it: nothing is missing, only the order is wrong.",
      hints = {
        "@0 row:all_reduce(x) stream:sync() world:all_reduce(x) stream:sync()",
        "@1 the same with world first; @2,3 world:all_reduce(x)",
      },
      solution = "@0 row:all_reduce(x) stream:sync() world:all_reduce(x) stream:sync()\n@1 world:all_reduce(x) stream:sync() row:all_reduce(x) stream:sync()\n@2,3 world:all_reduce(x)",
      wrong = { { "@0 row:all_reduce(x) stream:sync()", "not in a circle" } },
    },
  },
}
