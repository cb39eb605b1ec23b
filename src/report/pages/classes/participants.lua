-- Findings: who takes part. A page for each rule of the diagnosis; fields: pages.lua.

group { "participants", "who takes part" }

class { "skipped-call", "a rank left out a call that the others made",
  what = [[
The ranks make the same calls on a communicator, but one of them left one out. From there
on its calls are paired with the wrong ones of the others.]],
  why = [[
Something that only one rank knows decides over a collective: an empty batch, a NaN, a
condition on the rank, one step less.
NCCL pairs calls by their order alone. If the calls that follow look alike, the rank is one
behind from there on: the data is wrong, and the hang comes at the very end, when the others
wait in a call that this rank never makes.]],
  see = [[
The report names the rank, the call that it has not made and the line where the others make
it. On a cluster: the hung ranks sit in a synchronisation, one rank is in another place, or
has ended. Where calls look alike, labels (label = "...") show the first difference; without them
the data does where it can: what the ranks put in, and what they expected.]],
  repair = [[
Let all ranks decide together (reduce a flag with min), or take part with zeros.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
if rank ~= 1 then -- without this condition all is well
  world:all_reduce(x)
end
stream:sync()]],
  also = "extra-call early-destroy zero-count" }

class { "extra-call", "a rank made a call that the others did not make",
  what = [[
One rank makes a collective of its own between those that all make. It is paired with the
others' next call, and everything behind it is one off.]],
  why = [[
Typical: rank 0 alone saves a checkpoint or prints a metric, and the function that it calls
for that contains a collective.
NCCL pairs calls by their order alone. If the two look alike the data is silently wrong from
there on; else it hangs.]],
  see = [[
The report names the rank, the call and its line: without that call the ranks' calls fit.]],
  repair = [[
Make the call on all ranks, or do without communication in code that only some ranks run.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local grad = cuda.buffer("float32", 64):fill(1)
local loss = cuda.buffer("float32", 1):fill(rank)
world:all_reduce(grad)
if rank == 0 then
  world:reduce(loss) -- "only rank 0 needs it": but all have to take part
end
world:all_reduce(grad)
stream:sync()]],
  also = "skipped-call kind-mismatch" }

class { "kind-mismatch", "ranks made different collectives at the same place",
  what = [[
The ranks meet at one call number with different functions: an all-gather on one, an
all-reduce on the others.]],
  why = [[
The programs have parted further up: a branch on the rank, a call left out or made too many.
NCCL pairs calls of a communicator by their order alone and compares nothing. The kernels
wait for each other's data in ways that do not fit: a hang, rarely garbage.]],
  see = [[
The report lists what each rank called there, with its line. Nothing in NCCL's log shows it,
unless NCCL_DEBUG_SUBSYS=COLL is set: then compare the opCount lines of the ranks.]],
  repair = [[
Find the first place where the programs part, and make the same call on all ranks there.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local shard = cuda.buffer("float32", 4):fill(rank)
local all   = cuda.buffer("float32", 4 * nranks)
if rank == 0 then
  world:all_gather(shard, all) -- saves a checkpoint
else
  world:all_reduce(shard)
end
stream:sync()]],
  also = "skipped-call extra-call swapped-calls" }

class { "zero-count", "a rank took part with nothing",
  what = [[
A count of 0 is dropped on the spot: the call returns success and takes part in no
collective. The ranks with data wait for it.]],
  why = [[
NCCL looks at the count before anything else, and on this rank only. When all ranks pass 0,
nothing happens and all is well; when one does, it is as if it had not called.]],
  see = [[
The report names the rank whose call had nothing to move. On a cluster that rank is past the
call and idle, or in a later one.]],
  repair = [[
The same count everywhere (pad, and contribute zeros), or leave the call out on all ranks.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x, { count = rank == 1 and 0 or 8 })
stream:sync()]],
  also = "count-mismatch skipped-call" }

class { "error-path", "a rank left because of an error, the others went on",
  what = [[
A call failed on one rank (bad argument, out of memory), or its script raised, and the rank
returned, or skipped the rest of its work. Its peers had no error and wait for it.]],
  why = [[
NCCL does not tell the others: a result code belongs to the rank that gets it. An error
inside a group drops all calls of that group, the innocent ones too.]],
  see = [[
The report names the call that failed and its code. On a cluster the cause is in the log of
one rank, often minutes before the watchdogs of the others complain.]],
  repair = [[
First the error itself. Then let an error on one rank end the job, or abort the communicator,
on every rank.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
local root = rank == 1 and 7 or 0 -- there is no rank 7
C.ncclBroadcast(x, x, #x, C.ncclFloat32, root, world, stream) -- nobody looks at the code
stream:sync()]],
  also = "ncclInvalidArgument missing-group-end abort-one-rank" }

class { "failed-call", "a call failed, and nothing caught the error",
  what = [[
A call of NCCL or CUDA returned an error that ended its rank, and nobody waits because of it:
the call itself is wrong, or the library met something that it cannot do.]],
  why = [[
NCCL looks at the arguments on each rank before it starts: a root that is no rank of the
communicator, a buffer that is NULL, an end of a group without its start. CUDA tells the same
way that there is no memory left. Errors that have a cause further back have classes of their
own.]],
  see = [[
The report has the library's own words and what the calls before it tell, and names all ranks
that failed at that place. On a cluster: NCCL_DEBUG=WARN, and ncclGetLastError.]],
  repair = [[
What the report says; explain has a page for each result code.]],
  ends = "error", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, nranks, world, stream)) -- ranks count from 0]],
  also = "error-path null-communicator ncclInvalidArgument ncclInvalidUsage" }

class { "waiting", "a rank waits, and no rule says more",
  what = [[
The report names who waits, in which call and for whom. No pattern that has a name fits, so
it cannot tell whose change would repair it.]],
  why = [[
That nothing can go on is certain all the same: every rank that lives waits for another, and
nothing is under way.]],
  see = [[
run --format tree shows the waits from the cause on; run -v lists them by rank.]],
  repair = [[
Follow the waits from rank to rank to the one that waits for something that nobody is going
to do.]] }
