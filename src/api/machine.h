/* A machine: besides its table of functions it runs contexts under one token, keeps a clock and
 * detects hangs. The simulator's clock is virtual, its hangs are facts, and it reports the
 * instant at which data move. On real hardware contexts are OS threads, time is real, a hang is
 * a time without progress, and plants, schedules and `swayed` of the comments below do not exist.
 *
 * One machine exists per process at a time, because NCCL's functions take no context argument. */
#ifndef NCS_API_MACHINE_H
#define NCS_API_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/gen/api.h"
#include "api/local.h"
#include "api/process.h"
#include "api/snapshot.h"
#include "api/unverified.h"
#include "base/error.h"
#include "base/str.h"

enum ncs_host_policy {
    NCS_HOST_CONTACT, /* a call blocks its host until first contact; later launches return at once */
    NCS_HOST_EVERY,   /* every launch waits for its partners' hosts */
};

/* What the end of a communicator waits for beside its own work. */
enum ncs_teardown_policy {
    NCS_TEARDOWN_DOCUMENTED, /* a destroy for all ranks of its host (NCCL's user guide), and what frees memory for all work
                              * of the device */
    NCS_TEARDOWN_CONNECTED,  /* a destroy for the ranks of its host that it has met in a call (NCCL 2.30.7) */
};

/* Which part of CUDA is missing; to see how programs cope. */
enum ncs_cuda_lack {
    NCS_LACK_NOTHING,
    NCS_LACK_DEVICES, /* the driver is there and finds no device: CUDA error 100 */
    NCS_LACK_DRIVER,  /* CUDA error 35 */
};

struct ncs_machine_options {
    struct ncs_shape hosts; /* of the simulator; a program from outside has one */
    const int *numbers;     /* the hosts' numbers of those GPUs, where a program sees only
                               * some; NULL = 0, 1, 2, ...; borrowed */
    int ranks;              /* of the run; real hardware must have a GPU for each */
    int64_t patience;       /* real time without progress, in ns, after which a run on real
                               * hardware counts as hung; 0 = for ever */
    enum ncs_host_policy host;
    enum ncs_teardown_policy teardown;
    int kernel_slots; /* launches that a GPU carries out at a time; 0 = any number */
    uint64_t eager;   /* bytes that sends may run ahead per (comm, src, dst); 0 = none */
    bool seeded;      /* draw at every scheduling point */
    uint64_t seed;
    const char *schedule;   /* the choices to make, instead of random ones; NULL = none; borrowed */
    int nccl_version;       /* in ncclGetVersion's coding; 0 = the default */
    uint64_t device_memory; /* bytes per GPU; 0 = 16 GiB */
    int ready_after;        /* polls for which a non-blocking operation stays in progress after its end */
    bool own_threads;       /* contexts are OS threads instead of fibers */
    bool foreign;           /* contexts are threads of a program that calls in from outside;
                               * such a machine has no run, reset and close */
    int model;              /* index in ncs_models (api/model.h) */
    bool quirks;            /* failed calls leave a group open where the real library does */
    /* Real hardware: bytes of pinned memory, divided among the ranks, for copies of the data
     * that collectives read and write; 0 = no copies. */
    size_t staging;
    char *const *env; /* "NAME=value", set here already: for the other processes of the job; borrowed */
    size_t envs;
    struct ncs_owns owns; /* settings of single processes */
    enum ncs_cuda_lack lack;
    bool no_peer_access; /* devices cannot use each other's memory */
    uint64_t step_limit; /* scheduler steps before NCS_STOP_BUDGET; 0 = none */
    /* Receives each line of NCCL's log, with its file (NULL = standard output), on whatever
     * stack the machine runs. NULL = no log: NCCL_DEBUG is ignored. */
    void (*log)(void *arg, const char *file, const char *line);
    void *log_arg;
};

/* A context: one thread of control of a virtual process. ncs_shape_seat says on which
 * virtual host its process sits, and which device is current at first. */
