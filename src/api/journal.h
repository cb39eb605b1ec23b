/* The journal: which calls every thread of every rank made, with which arguments and results. A
 * record is written before the call is made (entered) and completed after it (returned). The
 * journal holds no clocks, addresses or OS ids that could reach a report. Verification and
 * diagnosis learn of a run's calls only here, whatever the driver.
 *
 * Communicators are recognised across ranks by their origin (unique id, or the call of
 * ncclCommInitAll) and numbered in order of appearance. Counted calls (collectives, send, recv)
 * are numbered per (communicator, rank in it) from 1, in issue order, grouped or not, failed and
 * empty ones included.
 *
 * Threads: on the simulator one thread of control runs at a time and no lock is needed; with
 * `locked` set at opening every function may be called from any thread. */
#ifndef NCS_API_JOURNAL_H
#define NCS_API_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/gen/api.h"
#include "api/local.h"
#include "base/map.h"

#define NCS_MAX_ARGS 11

union ncs_arg {
    int64_t i;
    uint64_t u;
    const void *p;
    double d;
    void (*f)(void);
};

/* Arguments that the record lacks: they may have any value. */
enum {
    NCS_UNSAID_COUNT = 1,
    NCS_UNSAID_OP = 2,
    NCS_UNSAID_ROOT = 4,
    NCS_UNSAID_DTYPE = 8,
    NCS_UNSAID_PLACE = 16, /* place is in the record, not in the program */
    NCS_UNSAID_KIND = 32   /* a collective, unknown which: `fn` is any */
};

struct ncs_redop; /* below */
struct ncs_window;

/* What few calls have. */
struct ncs_call_rare {
    const char *said; /* of a failed call: the library's message, owned by the journal; NULL = none */
    const char *why;  /* of a failed call, from a driver that knows more than the library's message; a literal, NULL = none */
    bool warned;      /* the driver set `why`, and the library logged a message about this call too */
    uint32_t window;  /* of a put: the number of its window among those that (comm, comm_rank) registered, from 1;
                                * 0 = none, or unknown */
    uint64_t rival;   /* of a counted call: id of an earlier call that another thread of the rank made on the same
                                * communicator or stream, and that nothing orders before it; 0 = none */
    struct ncs_call *launched; /* the call that launched the graph which carries this one out once more; pinned by it. NULL = it
                                * is the program's own */
    /* A finished cudaMemcpy to a script's own memory: a hash of the first bytes that it copied (0 = unknown), and those bytes. */
    uint64_t input;
    unsigned char first[8];
};

struct ncs_call {
    uint64_t id; /* serial over the run in order of entry, from 1 */
    enum ncs_fn fn;
    int rc;           /* when returned: ncclResult_t or cudaError_t, by ncs_fn_info[fn].result */
    int rank, thread; /* the caller, as in ncs_local */
    struct ncs_place place;
    const char *label;          /* NULL = none */
    struct ncs_call_rare *rare; /* NULL = none; read by ncs_call_rare */
    struct ncs_redop *redop;    /* of a counted call with a user operator; NULL = built in or none */
    uint64_t group;             /* serial of the outermost group that the call is in, 0 = ungrouped */
    int comm;                   /* number of the communicator, -1 = none or unknown */
    int comm_rank;              /* the caller's rank in it */
    uint32_t number;            /* on (comm, comm_rank) from 1; 0 = not counted */
    uint32_t ordinal;           /* position in its sequence, from 1; 0 = in no sequence: the call or its
                                  * group failed, or it is an empty collective, which NCCL drops (read in
                                  * NCCL 2.30.7). Calls of ranks are paired by it. Collectives of one
                                  * (comm, comm_rank) are a sequence, one-sided calls another; sends to
                                  * each peer and receives from each peer are one each */
    unsigned pins;              /* holders of the record; it may be dropped only at 0 and once returned */
    unsigned char unsaid;       /* of a recorded run: NCS_UNSAID_... facts that its record lacks */
    unsigned char declared;     /* 1 + the type with which the script made the buffer that the call reads; 0 = it is not known */
    bool returned : 1;
    bool unverified : 1;            /* verify = false */
    bool by_c_name : 1;             /* called as C.ncclAllReduce, not as a method or function of Lua's */
    bool opening : 1;               /* made before the script's first statement, to create ready-made objects */
    bool ending : 1;                /* made at the end of the script, to release objects it left */
    bool withdrawn : 1;             /* other calls replace this one: it leaves no record */
    bool captured : 1;              /* what it asks for was put into a graph, and has not run */
    bool faulted : 1;               /* a fault set its code: the library was not called */
    struct ncs_call *next_counted;  /* next counted call of (comm, comm_rank) still held */
    struct ncs_call *grouped;       /* while its group is open: the numbered call before it in the group; pinned */
    struct ncs_call *older, *newer; /* all held records in order of id */
    /* In C's order; ncs_fn_info[fn].arg has the kinds. A unique id by value is stored as its
     * hash in .u (the key of ncs_comm_info). A list of waits is a copy, NULL where there is
     * none. Out-parameters dangle once the call has returned, with two exceptions: an allocation
     * or a stream holds the new address (NULL if it failed), and ncclCommGetAsyncError holds its
     * result in .i. A record of the journal ends after the last argument of its function: it is copied by ncs_call_copy. */
    union ncs_arg arg[NCS_MAX_ARGS];
};

