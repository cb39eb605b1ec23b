/* The journal: what every thread of every rank called, with which arguments, and what came back.
 * Written before a call is made (entered) and completed after it (returned). It holds no clocks,
 * addresses or OS ids that could reach a report. Everything that the verification and the diagnosis
 * know of a run's calls they know from here, whatever the driver.
 *
 * Communicators are recognised across ranks by what created them (unique id, or the call of
 * ncclCommInitAll) and numbered in the order of their appearance; the calls that count
 * (collectives, send, recv) are numbered per (communicator, rank in it) from 1, in issue order,
 * grouped or not, failed ones and empty ones included.
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

/* Arguments that hold anything. */
enum { NCS_UNSAID_COUNT = 1, NCS_UNSAID_OP = 2, NCS_UNSAID_ROOT = 4, NCS_UNSAID_DTYPE = 8,
       NCS_UNSAID_PLACE = 16 /* that is where the record has the call, and not where the program has it */ };

struct ncs_redop; /* below */
struct ncs_window;

struct ncs_call {
    uint64_t id;        /* serial over the run in order of entry, from 1 */
    enum ncs_fn fn;
    bool returned;
    int rc;             /* when returned: ncclResult_t or cudaError_t, by ncs_fn_info[fn].result */
    const char *said;   /* of one that failed: the library's own words, the journal's; NULL = none */
    const char *why;    /* of one that fails, from a driver that knows more than the library says; a
                         * literal, NULL = none */
    bool warned;        /* by such a driver: the library says something of this call */
    int rank, thread;   /* who called, as in ncs_local */
    struct ncs_place place;
    const char *label;  /* NULL = none */
    bool unverified;    /* verify = false */
    unsigned unsaid;    /* NCS_UNSAID_...: of a recorded run, what its record does not say */
    bool by_c_name;     /* written as C.ncclAllReduce, not as a method or function of Lua's */
    bool opening;       /* made before the script's first statement, for what is ready-made */
    bool ending;        /* made at the end of the script, to release what it left */
    bool withdrawn;     /* others are made in its place: it leaves no record */
    bool faulted;       /* its code was given to it: the library was not called */
    int comm;           /* number of the communicator, -1 = none or unknown */
    int comm_rank;      /* the caller's rank in it */
    uint32_t number;    /* on (comm, comm_rank) from 1; 0 = not counted */
    uint32_t ordinal;   /* how many-th of its sequence, from 1; 0 = of none: it failed, or its group did, or
                         * it is an empty collective, which NCCL drops. What calls are paired by: a
                         * collective's sequence is all of (comm, comm_rank), that of a send or receive
                         * those to or from the same peer; the calls of one side have one, too */
    uint64_t group;     /* serial of the outermost group it was made in, 0 = ungrouped */
    uint64_t rival;     /* of a counted call: id of an earlier one that another thread of the rank made on
                         * the same communicator or stream, and that nothing orders before it; 0 = none */
    struct ncs_redop *redop; /* of a counted call with a user operator; NULL = built in or none */
    uint32_t window;    /* of a put: the number of its window among those that (comm, comm_rank)
                         * registered, from 1; 0 = none, or it cannot be told */
    /* What it put in, of a collective that verification has captured: a hash of a sample, 0 = not
     * known; its first element as a number; whether all of the sample is like that. Of a copy to memory of a
     * script's own, which has waited: a hash of the first bytes that it has read, 0 = not known, and of these
     * the first. */
    uint64_t input;
    union {
        double value;
        unsigned char first[8];
    };
    bool uniform;
    /* In C's order; kinds in ncs_fn_info[fn].arg. A unique id given by value is .u, its hash (the
     * key of ncs_comm_info); a list of waits is a copy, NULL where there is none; out-parameters
     * are dangling once the call has returned, but that of an allocation or a stream, which then is
     * its address (NULL of one that failed), and the result that ncclCommGetAsyncError gave, in .i. */
    union ncs_arg arg[NCS_MAX_ARGS];