struct ncs_context_options {
    int process;
    struct ncs_local *local; /* the runner's; must outlive the context */
    void (*main)(void *arg); /* runs the script; returning ends the context */
    void *arg;
};

struct ncs_gate; /* a host condition: store, barrier, join */

/* Bytes that a call has read or written. */
enum ncs_staged { NCS_STAGED_INPUT, NCS_STAGED_OUTPUT, NCS_STAGED_SCALAR };

/* An operation of the device graph, for the observer. */
enum ncs_work_state {
    NCS_WORK_QUEUED, /* it is in its streams */
    NCS_WORK_BEGUN,  /* all earlier work in its streams has ended; partners can see the launch */
    NCS_WORK_ENDED,
};

struct ncs_work {
    uint64_t serial;  /* from 1, in the order in which they were enqueued */
    const char *kind; /* as in ncs_snap_op */
    int rank, device; /* the rank whose process enqueued it, and its device */
    struct ncs_call *const *call;
    size_t calls; /* QUEUED: the calls that it carries out, in order */
    const void *const *stream;
    size_t streams; /* QUEUED: handles of its streams; NULL = the legacy stream */
    int status;     /* ENDED: cudaError_t */
};

/* What unwritten memory is used for. */
enum ncs_unwritten_use {
    NCS_UNWRITTEN_COPIED,   /* it leaves the device: the host reads it */
    NCS_UNWRITTEN_COMBINED, /* arithmetic combines it with memory that was written */
    NCS_UNWRITTEN_SCALAR,   /* it is the factor of a pre-mul-sum */
};

/* Memory of a device that nothing has written since its allocation is used. */
struct ncs_unwritten {
    enum ncs_unwritten_use use;
    struct ncs_call *reader; /* the call that uses it */
    size_t first, count;     /* the first unwritten elements, from 0, of what the call reads, or COPIED: of the allocation that
                                    * it reads; there may be more behind them */
    size_t element;          /* bytes of an element; 1 = the type is not known */
    struct ncs_call *const *from;
    size_t froms;             /* the calls that allocated it, one for each rank that gave some */
    struct ncs_call *carrier; /* the call that first moved it from there; NULL = it was used where it was allocated */
};

/* Hooks that report data movement at its instant, on whatever stack the machine runs, outside
 * any context. `calls` are the parts of one meeting in order of rank; only journalled parts are
 * listed. A call that moves data in steps (all-to-all, gather, scatter) is reported at each
 * step. A put is reported alone, at the instant at which its data are in the window; a signal
 * likewise; a wait when it ends. The hooks may read device memory (it is host memory) through
 * the calls' pointers: extents were checked. They must not call back into the machine.
 *
 * On real hardware every hook runs after the data have moved, `before` too, a meeting at a time, on the
 * thread that notices the end; ncs_machine.staged has the bytes. One-sided calls: only puts are reported. A
 * disagreement is reported if the library carried the parts out all the same. */
/* Who sees a reduction's results while they are made, block by block: `before` a block is written on any rank, and `after` it
 * has been written on all. A block is `bytes` bytes that begin `at` bytes into every input. From any thread, each block once.
 * room: the thread's, NCS_BLOCK bytes, aligned to 64; it keeps its contents from before to after. */
struct ncs_watch {
    void *self;
    void (*before)(void *self, size_t at, size_t bytes, void *room);
    void (*after)(void *self, size_t at, size_t bytes, const void *room);
};

enum { NCS_BLOCK = 4096 }; /* bytes of a block; the last one of a result may have fewer */

