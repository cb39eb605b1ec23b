local function gathered() return function(i) return (i - 1) // 2 + 1 end end
local function column(r) return function(i) return 10 * (i - 1) + r end end

return {
  title = "Parts of a whole: gather, scatter, all-to-all",
  ranks = 4,
  steps = {
    {
      text = [[
All-gather: each rank has one part. Afterwards each rank has all parts, in the order of the ranks.

    before  rank 0  A          after  rank 0  A B C D
            rank 1    B               rank 1  A B C D
            rank 2      C             rank 2  A B C D
            rank 3        D           rank 3  A B C D

world:all_gather(x, y) reads x and writes y. Each x has 2 elements, filled with rank + 1.]],
      setup = 'x = cuda.buffer("float32", 2):fill(rank + 1)',
      task = "How many elements must y have for world:all_gather(x, y)?",
      answer = "8",
      right = "4 ranks give 2 elements each.",
      hints = { "y holds the x of every rank." },
      wrong = {
        { "2", "y holds the x of all ranks, not of one" },
        { "4", "there are 4 parts, and each part has 2 elements" },
        { "6", "the rank's own part is in y, too" },
        { "16", "each of the 4 ranks gives 2 elements" },
      },
    },
    {
      text = "Now do it. The count of an all-gather is the number of elements that one rank sends.",
      task = "On every rank, create y with 8 float32 and gather the x of all ranks in it.",
      check = function(s)
        for r = 0, 3 do
          local v = s.value(r, "y")
          if not v then return false, next(s.errors) and "a line failed; create y first" or nil end
          if #v ~= 8 then return false, "y has " .. #v .. " elements; 4 ranks give 2 each" end
        end
        if all_hold(s, "y", gathered) then return true end
        if unfinished(s) then return false, "all ranks must make the call" end
      end,
      right = "Every rank holds 1 1 2 2 3 3 4 4.",
      hints = { 'y = cuda.buffer("float32", 8)', "world:all_gather(x, y)" },
      calls = { { "ncclAllGather", count = 2 } },
      solution = 'y = cuda.buffer("float32", 8)\nworld:all_gather(x, y)',
      wrong = {
        { 'y = cuda.buffer("float32", 8):fill { 1, 1, 2, 2, 3, 3, 4, 4 }', "by hand" },
        { 'y = cuda.buffer("float32", 2)', "4 ranks give 2 each" },
        { "world:all_gather(x, y)", "create y first" },
        { 'y = cuda.buffer("float32", 8)\n@0 world:all_gather(x, y)', "all ranks must make the call" },
      },
    },
    {
      text = [[
Reduce-scatter: each rank has the whole. The wholes are added, and each rank keeps one part of the sum.

    before  rank 0  A0 A1 A2 A3      after  rank 0  A0+B0+C0+D0
            rank 1  B0 B1 B2 B3             rank 1  A1+B1+C1+D1
            rank 2  C0 C1 C2 C3             rank 2  A2+B2+C2+D2
            rank 3  D0 D1 D2 D3             rank 3  A3+B3+C3+D3

world:reduce_scatter(y, x) reads y and writes x. All ranks have the same y: 1 1 2 2 3 3 4 4.]],
      task = "Give each rank its part of the sum of all y, in x.",
      check = function(s)
        if all_hold(s, "x", function(r) return 4 * (r + 1) end) then return true end
        if #s.made(0, "ncclAllReduce") > 0 then return false, "an all-reduce gives every rank the whole sum" end
        if next(s.errors) then return false, "a line failed; the buffer to read comes first, then the buffer to write" end
        if unfinished(s) then return false, "all ranks must make the call" end
      end,
      right = "The parts are 4, 8, 12 and 16. An all-gather of these parts completes an all-reduce of y.",
      hints = { "world:reduce_scatter(y, x)" },
      calls = { { "ncclReduceScatter", op = "sum" } },
      solution = "world:reduce_scatter(y, x)",
      wrong = {
        { "world:reduce_scatter(x, y)", "the buffer to read comes first" },
        { "x:fill(4 * (rank + 1))", "by hand" },
        { "world:all_reduce(y)", "the whole sum" },
        { "@0..2 world:reduce_scatter(y, x)", "all ranks must make the call" },
      },
    },
    {
      text = [[
All-to-all: part j of rank i becomes part i of rank j. The table of parts is transposed.

    before  rank 0  A0 A1 A2 A3      after  rank 0  A0 B0 C0 D0
            rank 1  B0 B1 B2 B3             rank 1  A1 B1 C1 D1
            rank 2  C0 C1 C2 C3             rank 2  A2 B2 C2 D2
            rank 3  D0 D1 D2 D3             rank 3  A3 B3 C3 D3

On rank r, `a` holds 10r, 10r + 1, 10r + 2, 10r + 3.]],
      setup = 'a = cuda.buffer("int32", 4):fill(function(i) return 10 * rank + i - 1 end)\nb = cuda.buffer("int32", 4):fill(0)',
      task = "Send part j of every `a` to rank j, into b.",
      check = function(s)
        if all_hold(s, "b", column) then return true end
        if next(s.errors) then return false, "a line failed; all_to_all takes the two buffers a and b" end
        if unfinished(s) then return false, "all ranks must make the call" end
        if #s.made(0, "ncclAlltoAll") > 0 then return false, "b does not hold the parts; which buffer is read? `:again`" end
      end,
      right = "Rank r holds r, 10 + r, 20 + r and 30 + r.",
      hints = { "world:all_to_all(a, b)" },
      calls = { { { "ncclAlltoAll", "ncclSend" } } },
      solution = "world:all_to_all(a, b)",
      wrong = {
        { "b:fill(function(i) return 10 * (i - 1) + rank end)", "by hand" },
        { "world:all_gather(a, b)", "a line failed" },
        { "world:all_to_all(b, a)", "which buffer is read" },
        { "@0,1 world:all_to_all(a, b)", "all ranks must make the call" },
      },
    },
    {
      text = [[
Gather and scatter have a root. Gather collects the parts on the root; scatter hands out the parts of the root.
The other ranks pass nil for the buffer that they do not have:

    world:gather(x, rank == 0 and all or nil)]],
      setup = 'p = cuda.buffer("float32", 1):fill(-1)\n@1 whole = cuda.buffer("float32", 4):fill(function(i) return i * i end)',
      task = "Only rank 1 has `whole`: 1 4 9 16. Hand out its parts, so that p is 1, 4, 9 and 16 on ranks 0 to 3.",
      check = function(s)
        if all_hold(s, "p", function(r) return (r + 1) ^ 2 end) then return true end
        if next(s.errors) then
          return false, "`whole` exists on rank 1 only: pass `rank == 1 and whole or nil`, with root = 1"
        end
        local c = s.made(0, "ncclScatter")
        if #c > 0 and c[#c].root ~= 1 then return false, "the root was rank " .. c[#c].root end
        if unfinished(s) then return false, "all ranks must make the call" end
      end,
      right = "NCCL has scatter and gather since version 2.28.",
      hints = { "world:scatter(send, recv, { root = ... })", "rank == 1 and whole or nil" },
      calls = { { "ncclScatter", root = 1 } },
      solution = "world:scatter(rank == 1 and whole or nil, p, { root = 1 })",
      wrong = {
        { "world:scatter(whole, p, { root = 1 })", "rank == 1 and whole or nil" },
        { "p:fill((rank + 1) ^ 2)", "by hand" },
        { "world:scatter(rank == 1 and whole or nil, p)", "root = 1" },
        { "@1 world:scatter(whole, p, { root = 1 })", "all ranks must make the call" },
      },
    },
  },
}