    unsigned pins;      /* holders that need the record; it is dropped only at 0 and returned */
    struct ncs_call *next_counted; /* next counted call of (comm, comm_rank) still held */
    struct ncs_call *older, *newer; /* all held records in order of id */
};

/* A user operator as it was created. */
struct ncs_redop {
    int comm, comm_rank;
    int handle;          /* NCCL's value; may be reused after destruction */
    int dtype;           /* ncclDataType_t */
    bool on_device;
    unsigned char scalar[8]; /* host immediate: the bytes at creation, sizeof(dtype) of them */
    const void *pointer; /* device: where the scalar is read when the operation executes */
    uint64_t created, destroyed; /* ids of the calls; destroyed 0 = alive */
    struct ncs_redop *next;
};

/* One rank of a communicator. */
struct ncs_member {
    const void *handle;  /* ncclComm_t, NULL before it is known */
    int rank;            /* of the run: who made the call that created it; -1 = not yet seen */
    int device;          /* CUDA device at creation, -1 = unknown */
    uint64_t joined;     /* calls made when its rank became known: in order of its own doing */
    uint32_t calls;      /* counted calls so far */
    uint32_t collectives, one_sided; /* how long these sequences are (ncs_call.ordinal), */
    struct ncs_map pairs;            /* and those of each peer's sends and receives */
    uint32_t splits, shrinks, grows; /* that have not failed */
    uint64_t hash;       /* rolling hash of the signatures of all of them */
    struct ncs_call *first, *last; /* counted calls still held, by number */
    struct ncs_call **line;        /* at number % line_room the one of them that came last there */
    uint32_t line_room, in_line;   /* a power of two, not less than those held; 0 = none so far */
    uint64_t gone;       /* id of the call that destroyed or aborted it; 0 = none */
    bool aborted;
    bool released;       /* gone only because the script had ended */
};

struct ncs_comm_info {
    int number;          /* its place in ncs_journal.comm, which another one takes when nobody asks for it
                          * any more: all its ranks have ended it, and no record is of it */
    uint64_t serial;     /* in order of appearance, from 1 */
    char *name;          /* "world", "comm1", or as given; unique not guaranteed */
    int nranks;          /* as the first rank to appear gave it */
    struct ncs_member *member; /* `members` of them: nranks, more where a rank claimed to be one */
    int members;
    struct ncs_redop *redops;  /* newest first */
    struct ncs_window *windows; /* oldest first */
    uint64_t key;        /* hash of the unique id; of a child, of what made it */
    uint32_t growths;    /* ids made to grow it with */
    int parent;          /* of a child, the number of what it was made out of; -1 = it is none */
    uint32_t split;      /* of a part, which split of its parent made it, from 1; 0 = it is none */
    int color;           /* of a part */
};

/* What a thread of control does for others, or waits for, without a call of NCCL or CUDA (journal_host.c). */
enum ncs_host_kind {
    NCS_HOST_BARRIER,
    NCS_HOST_SET,   /* a key of the store */
    NCS_HOST_ADD,   /* to one, which tells how many have */
    NCS_HOST_GET,   /* the same, and waits for it */
    NCS_HOST_SPAWN, /* a thread of its rank */
};

struct ncs_host_step {
    enum ncs_host_kind kind;
    int rank, thread;       /* as in ncs_local */
    struct ncs_place place;
    char *what;             /* the key; of a barrier its ranks, "ranks 0..3"; NULL = none */
    int other;              /* of SPAWN: the thread */
    uint64_t unique_id;     /* of GET: hash of the id that it gave, as of ncs_comm_info; 0 = it gave none */
    bool over;              /* the wait is, */
    bool in_vain;           /* by a timeout */
    uint64_t after;         /* id of the newest call then, whoever made that */
    uint64_t nth;           /* of its thread's, from 1 */
    uint64_t id;            /* serial over the run, from 1 */
    struct ncs_host_step *newer;
};

/* An error that a script has caught. That of a call which failed is not among them: the call's record tells it. */
struct ncs_caught {
    int rank, thread;       /* as in ncs_local */
    struct ncs_place place; /* where it was raised, if that is known, */
    struct ncs_place at;    /* and where it was caught, */
    int first, last;        /* in a function of these lines; a script as such has all */
    char *text;             /* one line, without the place */
    uint64_t after;         /* id of the newest call then, whoever made that */
    struct ncs_caught *newer;
};

