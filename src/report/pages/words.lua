-- The words that reports use. Fields: pages.lua.

word { "rank", "one participant, by its number from 0", names = "nranks",
  what = [[
Each rank of a run runs the scenario from top to bottom. A communicator counts its own ranks from
0: rank 2 of the run may be rank 0 of a part of it. Reports mean ranks of the run, roots and peers
are ranks of the communicator.]],
  ends = "pass", scenario = [[
scenario { ranks = 4 }
local half = world:split { color = rank // 2 }
expect.equal(half.rank, rank % 2)]],
  also = "communicator root-mismatch wrong-peer" }

word { "communicator", "the ranks that communicate together, and the order of their calls",
  names = "comm world",
  what = [[
Every rank holds its own handle. All ranks of a communicator make the same collectives on it in the
same order; nothing is promised between communicators. world is the one over all ranks.]],
  ends = "pass", scenario = [[
scenario { ranks = 4 }
local x    = cuda.buffer("float32", 8):fill(1)
local half = world:split { color = rank % 2 }
half:all_reduce(x)
stream:sync()
expect.equal(x, 2)]],
  also = "call comm-order wrong-comm" }

word { "call", "a numbered call of a rank on a communicator", names = "call-number",
  what = [[
Collectives, sends, receives and one-sided calls are counted per communicator and rank from 1, in the
order in which the rank makes them, grouped or not. Splits and the like are not counted. NCCL pairs
the collectives of the ranks in their own order, and messages in the order of their two ranks, so
calls that meet may have different numbers. A report that says "call 3" means the first number at
which the ranks part.]],
  also = "label skipped-call group" }

word { "env", "variables of the environment that a scenario sets", names = "environment",
  what = [[
env = { NCCL_ALGO = "Ring" } in scenario{}, and env: in YAML, set variables while the run lasts, over
those of the shell. They reach the real NCCL and CUDA on --driver nccl, which would load a library that
NCCL_NET_PLUGIN names and write the file of NCCL_DEBUG_FILE. So a scenario may set what the simulator
knows and what NCCL and CUDA document as numbers, switches and names: `ncclscript schema` lists them.
Their values are no paths.]],
  repair = [[
A variable that a job needs and a scenario may not set is set in the shell, before ncclscript. With
--unsafe a scenario may set every NCCL_* and CUDA_*; then it can run native code as the user who starts
it.]],
  ends = "pass", scenario = [[
scenario { ranks = 2, env = { NCCL_MAX_CTAS = "8" } }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)]],
  also = "rank" }

word { "stream", "the order in which a device works",
  what = [[
A call that is given a stream puts its work at the end of it and returns. The device does what is in
a stream one after the other; different streams do not wait for each other, but for events. A rank
that waits in stream:sync() waits for all that is in the stream, the operation that cannot go on
among it.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
stream:delay(1)                  -- a kernel that takes so long
world:all_reduce(x)              -- returns at once
expect.that(not stream:query())  -- the sum is not there yet
stream:sync()
expect.equal(x, 2)]],
  also = "event cudaErrorNotReady cudaStreamSynchronize" }

word { "event", "a mark in a stream, for which another stream or a host can wait",
  what = [[
Recorded in one stream and waited for in another, it puts the work of the two in order.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x, other, e = cuda.buffer("float32", 8), cuda.stream(), cuda.event()
x:fill(1, { stream = other })
e:record(other)
stream:wait(e) -- without it the all-reduce may run before the fill
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)]],
  also = "stream" }

word { "group", "calls between ncclGroupStart and ncclGroupEnd",
  what = [[
They are queued and start together at the outermost end. So sends and receives of a group do not
wait for each other's order, and one thread can make the calls of several ranks. A group is over as
a whole; if one call of it fails, none is made.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local mine, theirs = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
nccl.group(function()
  world:send(mine, 1 - rank)
  world:recv(theirs, 1 - rank)
end)
stream:sync()
expect.equal(theirs, 1 - rank)]],
  also = "p2p-cycle missing-group-end one-thread-no-group" }

word { "first-contact", "the first call that two ranks make with each other", names = "contact",
  what = [[
NCCL connects two ranks, or all of a communicator, when they first need each other, and blocks the
host meanwhile. So the same mistake shows in the call itself the first time, and in the
synchronisation of the stream later; and a small send waits for its receive the first time even
where it would run ahead later.]],
  ends = "hang", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(rank)
if rank == 0 then
  world:send(x, 1)      -- waits here, not in a synchronisation
  store:set("go", true)
else
  store:get("go")
  world:recv(x, 0)
end]], finding = "host-wait",
  also = "p2p-cycle host-wait signal-setup policy" }