struct ncs_observer {
    void *self;
    void (*before)(void *self, struct ncs_call *const *calls, size_t count);
    /* Between before and after: who watches the blocks of this movement; NULL = nobody. */
    const struct ncs_watch *(*watch)(void *self);
    void (*after)(void *self, struct ncs_call *const *calls, size_t count);
    /* A call that moves data in steps has made its last step on its rank. */
    void (*finished)(void *self, struct ncs_call *call);
    /* The parts of a meeting disagree in a way that NCCL does not notice (sim/README.md, rule
     * 9), or a part's buffer is not where it should be. */
    void (*mismatch)(void *self, struct ncs_call *const *calls, size_t count);
    /* The real library crashes here; the simulator returned ncclInvalidArgument. */
    void (*crash)(void *self, struct ncs_call *call, const char *why);
    /* A kernel or a copy touched memory that it may not touch: CUDA error 700 on that device. */
    void (*fault)(void *self, struct ncs_call *call, const char *why);
    /* An operation changed its state; never called on real hardware. */
    void (*work)(void *self, const struct ncs_work *work, enum ncs_work_state state);
    /* A kernel uses another device's memory, which succeeds here; called once for each allocation. */
    void (*foreign)(void *self, struct ncs_call *call, const char *why);
    /* A graph's launch, the call `by`, carries out once more what `captured` had put into the graph. Returns the
     * record of a call that stands for it; NULL = none. */
    struct ncs_call *(*launched)(void *self, struct ncs_call *captured, struct ncs_call *by);
    /* The host has no memory for the call's allocation; the call returns CUDA error 2, or NCCL's
     * code for it. NULL = the call is not known. */
    void (*refused)(void *self, struct ncs_call *call, size_t bytes);
    /* Unwritten memory is used (sim/data/unwritten.h); once for the same bytes. NULL = memory is not watched. Never called on
     * real hardware. */
    void (*unwritten)(void *self, const struct ncs_unwritten *what);
    /* The calling thread's process, a program from outside, launches a kernel, which may write all that it can reach. */
    void (*kernel)(void *self);
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
    int rank; /* of the communicator: whose contribution or output is spoiled */
    int nth;  /* the nth meeting that moves data, from 1; 0 = every one */
};

/* Faults that a scenario asks for and that the simulator must bring about. */
enum ncs_injection_kind {
    NCS_INJECT_HOST,  /* nothing: the host brings it about */
    NCS_INJECT_SPOIL, /* the output of `call` on its rank is wrong */
    NCS_INJECT_LINK,  /* data between comm's rank and its peer arrive late, or never */
    NCS_INJECT_ASYNC, /* sets the code that ncclCommGetAsyncError reports of comm from now on */
};

struct ncs_injection {
    enum ncs_injection_kind kind;
    const void *comm;      /* ncclComm_t of the calling process: LINK, ASYNC */
    struct ncs_call *call; /* SPOIL: the call about to be made */
    uint64_t first, count; /* SPOIL: elements of its output, from 0; count 0 = up to the end */
    int peer;              /* LINK: rank of comm */
    int64_t nanoseconds;   /* LINK: additional delay; < 0 = the link is cut */
    int code;              /* ASYNC: ncclResult_t */
};

/* The call that freed an allocation. */
struct ncs_freed {
    const char *by; /* its C name; NULL = no call of the program's */
    struct ncs_place place;
};

struct ncs_machine {
    bool (*open)(const struct ncs_machine_options *options, struct ncs_error *err);
    void (*close)(void); /* frees everything, abandons live contexts; harmless when not open */
    /* After any stop: returns to the state after open, with no contexts, time 0, no live objects or bytes. */
    void (*reset)(void);

