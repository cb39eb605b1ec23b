local function gathered(i) return (i - 1) // 2 + 1 end

return {
  title = "Parts of a whole: gather, scatter and their all-forms",
  ranks = 4,
  steps = {
    {
      text = [[
All-gather: every rank has a part, afterwards every rank has all of them, in order of rank.

    before  rank 0  A          after  rank 0  A B C D
            rank 1    B               rank 1  A B C D
            rank 2      C             rank 2  A B C D
            rank 3        D           rank 3  A B C D

world:all_gather(x, y) reads x and writes y, which has to be nranks times as long.]],
      setup = 'x = cuda.buffer("float32", 2):fill(rank + 1)',
      task = "Make a y that is long enough, and gather the x of all ranks in it.",
      check = function(s)
        for r = 0, 3 do
          local v = s.value(r, "y")
          if not v then return false, next(s.errors) and "a line failed; make y first" or nil end
          if #v ~= 8 then return false, "y has " .. #v .. " elements; 4 ranks give 2 each" end
        end
        for r = 0, 3 do if not s.holds(r, "y", gathered) then return nil end end
        return true
      end,
      right = "1 1 2 2 3 3 4 4 on every rank.",
      hints = { 'y = cuda.buffer("float32", 8)', "world:all_gather(x, y)" },
      calls = { { "ncclAllGather" } },
      solution = 'y = cuda.buffer("float32", 8)\nworld:all_gather(x, y)',
      wrong = {
        { 'y = cuda.buffer("float32", 8):fill { 1, 1, 2, 2, 3, 3, 4, 4 }', "by hand" },
        { 'y = cuda.buffer("float32", 2)', "4 ranks give 2 each" },
        { "world:all_gather(x, y)", "make y first" },
      },
    },
    {
      text = [[
Reduce-scatter: every rank has the whole; it is added up, and each rank keeps its part of the sum.

    before  rank 0  A0 A1 A2 A3      after  rank 0  A0+B0+C0+D0
            rank 1  B0 B1 B2 B3             rank 1  A1+B1+C1+D1
            rank 2  C0 C1 C2 C3             rank 2  A2+B2+C2+D2
            rank 3  D0 D1 D2 D3             rank 3  A3+B3+C3+D3

world:reduce_scatter(y, x) reads y and writes x. Here all ranks have the same y: 1 1 2 2 3 3 4 4.]],
      task = "Scatter the sum of all y over the x of the ranks.",
      check = function(s)
        local n = 0
        for r = 0, 3 do n = n + (s.holds(r, "x", 4 * (r + 1)) and 1 or 0) end
        if n == 4 then return true end
        if #s.calls(0, "ncclAllReduce") > 0 then return false, "an all-reduce gives every rank all of it" end
        if next(s.errors) then return false, "a line failed; first what is read, then what is written" end
      end,
      right = "Each rank has its part of the sum: 4, 8, 12, 16. All-gather them, and it is an all-reduce of y.",
      hints = { "world:reduce_scatter(y, x)" },
      calls = { { "ncclReduceScatter", op = "sum" } },
      solution = "world:reduce_scatter(y, x)",
      wrong = {
        { "world:reduce_scatter(x, y)", "first what is read" },
        { "x:fill(4 * (rank + 1))", "by hand" },
        { "world:all_reduce(y)", "all of it" },
      },
    },
    {
      text = [[
All-to-all: part j of rank i goes to rank j and becomes its part i: a transposition.

    before  rank 0  A0 A1 A2 A3      after  rank 0  A0 B0 C0 D0
            rank 1  B0 B1 B2 B3             rank 1  A1 B1 C1 D1
            rank 2  C0 C1 C2 C3             rank 2  A2 B2 C2 D2
            rank 3  D0 D1 D2 D3             rank 3  A3 B3 C3 D3]],
      setup = 'a = cuda.buffer("int32", 4):fill(function(i) return 10 * rank + i - 1 end)\nb = cuda.buffer("int32", 4):fill(0)',
      task = "`a` holds 10 * rank, 10 * rank + 1 ... Send part j of every a to rank j, into b.",
      check = function(s)
        for r = 0, 3 do
          if not s.holds(r, "b", function(i) return 10 * (i - 1) + r end) then
            if #s.calls(r, "ncclAllGather") > 0 and next(s.errors) then
              return false, "all-gather gives everybody everything; here each rank gets a part from each"
            end
            return nil
          end
        end
        return true
      end,
      right = "Rank r has r, 10 + r, 20 + r, 30 + r.",
      hints = { "world:all_to_all(a, b)" },
      calls = { { { "ncclAlltoAll", "ncclSend" } } },
      solution = "world:all_to_all(a, b)",
      wrong = {
        { "b:fill(function(i) return 10 * (i - 1) + rank end)", "by hand" },
      },
    },
    {
      text = [[
Gather and scatter are all-gather and its way back with a root: gather collects the parts on the root, scatter
hands out those of the root. Who is not the root gives nil for what it does not have:

    world:gather(x, rank == 0 and all or nil)]],
      setup = 'p = cuda.buffer("float32", 1):fill(-1)\n@1 whole = cuda.buffer("float32", 4):fill(function(i) return i * i end)',
      task = "Rank 1 alone has `whole`: 1 4 9 16. Hand it out, so that p is 1, 4, 9, 16 on ranks 0 to 3.",
      check = function(s)
        local n = 0
        for r = 0, 3 do n = n + (s.holds(r, "p", (r + 1) ^ 2) and 1 or 0) end
        if n == 4 then return true end
        if next(s.errors) then
          return false, "`whole` is a name on rank 1 only: rank == 1 and whole or nil; and the root is rank 1"
        end
        local c = s.calls(0, "ncclScatter")
        if #c > 0 and c[#c].root ~= 1 then return false, "the root was rank " .. c[#c].root end
      end,
      right = "Scatter and gather are in NCCL since 2.28.",
      hints = { "world:scatter(send, recv, { root = ... })", "rank == 1 and whole or nil" },
      calls = { { "ncclScatter", root = 1 } },
      solution = "world:scatter(rank == 1 and whole or nil, p, { root = 1 })",
      wrong = {
        { "world:scatter(whole, p, { root = 1 })", "rank == 1 and whole or nil" },
        { "p:fill((rank + 1) ^ 2)", "by hand" },
      },
    },
  },
}
