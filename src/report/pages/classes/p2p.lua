-- Findings: send, receive and signals. A page for each rule of the diagnosis; fields: pages.lua.

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
