/* What a machine is beyond its functions: it runs contexts under one token, keeps a clock and tells a
 * hang. The simulator's clock is virtual, its hangs are facts, and it shows the instant at which data
 * moves; on real hardware contexts are OS threads, time is real, a hang is a time without progress,
 * and what the comments below say of plants, schedules and luck does not happen.
 *
 * One machine exists per process at a time, because NCCL's functions take no context argument. */
#ifndef NCS_API_MACHINE_H
#define NCS_API_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/gen/api.h"
#include "api/local.h"
#include "api/snapshot.h"
#include "api/unverified.h"
#include "base/error.h"
#include "base/str.h"

enum ncs_host_policy {
    NCS_HOST_CONTACT, /* a call blocks its host until first contact; later launches return at once */
    NCS_HOST_EVERY,   /* every launch waits for its partners' hosts */
};

/* What of CUDA is missing; to see what programs make of it. */
enum ncs_cuda_lack {
    NCS_LACK_NOTHING,
    NCS_LACK_DEVICES, /* the driver is there and finds no device: CUDA error 100 */
    NCS_LACK_DRIVER,  /* CUDA error 35 */
};

struct ncs_machine_options {
    int devices;              /* GPUs per virtual host; 0 = 8 */
    const int *numbers;       /* of those GPUs on their host, where a program sees some of them alone; NULL =
                               * 0, 1, 2, ...; borrowed */
    int ranks;                /* of the run; real hardware must have a GPU for each */
    int64_t patience;         /* real time without progress, in ns, after which a run on real hardware
                               * is taken to hang; 0 = for ever */
    enum ncs_host_policy host;
    int lanes;                /* launches that a GPU carries out at a time; 0 = any number */
    uint64_t eager;           /* bytes that sends may run ahead per (comm, src, dst); 0 = none */
    bool seeded;              /* draw at every scheduling point */
    uint64_t seed;
    const char *schedule;     /* the choices to make, instead of draws; NULL = none; borrowed */
    int nccl_version;         /* as ncclGetVersion says it; 0 = 23007 */
    uint64_t device_memory;   /* bytes per GPU; 0 = 16 GiB */
    int capability;           /* major * 10 + minor; 0 = 90 */
    int ready_after;          /* polls that a non-blocking operation stays in progress beyond its end */
    bool own_threads;         /* contexts are OS threads instead of fibers */
    bool foreign;             /* contexts are threads of a program that calls in from outside: run,
                               * reset and close are not for such a machine */
    bool quirks;              /* calls that fail leave a group open where the real library does */
    /* Of real hardware: pinned memory for copies of what collectives read and write, shared out among
     * the ranks; 0: nothing is copied. */
    size_t staging;
    enum ncs_cuda_lack lack;
    bool no_peer_access;      /* devices cannot use each other's memory */
    uint64_t step_limit;      /* scheduler steps before NCS_STOP_BUDGET; 0 = none */
    /* Given each line of NCCL's log, and the file that it is for (NULL = standard output), on
     * whatever stack the machine runs. NULL = nobody wants it: NCCL_DEBUG is not looked at. */
    void (*log)(void *arg, const char *file, const char *line);
    void *log_arg;
};

/* What a context is: a thread of control of a virtual process. Process p sits on virtual host
 * p / devices; a context's current device starts as p % devices. */
struct ncs_context_options {
    int process;
    struct ncs_local *local;      /* the runner's; must outlive the context */
    void (*main)(void *arg);      /* runs the script; returning ends the context */
    void *arg;
};

struct ncs_gate; /* a host condition: store, barrier, join */

/* Bytes that a call has read or written. */
enum ncs_staged { NCS_STAGED_INPUT, NCS_STAGED_OUTPUT, NCS_STAGED_SCALAR };

/* An operation of the device graph, for the observer. */
enum ncs_work_state {
    NCS_WORK_QUEUED, /* it is in its streams */
    NCS_WORK_BEGUN,  /* nothing in its streams is before it any more; a launch is there for others */
    NCS_WORK_ENDED,
};

struct ncs_work {
    uint64_t serial;          /* from 1, in the order in which they were enqueued */
    const char *kind;         /* as in ncs_snap_op */
    int rank, device;         /* whose process enqueued it, and for which of its devices */
    struct ncs_call *const *call; size_t calls; /* QUEUED: that it carries out, in their order */
    const void *const *stream; size_t streams;  /* QUEUED: their handles; NULL = the legacy one */
    int status;               /* ENDED: cudaError_t */
};