/* A user operator as it was created. */
struct ncs_redop {
    int comm, comm_rank;
    int handle; /* NCCL's value; may be reused after destruction */
    int dtype;  /* ncclDataType_t */
    bool on_device;
    unsigned char scalar[8];     /* host immediate: the bytes at creation, sizeof(dtype) of them */
    const void *pointer;         /* device: where the scalar is read when the operation executes */
    uint64_t created, destroyed; /* ids of the calls; destroyed 0 = alive */
    struct ncs_redop *next;
};

/* One rank of a communicator. */
struct ncs_member {
    const void *handle;              /* ncclComm_t, NULL before it is known */
    int rank;                        /* of the run: the rank that created this member; -1 = not yet seen */
    int device;                      /* CUDA device at creation, -1 = unknown */
    uint64_t joined;                 /* ncs_journal.calls when its rank became known: orders members by time */
    uint32_t calls;                  /* counted calls so far */
    uint32_t collectives, one_sided; /* lengths of the sequences (ncs_call.ordinal) */
    struct ncs_map pairs;            /* lengths of the sequences of each peer's sends and receives */
    uint32_t splits, shrinks, grows; /* that have not failed */
    struct ncs_call *first, *last;   /* counted calls still held, by number */
    struct ncs_call **line;          /* table of held calls: number % line_room -> the latest with that remainder */
    uint32_t line_room, in_line;     /* its size, a power of two, at least the calls held; 0 = no call yet */
    uint64_t gone;                   /* id of the call that destroyed or aborted it; 0 = none */
    bool aborted;
    bool released; /* gone only because the script had ended */
};

struct ncs_comm_info {
    int number;                /* index in ncs_journal.comm. A newer communicator takes the index once
                          * all ranks have ended this one and no record refers to it */
    uint64_t serial;           /* in order of appearance, from 1 */
    char *name;                /* "world", "comm1", or as given; unique not guaranteed */
    int nranks;                /* as the first rank to appear passed it */
    struct ncs_member *member; /* `members` entries: nranks, or more if a rank passed a larger count */
    int members;
    struct ncs_redop *redops;   /* newest first */
    struct ncs_window *windows; /* oldest first */
    uint64_t key;               /* hash of the unique id; of a child, hash of its origin */
    uint32_t growths;           /* ids made for growing it */
    int parent;                 /* of a child, the number of its parent; -1 = no child */
    uint32_t split;             /* of a child by ncclCommSplit: which split of its parent, from 1; 0 = no split */
    int color;                  /* of a child by ncclCommSplit */
};

/* A thread's steps outside NCCL and CUDA: it signals others or waits for them (journal_host.c). */
enum ncs_host_kind {
    NCS_HOST_BARRIER,
    NCS_HOST_SET,   /* sets a key of the store */
    NCS_HOST_ADD,   /* adds to a key; the value counts the adders */
    NCS_HOST_GET,   /* reads a key, and waits for it */
    NCS_HOST_SPAWN, /* a thread of its rank */
};

