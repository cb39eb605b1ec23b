-- Findings: arguments that differ. A page for each rule of the diagnosis; fields: pages.lua.

group { "arguments", "arguments that differ" }

class { "count-mismatch", "ranks disagree on the count of one collective",
  what = [[
All ranks made the call, but not with the same number of elements.]],
  why = [[
An unpadded last batch, a shard of another size, bytes where elements were meant.
NCCL never compares counts. Depending on sizes, algorithm and network the call hangs, or ends
with elements to which not everybody contributed.]],
  see = [[
The report lists the counts and names the odd rank. On a cluster a network that notices the
size says ncclInvalidUsage, later, on one rank only.]],
  repair = [[
Exchange the sizes first, or pad to the largest. The count of all-gather and reduce-scatter is
that of one rank's block.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local x = cuda.buffer("float32", rank == 2 and 7 or 8):fill(1)
world:all_reduce(x)
stream:sync()]],
  also = "zero-count p2p-count-mismatch" }

class { "dtype-mismatch", "ranks disagree on the data type of one collective",
  what = [[
All ranks made the call, but with elements of different types.]],
  why = [[
Often a mixed-precision switch that is read per rank.
NCCL compares nothing across ranks. Types of different width move different numbers of bytes:
a hang, or a spoilt tail. Types of equal width complete, and a reduction then adds bits that
mean something else: wrong, and silent.]],
  see = [[
The report lists the types and names the odd rank; of types of equal width the verdict is
wrong, not hang.]],
  repair = [[
Decide the type once, for all ranks.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local x = cuda.buffer(rank == 1 and "float16" or "float32", 8):fill(1)
world:all_reduce(x)
stream:sync()]],
  also = "count-mismatch op-mismatch" }

class { "op-mismatch", "ranks disagree on the operator of one reduction",
  what = [[
Each rank reduces with its own operator: one takes the maximum, the others the sum.]],
  why = [[
NCCL does not notice. The call completes, and because partial results travel in an order that
depends on the algorithm, the ranks may not even agree on the outcome.
Pre-mul-sum counts as one operator: the scalars of the ranks may well differ.]],
  see = [[
Nothing hangs: the verdict is wrong, and the finding names the odd rank.]],
  repair = [[
The same operator on all ranks.]],
  ends = "wrong", scenario = [[
scenario { ranks = 3 }
local x = cuda.buffer("int32", 8):fill(rank + 1)
world:all_reduce(x, { op = rank == 0 and "max" or "sum" })
stream:sync()
expect.equal(x, 6)]],
  also = "dtype-mismatch" }

class { "root-mismatch", "ranks disagree on the root of one collective",
  what = [[
Each rank builds its part of the tree from its own idea of the root: two sources, or none,
between neighbours.]],
  why = [[
A rank of the whole job or a device number where a rank of this communicator was meant.
NCCL does not notice: a hang, or with small data everybody believes to be done.]],
  see = [[
The report lists the roots and names the odd rank.]],
  repair = [[
The root is a rank of this communicator, counted from 0. Compute it in one place.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local x = cuda.buffer("float32", 8):fill(rank)
world:broadcast(x, { root = rank == 2 and 1 or 0 })
stream:sync()]],
  also = "wrong-peer wrong-comm" }