struct ncs_journal {
    size_t limit;            /* bytes of these two to hold; pending and pinned records are held anyway */
    size_t held;             /* bytes of records held now */
    size_t held_comms;       /* and of communicators that are kept for their records alone */
    uint64_t dropped;        /* records dropped so far */
    uint64_t calls;          /* records ever made */
    struct ncs_call *oldest, *newest;
    struct ncs_comm_info **comm;
    size_t comms, comms_room;
    struct ncs_host_step *oldest_host, *newest_host; /* in order */
    uint64_t hosts;          /* ever made */
    size_t host_bytes;
    bool hosts_lost;         /* there were more than are kept */
    struct ncs_caught *oldest_caught, *newest_caught; /* in order */
    size_t caught_bytes;
    bool caught_lost;        /* there were more than are kept */
    /* Told of each call before it is made, when nothing is known of it but its function, who makes it
     * and where; NULL = nobody is. */
    void (*entered)(const struct ncs_journal *j, struct ncs_call *call);
    void *entered_arg; /* for them */
    /* Told of each call when it has returned; NULL = nobody is. */
    void (*returned)(const struct ncs_journal *j, struct ncs_call *call);
    void *returned_arg; /* for them */
    struct ncs_journal_private *own;
};

struct ncs_journal *ncs_journal_open(size_t limit, bool locked);
void ncs_journal_close(struct ncs_journal *j); /* and frees every record; NULL is a no-op */

/* Called by the generated wrapper (driver/gen/journal_wrap.c). enter fills everything but the
 * arguments and the communicator; the wrapper stores the arguments, then calls begin, which
 * resolves communicator, number, operator and group and gives the code that the call has to have without
 * being made, 0 = it is made; leave completes the record and learns new communicators and operators
 * from the out-parameters. */
struct ncs_call *ncs_journal_enter(struct ncs_journal *j, enum ncs_fn fn);
int ncs_journal_begin(struct ncs_journal *j, struct ncs_call *call);
void ncs_journal_leave(struct ncs_journal *j, struct ncs_call *call, int rc);

/* A step of the calling thread's, which begins with it. NULL: too many are kept, or no script
 * took it. */
struct ncs_host_step *ncs_journal_host(struct ncs_journal *j, enum ncs_host_kind kind, const char *what, int other);

/* The calling thread's script has caught an error (journal_prior.c): of it place, at, first, last and text. */
void ncs_journal_caught(struct ncs_journal *j, const struct ncs_caught *error);

/* The calling thread has waited for something that other threads do, not by a call of the driver. */
void ncs_journal_heard(struct ncs_journal *j);

/* Asked before each call of a script's, which has the number that it will have: the code that it has
 * to have without being made; 0 = make it, unless it was withdrawn. It may not return, having taken the
 * call back. */
void ncs_journal_fault(struct ncs_journal *j, int (*fault)(void *arg, struct ncs_call *call), void *arg);
/* The call is never made: no place of a rank's, and no number. */
void ncs_journal_take_back(struct ncs_journal *j, struct ncs_call *call);
/* The call is not made, whatever its code; its record goes when it returns. Until then others may be
 * made by its thread. */
void ncs_journal_withdraw(struct ncs_journal *j, struct ncs_call *call);

/* Whom the journal asks for the device of a thread that makes a communicator; NULL = nobody. */
void ncs_journal_ask(struct ncs_journal *j, const struct ncs_api *api);

void ncs_call_pin(struct ncs_call *call);   /* NULL is a no-op */
void ncs_call_unpin(struct ncs_call *call); /* NULL is a no-op */

/* It stays known to the end. */
void ncs_journal_keep_comm(struct ncs_journal *j, int comm);

/* Names a communicator by any of its handles; the first name given stays. False: it is not known yet. */
bool ncs_journal_name(struct ncs_journal *j, const void *handle, const char *name);

