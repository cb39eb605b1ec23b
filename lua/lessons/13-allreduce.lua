local function is_sum(s)
  return all_hold(s, "x", function() return function(i) return 10 * i end end)
end

local function used(s, ...)
  for _, name in ipairs { ... } do
    for r = 0, s.nranks - 1 do
      if #s.made(r, name) > 0 then return true end
    end
  end
end

local reset = 'x = cuda.buffer("float32", 4):fill(function(i) return i * (rank + 1) end)'

return {
  title = "An all-reduce of your own",
  ranks = 4,
  steps = {
    {
      text = [[
x holds 1 2 3 4, multiplied by rank + 1. An all-reduce would leave 10 20 30 40 on every rank. Two other collectives
do the same: the first leaves each rank one part of the sum, the second gives all parts to all ranks.]],
      setup = reset,
      task = "Leave the sum in x on every rank without world:all_reduce. Use two collectives, in place.",
      check = function(s)
        if used(s, "ncclAllReduce", "ncclReduce") then return false, "use neither all_reduce nor reduce; `:again`" end
        if is_sum(s) then return true end
        if used(s, "ncclReduceScatter") and not used(s, "ncclAllGather") then
          return false, "good: each rank holds one part of the sum. Now give all parts to all ranks"
        end
        if used(s, "ncclAllGather") then return false, "the parts must be added before they are gathered; `:again`" end
      end,
      right = "NCCL's ring all-reduce is these two, one after the other.",
      hints = { "world:reduce_scatter(x)", "world:all_gather(x)" },
      calls = { { "ncclReduceScatter" }, { "ncclAllGather" } },
      solution = "world:reduce_scatter(x)\nworld:all_gather(x)",
      wrong = {
        { "world:all_reduce(x)", "use neither" },
        { "x:fill(function(i) return 10 * i end)", "by hand" },
        { "world:reduce_scatter(x)", "Now give all parts" },
        { "world:all_gather(x)\nworld:reduce_scatter(x)", "before they are gathered" },
      },
    },
    {
      text = [[
Now use only send and recv, in a ring. In step k (0, 1 and 2), rank r sends part (r - k) % 4 to the right and
receives part (r - k - 1) % 4 from the left.]],
      setup = reset .. '\nt = cuda.buffer("float32", 1)\nright, left = (rank + 1) % nranks, (rank - 1) % nranks',
      task = "Which part does rank 1 receive in step 0? Type its number.",
      answer = "0",
      right = "(1 - 0 - 1) % 4 = 0: rank 0 sends its own part 0 first.",
      hints = { "Put r = 1 and k = 0 into (r - k - 1) % 4." },
      wrong = {
        { "1", "rank 1 sends part 1 in step 0; it receives (1 - 0 - 1) % 4" },
        { "3", "rank 0 receives part 3; rank 1 receives (1 - 0 - 1) % 4" },
        { "2", "put r = 1 and k = 0 into (r - k - 1) % 4" },
        { "nccl.group(function() world:send(x:part(rank), right) world:recv(t, left) end)\n0", "before you make the call" },
      },
    },
    {
      text = [[
The received part is added to the rank's own part: receive it in t, wait for the stream, then
x:part(...):add(t). After three steps each rank holds one whole part of the sum: rank r holds part (r + 1) % 4.]],
      setup = reset,
      task = "Do the three steps. t, right and left exist. Part (rank + 1) % 4 of x is then 10, 20, 30 or 40.",
      check = function(s)
        if used(s, "ncclReduceScatter", "ncclAllReduce", "ncclReduce") then return false, "use send and recv; `:again`" end
        if unfinished(s) then return false, "ranks wait: put send and recv of a step in one group; `:again`" end
        for r = 0, 3 do
          local v, p = s.value(r, "x"), (r + 1) % 4 + 1
          if v and v[p] ~= 10 * p then
            local n = #s.made(r, "ncclSend")
            if n >= 3 then return false, ("part %d on rank %d is %g, not %d; was each part added before it was sent? `:again`"):format(p - 1, r, v[p], 10 * p) end
            if n > 0 then return false, ("%d of 3 steps are done"):format(n) end
            return nil
          end
        end
        return true
      end,
      right = "That was a reduce-scatter. Each rank sent three of four parts: 3/4 of its data.",
      hints = {
        "for k = 0, 2 do ... end",
        "nccl.group(function() world:send(x:part((rank - k) % 4), right) world:recv(t, left) end)",
        "stream:sync() x:part((rank - k - 1) % 4):add(t)",
      },
      calls = { { "ncclSend", times = 3 }, { "ncclRecv", times = 3 } }, fills = true,
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
        { "for k = 0, 2 do world:send(x:part((rank - k) % 4), right) world:recv(t, left) end", "in one group" },
        { "world:reduce_scatter(x)", "use send and recv" },
        { "x:part((rank + 1) % 4):fill(10 * ((rank + 1) % 4 + 1))", "the task needs 3 calls of send" },
        { "for k = 0, 2 do nccl.group(function() world:send(x:part((rank - k) % 4), right) world:recv(t, left) end) stream:sync() end", "was each part added" },
        { "nccl.group(function() world:send(x:part(rank), right) world:recv(t, left) end)", "1 of 3 steps" },
      },
    },
    {
      text = [[
The second half passes the finished parts on. In step k, rank r sends part (r + 1 - k) % 4 to the right and
receives part (r - k) % 4 from the left, directly into its place.]],
      task = "Do these three steps. Then x is 10 20 30 40 on every rank.",
      check = function(s)
        if used(s, "ncclAllGather", "ncclAllReduce", "ncclBroadcast") then return false, "use send and recv; `:again`" end
        if unfinished(s) then return false, "ranks wait: use one group for each step; `:again`" end
        if is_sum(s) then return true end
        local n = #s.made(0, "ncclSend")
        if n >= 3 then return false, "not every part is in its place; which part does rank r send first? `:again`" end
        if n > 0 then return false, ("%d of 3 steps are done"):format(n) end
      end,
      right = "Each rank sent 3/4 of its data twice. For n ranks it is 2 * (n - 1) / n, less than twice the data for any number of ranks.",
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
        { "world:all_gather(x)", "use send and recv" },
        { "x:fill(function(i) return 10 * i end)", "by hand" },
        { "for k = 0, 2 do world:send(x:part((rank + 1 - k) % 4), right) world:recv(x:part((rank - k) % 4), left) end", "one group for each step" },
        { "for k = 0, 2 do nccl.group(function() world:send(x:part((rank - k) % 4), right) world:recv(x:part((rank - k - 1) % 4), left) end) end stream:sync()", "not every part" },
      },
    },
  },
}