struct ncs_host_step {
    enum ncs_host_kind kind;
    int rank, thread; /* as in ncs_local */
    struct ncs_place place;
    char *what;         /* the key; of a barrier its ranks, "ranks 0..3"; NULL = none */
    int other;          /* of SPAWN: the thread */
    uint64_t unique_id; /* of GET and SET: hash of the unique id that is read or set, as in
                             * ncs_comm_info; 0 = the value is no id */
    bool over;          /* the wait has ended, */
    bool in_vain;       /* by a timeout */
    uint64_t after;     /* id of the newest call of any thread at that time */
    uint64_t nth;       /* position among the thread's steps, from 1 */
    uint64_t id;        /* serial over the run, from 1 */
    struct ncs_host_step *newer;
};

/* An error that a script caught. Errors of failed calls are left out: the record of the call has them. */
struct ncs_caught {
    int rank, thread;       /* as in ncs_local */
    struct ncs_place place; /* where it was raised, if known */
    struct ncs_place at;    /* where it was caught */
    int first, last;        /* first and last line of the function that caught it; a main script: all lines */
    char *text;             /* one line, without the place */
    uint64_t after;         /* id of the newest call of any thread at that time */
    struct ncs_caught *newer;
};

struct ncs_journal {
    size_t limit;      /* most bytes of records and of communicators kept for them; pending
                              * and pinned records stay anyway */
    size_t held;       /* bytes of records held now */
    size_t held_comms; /* bytes of communicators that are kept only for their records */
    uint64_t dropped;  /* records dropped so far */
    uint64_t calls;    /* records ever made */
    struct ncs_call *oldest, *newest;
    struct ncs_comm_info **comm;
    size_t comms, comms_room;
    struct ncs_host_step *oldest_host, *newest_host; /* in order */
    uint64_t hosts;                                  /* ever made */
    size_t host_bytes;
    bool hosts_lost;                                  /* there were more than are kept */
    struct ncs_caught *oldest_caught, *newest_caught; /* in order */
    size_t caught_bytes;
    bool caught_lost; /* there were more than are kept */
    /* Called before each call is made, when only its function, thread and place are known. NULL
     * = no hook. */
    void (*entered)(const struct ncs_journal *j, struct ncs_call *call);
    void *entered_arg; /* for entered */
    /* Called for each call once it has returned. NULL = no hook. */
    void (*returned)(const struct ncs_journal *j, struct ncs_call *call);
    void *returned_arg; /* for returned */
    /* Called when the program asks for the text of an error, which is no call of the journal. NULL = no hook. */
    void (*asked)(enum ncs_fn fn, const union ncs_arg *arg);
    /* Copies memory of an argument that this process cannot read. False: it can. NULL = it can read all. */
    bool (*fetch)(void *to, const void *from, size_t bytes);
    struct ncs_journal_private *own;
};

struct ncs_journal *ncs_journal_open(size_t limit, bool locked);
void ncs_journal_close(struct ncs_journal *j); /* and frees every record; NULL is a no-op */

/* For the generated wrapper (driver/gen/journal_wrap.c). enter fills everything but the
 * arguments and the communicator; the wrapper stores the arguments, then calls begin; leave
 * completes the record and learns new communicators and operators from the out-parameters. begin
 * resolves communicator, number, operator and group. It returns the code that a fault gives the
 * call instead of making it; 0 = make the call. */
struct ncs_call *ncs_journal_enter(struct ncs_journal *j, enum ncs_fn fn);
int ncs_journal_begin(struct ncs_journal *j, struct ncs_call *call);
void ncs_journal_leave(struct ncs_journal *j, struct ncs_call *call, int rc);

/* A launch of a graph, the call `by`, carries the captured call out once more. Returns its record in this launch: the
 * same for each part of one call. */
struct ncs_call *ncs_journal_again(struct ncs_journal *j, struct ncs_call *captured, struct ncs_call *by);

/* Records that the calling thread starts a step. NULL: too many steps are kept, or the thread is
 * none of a script's. The journal owns the step. */
