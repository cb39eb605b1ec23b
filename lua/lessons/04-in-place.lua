return {
  title = "In place: where the parts have to lie",
  ranks = 3,
  steps = {
    {
      text = [[
All-reduce with one buffer works in place: what is sent is where the result goes. Parts are different: in an
all-gather in place rank r's own part has to lie where it will be in the result, as part r of the whole.

    y on rank 1, before   . . B B . .     after   A A B B C C

y:part(k) is a view: part k, of nranks equal ones, of a buffer. world:all_gather(y) sends y:part(rank).]],
      setup = 'y = cuda.buffer("float32", 6):fill(0)',
      task = "Fill each rank's own part of y with rank + 1, then all-gather in place.",
      check = function(s)
        local n = 0
        for r = 0, 2 do n = n + (s.holds(r, "y", function(i) return (i - 1) // 2 + 1 end) and 1 or 0) end
        if n == 3 then return true end
        if #s.calls(0, "ncclAllGather") > 0 then
          return false, "1 1 2 2 3 3 was to come out; did each rank fill part `rank`, and nothing else? :again"
        end
        for r = 0, 2 do
          if s.holds(r, "y", r + 1) then return false, "that is all of y; only y:part(rank) is this rank's own" end
        end
      end,
      right = "y:part(rank) is y + rank * count, as C has it.",
      hints = { "y:part(rank):fill(rank + 1)", "world:all_gather(y)" },
      calls = { { "ncclAllGather", count = 2 } }, fills = true,
      solution = "y:part(rank):fill(rank + 1)\nworld:all_gather(y)",
      wrong = {
        { 'y:fill { 1, 1, 2, 2, 3, 3 }', "made no call" },
        { "y:fill(rank + 1)", "only y:part(rank)" },
        { "y:part(0):fill(rank + 1)\nworld:all_gather(y)", "did each rank fill" },
      },
    },
    {
      text = [[
In C nothing keeps you from sending from the beginning of y on every rank, which is a bug that NCCL does not
notice: the parts of the others are written over what is being sent. ncclscript says so. Try it:

    C.ncclAllGather(y, y, 2, C.ncclFloat32, world, stream)

`C` has the functions as they are in C; they return a code, 0 when all is well.]],
      setup = "y:fill(rank + 1)",
      task = "Make the call as it stands there, then ask `:why`. Any line then goes on, such as `y`.",
      check = function(s)
        local c = s.calls(1, "ncclAllGather")
        local last = c[#c]
        if not last or not last.in_place then return nil end
        return s.input ~= "C.ncclAllGather(y, y, 2, C.ncclFloat32, world, stream)" or nil
      end,
      right = "On a GPU the result would have been right on rank 0 and wrong on the others, perhaps only sometimes.",
      hints = { "Copy the line; then :why; then y." },
      solution = "C.ncclAllGather(y, y, 2, C.ncclFloat32, world, stream)\ny",
    },
    {
      text = [[
Reduce-scatter in place is the mirror: the whole is read, and the result lies in part `rank` of it.
world:reduce_scatter(z) writes z:part(rank).]],
      setup = 'z = cuda.buffer("float32", 3):fill(function(i) return i * (rank + 1) end)',
      task = "z is 1 2 3 times rank + 1. Let part r of the sum be on rank r, in place.",
      check = function(s)
        for r = 0, 2 do
          local v = s.value(r, "z")
          if not v or v[r + 1] ~= 6 * (r + 1) then
            if #s.calls(r, "ncclAllReduce") > 0 then return false, "that was the whole sum for everybody" end
            return nil
          end
        end
        if #s.calls(0, "ncclReduceScatter") == 0 then return false, "by a reduce-scatter; :again" end
        return true
      end,
      right = "The other parts of z are as they were: nobody may rely on them.",
      hints = { "world:reduce_scatter(z)" },
      calls = { { "ncclReduceScatter", op = "sum" } },
      solution = "world:reduce_scatter(z)",
      wrong = {
        { "world:all_reduce(z)", "by a reduce-scatter" },
        { "z:part(rank):fill(6 * (rank + 1))", "by a reduce-scatter" },
      },
    },
  },
}
