local function sum_everywhere(s)
  for r = 0, s.nranks - 1 do
    if not s.holds(r, "x", function(i) return 10 * i end) then return false end
  end
  return true
end
local reset = 'x = cuda.buffer("float32", 4):fill(function(i) return i * (rank + 1) end)'

return {
  title = "An all-reduce of your own",
  ranks = 4,
  steps = {
    {
      text = [[
x is 1 2 3 4 times rank + 1. An all-reduce would make it 10 20 30 40 everywhere. Build it out of two others:
one leaves each rank its part of the sum, the other hands all parts to everybody.]],
      setup = reset,
      task = "Make x the sum on every rank without world:all_reduce, by two collectives in place.",
      check = function(s)
        if #s.calls(0, "ncclAllReduce") > 0 then return false, "without all_reduce; :again" end
        if sum_everywhere(s) then return true end
      end,
      right = "NCCL's ring all-reduce is these two, one after the other.",
      hints = { "world:reduce_scatter(x)", "world:all_gather(x)" },
      calls = { { "ncclReduceScatter" }, { "ncclAllGather" } },
      solution = "world:reduce_scatter(x)\nworld:all_gather(x)",
      wrong = {
        { "world:all_reduce(x)", "without all_reduce" },
        { "x:fill(function(i) return 10 * i end)", "by hand" },
      },
    },
    {
      text = [[
Now by send and receive alone, in a ring. In step k (from 0 to 2) rank r sends part (r - k) % 4 to the right,
receives part (r - k - 1) % 4 from the left into t, and adds it to its own: x:part(...):add(t). After three
steps each rank has one whole part of the sum.]],
      setup = reset .. '\nt = cuda.buffer("float32", 1)\nright, left = (rank + 1) % nranks, (rank - 1) % nranks',
      task = "Do the three steps (t, right and left are there). Part (rank + 1) % 4 of x is then the whole sum: 10, 20, 30 or 40.",
      check = function(s)
        if #s.waiting > 0 then return false, "ranks wait: send and receive of a step belong into one group; :again" end
        local n = 0
        for r = 0, 3 do
          local v, p = s.value(r, "x"), (r + 1) % 4 + 1
          n = n + (v and v[p] == 10 * p and 1 or 0)
        end
        if s.input:find("reduce_scatter") or s.input:find("all_reduce") then return false, "by send and recv; :again" end
        return n == 4 or nil
      end,
      right = "A reduce-scatter. Each rank has sent three parts of four: 3/4 of its data.",
      hints = {
        "for k = 0, 2 do ... end",
        "nccl.group(function() world:send(x:part((rank - k) % 4), right) world:recv(t, left) end)",
        "stream:sync() x:part((rank - k - 1) % 4):add(t)",
      },
      calls = { { "ncclSend", times = 3 }, { "ncclRecv", times = 3 } },
      solution = [[
for k = 0, 2 do
  nccl.group(function()
    world:send(x:part((rank - k) % 4), right)
    world:recv(t, left)
  end)
  stream:sync()
  x:part((rank - k - 1) % 4):add(t)
end]],
      wrong = {
        { "for k = 0, 2 do world:send(x:part((rank - k) % 4), right) world:recv(t, left) end", "belong into one group" },
        { "world:reduce_scatter(x)", "by send and recv" },
        { "x:part((rank + 1) % 4):fill(10 * ((rank + 1) % 4 + 1))", "by hand" },
      },
    },
    {
      text = [[
The second half hands the finished parts round: in step k rank r sends part (r + 1 - k) % 4 to the right and
receives part (r - k) % 4 from the left, straight into its place.]],
      task = "Do these three steps: then x is 10 20 30 40 on every rank.",
      check = function(s)
        if #s.waiting > 0 then return false, "ranks wait: one group for each step; :again" end
        if s.input:find("all_gather") or s.input:find("all_reduce") then return false, "by send and recv; :again" end
        if sum_everywhere(s) then return true end
      end,
      right = "Twice 3/4 of the data for each rank, however many ranks there are: that is why it is done so. `world:all_reduce` gives the same bytes here.",
      hints = { "nccl.group(function() world:send(x:part((rank + 1 - k) % 4), right) world:recv(x:part((rank - k) % 4), left) end)" },
      calls = { { "ncclSend", times = 3 }, { "ncclRecv", times = 3 } },
      solution = [[
for k = 0, 2 do
  nccl.group(function()
    world:send(x:part((rank + 1 - k) % 4), right)
    world:recv(x:part((rank - k) % 4), left)
  end)
end
stream:sync()]],
      wrong = {
        { "world:all_gather(x)", "by send and recv" },
        { "x:fill(function(i) return 10 * i end)", "by hand" },
      },
    },
  },
}