/* Some process has several ranks of it, on different devices. */
bool ncs_comm_is_shared(const struct ncs_comm_info *info);

/* The communicator and rank behind a handle; false if it is not known. */
bool ncs_journal_find(const struct ncs_journal *j, const void *handle, int *comm, int *comm_rank);

/* The counted call `number` of (comm, comm_rank), or NULL when it was not made or is not held. */
struct ncs_call *ncs_journal_call(const struct ncs_journal *j, int comm, int comm_rank,
                                  uint32_t number);

/* Where a put writes: in the window of its peer, NULL when that cannot be told. */
void *ncs_journal_target(const struct ncs_journal *j, const struct ncs_call *put);

/* The first argument of a kind, NULL = the function has none. */
const union ncs_arg *ncs_call_arg(const struct ncs_call *call, enum ncs_kind kind);

/* Arguments by role, whatever their position. A role that the function has not: 0, NULL or -1. */
const void *ncs_call_sendbuff(const struct ncs_call *call); /* buff of ncclBcast and ncclSend too */
const void *ncs_call_recvbuff(const struct ncs_call *call); /* buff of ncclBcast and ncclRecv too */
size_t ncs_call_count(const struct ncs_call *call);
int ncs_call_dtype(const struct ncs_call *call);  /* ncclDataType_t, -1 = none */
int ncs_call_op(const struct ncs_call *call);     /* ncclRedOp_t or a handle, -1 = none */
int ncs_call_root(const struct ncs_call *call);   /* root, -1 = none */
int ncs_call_peer(const struct ncs_call *call);   /* peer, -1 = none */
/* "root" or "peer", whichever names no rank of a communicator of `nranks`, and its value in *number;
 * NULL = neither does. */
const char *ncs_call_stray(const struct ncs_call *call, int nranks, int *number);
const void *ncs_call_stream(const struct ncs_call *call);

/* The list of a wait, with its length in *count; NULL = none. */
const ncclWaitSignalDesc_t *ncs_call_waits(const struct ncs_call *call, size_t *count);
bool ncs_call_is_pair(const struct ncs_call *call); /* a send or a receive */
/* A put, a signal or a wait: part of no meeting. */
bool ncs_call_is_one_sided(const struct ncs_call *call);
bool ncs_call_is_composed(const struct ncs_call *call); /* of sends and receives */
bool ncs_call_is_collective(const struct ncs_call *call); /* all ranks make it, composed or not */
/* A collective of one rank: it is launched when it is made, even in a group, whatever comes of that. */
bool ncs_call_is_immediate(const struct ncs_call *call, int nranks);
/* How many times its count of elements the call reads or writes on its own rank; 0 = nothing. */
size_t ncs_call_reads(const struct ncs_call *call, int nranks);
size_t ncs_call_writes(const struct ncs_call *call, int nranks);
/* The same by what a row says of one of the buffers. */
size_t ncs_block_count(enum ncs_blocks blocks, bool is_root, int nranks);

/* One block for each rank. */
static inline bool ncs_blocks_are_many(enum ncs_blocks blocks)
{
    return blocks == NCS_BLOCKS_ALL || blocks == NCS_BLOCKS_ROOT_ALL;
}

static inline bool ncs_blocks_are_roots(enum ncs_blocks blocks)
{
    return blocks == NCS_BLOCKS_ROOT_ONE || blocks == NCS_BLOCKS_ROOT_ALL;
}

/* The signature that must agree across ranks: kind, count, dtype, operator by meaning (every
 * pre-mul-sum is the same operator: scalars may differ), root; for send and recv the kind and the
 * peer. ncclBcast is a Broadcast. */
uint64_t ncs_call_signature(const struct ncs_call *call);

/* "AllReduce float32 x 1024 sum", "Send float32 x 8 to 3", "Broadcast int32 x 4 root 0",
 * "PutSignal float32 x 8 to 3", "Signal to 3", "WaitSignal from 1, 2 twice". */
struct ncs_str;
void ncs_call_describe(const struct ncs_call *call, struct ncs_str *out);

#endif
