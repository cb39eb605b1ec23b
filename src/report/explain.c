/* The topics of `explain`: each rule of the diagnosis, what it finds, what NCCL does then, and the
 * repair. A test holds the table against the rules. */
#include "report/report.h"

#include <string.h>

const struct ncs_topic ncs_topics[] = {
    { "abort-one-rank", "one rank aborted a communicator, the others were not told",
      "ncclCommAbort ends the calls of the rank that makes it, and of no other. The peers\n"
      "wait for that rank's part of the operation, which is never coming.\n"
      "NCCL does not carry the news: their calls return no error, their streams stand.\n"
      "Repair: spread the decision outside of NCCL (a store, a socket, a signal) and\n"
      "abort on every rank. A host that sits in a blocking call cannot react, so make\n"
      "such communicators with blocking = 0 and poll ncclCommGetAsyncError.\n" },
    { "comm-order", "ranks use several communicators in different orders",
      "Rank 0 works on communicator X and then on Y, rank 1 on Y and then on X, each in\n"
      "one stream or with a host wait in between. Each waits for the other's second call,\n"
      "which is behind its first.\n"
      "NCCL orders calls within a communicator only; between communicators nothing is\n"
      "checked. In separate streams such a program often works as long as the GPU has\n"
      "room for both kernels, and hangs on a busy day.\n"
      "Repair: one order of communicators for all ranks. Any rank of the cycle can give\n"
      "way; which one does not matter.\n" },
    { "count-mismatch", "ranks disagree on the count of one collective",
      "All ranks made the call, but not with the same number of elements: an unpadded\n"
      "last batch, a shard of another size, bytes where elements were meant.\n"
      "NCCL never compares counts. Depending on sizes, algorithm and network the call\n"
      "hangs, or ends with elements to which not everybody contributed.\n"
      "Repair: exchange the sizes first, or pad to the largest. The count of all-gather\n"
      "and reduce-scatter is that of one rank's block.\n" },
    { "dtype-mismatch", "ranks disagree on the data type of one collective",
      "Often a mixed-precision switch that is read per rank.\n"
      "NCCL compares nothing across ranks. Types of different width move different\n"
      "numbers of bytes: a hang, or a spoilt tail. Types of equal width complete, and a\n"
      "reduction then adds bits that mean something else: wrong, and silent.\n"
      "Repair: decide the type once, for all ranks.\n" },
    { "early-destroy", "a rank destroyed a communicator that others still use",
      "A rank left by ncclCommDestroy or ncclCommFinalize before it had made all the calls\n"
      "that its peers make. Both wait for this rank's own work and for nobody else's.\n"
      "The peers wait for the missing part for ever; a later call with the destroyed\n"
      "handle is undefined and may crash.\n"
      "Repair: destroy at the same point of the program on every rank, after the last\n"
      "call of all of them; or make the call that this rank left out.\n" },
    { "error-path", "a rank left because of an error, the others went on",
      "A call failed on one rank (bad argument, out of memory), or its script raised, and\n"
      "the rank returned, or skipped the rest of its work. Its peers had no error.\n"
      "NCCL does not tell them: they wait in the next call for a rank that is gone. An\n"
      "error inside a group drops all calls of that group, the innocent ones too.\n"
      "Repair: first the error itself. Then let an error on one rank end the job, or\n"
      "abort the communicator, on every rank.\n" },
    { "extra-call", "a rank made a call that the others did not make",
      "Typical: rank 0 alone saves a checkpoint or prints a metric, and the function that\n"
      "it calls for that contains a collective.\n"
      "NCCL pairs calls by their order alone: the extra call meets the others' next one.\n"
      "If the two look alike the data is silently wrong from there on; else it hangs.\n"
      "Repair: make the call on all ranks, or do without communication in code that only\n"
      "some ranks run. Labels on calls (label = \"...\") make the first difference visible.\n" },
    { "host-wait", "a host waits for another that does not come, or waits for NCCL",
      "One rank waits outside of NCCL (a store key, a barrier, a join). Either nobody is left\n"
      "who could end that: the others finished without setting the key, or without coming to\n"
      "the barrier. Or another rank will do it only after a call of NCCL has gone on, and\n"
      "that call needs the first rank.\n"
      "NCCL may block the host in the first call with a peer, to connect, and in any\n"
      "synchronisation of a stream: a warm-up often hides such a knot.\n"
      "Repair: see that the key has the same name on both sides and is set on every path. Do\n"
      "not put host messages between two halves of an exchange; post both halves first, then\n"
      "signal.\n" },
    { "illegal-access", "an operation touched memory that is not its own",
      "A kernel or a copy read or wrote outside of an allocation, or in one that was freed\n"
      "before the operation ran: it runs later than it was enqueued.\n"
      "CUDA reports error 700 (illegal address) at some later call, or nothing, and a\n"
      "neighbour's data is spoilt.\n"
      "Repair: check the extents (the receive buffer of an all-gather holds count times\n"
      "nranks elements) and free buffers only after the stream has passed the operation.\n" },
    { "init-clash", "ranks disagree on who they are when a communicator is made",
      "Two callers gave the same rank, or different nranks, or one unique id serves two\n"
      "communicators, or several ids serve one.\n"
      "NCCL's rendezvous notices some of this, prints a warning on one rank and stops\n"
      "serving; those who had checked in wait for ever.\n"
      "Repair: one rank makes the id and hands it to the others; each id is used for one\n"
      "communicator; each rank number from 0 to nranks - 1 comes exactly once.\n" },
    { "init-missing-rank", "not every rank came to make the communicator",
      "ncclCommInitRank returns when all nranks ranks have called it. Somebody has not:\n"
      "it ended before, took another branch, or waits for something else.\n"
      "NCCL waits without a limit and names nobody.\n"
      "Repair: see what the missing rank does instead. If it is not meant to take part,\n"
      "nranks is too large.\n" },
    { "kind-mismatch", "ranks made different collectives at the same place",
      "The ranks meet at one call number with different functions: an all-gather on one, an\n"
      "all-reduce on the others.\n"
      "NCCL pairs calls of a communicator by their order alone and compares nothing. The\n"
      "kernels wait for each other's data in ways that do not fit: a hang, rarely garbage.\n"
      "Repair: find the first place where the programs part. Often a call was skipped,\n"
      "inserted, or swapped with its neighbour further up.\n" },
    { "launch-order", "ranks launch two communicators in opposite orders",
      "Nothing hung: the calls are on independent streams, and the device had room for both\n"
      "kernels. Where it has not (a smaller GPU, more channels, a kernel of yours beside\n"
      "them), each rank's first kernel keeps the other's second one out, and all wait.\n"
      "NCCL asks for one order of communicators on all ranks, or for room for all of them.\n"
      "Repair: one order for all ranks. sim = { lanes = 1 } in scenario{} makes the devices\n"
      "so narrow that the hang shows.\n" },
    { "link-cut", "the connection between two ranks is gone",
      "A cable, a switch, a port: what one rank sends to the other does not arrive any more.\n"
      "All calls that go over the link stand, on every rank that takes part.\n"
      "NCCL tells the two ends when they are on different hosts and the network tells NCCL:\n"
      "ncclCommGetAsyncError says ncclRemoteError there. All others are told nothing.\n"
      "Repair: poll for asynchronous errors, spread the news outside of NCCL, and abort the\n"
      "communicator on every rank; ncclCommShrink makes one without the rank that is cut off.\n" },
    { "livelock", "a rank polls for something that cannot happen",
      "A loop asks again and again (a stream or event query, ncclCommGetAsyncError, a key\n"
      "of the store), while nothing that could change the answer is under way.\n"
      "On a GPU the process looks busy and goes nowhere. The verdict comes after thousands\n"
      "of polls and hours on the virtual clock without any change: never for a slow rank.\n"
      "Repair: see what the loop asks for and who should bring it about. A loop that ends\n"
      "on ncclSuccess also has to end on errors.\n" },
    { "missing-group-end", "a group was never closed",
      "Between ncclGroupStart and ncclGroupEnd calls are only queued; nothing reaches a\n"
      "stream before the outermost end. This rank came through a start without its end.\n"
      "Its calls return success and are never launched, its stream is empty and every\n"
      "wait on it returns at once; the peers wait for ever.\n"
      "Repair: balance start and end on every path, early returns included. In Lua,\n"
      "nccl.group(fn) does it by itself.\n" },
    { "never-destroyed", "a communicator was left without destroy",
      "The rank ended with a communicator that it neither destroyed nor aborted. That does\n"
      "not hang, but it holds GPU memory, threads and sockets until the process ends.\n"
      "ncclCommDestroy waits for this rank's own work only, so peers need not be there.\n"
      "Repair: destroy it, also on the paths that errors take.\n" },
    { "one-thread-no-group", "one thread drives several ranks without a group",
      "A thread makes the calls of several ranks one after the other. The first may block\n"
      "until the others have called, and only this thread could do that.\n"
      "ncclCommInitRank always blocks in this way; a collective may by contract, and in\n"
      "practice does so when it connects for the first time.\n"
      "Repair: put the calls of all ranks of the thread between ncclGroupStart and\n"
      "ncclGroupEnd, or use ncclCommInitAll to make the communicators.\n" },
    { "op-mismatch", "ranks disagree on the operator of one reduction",
      "Each rank reduces with its own operator: one takes the maximum, the others the sum.\n"
      "NCCL does not notice. The call completes, and because partial results travel in an\n"
      "order that depends on the algorithm, the ranks may not even agree on the outcome.\n"
      "Pre-mul-sum counts as one operator: the scalars of the ranks may well differ.\n"
      "Repair: the same operator on all ranks.\n" },
    { "p2p-count-mismatch", "a send and its receive disagree on the count",
      "The two were paired by their order, and do not move the same number of elements.\n"
      "A receive that is longer than its send waits for bytes that never come. A shorter\n"
      "one is done when it has its own, and the sender is left waiting or data is lost;\n"
      "NCCL reports neither.\n"
      "Repair: send the counts first where they vary, and keep what rank i sends to rank j\n"
      "equal to what j expects from i. Skip empty messages on both sides or on none.\n" },
    { "p2p-cycle", "sends and receives wait for each other in a circle",
      "Each rank sends first and receives later, one call after the other. A send is done\n"
      "when its receive is there, and that is behind the peer's own send.\n"
      "NCCL buffers small messages once two ranks are connected, so this passes with small\n"
      "data and hangs with large, or on the first contact (policy typical shows it pass).\n"
      "Repair: put the sends and receives that belong together into one group, or let one\n"
      "side receive first. A group is done as a whole: do not put into it a receive whose\n"
      "data depends on what comes after the group.\n" },
    { "rank-lost", "a rank is gone, the others wait for it",
      "The rank was killed, stalled or ended in the middle of its work.\n"
      "NCCL has no time limit. On one node nothing at all is reported; across nodes the\n"
      "neighbours may see an asynchronous error, the rest sees nothing.\n"
      "Repair: watch the ranks outside of NCCL, and when one is gone abort the communicator\n"
      "on all that are left; ncclCommShrink makes a new one of them.\n" },
    { "real-library-crash", "the real library would crash here",
      "A call was given something that NCCL follows without a check: a handle that was\n"
      "destroyed, a pointer that is none.\n"
      "The simulator returns ncclInvalidArgument in its place and goes on, so that the\n"
      "rest of the run can be seen. On a GPU the process would end, or go on with spoilt data.\n"
      "Repair: look at the call that is named: who destroyed or freed what it uses?\n" },
    { "recv-without-send", "a receive to which nobody sends",
      "The peer that is named has ended, or does something else, without a send to this rank\n"
      "that is not taken by an earlier receive.\n"
      "A receive waits for ever, under any policy: it has nothing to go on with.\n"
      "Repair: count sends and receives per pair of ranks; they must be equal. If another\n"
      "rank has a send too many, the peer is probably wrong.\n" },
    { "root-mismatch", "ranks disagree on the root of one collective",
      "Each rank builds its part of the tree from its own idea of the root: two sources, or\n"
      "none, between neighbours.\n"
      "NCCL does not notice: a hang, or with small data everybody believes to be done.\n"
      "Repair: the root is a rank of this communicator, neither a rank of the whole job\n"
      "nor a device number. Compute it in one place.\n" },
    { "send-without-recv", "a send that nobody receives",
      "The peer that is named has ended, or does something else, without a receive that\n"
      "is left for this send.\n"
      "By contract the send waits for its receive. NCCL may let a small one run ahead on\n"
      "a connection that exists, so the error can stay hidden until messages grow.\n"
      "Repair: count sends and receives per pair of ranks; they must be equal.\n" },
    { "signal-cycle", "waits for signals that are sent behind other waits",
      "A wait holds its stream until the signals are there, and what comes behind it in the stream,\n"
      "or later on the same communicator, is not sent before. Ranks that all wait first and signal\n"
      "then wait for each other for ever.\n"
      "\n"
      "Repair: put or signal first, then wait.\n" },
    { "signal-missing", "a wait for signals that are never sent",
      "A wait takes so many signals of each peer that it lists, and ends when they are there. Every\n"
      "put sends one, also an empty one, and ncclSignal sends one; they are counted per pair of\n"
      "ranks and never reset, so that one wait that takes too many starves a later one. The wait\n"
      "blocks its stream, not the host: the hang shows where the stream is synchronised.\n"
      "\n"
      "Repair: count puts and signals against what the waits take (opCnt), per pair of ranks.\n" },
    { "signal-setup", "not every rank makes a one-sided call on the communicator",
      "The first put, signal or wait on a communicator sets up memory on every rank and blocks its\n"
      "host until every rank of the communicator has made such a call, whatever it is. Later ones\n"
      "wait for nobody.\n"
      "\n"
      "Repair: let every rank make a one-sided call early; a rank that neither puts nor waits can\n"
      "signal itself. Or split off a communicator of those that take part.\n" },
    { "skipped-call", "a rank left out a call that the others made",
      "Something that only one rank knows decides over a collective: an empty batch, a NaN,\n"
      "a condition on the rank.\n"
      "NCCL pairs calls by their order alone. If the calls that follow look alike, the rank\n"
      "is one behind from there on: data is wrong, and the hang comes at the very end.\n"
      "Repair: let all ranks decide together (reduce a flag with min), or take part with\n"
      "zeros. Labels on calls (label = \"...\") show the first difference.\n" },
    { "swapped-calls", "a rank made two calls in the other order",
      "The ranks make the same calls on a communicator, but not in the same order: gradients\n"
      "that become ready in another order, iteration over an unordered table.\n"
      "NCCL pairs calls by their order alone. Calls of different shape hang or spoil data;\n"
      "of equal shape they complete with each other's data, which only labels\n"
      "(label = \"...\") or wrong values can show.\n"
      "Repair: one order for all ranks, inside groups as well.\n" },
    { "waiting", "a rank waits, and no rule says more",
      "The report names who waits, in which call and for whom. No pattern that has a name\n"
      "fits, so it cannot tell whose change would repair it.\n"
      "That nothing can go on is certain all the same: every rank that lives waits for\n"
      "another, and nothing is under way.\n"
      "Repair: follow the waits from rank to rank to the one that waits for something that\n"
      "nobody is going to do.\n" },
    { "wrong-comm", "calls that were meant for each other were made on two communicators",
      "One rank passes `world`, another a communicator of the same ranks: a default that was\n"
      "not overridden, two handles in one variable, a field set on some ranks only.\n"
      "NCCL pairs calls within one communicator only. Each side waits on its own for the\n"
      "other, and nothing compares the two.\n"
      "Repair: one communicator for both. If both are meant, it is a matter of order: see\n"
      "comm-order.\n" },
    { "wrong-peer", "a send or a receive names the wrong rank",
      "One rank waits for a message from a rank that sends nothing to it, while the message\n"
      "of another has no taker: off by one, or a rank of the job where a rank of the\n"
      "communicator was meant.\n"
      "NCCL checks only that the peer exists. The receiver hangs; the sender may get away\n"
      "when its message is small.\n"
      "Repair: correct the peer, counted from 0 within this communicator.\n" },
    { "zero-count", "a rank took part with nothing",
      "A count of 0 is dropped on the spot: the call returns success and takes part in no\n"
      "collective. The ranks with data wait for it.\n"
      "When all ranks pass 0, nothing happens and all is well.\n"
      "Repair: the same count everywhere (pad, and contribute zeros), or leave the call out\n"
      "on all ranks.\n" },
    { 0 },
};

const struct ncs_topic *ncs_topic(const char *id)
{
    for (const struct ncs_topic *t = ncs_topics; t->id; t++)
        if (strcmp(t->id, id) == 0)
            return t;
    return NULL;
}