/* Told of data movement at its instant, on whatever stack the machine runs, outside any context.
 * `calls` are the parts of one slot in order of rank; only journalled parts are listed. A call that
 * moves in steps (all-to-all, gather, scatter) is told of at each step. A put is told of alone, at
 * the instant at which it is in the window; a signal likewise; a wait when it ends. The hooks
 * may read device memory (it is host memory) through the calls' pointers: extents were checked.
 * They must not call back into the machine.
 *
 * On real hardware all of it is told when the data has moved, `before` too, a meeting at a time, on
 * the thread of whoever finds it over; the bytes are where ncs_machine.staged says. Of one-sided calls
 * only puts are told of. Disagreement is told of when the parts were carried out all the same. */
struct ncs_observer {
    void *self;
    void (*before)(void *self, struct ncs_call *const *calls, size_t count);
    void (*after)(void *self, struct ncs_call *const *calls, size_t count);
    /* A call that moves in steps has made its last one on its rank. */
    void (*finished)(void *self, struct ncs_call *call);
    /* The parts of a slot disagree in a way that NCCL does not notice (sim/README.md, rule 9), or a part's
     * buffer is not where it should be. */
    void (*mismatch)(void *self, struct ncs_call *const *calls, size_t count);
    /* The real library crashes here; the simulator returned ncclInvalidArgument. */
    void (*crash)(void *self, struct ncs_call *call, const char *why);
    /* A kernel or a copy touched memory that it may not touch: CUDA error 700 on that device. */
    void (*fault)(void *self, struct ncs_call *call, const char *why);
    /* An operation has come into a state; never on real hardware. */
    void (*work)(void *self, const struct ncs_work *work, enum ncs_work_state state);
    /* A kernel uses another device's memory, which goes well here; once for each allocation. */
    void (*foreign)(void *self, struct ncs_call *call, const char *why);
    /* The host has no memory for what a call allocates; the call returns CUDA error 2, or NCCL's for
     * it. NULL = the call is not known. */
    void (*refused)(void *self, struct ncs_call *call, size_t bytes);
};

/* Deliberate faults in the data path, to prove that verification catches them. Tests only. */
enum ncs_plant_kind {
    NCS_PLANT_NONE,
    NCS_PLANT_MISSING, /* the contribution of rank `at` is left out of a reduction */
    NCS_PLANT_BIT,     /* one bit of one element of one rank's output is flipped */
    NCS_PLANT_SHIFT,   /* one rank's output is written one element late */
    NCS_PLANT_ROOT,    /* a rooted operation takes its data from rank root + 1 */
    NCS_PLANT_ROUND,   /* 16-bit and 8-bit results are rounded toward zero */
    NCS_PLANT_STALE,   /* one rank's output is not written at all */
};

struct ncs_plant {
    enum ncs_plant_kind kind;
    int rank;  /* of the communicator, whose contribution or output is spoilt */
    int nth;   /* the nth slot with data, from 1; 0 = every one */
};

/* Faults that a scenario asks for, where a host alone cannot bring them about. */
enum ncs_injection_kind {
    NCS_INJECT_HOST,  /* nothing: the host brings it about */
    NCS_INJECT_SPOIL, /* what `call` writes on its rank comes out wrong */
    NCS_INJECT_LINK,  /* what has to go between comm's rank and its peer takes longer, or stays away */
    NCS_INJECT_ASYNC, /* what ncclCommGetAsyncError says of comm from now on */
};

struct ncs_injection {
    enum ncs_injection_kind kind;
    const void *comm;       /* ncclComm_t of the calling process: LINK, ASYNC */
    struct ncs_call *call;  /* SPOIL: about to be made */
    uint64_t first, count;  /* SPOIL: elements of its output, from 0; count 0 = up to the end */
    int peer;               /* LINK: rank of comm */
    int64_t nanoseconds;    /* LINK: that it takes longer; < 0 = it is cut */
    int code;               /* ASYNC: ncclResult_t */
};

/* The call that freed an allocation. */
struct ncs_freed {
    const char *by;         /* its C name; NULL = no call of the program's */
    struct ncs_place place;
};

struct ncs_machine {
    bool (*open)(const struct ncs_machine_options *options, struct ncs_error *err);
    void (*close)(void); /* frees everything, abandons live contexts; harmless when not open */
    /* Back to the state after open: contexts gone, time 0, live objects 0, bytes 0. After any stop. */
    void (*reset)(void);

