/* The state of a machine at rest as plain data: which context, operation and call waits for
 * which. The simulator fills it at the verdict, before anything is released; the diagnosis reads
 * it. Indices point into the arrays of the same snapshot; -1 = none. The journal owns the calls;
 * the snapshot pins them. */
#ifndef NCS_API_SNAPSHOT_H
#define NCS_API_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"

enum ncs_stop {
    NCS_STOP_DONE,        /* every context has ended */
    NCS_STOP_QUIET,       /* nothing can ever happen again, and not all contexts have ended: a certain hang */
    NCS_STOP_LIVELOCK,    /* contexts only poll, and no poll can succeed */
    NCS_STOP_BUDGET,      /* past the limit of steps */
    NCS_STOP_INTERRUPTED, /* ncs_machine.interrupt was called */
    NCS_STOP_HELD,        /* an event is due that ncs_machine.hold does not allow */
    NCS_STOP_STALLED,     /* real hardware: no progress for ncs_machine_options.patience */
};

enum ncs_context_state {
    NCS_CONTEXT_READY,   /* could run (after an interrupt) */
    NCS_CONTEXT_PARKED,  /* waits; see wait */
    NCS_CONTEXT_POLLING, /* polls in vain; `call` is the poll */
    NCS_CONTEXT_SLEEPING,
    NCS_CONTEXT_ENDED,
};

enum ncs_ending {
    NCS_END_RETURNED,
    NCS_END_ERROR,
    NCS_END_KILLED,
    NCS_END_ABANDONED,
    NCS_END_PROMPT,  /* at the prompt: nobody has typed another call so far */
    NCS_END_LOST,    /* its process has ended, and no call or fault of the program's says why */
    NCS_END_SILENT,  /* of a recorded run: the record ends here, outside any call that waits */
    NCS_END_MISSING, /* of a recorded run: there is no record of it */
};

enum ncs_wait_kind {
    NCS_WAIT_OP,   /* a device operation: index into op */
    NCS_WAIT_JOB,  /* a host-side state machine: index into job */
    NCS_WAIT_GATE, /* a host condition of the runner's: index into gate */
};

struct ncs_snap_wait {
    enum ncs_wait_kind kind;
    int index;
};

struct ncs_snap_context {
    int rank, thread;
    enum ncs_context_state state;
    enum ncs_ending ending;      /* when ENDED */
    struct ncs_place place;      /* current place, or place of the error that ended it */
    char *message;               /* of its error, or other known facts; NULL = none */
    const struct ncs_call *call; /* in flight, NULL = none (or a host wait of the runner's) */
    int group_depth;             /* > 0: its thread is inside an open group */
    size_t wait, waits;          /* first and count in snapshot.wait */
    bool has_deadline;
    int process, host; /* real hardware: where it runs, both from 1; 0 = not known */
    /* For a thread that acts as several ranks and has one context for each: the context at index
     * held_by - 1 is in a call, and this one goes on after that call. 0 = no such context. */
    size_t held_by;
};

enum ncs_op_state { NCS_OP_BLOCKED, NCS_OP_ENABLED, NCS_OP_ACTIVE };

struct ncs_snap_op { /* an unfinished operation of the device graph */
    /* "launch", "copy", "memset", "event", "delay", "add", "free", "callback" */
    const char *kind;
    enum ncs_op_state state;
    int rank;                    /* rank of the run whose process enqueued it */
    int device;                  /* on its host */
    const struct ncs_call *call; /* the call that enqueued it (of a launch: its first call);
                                    * may be NULL */
    bool awaits_kernel_slot;     /* waits only for a free kernel slot of its device; deps hold the slots */
    size_t dep, deps;            /* first and count in snapshot.dep: operations it waits for */
    size_t part, parts;          /* of a launch: first and count in snapshot.part */
    int context;                 /* of a callback: the context that runs it; -1 = none yet, or no callback */
};

enum ncs_part_state {
    NCS_PART_WAITING,    /* earlier work of its launch is not done */
    NCS_PART_AT_MEETING, /* there, waits for the others */
    NCS_PART_MATCHED,    /* complete, data will move */
    NCS_PART_DONE,
    NCS_PART_CANCELLED, /* by abort */
};