word { "policy", "what sends promise: strict by the contract, typical as NCCL mostly does",
  names = "strict typical luck",
  what = [[
strict: a send is done when its receive is there. typical: a send that fits into NCCL's buffers, on a
connection that exists, is done at once. A scenario that passes under typical alone works by luck,
which ends where messages grow: the report tells how much of the buffers it took. run --policy
chooses; strict is the default.]],
  ends = "pass", scenario = [[
scenario { ranks = 2, policy = "typical" } -- strict: hang
local other = 1 - rank
local mine, theirs = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
for step = 1, 2 do
  if step == 1 then C.ncclGroupStart() end -- the first contact
  world:send(mine, other)
  world:recv(theirs, other)
  if step == 1 then C.ncclGroupEnd() end
end
stream:sync()]], finding = "p2p-cycle",
  also = "p2p-cycle first-contact certainty" }

word { "certainty", "how sure a report is: certain, luck, undefined or likely",
  names = "certain undefined likely",
  what = [[
certain: nothing can ever go on, or the result is wrong, whatever the machine. luck: it depends on
NCCL's buffers, and the other policy ends otherwise. undefined: NCCL promises nothing here and
machines differ. likely: on real hardware, where nothing has come about for long, of programs under
exec with a thread that asks in vain and could still act, and of jobs that were recorded elsewhere:
more cannot be known.]],
  also = "policy verdict" }

word { "verdict", "what a run came to", names = "pass hang wrong error invalid lost memory timeout",
  what = [[
pass: all ended and every check held (exit status 0). wrong: a result or an expectation differs, or
ranks disagreed and went on (1). invalid: the scenario does not load (2). hang: nothing can ever
happen again (3). error: a call failed or a rank raised an error, and nothing caught it (4). empty:
nothing was executed (5). lost: no rank is left (6). memory: the budget of --memory was used up (7).
skipped: it cannot run here (77). timeout: the limit came before a verdict, or a rank computes without
end (124). A scenario's outcome may ask for any of them: then that is the success.

A run can be wrong although no value is ("wrong": [] in JSON): ranks made calls that do not agree,
such as two gathers in another order or reductions with different ops, and all of them went on. The
values may be right on this machine, or nothing checks them, but NCCL promises none of them. The first
finding says which calls they are, and the run is as certain as that finding.]],
  also = "certainty policy" }

word { "culprit", "who has to change so that the others can go on", names = "culprits cause",
  what = [[
The rank whose calls differ from what the others' calls need, or that is gone. In a circle each of
the ranks is one: the change of any of them breaks it. Who merely waits is no culprit, however long
it hangs.]],
  also = "bystander cycle" }

word { "bystander", "who waits only because others wait", names = "bystanders behind blocked",
  what = [[
Blocked ranks cannot go on. Bystanders are those of them that have no part in the cause: they wait for
a rank that is blocked itself. On a cluster they are as stuck as the others and often more in number;
their stacks tell nothing.]],
  also = "culprit" }

word { "cycle", "ranks that wait for each other in a circle", names = "ring circle",
  what = [[
Each step waits for the next and the last for the first: in a collective, a send or receive, a wait
for signals, behind other work of a stream, for an event, on the host, while a communicator is made,
or for a key of the store. JSON says by which as "via".]],
  also = "p2p-cycle comm-order host-wait" }

word { "unverified", "a result that was not verified, and the reasons that there are",
  names = "not-verified unchecked verification-off not-asked ranks-disagree cut-short memory-freed " ..
          "no-room ambiguous-window unpaired unknown-type put-on-real-nccl call-in-progress " ..
          "shared-stream too-many-copies copy-refused",
  what = [[
ncclscript compares every result with what the ranks put in. It leaves a result out only for one of
these reasons. The report counts the results by reason; in JSON, `unverified` has the reason, the
count, and the first four calls.

  verification-off   --no-verify, or verify = false in scenario{}
  not-asked          the call has the option verify = false
  ranks-disagree     the ranks passed different counts, types, operators or roots, or a send and its
                     receive have different lengths: there is no right result
  cut-short          the communicator was aborted, revoked or failed before the operation ended
  memory-freed       a buffer was freed before the operation ended
  no-room            the buffers are larger than the memory for copies: 1 GiB on the simulator, 64 MiB
                     for each rank on real NCCL
  ambiguous-window   a put, and its rank registered one buffer as several windows in one group: the
                     address does not say which of them is meant
  unpaired           ncclscript does not know the calls of the other ranks, or the communicator
  unknown-type       ncclscript does not know the type or the operator

On real NCCL ncclscript copies the buffers in the order of the streams, and there are further reasons:

  put-on-real-nccl   a put: nothing shows when its data is in the window of the peer
  call-in-progress   a call of a non-blocking communicator returned ncclInProgress, and the program did
                     not poll ncclCommGetAsyncError to ncclSuccess before the next call
  shared-stream      another thread launched on the same stream or communicator at the same time
  too-many-copies    more than 256 copies of the rank were under way, or a group had more than 8 streams
  copy-refused       CUDA cannot copy the memory in the order of a stream (pageable memory), or a call
                     had failed before and its error was still to be read]],
  repair = [[
Make smaller calls where there is no room. Check a result that must be right with expect.equal: an
expectation holds for every result, verified or not.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x, { verify = false })
stream:sync()
expect.equal(x, 2)]],
  also = "verdict call" }