    bool (*spawn)(const struct ncs_context_options *options, struct ncs_error *err);
    /* On the runner's thread, until a verdict. After QUIET, LIVELOCK and HELD it may be called again, once
     * a gate has been woken or contexts have been spawned. */
    enum ncs_stop (*run)(void);
    /* From here on run lets no more than so many events happen (the end of an operation, a timer, a poll
     * in vain) before it returns HELD; < 0 = any number, as after open. NULL on real hardware. */
    void (*hold)(int64_t events);
    void (*interrupt)(void);     /* async-signal-safe: run returns INTERRUPTED at the next point */
    void (*snapshot)(struct ncs_snapshot *out);
    /* Drops all live contexts. Fibers: their stacks are dropped as they are. Own threads: wakes each
     * with `cancelled` true until its main returns, then joins it. */
    void (*abandon)(void);
    /* After abandon: threads that have not come back from a call of the library's, with which nothing
     * of theirs may be freed; calling abandon again waits for them again. NULL = that cannot be. */
    bool (*lingers)(void);
    void (*observe)(const struct ncs_observer *observer); /* copied; NULL = nobody */
    /* For the observer, while it is told of the call: a copy of what it read or wrote on its rank, NULL
     * where there is none. Itself NULL: the call's own pointers can be read. */
    const void *(*staged)(const struct ncs_call *call, enum ncs_staged what);
    /* Likewise: why there is no copy. */
    enum ncs_unverified (*unstaged)(const struct ncs_call *call);
    void (*plant)(struct ncs_plant plant);
    void (*stats)(uint64_t *live_objects, uint64_t *live_bytes, uint64_t *trace);
    /* Whether it may have decided how the run ended that sends are buffered or are not: one was done
     * before its receive had come, or one of no more bytes than the limit waits for its receive.
     * `buffered`: the most bytes of one pair that were done ahead. */
    bool (*luck)(uint64_t limit, uint64_t *buffered);
    /* Appends the choices that the run has made, as a text that `schedule` takes; empty: all were
     * the default. False when there are too many to keep, or, with err filled, when the schedule
     * that was prescribed does not fit the run. */
    bool (*schedule)(struct ncs_str *out, struct ncs_error *err);

    /* Called by a running context. */
    int64_t (*clock)(void);            /* virtual ns; counts as a poll (sim/README.md, rule 5) */
    int64_t (*now)(void);              /* virtual ns, no poll; anybody */
    void (*sleep)(int64_t nanoseconds);
    bool (*cancelled)(void);           /* this context is being abandoned: unwind and return */
    void (*check)(void);               /* cheap; from a script's hook: parks for ever when interrupted */
    void (*end)(enum ncs_ending how, const char *message, struct ncs_place place);
                                       /* recorded for the snapshot; then main must return.
                                        * For KILLED, a thread that stops for ever, it does not return
                                        * before the context is abandoned. */
    /* The same for the calling context's whole process: its other contexts stop too, and what its
     * devices have not begun never begins. On real hardware that is the caller's to see to. */
    void (*die)(const char *message, struct ncs_place place);
    void (*inject)(const struct ncs_injection *what); /* NULL on real hardware */

    /* Host conditions: like a condition variable whose lock is the token. `what` and `key` are for
     * the snapshot; key is copied. */
    struct ncs_gate *(*gate_new)(void);
    void (*gate_free)(struct ncs_gate *gate);
    /* Parks until gate_wake or the deadline (virtual ns; < 0 = none). False after the deadline or
     * when cancelled. The caller tests its condition again. */
    bool (*gate_wait)(struct ncs_gate *gate, int64_t deadline, const char *what, const char *key,
                      int owner, int owner_thread);
    void (*gate_wake)(struct ncs_gate *gate); /* wakes all who wait; an observable change */

    /* Memory that the machine has given out. An address says little of it, as a later allocation may
     * lie there; a serial is never given twice. All NULL on real hardware, whose memory nobody can ask.
     *
     * readable: all these bytes are in one allocation, now.
     * watch: the serial of the allocation that begins at p, 0 = none; from now on its end is noted.
     * freed: whether one that is watched has been freed, which is told once: then it is forgotten. In
     * the order of a stream it is freed at the call. */
    bool (*readable)(const void *p, size_t bytes);
    uint64_t (*watch)(const void *p);
    bool (*freed)(uint64_t serial, struct ncs_freed *how);
};

#endif
