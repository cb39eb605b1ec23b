return {
  title = "Sharded training: all-gather the weights, reduce-scatter the gradients",
  ranks = 4,
  steps = {
    {
      text = [[
In data-parallel training, each rank stores all weights. In sharded training (FSDP, ZeRO-3), each rank stores one
part, its shard. Before a layer is computed, an all-gather collects its weights; afterwards they are freed.]],
      task = "A model has 80 GB of weights, sharded over 8 ranks. How many GB does each rank store between the layers?",
      answer = "10",
      right = "Each rank stores 1/8. Memory is the reason for sharding.",
      hints = { "80 / 8" },
      wrong = {
        { "80", "80 GB is what each rank stores in plain data-parallel training" },
        { "640", "the ranks do not store copies, but parts" },
        { "8", "8 is the number of ranks" },
        { "20", "each of 8 ranks stores one of 8 parts" },
      },
    },
    {
      text = "`shard` holds 2 weights on each rank, all equal to rank + 1. `w` has room for the 8 weights of the layer.",
      setup = 'shard = cuda.buffer("float32", 2):fill(rank + 1)\nw = cuda.buffer("float32", 8):fill(0)',
      task = "Collect all weights in w, on every rank.",
      check = function(s)
        if all_hold(s, "w", function() return function(i) return (i - 1) // 2 + 1 end end) then return true end
        if next(s.errors) then return false, "a line failed; the shard is read, and w is written" end
        if unfinished(s) then return false, "all ranks must make the call" end
        if #s.made(0, "ncclBroadcast") > 0 then return false, "a broadcast gives only the shard of one rank" end
      end,
      right = "Every rank can compute the layer now.",
      hints = { "world:all_gather(shard, w)" },
      calls = { { "ncclAllGather", count = 2 } },
      solution = "world:all_gather(shard, w)",
      wrong = {
        { "world:all_gather(w, shard)", "the shard is read" },
        { "w:fill { 1, 1, 2, 2, 3, 3, 4, 4 }", "by hand" },
        { "world:broadcast(shard)", "only the shard of one rank" },
        { "@0 world:all_gather(shard, w)", "all ranks" },
      },
    },
    {
      text = [[
After the backward pass, each rank has gradients of all 8 weights, in g. They differ, because each rank has its own
data: here g is rank + 1. Each rank needs the mean only for its own shard.]],
      setup = 'g = cuda.buffer("float32", 8):fill(rank + 1)\ngs = cuda.buffer("float32", 2):fill(0)',
      task = "Leave on each rank, in gs, the mean gradient of its shard. (The mean is 2.5.) Do not give every rank all gradients.",
      check = function(s)
        if #s.made(0, "ncclAllReduce") > 0 then return false, "an all-reduce gives every rank all gradients; `:again`" end
        if all_hold(s, "gs", 2.5) then return true end
        if all_hold(s, "gs", 10) then return false, "10 is the sum; the mean is 2.5. `:again`" end
        if next(s.errors) then return false, "a line failed; g is read, and gs is written" end
        if unfinished(s) then return false, "all ranks must make the call" end
      end,
      right = "Each rank can update its own shard.",
      hints = { 'world:reduce_scatter(g, gs, { op = "avg" })' },
      calls = { { "ncclReduceScatter", op = { "avg", "premulsum" } } },
      solution = 'world:reduce_scatter(g, gs, { op = "avg" })',
      wrong = {
        { 'world:all_reduce(g, { op = "avg" })', "gives every rank all gradients" },
        { "world:reduce_scatter(g, gs)", "10 is the sum" },
        { "gs:fill(2.5)", "by hand" },
        { 'world:reduce_scatter(gs, g, { op = "avg" })', "a line failed" },
      },
    },
    {
      text = "x:add(y) adds y to x on the own GPU. A training step would subtract a multiple of the gradient; here it is added.",
      task = "Add gs to the shard on every rank, then collect the new weights in w: 3.5 3.5 4.5 4.5 5.5 5.5 6.5 6.5.",
      check = function(s)
        if all_hold(s, "w", function() return function(i) return (i - 1) // 2 + 3.5 end end) then return true end
        if #s.made(0, "ncclAllGather") > 0 and not unfinished(s) then
          return false, "every shard must be updated before it is gathered; `:again`"
        end
        if all_hold(s, "shard", function(r) return r + 3.5 end) and #s.made(0, "ncclAllGather") == 0 then
          return false, "the shards are updated; now collect them in w"
        end
        if unfinished(s) then return false, "all ranks must make the call" end
      end,
      right = "That is a complete step of sharded training.",
      hints = { "shard:add(gs)", "world:all_gather(shard, w)" },
      calls = { { "ncsAdd" }, { "ncclAllGather" } },
      solution = "shard:add(gs)\nworld:all_gather(shard, w)",
      wrong = {
        { "world:all_gather(shard, w)\nshard:add(gs)", "before it is gathered" },
        { "shard:add(gs)", "now collect them" },
        { "w:fill(function(i) return (i - 1) // 2 + 3.5 end)", "by hand" },
        { "@0 shard:add(gs)\nworld:all_gather(shard, w)", "before it is gathered" },
      },
    },
    {
      text = [[
Let W be the size of the weights. A ring all-reduce of the gradients makes each rank send 2 * (n - 1) / n * W per step.
FSDP gathers the weights twice (for the forward and for the backward pass) and reduce-scatters the gradients once.
Each of these three makes a rank send (n - 1) / n * W.]],
      task = "How many times as much does a rank send with FSDP as with the all-reduce? Type a number.",
      answer = "1.5",
      right = "3 against 2. FSDP trades communication for memory.",
      hints = { "Three collectives of (n - 1) / n * W, against 2 * (n - 1) / n * W." },
      wrong = {
        { "3", "the all-reduce sends 2 * (n - 1) / n * W, not (n - 1) / n * W" },
        { "2", "compare 3 with 2" },
        { "1", "FSDP gathers the weights twice" },
        { "0.67", "FSDP sends more, not less" },
      },
    },
  },
}
