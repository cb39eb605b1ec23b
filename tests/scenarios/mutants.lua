-- Writes copies of the workloads, each with one mistake in it that people make: usage, from the top of
-- the source tree: lua5.4 tests/scenarios/mutants.lua FOLDER. Fails where a text is not there any more.
local folder = assert(arg[1], "where to?")

-- The file, what is replaced where it stands first, by what.
local mutants = {
  -- The average begins before the gradients are there; the step before the averages are.
  { "data_parallel", "      - wait: { event: ready, stream: network }\n", "" },
  { "data_parallel", "  - wait: { event: averaged, stream: stream }\n", "" },
  { "data_parallel", "op: avg", "op: sum" },
  { "data_parallel", "send: grads:part(param.buckets - turn,", "send: grads:part(turn - 1," },
  -- The other group's sum; the sum of both; the next layer before the last one's output is there.
  { "tensor_parallel", "color: rank // param.width", "color: rank % 2" },
  { "tensor_parallel", "send: dx, comm: group", "send: dx, comm: world" },
  { "tensor_parallel", "      - sync: stream   # the next fill is the host's, and reads x\n", "" },
  -- The micro-batch of another turn; too many in flight; no groups.
  { "pipeline", 'to: "acts:part(warm + k - 1,', 'to: "acts:part(k - 1,' },
  { "pipeline", '"grads:part(steady + b - 1, param.batches)", peer: rank - 1',
    '"grads:part(b - 1, param.batches)", peer: rank - 1' },
  { "pipeline", "math.min(last - rank, param.batches)", "math.min(last, param.batches)" },
  { "pipeline", "- group:", "- do:", everywhere = true },
  -- Home to the wrong place, as many as went the other way, the expert left out, a token too few.
  { "expert_parallel", "back:slice(before(rank, k - 1) + 1", "back:slice(arrived(rank, k - 1) + 1" },
  { "expert_parallel", "arrived(rank, k - 1) + 1, incoming[k])\", peer: k - 1 }\n            where: incoming[k] > 0\n          - recv",
    "arrived(rank, k - 1) + 1, counts[k])\", peer: k - 1 }\n            where: incoming[k] > 0\n          - recv" },
  { "expert_parallel", "  - add: { from: expert, to: work, stream: stream }\n", "" },
  { "expert_parallel", "before(rank, k - 1) + 1, counts[k])", "before(rank, k - 1) + 1, counts[k] - 1)" },
  -- Sums for averages, another layer's shard, three times.
  { "fsdp", "op: avg", "op: sum" },
  { "fsdp", "recv: grads:part(param.layers - backward,", "recv: grads:part(backward - 1," },
  { "fsdp", '"shards:part(forward - 1,', '"shards:part(param.layers - forward,' },
  { "fsdp", '"shards:part(param.layers - backward,', '"shards:part(backward - 1,' },
  -- The wrong way round; a block overwritten while it is read, read before it is there, sent twice.
  { "ring_attention", "left: (rank - 1) % nranks\n  right: (rank + 1)",
    "left: (rank + 1) % nranks\n  right: (rank - 1)" },
  { "ring_attention", "      - wait: { event: used, stream: ring }\n", "" },
  { "ring_attention", "      - wait: { event: arrived, stream: stream }\n", "" },
  { "ring_attention", '"blocks:part(turn % 2, 2)", peer: left',
    '"blocks:part((turn - 1) % 2, 2)", peer: left' },
  -- Rows for columns; the result not spread, or from another column.
  { "grid_2d", "color: y0, key: x0", "color: x0, key: y0" },
  { "grid_2d", "  - broadcast: { send: result, comm: row, root: 0 }\n", "" },
  { "grid_2d", "send: result, comm: row, root: 0", "send: result, comm: row, root: row.nranks - 1" },
  -- From another root than the rest, and not at all.
  { "broadcast", "send: bias, root: param.root", "send: bias, root: 0" },
  { "broadcast", "  - broadcast: { send: step, root: param.root }\n", "" },
  -- Hosts that do not hear of each other; shards gathered from the wrong ranks.
  { "hierarchical", "  - all_reduce: { send: shard, comm: peers }\n", "" },
  { "hierarchical", "recv: total, comm: host", "recv: total, comm: peers" },
  { "hierarchical", "color: rank % param.gpus", "color: rank // param.gpus" },
  -- No factor, everybody's factor, a factor that does not fit the rank.
  { "weighted_average", "even, op: mean", "even, op: sum" },
  { "weighted_average", "op: weighted", "op: mean" },
  { "weighted_average", "samples / batch", "1 / batch" },
}

for number, m in ipairs(mutants) do
  local name, from, to = table.unpack(m)
  local file <close> = assert(io.open("scenarios/workloads/" .. name .. ".yaml"))
  local text = file:read("a")
  local first, last = text:find(from, 1, true)
  if not first then
    error(("mutant %d: `%s` is not in %s.yaml"):format(number, from, name), 0)
  end
  local out <close> = assert(io.open(("%s/%02d_%s.yaml"):format(folder, number, name), "w"))
  while first do
    text = text:sub(1, first - 1) .. to .. text:sub(last + 1)
    first, last = text:find(from, first + #to, true)
    first = m.everywhere and first
  end
  assert(out:write(text))
end
print(#mutants)