struct ncs_host_step *ncs_journal_host(struct ncs_journal *j, enum ncs_host_kind kind, const char *what, int other);

/* Records that the calling thread's script caught an error (journal_prior.c). The caller fills
 * place, at, first, last and text; the journal copies them. */
void ncs_journal_caught(struct ncs_journal *j, const struct ncs_caught *error);

/* The calling thread has waited for other threads, other than by a call of the driver. */
void ncs_journal_heard(struct ncs_journal *j);

/* Sets the hook that is asked before each call, when the call's number is known. It returns the
 * code to give the call without making it; 0 = make the call, unless the hook withdrew it. The
 * hook need not return if it has taken the call back. */
void ncs_journal_fault(struct ncs_journal *j, int (*fault)(void *arg, struct ncs_call *call), void *arg);
/* Erases the record of a call that is never made: it keeps no number and no place in its sequence. */
void ncs_journal_take_back(struct ncs_journal *j, struct ncs_call *call);
/* Marks a call that is not made, whatever its code. Its record is dropped when it returns; until
 * then its thread may make other calls. */
void ncs_journal_withdraw(struct ncs_journal *j, struct ncs_call *call);

/* Sets the driver that the journal asks for the device of a thread that makes a communicator;
 * NULL = none. */
void ncs_journal_ask(struct ncs_journal *j, const struct ncs_api *api);

void ncs_call_pin(struct ncs_call *call);   /* NULL is a no-op */
void ncs_call_unpin(struct ncs_call *call); /* NULL is a no-op */

/* Keeps the communicator known until the journal is closed. */
void ncs_journal_keep_comm(struct ncs_journal *j, int comm);

/* Names a communicator by any of its handles; the first name stays. Returns false if the handle
 * is not known yet. */
bool ncs_journal_name(struct ncs_journal *j, const void *handle, const char *name);

/* How many sends to the peer the member has made, or receives from it. */
uint32_t ncs_member_pairs(const struct ncs_member *m, int peer, bool receives);

/* True if one process has several ranks of the communicator, on different devices. */
bool ncs_comm_is_shared(const struct ncs_comm_info *info);

/* The rank that makes the call: its thread's; of a thread that has several ranks of the call's communicator, the rank in
 * that communicator. */
int ncs_journal_rank_of(const struct ncs_journal *j, const struct ncs_call *call);

/* Finds the communicator and rank behind a handle; false if the handle is not known. */
bool ncs_journal_find(const struct ncs_journal *j, const void *handle, int *comm, int *comm_rank);

/* The counted call `number` of (comm, comm_rank); NULL if it was not made or is no longer held. */
struct ncs_call *ncs_journal_call(const struct ncs_journal *j, int comm, int comm_rank, uint32_t number);

/* The address that a put writes, in its peer's window; NULL if unknown. */
void *ncs_journal_target(const struct ncs_journal *j, const struct ncs_call *put);

/* What few calls have: all zero where the call has nothing of it. */
static inline const struct ncs_call_rare *ncs_call_rare(const struct ncs_call *call)
{
    static const struct ncs_call_rare nothing;
    return call->rare ? call->rare : &nothing;
}

size_t ncs_call_bytes(enum ncs_fn fn); /* of a record */
struct ncs_call ncs_call_copy(const struct ncs_call *call);

/* To be written; it lives as long as the record. */
struct ncs_call_rare *ncs_call_add_rare(struct ncs_call *call);

/* The first argument of a kind; NULL if the function has none. */
static inline const union ncs_arg *ncs_call_arg(const struct ncs_call *call, enum ncs_kind kind)
{
    unsigned char at = ncs_fn_info[call->fn].at[kind];
    return at ? &call->arg[at - 1] : NULL;
}

/* Arguments by role, whatever their position. A role that the function lacks gives 0, NULL or
 * -1. */
static inline const void *ncs_call_pointer(const struct ncs_call *call, enum ncs_kind kind, enum ncs_kind other)
{
    const union ncs_arg *arg = ncs_call_arg(call, kind);
    arg = arg ? arg : ncs_call_arg(call, other);
    return arg ? arg->p : NULL;
}