struct ncs_snap_part { /* one call's share of a launch, or a call still in an open group */
    const struct ncs_call *call;
    enum ncs_part_state state;
    int op;      /* its launch; -1 = still queued in an open group or in contact */
    int meeting; /* its meeting; -1 = not at one yet */
};

struct ncs_snap_lack {     /* signals that a wait still lacks */
    int part;              /* the wait */
    int peer;              /* rank of the communicator that should send them */
    uint64_t wanted, came; /* that the call waits for; arrived and not taken by a wait */
};

enum ncs_stuck {
    NCS_STUCK_NO,
    NCS_STUCK_KIND,
    NCS_STUCK_COUNT,
    NCS_STUCK_ROOT,
    NCS_STUCK_P2P_COUNT,
    NCS_STUCK_LINK, /* a link that it must use is cut */
};

struct ncs_snap_meeting {   /* a meeting of parts that is not complete */
    bool pair;              /* a send and a receive, made as such or by an all-to-all,
                                    * gather or scatter; otherwise a collective */
    int nranks;             /* of the communicator */
    int src, dst;           /* of a pair: ranks in the communicator */
    enum ncs_stuck stuck;   /* why it never completes although all parts are there */
    int cut[2];             /* of LINK: the ranks at the two ends of the cut link */
    size_t member, members; /* first and count in snapshot.member: parts that are there */
};

/* clang-format off */
enum ncs_job_kind {
    NCS_JOB_INIT, NCS_JOB_CONTACT, NCS_JOB_FINALIZE, NCS_JOB_DESTROY, NCS_JOB_ABORT, NCS_JOB_GROUP,
    NCS_JOB_SPLIT, NCS_JOB_SHRINK, NCS_JOB_GROW, NCS_JOB_REVOKE, NCS_JOB_SUSPEND, NCS_JOB_RESUME,
    NCS_JOB_WINDOW,
};
/* clang-format on */

struct ncs_snap_job {
    enum ncs_job_kind kind;
    const struct ncs_call *call; /* the call that started it; may be NULL */
    int rank;                    /* of the run */
    int comm_rank, nranks;       /* of the job's communicator */
    /* Ranks of the communicator that have not checked in: first and count in snapshot.missing. */
    size_t miss, misses;
    bool refused;    /* INIT: the rendezvous stopped serving, because of `why` */
    const char *why; /* "rank 1 checked in twice", "nranks differ", "id used before"; NULL */
    bool pair;       /* CONTACT with one peer; otherwise of the whole communicator */
    int peer;
    bool sending;       /* of a pair: this rank sends and waits for the peer's receive */
    size_t wait, waits; /* further waits of the same call: first and count in snapshot.wait */
    bool concluded;     /* real hardware: what it waits for follows from the calls of the ranks */
};

struct ncs_snap_gate { /* a host condition of the runner: store, barrier, join */
    const char *what;  /* "store:get", "barrier", "join"; "callback": the thread that
                                    * runs it has stopped inside it; a phrase for what a rank does in a
                                    * program's own code: "is stopped" */
    char *key;         /* "store key `go`", "ranks 0, 1"; for reports */
    int owner;         /* rank of the thread that is joined, or that has stopped; else -1 */
    int owner_thread;
};

struct ncs_snapshot {
    enum ncs_stop stop;
    bool recorded;  /* a recorded run: the calls of its hosts are known, but not their waits */
    bool many;      /* a program of many processes: a rank that no process is known to have may be one's that has
                                    * made no call so far */
    int64_t now;    /* virtual nanoseconds */
    uint64_t trace; /* hash of everything that was chosen and done */
    struct ncs_snap_context *context;
    size_t contexts;
    struct ncs_snap_wait *wait;
    size_t waits;
    struct ncs_snap_op *op;
    size_t ops;
    int *dep;
    size_t deps;
    struct ncs_snap_part *part;
    size_t parts;
    struct ncs_snap_meeting *meeting;
    size_t meetings;
    int *member;
    size_t members; /* indices into part */
    struct ncs_snap_lack *lack;
    size_t lacks;
    struct ncs_snap_job *job;
    size_t jobs;
    int *missing;
    size_t missings;
    struct ncs_snap_gate *gate;
    size_t gates;
};

/* Unpins the calls and frees the arrays, but not the struct itself. */
void ncs_snapshot_free(struct ncs_snapshot *s);

#endif
