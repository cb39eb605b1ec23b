-- The classes of findings: a page for each rule of the diagnosis. Fields: pages.lua.

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
has ended. Labels on calls (label = "...") show the first difference where calls look alike.]],
  repair = [[
Let all ranks decide together (reduce a flag with min), or take part with zeros.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
if rank == 0 then -- without this condition all is well
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
The report names the two calls and lines. Calls of equal shape only labels (label = "...")
or wrong values can tell apart: then the verdict is wrong, with this class as a finding.]],
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

group { "p2p", "send, receive and signals" }

class { "p2p-cycle", "sends and receives wait for each other in a circle",
  what = [[
Each rank sends first and receives later, one call after the other. A send is done when its
receive is there, and that is behind the peer's own send.]],
  why = [[
NCCL buffers small messages once two ranks are connected, so this passes with small data and
hangs with large, or on the first contact. Policy typical shows it pass, policy strict hang.]],
  see = [[
The report goes around the circle, rank by rank. On a cluster: it worked with the small
model, or after a warm-up, and hangs with the large one.]],
  repair = [[
Put the sends and receives that belong together into one group, or let one side receive
first. A group is done as a whole: do not put into it a receive whose data depends on what
comes after the group.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local other = 1 - rank
local mine, theirs = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
world:send(mine, other) -- in nccl.group(function() ... end) the two would pass
world:recv(theirs, other)
stream:sync()]],
  also = "first-contact policy send-without-recv" }

class { "message-order", "messages are received in another order than they were sent",
  what = [[
A rank sends two messages to one peer, and the peer receives them the other way round: each lands in
the buffer of the other.]],
  why = [[
Messages have no tags: between two ranks they are paired by their order alone, inside a group as
well. A pipeline of two stages, in which the next rank is the previous one too, gets there easily.]],
  see = [[
Messages of one size complete, with wrong data. With labels on sends and receives the report names
the two; without them only values show it. Messages of different sizes are p2p-count-mismatch.]],
  repair = [[
Receive in the order in which the peer sends, or send both as one message.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
if rank == 0 then
  world:send(x, 1, { label = "activation" })
  world:send(y, 1, { label = "gradient" })
else
  world:recv(y, 0, { label = "gradient" })
  world:recv(x, 0, { label = "activation" })
end
stream:sync()]],
  also = "p2p-count-mismatch swapped-calls label" }

class { "p2p-count-mismatch", "a send and its receive disagree on the count",
  what = [[
The two were paired by their order, and do not move the same number of elements.]],
  why = [[
Counts of an all-to-all that each side computes for itself; one side that skips empty
messages where the other does not.
A receive that is longer than its send waits for bytes that never come. A shorter one is done
when it has its own, and the sender is left waiting or data is lost; NCCL reports neither.]],
  see = [[
The report names both calls with their counts and lines.]],
  repair = [[
Send the counts first where they vary, and keep what rank i sends to rank j equal to what j
expects from i. Skip empty messages on both sides or on none.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 16):fill(1)
if rank == 0 then
  world:send(x, 1, { count = 8 })
else
  world:recv(x, 0, { count = 16 })
end
stream:sync()]],
  also = "count-mismatch wrong-peer" }

class { "send-without-recv", "a send that nobody receives",
  what = [[
The peer that is named has ended, or does something else, without a receive that is left for
this send.]],
  why = [[
By contract the send waits for its receive. NCCL may let a small one run ahead on a
connection that exists, so the error can stay hidden until messages grow.]],
  see = [[
The report names the send and its line, and what its peer does instead.]],
  repair = [[
Count sends and receives per pair of ranks; they must be equal.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
if rank == 0 then
  world:send(x, 1) -- rank 1 has no world:recv(x, 0)
  stream:sync()
end]],
  also = "recv-without-send wrong-peer policy" }

class { "recv-without-send", "a receive to which nobody sends",
  what = [[
The peer that is named has ended, or does something else, without a send to this rank that is
not taken by an earlier receive.]],
  why = [[
A receive waits for ever, under any policy: it has nothing to go on with.]],
  see = [[
The report names the receive and its line, and what its peer does instead.]],
  repair = [[
Count sends and receives per pair of ranks; they must be equal. If another rank has a send too
many, the peer is probably wrong.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8)
if rank == 1 then
  world:recv(x, 0) -- rank 0 has no world:send(x, 1)
  stream:sync()
end]],
  also = "send-without-recv wrong-peer" }