static inline int ncs_call_int(const struct ncs_call *call, enum ncs_kind kind)
{
    const union ncs_arg *arg = ncs_call_arg(call, kind);
    return arg ? (int)arg->i : -1;
}

static inline const void *ncs_call_sendbuff(const struct ncs_call *call) /* buff of ncclBcast and ncclSend too */
{
    return ncs_call_pointer(call, NCS_ARG_IN, NCS_ARG_INOUT);
}

static inline const void *ncs_call_recvbuff(const struct ncs_call *call) /* buff of ncclBcast and ncclRecv too */
{
    return ncs_call_pointer(call, NCS_ARG_OUT, NCS_ARG_INOUT);
}

static inline const void *ncs_call_stream(const struct ncs_call *call)
{
    return ncs_call_pointer(call, NCS_ARG_STREAM, NCS_ARG_STREAM);
}

static inline size_t ncs_call_count(const struct ncs_call *call)
{
    const union ncs_arg *arg = ncs_call_arg(call, NCS_ARG_COUNT);
    return arg ? (size_t)arg->u : 0;
}

static inline int ncs_call_dtype(const struct ncs_call *call) /* ncclDataType_t, -1 = none */
{
    return ncs_call_int(call, NCS_ARG_DTYPE);
}

static inline int ncs_call_op(const struct ncs_call *call) /* ncclRedOp_t or a handle, -1 = none */
{
    return ncs_call_int(call, NCS_ARG_REDOP);
}

static inline int ncs_call_root(const struct ncs_call *call) /* -1 = none */
{
    return ncs_call_int(call, NCS_ARG_ROOT);
}

static inline int ncs_call_peer(const struct ncs_call *call) /* -1 = none */
{
    return ncs_call_int(call, NCS_ARG_PEER);
}

/* Returns "root" or "peer", whichever is out of range for `nranks` ranks, with its value in
 * *number; NULL = both are in range. */
const char *ncs_call_stray(const struct ncs_call *call, int nranks, int *number);

/* The list of a wait, with its length in *count; NULL = none. */
const ncclWaitSignalDesc_t *ncs_call_waits(const struct ncs_call *call, size_t *count);
static inline bool ncs_call_is_pair(const struct ncs_call *call) /* a send or a receive */
{
    return ncs_fn_info[call->fn].pair;
}

/* A put, a signal or a wait: meets no call of other ranks. */
static inline bool ncs_call_is_one_sided(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].one_sided;
}

static inline bool ncs_call_is_composed(const struct ncs_call *call) /* of sends and receives */
{
    return ncs_fn_info[call->fn].composed;
}

static inline bool ncs_call_is_collective(const struct ncs_call *call) /* all ranks make it, composed or not */
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    return info->counted && !info->pair && !info->one_sided;
}

/* A collective of a one-rank communicator: NCCL launches it at the call, even in a group, and a
 * later failure of the group does not undo it (read in NCCL 2.30.7). */
bool ncs_call_is_immediate(const struct ncs_call *call, int nranks);
/* How many elements, in multiples of its count, the call reads or writes on its own rank; 0 = none. */
size_t ncs_call_reads(const struct ncs_call *call, int nranks);
size_t ncs_call_writes(const struct ncs_call *call, int nranks);
/* The same multiple from the blocks that a row of api.lua states for a buffer. */
size_t ncs_block_count(enum ncs_blocks blocks, bool is_root, int nranks);

/* True for one block per rank. */
static inline bool ncs_blocks_are_many(enum ncs_blocks blocks)
{
    return blocks == NCS_BLOCKS_ALL || blocks == NCS_BLOCKS_ROOT_ALL;
}

static inline bool ncs_blocks_are_roots(enum ncs_blocks blocks)
{
    return blocks == NCS_BLOCKS_ROOT_ONE || blocks == NCS_BLOCKS_ROOT_ALL;
}

/* Describes a call: "AllReduce float32 x 1024 sum", "Send float32 x 8 to 3", "Broadcast int32 x
 * 4 root 0", "PutSignal float32 x 8 to 3", "Signal to 3", "WaitSignal from 1, 2 twice". */
struct ncs_str;
void ncs_call_describe(const struct ncs_call *call, struct ncs_str *out);

#endif
