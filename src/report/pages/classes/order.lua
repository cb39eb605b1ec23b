-- Findings: order on one communicator. A page for each rule of the diagnosis; fields: pages.lua.

group { "order", "order on one communicator" }

class { "swapped-calls", "a rank made two calls in the other order",
  what = [[
The ranks make the same calls on a communicator, but one of them exchanged two.]],
  why = [[
Gradients that become ready in another order, iteration over an unordered table, two
libraries that share a communicator.
NCCL pairs calls by their order alone. Calls of different shape hang or spoil data; of equal
shape they complete with each other's data.]],
  see = [[
The report names the two calls and lines. Calls of equal shape are told apart by labels
(label = "..."), lines, buffers, or by the data: what was expected of a buffer (expect.equal) and
would be there with the two exchanged. Then the verdict is wrong, with this class as a note. JSON
says by what under "evidence".]],
  repair = [[
One order for all ranks, inside groups as well.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local weights = cuda.buffer("float32", 8):fill(rank)
local grad    = cuda.buffer("float32", 64):fill(rank)
if rank == 1 then
  world:broadcast(weights)
  world:all_reduce(grad)
else
  world:all_reduce(grad)
  world:broadcast(weights)
end
stream:sync()]],
  also = "skipped-call kind-mismatch" }