class { "wrong-peer", "a send or a receive names the wrong rank",
  what = [[
One rank waits for a message from a rank that sends nothing to it, while the message of
another has no taker.]],
  why = [[
Off by one, or a rank of the job where a rank of the communicator was meant.
NCCL checks only that the peer exists. The receiver hangs; the sender may get away when its
message is small.]],
  see = [[
The report names the call with the wrong peer and the call that it ought to answer.]],
  repair = [[
Correct the peer, counted from 0 within this communicator.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank > 0 then
  world:recv(x, rank == 2 and 0 or rank - 1) -- rank 2 ought to listen to rank 1
end
if rank < nranks - 1 then
  world:send(x, rank + 1)
end
stream:sync()]],
  also = "recv-without-send send-without-recv" }

class { "signal-missing", "a wait for signals that are never sent",
  what = [[
A wait takes so many signals of each peer that it lists, and ends when they are there. Fewer
are sent.]],
  why = [[
Every put sends one signal, also an empty one, and ncclSignal sends one; they are counted per
pair of ranks and never reset, so that one wait that takes too many starves a later one.]],
  see = [[
The wait blocks its stream, not the host: the hang shows where the stream is synchronised.
The report tells how many signals were asked for and how many came.]],
  repair = [[
Count puts and signals against what the waits take (opCnt), per pair of ranks.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
if rank == 0 then
  world:signal(1)
else
  world:wait_signal(0, { op_cnt = 2 }) -- one signal comes
end
stream:sync()]],
  also = "signal-cycle signal-setup" }

class { "signal-setup", "not every rank makes a one-sided call on the communicator",
  what = [[
The first put, signal or wait on a communicator sets up memory on every rank and blocks its
host until every rank of the communicator has made such a call, whatever it is.]],
  why = [[
That call looks like a matter of two ranks, and is a collective the first time. Later ones
wait for nobody.]],
  see = [[
The ranks that called sit inside of the call itself, on the host.]],
  repair = [[
Let every rank make a one-sided call early; a rank that neither puts nor waits can signal
itself. Or split off a communicator of those that take part.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
if rank < 2 then -- rank 2 makes no one-sided call
  world:signal(1 - rank)
  world:wait_signal(1 - rank)
end
stream:sync()]],
  also = "signal-missing first-contact" }