word { "label", "a name that a script gives a call", names = "labels",
  what = [[
label = "..." among the options of any call. Where the calls of the ranks look alike (count, type,
operator, root), labels and script lines tell that two were exchanged or one was left out.]],
  ends = "wrong", finding = "swapped-calls", scenario = [[
scenario { ranks = 3 }
local x, y = cuda.buffer("int32", 4):fill(1), cuda.buffer("int32", 4):fill(100)
local first, second = { x, "x" }, { y, "y" }
if rank == 2 then
  first, second = second, first
end
world:all_reduce(first[1], { label = first[2] })
world:all_reduce(second[1], { label = second[2] })
stream:sync()
expect.equal(x, 3)]],
  also = "swapped-calls call" }

word { "store", "keys and values that ranks exchange outside of NCCL", names = "key barrier",
  what = [[
store:get waits until some rank has set the key; barrier() until all ranks have come. Both stand for
what programs do with sockets, MPI or a launcher, and are part of what the report sees.]],
  ends = "pass", scenario = [[
scenario { ranks = 2 }
if rank == 0 then
  store:set("port", 4711)
end
expect.equal(store:get("port"), 4711)
barrier()]],
  also = "host-wait" }

word { "lane", "room for one collective kernel on a device", names = "lanes",
  what = [[
A device has room for some kernels at a time; what does not fit waits until another ends. By default
there is always room; sim = { lanes = N } in scenario{} makes devices narrow.]],
  ends = "hang", finding = "comm-order", scenario = [[
scenario { ranks = 2, sim = { lanes = 1 } } -- without lanes it passes, with a note
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(1)
local rows = world:split { color = 0, name = "rows" }
rows.stream = cuda.stream()
local first, second = world, rows
for step = 1, 2 do
  first:all_reduce(x)
  second:all_reduce(y)
  world.stream:sync()
  rows.stream:sync()
  if rank == 1 then
    first, second, x, y = rows, world, y, x
  end
end]],
  also = "launch-order comm-order" }

word { "seed", "which of the possible schedules a run takes", names = "schedule",
  what = [[
With seed 0 ranks take turns first in, first out; any other number draws the schedule. Same seed, same
bytes. A mistake that needs a certain order shows with some seeds: run --repeat N tries N of them, and
the report tells the one that failed.]],
  also = "verdict" }

word { "trace", "what a job has left: Flight Recorder dumps, NCCL's log", names = "dump log flight-recorder diagnose",
  what = [[
ncclscript diagnose FILE|DIR... finds in it why the job hung. PyTorch's Flight Recorder leaves a dump
per rank (TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1), NCCL a log
(NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL from the start of the job, or NCCL_DEBUG=TRACE
NCCL_DEBUG_SUBSYS=CALL). A dump tells the line of each call and which of them came to an end, but no
operator and no root, and may have lost the oldest calls. A log tells operators and roots, but not
what came to an end: who is behind the others is the one they wait for. A rank that left nothing is
suspected only if the dumps of others show that they wait for it. What is found is likely, and behind
`or` the report says what else it could be: another reading that fits as well, or that the record is not
whole. Dumps with stacks (pickles) and labels decide between readings.]],
  also = "certainty rank-lost" }

word { "note", "a finding of a run that is not wrong because of it", names = "hazard",
  what = [[
What works here and need not elsewhere, or is seldom what was meant. It changes no verdict. run
--fail-on note makes a run that passes with notes fail with status 1; --fail-on undefined counts only
findings whose certainty is undefined or luck, such as races. A scenario that means to show a finding
declares it, outcome = { pass = true, finding = "buffer-reused" }, and is as expected with either.]],
  also = "launch-order never-destroyed certainty exit-1" }

word { "exit-status", "what the program's exit status says", names = "exit status",
  what = [[
0 as expected, 1 wrong, 2 does not load, 3 hang, 4 a call failed or a rank raised an error, 5 nothing
was executed, 6 ranks were lost, 7 the memory budget was used up, 70 a fault of ncclscript, 74 the
output could not be written, 77 skipped, 124 past the time limit or computing without end, 130
interrupted, 141 whoever read the output went away. Of several runs it is that of the worst, in the
order 70 130 2 6 4 3 1 7 124 5 0 77. Each has a page: explain exit-3. A bare number may be a result code
of NCCL or CUDA as well: explain 3 shows both.]],
  also = "verdict exit-0 exit-1 exit-2 exit-3 exit-4 exit-5 exit-6 exit-7 exit-70 exit-74 exit-77 exit-124 exit-130 exit-141" }