    bool (*spawn)(const struct ncs_context_options *options, struct ncs_error *err);
    /* Runs contexts on the runner's thread until it can name a stop. After QUIET, LIVELOCK and
     * HELD the runner may call it again, once it has woken a gate or spawned contexts. */
    enum ncs_stop (*run)(void);
    /* Lets run pass at most `events` events (the end of an operation, a timer, a poll in vain)
     * before it returns HELD; < 0 = any number, as after open. NULL on real hardware. */
    void (*hold)(int64_t events);
    void (*interrupt)(void); /* async-signal-safe: run returns INTERRUPTED at the next point */
    void (*snapshot)(struct ncs_snapshot *out);
    /* Drops all live contexts. Fibers: their stacks are dropped as they are. Own threads: wakes
     * each with `cancelled` true until its main returns, then joins it. */
    void (*abandon)(void);
    /* After abandon: true if threads are still inside a call of the library; their objects must not be freed.
     * abandon may be called again to wait for them. NULL = the machine has no such threads. */
    bool (*lingers)(void);
    void (*observe)(const struct ncs_observer *observer); /* copied; NULL = no observer */
    /* For the observer, inside a hook: a copy of the data that the call read or wrote on its rank, NULL where
     * there is none. If staged itself is NULL, the call's own pointers can be read. */
    const void *(*staged)(const struct ncs_call *call, enum ncs_staged what);
    /* For the observer, inside a hook: why there is no copy. */
    enum ncs_unverified (*unstaged)(const struct ncs_call *call);
    void (*plant)(struct ncs_plant plant);
    void (*stats)(uint64_t *live_objects, uint64_t *live_bytes, uint64_t *trace);
    /* True if the way the run ended may depend on the policy. Sends are buffered or not: a send completed
     * before its receive arrived, or a send of at most `limit` bytes waits for its receive. The end of a
     * communicator waits for what only one teardown policy waits for, or did not wait for it.
     * `buffered`: the most bytes of one pair that completed early. */
    bool (*swayed)(uint64_t limit, uint64_t *buffered);
    /* Appends the choices that the run made, as a text that ncs_machine_options.schedule takes;
     * empty if all were the default. False when there are too many to keep, or, with err filled,
     * when the prescribed schedule does not fit the run. */
    bool (*schedule)(struct ncs_str *out, struct ncs_error *err);

    /* A running context calls these. */
    int64_t (*clock)(bool asks); /* virtual ns; counts as a poll (sim/README.md, rule 5); asks: the caller acts on it */
    int64_t (*now)(void);        /* virtual ns, no poll; any thread may call it */
    void (*sleep)(int64_t nanoseconds);
    bool (*cancelled)(void); /* true: this context is being abandoned and must unwind and return */
    void (*check)(void);     /* cheap; for a script's hook: parks for ever when interrupted */
    void (*end)(enum ncs_ending how, const char *message, struct ncs_place place);
    /* recorded for the snapshot; then main must return. With
                                        * KILLED (a thread that stops for ever) it returns only
                                        * once the context is abandoned. */
    /* As end, for the calling context's whole process: its other contexts stop too, and
     * operations that its devices have not begun never begin. On real hardware the caller must
     * stop them itself. */
    void (*die)(const char *message, struct ncs_place place);
    void (*inject)(const struct ncs_injection *what); /* NULL on real hardware */

    /* Host conditions: like a condition variable whose lock is the token. `what` and `key`
     * appear in the snapshot; key is copied. */
    struct ncs_gate *(*gate_new)(void);
    void (*gate_free)(struct ncs_gate *gate);
    /* Parks until gate_wake or the deadline (virtual ns; < 0 = none). Returns false after the
     * deadline or when cancelled. The caller tests its condition again. */
    bool (*gate_wait)(struct ncs_gate *gate, int64_t deadline, const char *what, const char *key, int owner, int owner_thread);
    void (*gate_wake)(struct ncs_gate *gate); /* wakes all waiters; an observable change */

    /* Memory that the machine allocated. An address alone does not identify an allocation,
     * because a later one may reuse it; a serial is never reused. All three are NULL on real
     * hardware, which cannot be asked.
     *
     * readable: all these bytes lie in one live allocation. watch: the serial of the allocation
     * that begins at p, 0 = none; from now on its end is noted. freed: true, once, if a watched
     * allocation has been freed; then it is forgotten. An allocation that is freed in stream
     * order counts as freed at the call. */
    bool (*readable)(const void *p, size_t bytes);
    uint64_t (*watch)(const void *p);
    bool (*freed)(uint64_t serial, struct ncs_freed *how);
    /* For the observer, inside a hook: false if nothing has written some of these bytes. NULL on real hardware. */
    bool (*written)(const void *p, size_t bytes);
};

#endif