class { "window-order", "ranks registered their windows in different orders",
  what = [[
Registering a window is for all ranks of a communicator, and the windows of the ranks are paired by
their order. A rank that registers two of them the other way round has each paired with the
others' other one.]],
  why = [[
A loop over an unordered table, two libraries that register in a race. NCCL compares nothing: what
is put into the one window arrives in the other.]],
  see = [[
A note that says which two and by what they are told apart: labels, lines, or sizes. Windows that
are alike in all of these cannot be told apart: then only values show it.]],
  repair = [[
One order of registrations on every rank.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local keys   = cuda.buffer("float32", 8, { memory = "nccl" }):fill(0)
local values = cuda.buffer("float32", 16, { memory = "nccl" }):fill(0)
if rank == 0 then
  world:window(keys)
  world:window(values)
else
  world:window(values)
  world:window(keys)
end]],
  also = "swapped-calls signal-setup" }

class { "signal-cycle", "waits for signals that are sent behind other waits",
  what = [[
A wait holds its stream until the signals are there, and what comes behind it in the stream,
or later on the same communicator, is not sent before.]],
  why = [[
Ranks that all wait first and signal then wait for each other for ever.]],
  see = [[
The report goes around the circle, rank by rank.]],
  repair = [[
Put or signal first, then wait.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
world:wait_signal(1 - rank)
world:signal(1 - rank)
stream:sync()]],
  also = "signal-missing p2p-cycle" }

group { "groups", "groups" }

class { "missing-group-end", "a group was never closed",
  what = [[
Between ncclGroupStart and ncclGroupEnd calls are only queued; nothing reaches a stream before
the outermost end. This rank came through a start without its end.]],
  why = [[
An early return, an exception, a start too many. Its calls return success and are never
launched, its stream is empty and every wait on it returns at once; the peers wait for ever.]],
  see = [[
The report names the rank, and where the group was opened. On a cluster that rank reads old
values and goes on as if all were well.]],
  repair = [[
Balance start and end on every path, early returns included. In Lua, nccl.group(fn) does it
by itself.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
C.ncclGroupStart()
C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream)
if rank == 1 then
  return -- the call is queued, and stays queued
end
C.ncclGroupEnd()
stream:sync()]],
  also = "group error-path" }

class { "one-thread-no-group", "one thread drives several ranks without a group",
  what = [[
A thread makes the calls of several ranks one after the other. The first may block until the
others have called, and only this thread could do that.]],
  why = [[
ncclCommInitRank always blocks in this way; a collective may by contract, and in practice does
so when it connects for the first time.]],
  see = [[
One thread sits inside of the first call. The report names the thread's other calls that never
came to be made.]],
  repair = [[
Put the calls of all ranks of the thread between ncclGroupStart and ncclGroupEnd, or use
ncclCommInitAll to make the communicators.]],
  ends = "hang", scenario = [[
scenario { ranks = 1, world = false, needs = { gpus = 2 } }
local id = nccl.unique_id()
for r = 0, 1 do
  cuda.set_device(r)
  nccl.init_rank(2, id, r) -- waits for the second round of this loop
end]],
  also = "group init-missing-rank" }

class { "sync-inside-group", "a wait in an open group, where nothing is enqueued yet",
  what = [[
Between ncclGroupStart and ncclGroupEnd the stream is synchronised, or an event is recorded, for a
call of the same group. It covers nothing of that call.]],
  why = [[
In a group calls are only remembered. All of them go to their streams at the end of the outermost
group, and no error is returned for a wait that comes before.]],
  see = [[
The report names the wait, the call that it was meant for, and the line that uses the result.]],
  repair = [[
End the group first, then wait.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
nccl.group(function()
  world:all_reduce(x)
  stream:sync()
  expect.equal(x, 2) -- still 1
end)]],
  also = "read-before-sync missing-group-end" }

group { "communicators", "several communicators" }

class { "comm-order", "ranks use several communicators in different orders",
  what = [[
Rank 0 works on communicator X and then on Y, rank 1 on Y and then on X, each in one stream or
with a host wait in between. Each waits for the other's second call, which is behind its
first.]],
  why = [[
NCCL orders calls within a communicator only; between communicators nothing is checked. In
separate streams such a program often works as long as the GPU has room for both kernels, and
hangs on a busy day.]],
  see = [[
The report goes around the circle: who waits on which communicator, at which line.]],
  repair = [[
One order of communicators for all ranks. Any rank of the cycle can give way; which one does
not matter.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x    = cuda.buffer("float32", 8):fill(1)
local rows = world:split { color = 0, name = "rows" }
if rank == 0 then
  world:all_reduce(x)
  rows:all_reduce(x)
else
  rows:all_reduce(x)
  world:all_reduce(x)
end
stream:sync()]],
  also = "launch-order wrong-comm" }

class { "unordered-threads", "threads of a rank use one communicator or stream with no order between them",
  what = [[
Two threads of one rank make calls on the same communicator, or on two communicators by the same
stream, and neither has waited for the other. Which comes first is decided anew in each run.]],
  why = [[
NCCL pairs calls by their order, and a stream carries them out in order. When the threads of two
ranks come in different orders, calls are paired wrongly, or each rank waits for the other. A
communicator is for one thread at a time in any case: racing launches spoil its state.]],
  see = [[
A note, also of a run that passes: it is found by what the threads waited for (joins, the store,
barriers, the driver), not by what happened to come first. A sleep orders nothing.]],
  repair = [[
Let one thread submit for a device, or hand the turn from thread to thread in an order that is the
same on every rank.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(2)
local other = cuda.stream()
local thread = spawn(function() world:all_reduce(y, { stream = other }) end)
world:all_reduce(x) -- after thread:join() all is well
thread:join()
cuda.sync()]],
  also = "comm-order swapped-calls launch-order" }

class { "launch-order", "ranks launch two communicators in opposite orders",
  what = [[
Nothing hung: the calls are on independent streams, and the device had room for both kernels.
Where it has not (a smaller GPU, more channels, a kernel of yours beside them), each rank's
first kernel keeps the other's second one out, and all wait.]],
  why = [[
NCCL asks for one order of communicators on all ranks, or for room for all of them.]],
  see = [[
The finding is a note of a run that passes. sim = { lanes = 1 } in scenario{} makes the devices
so narrow that the hang shows.]],
  repair = [[
One order for all ranks.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 } -- with sim = { lanes = 1 } it hangs
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(1)
local rows = world:split { color = 0, name = "rows" }
rows.stream = cuda.stream()
local first, second = world, rows
for step = 1, 2 do -- first in one order, then rank 1 in the other
  first:all_reduce(x)
  second:all_reduce(y)
  world.stream:sync()
  rows.stream:sync()
  if rank == 1 then
    first, second, x, y = rows, world, y, x
  end
end]],
  also = "comm-order lane" }

class { "wrong-comm", "calls that were meant for each other were made on two communicators",
  what = [[
One rank passes `world`, another a communicator of the same ranks. Each side waits on its own
for the other.]],
  why = [[
A default that was not overridden, two handles in one variable, a field set on some ranks
only. NCCL pairs calls within one communicator only, and nothing compares the two.]],
  see = [[
The report shows two calls that look alike on two communicators.]],
  repair = [[
One communicator for both. If both are meant, it is a matter of order: see comm-order.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x    = cuda.buffer("float32", 8):fill(1)
local pair = world:split { color = 0, name = "pair" }
local comm = rank == 1 and world or pair
comm:all_reduce(x)
stream:sync()]],
  also = "comm-order communicator" }

group { "streams", "streams and hosts" }

class { "host-wait", "a host waits for another that does not come, or waits for NCCL",
  what = [[
One rank waits outside of NCCL (a store key, a barrier, a join). Either nobody is left who
could end that: the others finished without setting the key, or without coming to the barrier.
Or another rank will do it only after a call of NCCL has gone on, and that call needs the first
rank.]],
  why = [[
NCCL may block the host in the first call with a peer, to connect, and in any synchronisation
of a stream: a warm-up often hides such a knot.]],
  see = [[
The report names the key, barrier or thread, and who could have set it or come.]],
  repair = [[
See that the key has the same name on both sides and is set on every path. Do not put host
messages between two halves of an exchange; post both halves first, then signal.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank == 0 then
  world:send(x, 1)       -- the first contact with rank 1 waits on the host
  store:set("sent", true)
else
  store:get("sent")
  world:recv(x, 0)
end
stream:sync()]],
  also = "first-contact livelock" }

class { "read-before-sync", "a result is read before its operation has ended",
  what = [[
The host, or another stream, reads what a call of NCCL writes, and nothing has waited for the
operation: it reads what was there before, always, seldom, or on the busiest day only.]],
  why = [[
A call of NCCL returns when its operation is in the stream, not when it has ended. A barrier of
the hosts, or the same call on another rank, is no wait for the stream; and a copy without a
stream goes to the legacy stream, which waits for blocking streams only.]],
  see = [[
The report names the call that writes and the line that reads, and says so too when the values
came out right by luck. On a cluster: values that are right in a debugger, or with
CUDA_LAUNCH_BLOCKING=1, and wrong otherwise.]],
  repair = [[
stream:sync() before the host reads. Another stream has to wait for an event that was recorded
after the call.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(0)
stream:delay(1e-3) -- a kernel before it
world:all_reduce(x, y)
expect.equal(y, 2) -- stream:sync() is missing before it
stream:sync()]],
  also = "unordered-input sync-inside-group sync-before-enqueued" }

class { "unordered-input", "an operation reads what another stream may still write",
  what = [[
A kernel or a copy in one stream makes the data, a call of NCCL in another reads it, and nothing
makes it wait. It may send what was there before.]],
  why = [[
Streams have no order among themselves. It works as long as the producer is fast enough.]],
  see = [[
The report names both lines. On a cluster: wrong values on all ranks, now and then, which go away
with a synchronisation anywhere before the call.]],
  repair = [[
Record an event in the producer's stream and let the stream of the call wait for it, or put both
into one stream.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x, compute = cuda.buffer("float32", 8):fill(0), cuda.stream()
compute:delay(1e-3)
x:fill(1, { stream = compute })
world:all_reduce(x) -- on the ready-made stream, which does not wait for `compute`
stream:sync()
expect.equal(x, 2)]],
  also = "read-before-sync buffer-reused" }

class { "buffer-reused", "memory is overwritten or freed while an operation uses it",
  what = [[
A call of NCCL is still on its stream when the next step fills its buffer, or frees it, or hands
it to somebody else. What is sent is then partly the next step's: every rank may get wrong data.]],
  why = [[
A call returns when its operation is in the stream, and the buffer is the operation's until that
has ended. cudaFree waits for the device; cudaFreeAsync only for what is in its own stream, and
so do the allocators of frameworks.]],
  see = [[
The report names the call and the line that overwrites or frees.]],
  repair = [[
stream:sync() first; or let the stream that overwrites wait for an event recorded after the call;
or use two buffers in turn; or free in the stream that used the memory last.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8)
stream:delay(1e-3) -- a kernel before it
world:all_reduce(x, y)
x:fill(2) -- for the next step
stream:sync()
expect.equal(y, 2)]],
  also = "unordered-input overlapping-buffers" }

group { "lifecycle", "making and ending communicators" }

class { "init-missing-rank", "not every rank came to make the communicator",
  what = [[
ncclCommInitRank returns when all nranks ranks have called it. Somebody has not: it ended
before, took another branch, or waits for something else.]],
  why = [[
NCCL waits without a limit and names nobody.]],
  see = [[
All ranks that came sit inside of the call. The report names the missing one and what it does
instead.]],
  repair = [[
See what the missing rank does instead. If it is not meant to take part, nranks is too
large.]],
  ends = "hang", scenario = [[
scenario { ranks = 3, world = false }
if rank == 0 then
  store:set("id", nccl.unique_id())
end
if rank ~= 2 then
  nccl.init_rank(3, store:get("id"), rank) -- returns when all three have come
end]],
  also = "init-clash one-thread-no-group" }

class { "init-clash", "ranks disagree on who they are when a communicator is made",
  what = [[
Two callers gave the same rank, or different nranks, or one unique id serves two communicators,
or several ids serve one.]],
  why = [[
NCCL's rendezvous notices some of this, prints a warning on one rank and stops serving; those
who had checked in wait for ever.]],
  see = [[
The report lists what each caller passed. On a cluster look for a warning of the bootstrap in
the log of rank 0's process.]],
  repair = [[
One rank makes the id and hands it to the others; each id is used for one communicator; each
rank number from 0 to nranks - 1 comes exactly once.]],
  ends = "hang", scenario = [[
scenario { ranks = 2, world = false }
nccl.init_rank(2, nccl.unique_id(), rank) -- an id of its own on each rank]],
  also = "init-missing-rank" }

class { "part-too-small", "a call names a rank that its part of a split has not",
  what = [[
A root or a peer is beyond the last rank of the communicator, which is a part of a split, while
another part of the same split does have that rank: somebody is in another part than was meant.]],
  why = [[
Every rank works out its color by itself, and NCCL takes what it is given: a color that nobody
shares makes a communicator of one. The call is refused on that rank alone, and others wait.]],
  see = [[
The report names the call, the size of the part, and who gave which color. On a cluster: "invalid
root" or "invalid peer" in the log of one rank.]],
  repair = [[
Work out colors from numbers that all ranks share, and check the number of ranks of what comes out.]],
  ends = "hang", scenario = [[
scenario { ranks = 4 }
local color = rank < 3 and 0 or 1 -- meant: rank // 2
local pair  = world:split { color = color, name = "pair" }
local x     = cuda.buffer("float32", 8):fill(1)
local rc    = C.ncclBroadcast(x, x, 8, C.ncclFloat32, 1, pair, pair.stream)
if rc == C.ncclSuccess then
  world:all_reduce(x)
end
stream:sync()]],
  also = "init-clash error-path" }

class { "early-destroy", "a rank destroyed a communicator that others still use",
  what = [[
A rank left by ncclCommDestroy or ncclCommFinalize before it had made all the calls that its
peers make. The peers wait for the missing part for ever.]],
  why = [[
Both wait for this rank's own work and for nobody else's. A later call with the destroyed
handle is undefined and may crash.]],
  see = [[
The report names the destroy and its line, and the call that the others wait in.]],
  repair = [[
Destroy at the same point of the program on every rank, after the last call of all of them; or
make the call that this rank left out.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 0 then
  world:destroy()
else
  world:all_reduce(x)
  stream:sync()
end]],
  also = "skipped-call abort-one-rank never-destroyed" }

class { "used-after-destroy", "a rank used a communicator that it had destroyed",
  what = [[
A rank destroys a communicator twice, or makes a call on it after its destroy or abort.]],
  why = [[
Two owners of one handle, a destructor that runs late, a watchdog that still polls. The handle is
freed memory then: NCCL returns ncclInvalidArgument if it is lucky, and crashes if it is not. As
the call comes to nothing, the peers may wait for it.]],
  see = [[
The report names both calls and their lines; a note where nobody waits because of it. Objects of
a scenario refuse such calls themselves, so it takes C functions to get there.]],
  repair = [[
One owner for each handle, which sets it to NULL when it destroys it: destroying NULL is no error.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local half = world:split { color = 0, name = "half" }
half:destroy()
if rank == 1 then
  C.ncclCommDestroy(half)
end]],
  also = "early-destroy ncclInvalidArgument" }

class { "stale-operator", "a rank used the handle of an operator that it had destroyed",
  what = [[
A pre-mul-sum operator is destroyed, a new one gets its handle, and a copy of the old handle that
somebody kept now names the new operator: its factor applies.]],
  why = [[
NCCL gives freed handles away again, the last one first. A handle is a number and carries no sign
of its age, so nothing fails: the sum has another factor on the rank with the copy.]],
  see = [[
The report is a note beside a wrong result, and likely rather than certain: the operator of the
call has the handle of an earlier one, whose factor is that of all other ranks. If all ranks keep
such a copy, all have the same wrong factor, and nothing tells.]],
  repair = [[
Keep no copy of a handle beyond its destroy; make operators anew where they are needed, or once
for the whole program.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
local function scale(factor)
  local scalar = C.host("float32", 1):fill(factor)
  return C.check(C.ncclRedOpCreatePreMulSum(scalar, C.ncclFloat32, C.ncclScalarHostImmediate, world))
end
local op = scale(2)
C.check(C.ncclRedOpDestroy(op, world))
scale(0.5)
if rank == 1 then op = scale(2) end -- rank 0 keeps the old handle
C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat32, op, world, stream))
stream:sync()
expect.equal(x, 4)]],
  also = "zero-factor op-mismatch ncclRedOpDestroy" }

class { "zero-factor", "the factor of a pre-mul-sum is 0 on every rank",
  what = [[
A reduction with a pre-mul-sum operator yields zeros, whatever is reduced.]],
  why = [[
The operator was made for a narrow type (bfloat16, float16, a float8) from a wider scalar. NCCL
reads as many bytes as the operator's type has: of a float32 the lower two, which are 0 for every
power of two. No call fails.]],
  see = [[
The report is a note beside a wrong result. On a cluster: gradients that are all zero, without a
NaN and without an error.]],
  repair = [[
Convert the factor to the type of the operator before giving its address.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("bfloat16", 8):fill(1)
local factor = C.host("float32", 1):fill(0.5)
local op = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclBfloat16, C.ncclScalarHostImmediate, world))
C.check(C.ncclAllReduce(x, x, 8, C.ncclBfloat16, op, world, stream))
stream:sync()
expect.equal(x, 1)]],
  also = "stale-operator dtype-mismatch ncclRedOpCreatePreMulSum" }

class { "buffer-overlap", "send and receive buffer of a call overlap",
  what = [[
The bytes that a call sends and those that it receives into overlap, and not as NCCL's in-place
operation wants it. Parts are overwritten before they are sent.]],
  why = [[
In place is: the same address for all-reduce, reduce and broadcast; block number `rank` of the
receive buffer for all-gather, of the send buffer for reduce-scatter. The usual mistake is to give
the start of the buffer on every rank: that is right on rank 0 alone.
NCCL compares no addresses. What comes out is undefined, and mostly wrong on some ranks only.]],
  see = [[
The report is a note with the distance of the two buffers. On a cluster: results that are right on
rank 0, or with one algorithm.]],
  repair = [[
Two buffers that are apart, or the address that in place asks for.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local all = cuda.buffer("int32", 8):fill(-1)
local mine = all:slice(1, 4):fill(rank + 1) -- block `rank` is meant: all:part(rank)
world:all_gather(mine, all)
stream:sync()
expect.equal(all:part(1), 2)]],
  also = "illegal-access ncclAllGather ncclReduceScatter" }

class { "never-destroyed", "a communicator was left without destroy",
  what = [[
The rank ended with a communicator that it neither destroyed nor aborted. That does not hang,
but it holds GPU memory, threads and sockets until the process ends.]],
  why = [[
ncclCommDestroy waits for this rank's own work only, so peers need not be there.]],
  see = [[
A note at the end of a program under ncclscript exec: some ranks destroyed it, others did not. In
a scenario ncclscript closes what is left.]],
  repair = [[
Destroy it, also on the paths that errors take.]],
  also = "early-destroy" }

group { "abort", "abort" }

class { "abort-one-rank", "one rank aborted a communicator, the others were not told",
  what = [[
ncclCommAbort ends the calls of the rank that makes it, and of no other. The peers wait for
that rank's part of the operation, which is never coming.]],
  why = [[
NCCL does not carry the news: their calls return no error, their streams stand.]],
  see = [[
The report names the abort and its line.]],
  repair = [[
Spread the decision outside of NCCL (a store, a socket, a signal) and abort on every rank. A
host that sits in a blocking call cannot react, so make such communicators with blocking = 0
and poll ncclCommGetAsyncError.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  world:abort()
else
  world:all_reduce(x)
  stream:sync()
end]],
  also = "rank-lost error-path early-destroy" }

class { "abort-order", "an abort waits for the work of a communicator that is not aborted yet",
  what = [[
A rank aborts one communicator and stands in that abort: behind it on the device is a call on
another communicator, which waits for a rank that is gone.]],
  why = [[
ncclCommAbort ends the calls of its own communicator and then waits for the device, which is
held by a kernel of the other one. The abort that would end that one comes after it.]],
  see = [[
The report names the abort, its line, and the call that it waits for. On a cluster: the stack of
the rank that handles the failure ends in ncclCommAbort.]],
  repair = [[
Abort first what stands first on the stream, or all of them in one group.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local rows = world:split { color = 0, name = "rows" }
local x = cuda.buffer("float32", 8):fill(1)
rows:all_reduce(x)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  fault.kill()
end
rows:all_reduce(x)
world:all_reduce(x)
world:abort() -- behind the call on rows
rows:abort()]],
  also = "child-not-aborted abort-one-rank rank-lost" }

class { "child-not-aborted", "a communicator was aborted, and ranks wait in a child of it",
  what = [[
A failure is answered with the abort of the communicator that all share, but somebody waits in a
part of it that a split, shrink or grow made.]],
  why = [[
The abort of a parent reaches a child only if the two share resources (splitShare, shrinkShare in
the parent's configuration), or while the child is being made.]],
  see = [[
The report names who aborted the parent, the child, and who waits in it.]],
  repair = [[
Keep a list of all communicators and abort every one of them, children first.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 8):fill(1)
half:all_reduce(x)
stream:sync()
if rank == 1 then
  world:abort()
  return
end
half:all_reduce(x)
stream:sync()]],
  also = "abort-order abort-one-rank" }

group { "nonblocking", "polling" }

class { "livelock", "a rank polls for something that cannot happen",
  what = [[
A loop asks again and again (a stream or event query, ncclCommGetAsyncError, a key of the
store), while nothing that could change the answer is under way.]],
  why = [[
On a GPU the process looks busy and goes nowhere.]],
  see = [[
The verdict comes after thousands of polls and hours on the virtual clock without any change:
never for a slow rank.]],
  repair = [[
See what the loop asks for and who should bring it about. A loop that ends on ncclSuccess also
has to end on errors.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
if rank == 0 then
  while not store:get("ready", { timeout = 0 }) do -- nobody sets it
  end
end]],
  also = "host-wait ncclInProgress" }

class { "sync-before-enqueued", "a wait while the call is still being launched",
  what = [[
On a non-blocking communicator a call has returned ncclInProgress, and the stream is synchronised
before the communicator was polled to ncclSuccess.]],
  why = [[
NCCL puts the operation into its stream later, from a thread of its own. A wait or an event
before that does not know of it: it covers nothing, or all, as time will have it.]],
  see = [[
The report names the wait and the call. The values may be right in spite of it.]],
  repair = [[
Poll ncclCommGetAsyncError until it says ncclSuccess (comm:wait_ready()), and only then wait for
the stream, record events, or enqueue what depends on the call.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local comm = world:split { color = 0, blocking = false }
comm:wait_ready()
local x = cuda.buffer("float32", 8):fill(1)
comm:all_reduce(x)
comm.stream:sync() -- comm:wait_ready() is missing before it
print(x[1]) -- 1 or 2]],
  also = "read-before-sync ncclInProgress" }

group { "buffers", "memory" }

class { "illegal-access", "an operation touched memory that is not its own",
  what = [[
A kernel or a copy read or wrote outside of an allocation, or in one that was freed before the
operation ran: it runs later than it was enqueued.]],
  why = [[
A receive buffer of one block where nranks are written, bytes taken for elements, a free
before the stream has passed.]],
  see = [[
CUDA reports error 700 (illegal address) at some later call, or nothing, and a neighbour's
data is spoilt. The report names the operation, the allocation and who freed it.]],
  repair = [[
Check the extents (the receive buffer of an all-gather holds count times nranks elements) and
free buffers only after the stream has passed the operation.]],
  ends = "error", scenario = [[
scenario { ranks = 1 }
local x     = cuda.buffer("float32", 8):fill(1)
local other = cuda.stream()
stream:delay(1)
world:all_reduce(x)
x:free { stream = other } -- nothing orders this behind the operation
stream:sync()]],
  also = "cudaErrorIllegalAddress real-library-crash" }

class { "real-library-crash", "the real library would crash here",
  what = [[
A call was given something that NCCL follows without a check: a handle that was destroyed, a
pointer that is none.]],
  why = [[
The simulator returns ncclInvalidArgument in its place and goes on, so that the rest of the run
can be seen. On a GPU the process would end, or go on with spoilt data.]],
  see = [[
The report names the call and the handle.]],
  repair = [[
Look at the call that is named: who destroyed or freed what it uses?]],
  ends = "wrong", scenario = [[
scenario { ranks = 1 }
local x = cuda.buffer("float32", 8):fill(1)
world:finalize()
C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream) -- nobody looks at the code]],
  also = "illegal-access early-destroy" }

class { "overlapping-buffers", "operations that run together use the same memory",
  what = [[
Two calls use overlapping memory, one of them writes it, and both may run at the same time. The
result hangs on which is faster.]],
  why = [[
What a group sends and receives moves all at once, and operations of two streams run side by
side unless something orders them. NCCL does not compare the buffers of different calls.]],
  see = [[
The report names both calls. The values may be right in spite of it.]],
  repair = [[
Give them memory that does not overlap, or let one end before the other begins.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(rank)
nccl.group(function()
  world:send(x, 1 - rank)
  world:recv(x, 1 - rank) -- into what is being sent
end)
stream:sync()]],
  also = "buffer-reused unordered-input" }

class { "stale-scalar", "the scalar of an operator changed before the operation read it",
  what = [[
A pre-mul-sum was made with a scalar in device memory, and that memory is written or freed before
an operation with it has ended. Ranks may use different factors.]],
  why = [[
With ncclScalarDevice the operator keeps the address and reads it when the operation runs, which
is later than the call.]],
  see = [[
The report names the call and the line that changes the scalar.]],
  repair = [[
stream:sync() before the scalar is changed; or a scalar of its own for each operation; or one of
the host (a number), which is copied when the operator is made.]],
  ends = "wrong", scenario = [[
scenario { ranks = 2 }
local scale = cuda.buffer("float32", 1):fill(0.5)
local op, x = world:premulsum("float32", scale), cuda.buffer("float32", 8):fill(2)
stream:delay(1e-3) -- a kernel before it
world:all_reduce(x, { op = op })
scale:fill(4) -- for the next step
stream:sync()
expect.equal(x, 2)]],
  also = "buffer-reused illegal-access" }

group { "ranks", "ranks and links that are lost" }

class { "rank-lost", "a rank is gone, the others wait for it",
  what = [[
The rank was killed, stalled or ended in the middle of its work.]],
  why = [[
NCCL has no time limit. On one node nothing at all is reported; across nodes the neighbours may
see an asynchronous error, the rest sees nothing.]],
  see = [[
The report names who died, before which call, and who waits for it in what. On a cluster: the
one process that is missing, or that does not move in a debugger.]],
  repair = [[
Watch the ranks outside of NCCL, and when one is gone abort the communicator on all that are
left; ncclCommShrink makes a new one of them.]],
  ends = "hang", scenario = [[
scenario { ranks = 3 }
local x = cuda.buffer("float32", 8):fill(1)
fault.kill { rank = 1, call = 2 }
world:all_reduce(x)
world:all_reduce(x)
stream:sync()]],
  also = "abort-one-rank link-cut ncclRemoteError" }

class { "link-cut", "the connection between two ranks is gone",
  what = [[
A cable, a switch, a port: what one rank sends to the other does not arrive any more. All calls
that go over the link stand, on every rank that takes part.]],
  why = [[
NCCL tells the two ends when they are on different hosts and the network tells NCCL:
ncclCommGetAsyncError says ncclRemoteError there. All others are told nothing.]],
  see = [[
The report names the two ends. On a cluster all ranks wait in the same call, and the counters
of a port or an asynchronous error on two ranks tell which link it is.]],
  repair = [[
Poll for asynchronous errors, spread the news outside of NCCL, and abort the communicator on
every rank; ncclCommShrink makes one without the rank that is cut off.]],
  ends = "hang", scenario = [[
scenario { ranks = 2, devices = 1 } -- a host for each
local x = cuda.buffer("float32", 8):fill(1)
fault.link { rank = 0, peer = 1 }
barrier()
world:all_reduce(x)
stream:sync()]],
  also = "rank-lost ncclRemoteError" }
