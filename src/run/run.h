/* One run: a program on every rank, on a driver, watched, verified, diagnosed, judged.
 *
 * The runner knows nothing of Lua. The program (room script) is a table of functions; while it
 * runs, it reports back with ncs_run_error, ncs_run_expect and ncs_run_print. */
#ifndef NCS_RUN_RUN_H
#define NCS_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/driver.h"
#include "api/journal.h"
#include "api/process.h"
#include "api/version.h"
#include "base/error.h"
#include "base/str.h"
#include "diagnose/finding.h"
#include "run/verdict.h"
#include "verify/verify.h"

struct ncs_run;
struct ncs_amendments; /* run/amend.h */
struct ncs_timeline;   /* run/timeline/timeline.h */

struct ncs_program {
    void *self;
    /* Called on the runner's thread before anything runs. Returns NULL and fills err on failure. */
    void *(*rank_new)(void *self, struct ncs_run *run, int rank, struct ncs_error *err);
    /* Called in the rank's own context. Returns when the rank has ended. */
    void (*rank_main)(void *rank);
    /* Called on the runner's thread when no context is left. Must not call the driver. */
    void (*rank_free)(void *rank);
    bool blank; /* the program has nothing to execute */
};

enum ncs_policy { NCS_POLICY_STRICT, NCS_POLICY_TYPICAL };

struct ncs_run_options {
    const char *driver;   /* "sim", "nccl" */
    const char *nccl_lib; /* driver nccl: paths of the libraries; NULL = the usual ones */
    const char *cudart_lib;
    int ranks;
    struct ncs_shape hosts; /* virtual ones; borrowed */
    enum ncs_policy policy;
    int kernel_slots; /* launches that a GPU runs at a time; 0 = any number */
    uint64_t eager;   /* bytes that sends may run ahead under typical;
                                * UINT64_MAX = 4 MiB */
    bool seeded;
    uint64_t seed;
    const char *schedule; /* choices of another run, to be repeated; they replace the seed's
                                * draws, which then serve the script only; NULL = none; borrowed */
    bool own_threads;     /* --ranks-as thread */
    bool verify;
    size_t values;          /* results to keep in ncs_result.value, at most */
    size_t look;            /* operations to keep in ncs_result.seen, at most */
    int64_t timeout;        /* simulator: wall-clock ns, 0 = none; real hardware: ns without
                                * progress, 0 = 30 s */
    int nccl_version;       /* 0 = the default */
    uint64_t device_memory; /* 0 = the default */
    int ready_after;
    bool quirks;
    int model;                  /* of virtual time: index in ncs_models (api/model.h) */
    int needs_nccl, needs_gpus; /* real hardware: oldest version, fewest GPUs; 0 = any */
    char *const *env;           /* "NAME=value", set while the run lasts; borrowed */
    size_t envs;
    struct ncs_owns owns;               /* settings of single ranks; borrowed */
    bool timeline;                      /* keeps when everything was, for ncs_result.timeline */
    bool repair;                        /* tries the repairs of the findings, each on a run of its own */
    bool prove;                         /* tries all explanations of a hang and all rounds of a repair,
                                * whatever the run's size */
    uint64_t step_limit;                /* of the machine, NCS_STOP_BUDGET; 0 = none */
    const struct ncs_amendments *amend; /* changes of the ranks' calls; NULL = none; borrowed */
    bool trial;                         /* only asks if the run goes on; makes no diagnosis */
    bool leaks;                         /* fills ncs_result.left */
    bool once;                          /* has outside effects: no second run under the other policy */
    struct ncs_plant plant;             /* tests only */
    /* Receives each line of NCCL's log; file NULL = standard output. The callback may be NULL. */
    void (*on_log)(void *arg, const char *file, const char *line);
    void *log_arg;
    size_t output_limit; /* bytes of prints kept; 0 = 64 MiB */
    uint64_t computing;  /* the most instructions of Lua that ranks of the simulator may take
                                * without a call of NCCL or CUDA, if `timeout` is 0; 0 = 2e9. In any case 10 s of processor time */
};

/* An uncaught error that ended a thread of a rank. */
enum ncs_error_kind {
    NCS_KIND_NCCL,
    NCS_KIND_CUDA,     /* a call of NCCL or CUDA failed */
    NCS_KIND_USAGE,    /* wrong use of an object or function of ours */
    NCS_KIND_EXPECT,   /* a fatal expectation, an assert */
    NCS_KIND_LUA,      /* any other error of the script */
    NCS_KIND_SCENARIO, /* scenario{} stands in the wrong place */
    NCS_KIND_PROCESS,  /* the rank's process has ended before the job */
    NCS_KIND_MEMORY,   /* the memory budget is used up; no scenario declares that */
    NCS_KINDS
};

struct ncs_run_error {
    enum ncs_error_kind kind;
    int rank, thread;
    int code;      /* of NCCL and CUDA */
    char *name;    /* "ncclInvalidArgument", "usage", "expect" */
    char *call;    /* C name of the function, NULL = none */
    char *comm;    /* name, NULL = none */
    char *label;   /* NULL = none */
    char *message; /* one line */
    char *detail;  /* ncclGetLastError, or a Lua traceback; NULL = none */
    struct ncs_place place;
    uint64_t order; /* journal calls made before it; the earlier cause is smaller */
    size_t serial;  /* among the errors of the run, from 1 */
    uint64_t count; /* of an ignored one: calls that failed so */
};

void ncs_run_error_free(struct ncs_run_error *error);      /* the contents */
const char *ncs_error_kind_name(enum ncs_error_kind kind); /* "nccl" "cuda" "usage" ... */
/* The verdict of a run that such an error ended. */
enum ncs_verdict ncs_error_verdict(enum ncs_error_kind kind);

struct ncs_run_expect { /* a failed expectation */
    int rank;
    char *message; /* "element 3: got 2, want 3 (12 of 1024 differ)" */
    char *label;
    uint64_t first; /* the first element that differs, from 1; 0 = not about elements */
    struct ncs_place place;
    uint64_t order;
};

#define NCS_EXPECTS_KEPT 4096

/* How the run ends under the other policy of buffering sends. */
struct ncs_other_policy {
    bool differs;             /* otherwise nothing else is set */
    enum ncs_policy policy;   /* the other one */
    enum ncs_verdict verdict; /* under it */
    const char *rule;         /* of its cause; NULL = none */
    uint64_t buffered, limit; /* bytes of one pair: most that were buffered, most that NCCL may */
};

/* The edits of one finding and the outcome of the run with them. In a repair the edits of all
 * earlier rounds are applied as well. */
enum { NCS_MOST_RETURNS = 8 }; /* a change that helps this often counts as a repair */

struct ncs_trial {
    const char *rule;
    size_t candidate; /* of that number, which has these edits; 0 = the rules' finding alone has them */
    char *comm;
    uint32_t call;
    struct ncs_edit *edit;
    size_t edits;
    size_t returns; /* how often the edits were missing again and applied again */
    size_t behind;  /* how often what follows them was left out, or missing, too */
    bool partial;   /* the run came to only one of two calls that were to be exchanged, or grouped: it shows nothing */
    enum ncs_verdict verdict;
    bool diagnosed;      /* the trial ran a diagnosis; else the rest is not known */
    bool gone;           /* the finding is */
    bool moved;          /* ranks without an edit made more calls than in the run */
    bool one_of_several; /* so the change is kept: what is left is taken for another mistake */
    const char *left;    /* rule of the cause that is left; NULL = none */
    char *left_why;      /* its explanation */
    bool left_known;     /* edits are known that may remove it, too */
    char *failure;       /* a verdict without a cause: the failure; NULL = unknown */
};

/* True if no rank waits any more, or the run went on again and again. */
static inline bool ncs_trial_goes_on(const struct ncs_trial *t)
{
    return t->verdict == NCS_PASS || t->verdict == NCS_WRONG || (t->verdict == NCS_HANG && t->returns == NCS_MOST_RETURNS);
}

struct ncs_repair {
    bool tried, repaired; /* repaired: the last round passes */
    struct ncs_trial *round;
    size_t rounds;
};

/* The trials that were made to find the cause of a hang, each on a run of its own. */
struct ncs_proof {
    bool complete; /* options.prove: no untried explanation is left */
    struct ncs_trial *trial;
    size_t trials, room;
};

struct ncs_result {
    enum ncs_verdict verdict;
    enum ncs_certainty certainty;
    enum ncs_stop stop;
    int ranks;
    const char *driver;
    char nccl[16]; /* "2.30.7" */
    enum ncs_policy policy;
    uint64_t seed;
    struct ncs_other_policy other_policy;
    struct ncs_diagnosis diagnosis; /* findings and waits */
    struct ncs_proof proof;
    struct ncs_repair repair; /* if options.repair asks for it */
    struct ncs_run_error *error;
    size_t errors;
    struct ncs_run_error *ignored;
    size_t ignoreds; /* calls of a program (exec) that failed, and it went on; rank -1 = unknown */
    struct ncs_run_expect *expect;
    size_t expects; /* the first NCS_EXPECTS_KEPT that failed */
    const struct ncs_wrong *wrong;
    size_t wrongs; /* borrowed from the run */
    uint64_t wrong_count, checked, unchecked;
    const struct ncs_left_out *left_out; /* reasons of the unchecked (verify/verify.h); borrowed;
                                          * NULL = none */
    const struct ncs_value *value;
    size_t values; /* borrowed from the run */
    const struct ncs_seen *const *seen;
    size_t seens;                        /* borrowed from the run (verify/seen.h) */
    uint64_t seen_more;                  /* operations beyond those kept */
    uint64_t expected;                   /* expectations that were checked */
    uint64_t expect_failed;              /* expectations that failed */
    uint64_t calls;                      /* journalled calls */
    uint64_t trace;                      /* hash of all choices and steps */
    struct ncs_str schedule;             /* the choices that were made; empty: all were the default */
    bool schedule_lost;                  /* they were too many to keep */
    int64_t virtual_time;                /* ns */
    int model;                           /* by which it is counted: index in ncs_models */
    struct ncs_error internal;           /* INVALID or INTERNAL_FAULT that no rank caused */
    char *skip_reason;                   /* why it was SKIPPED; details of TIMEOUT or MEMORY, or NULL */
    bool endless;                        /* of TIMEOUT: a rank computes without end */
    uint64_t refused;                    /* allocations of calls that the memory budget refused */
    struct ncs_place refused_at;         /* the first of them; line 0 = not known */
    size_t memory;                       /* the budget in bytes; NCS_BUDGET_NONE = none */
    struct ncs_str output;               /* printed lines, whole: "[rank] text" */
    uint64_t output_lost;                /* bytes beyond the limit */
    const struct ncs_journal *journal;   /* borrowed from the run: names of communicators */
    const struct ncs_timeline *timeline; /* the same, if options.timeline asked for it; else NULL */
    bool leaks;                          /* options.leaks asked for: */
    const struct ncs_left *left;
    size_t lefts; /* what is left (diagnose/ledger/ledger.h);
                                     * borrowed from the run */
    bool *killed; /* by rank: a fault has ended its process; NULL without a timeline */
};

/* The first finding that is no mere note; NULL = none. */
struct ncs_finding *ncs_first_error(const struct ncs_diagnosis *d);
/* True if an error ended a thread of the rank. */
bool ncs_has_failed(const struct ncs_result *r, int rank);

/* Opens the driver, makes the ranks, runs them to a verdict. The result belongs to the run.
 * `on_output` (may be NULL) receives each printed line at once. Not reentrant: one run per process
 * at a time. */
struct ncs_run *ncs_run_new(const struct ncs_run_options *options, const struct ncs_program *program,
                            void (*on_output)(void *arg, const char *line), void *arg);
const struct ncs_result *ncs_run_execute(struct ncs_run *run);
/* After the report, on real hardware: aborts the communicators of a run that did not end by
 * itself. False when some rank does not return from a library call within 5 s: then the
 * process can only exit. */
bool ncs_run_leave(struct ncs_run *run);
void ncs_run_free(struct ncs_run *run); /* NULL is a no-op; leaves it first */
void ncs_run_interrupt(void);           /* async-signal-safe: the run in progress ends INTERRUPTED */
void ncs_run_rearm(void);               /* forgets an interrupt, for processes that go on after one */

/* Called on a thread of its own when a run has not returned 2 s after its time limit, because some
 * rank computes without calling the machine. The program sets it (it may end the process); NULL =
 * keep waiting for the run. */
extern void (*ncs_run_stuck)(void);

/* ---- for the program, while it runs ---- */

const struct ncs_run_options *ncs_run_options(const struct ncs_run *run);
const struct ncs_api *ncs_run_api(const struct ncs_run *run); /* journalled */
/* The functions beneath the journal, for calls that the script does not make. */
const struct ncs_api *ncs_run_driver_api(const struct ncs_run *run);
const struct ncs_machine *ncs_run_machine(const struct ncs_run *run);
struct ncs_journal *ncs_run_journal(const struct ncs_run *run);
/* Elements of results that verification has found wrong so far, in the results that it keeps. */
uint64_t ncs_run_wrong_elements(const struct ncs_run *run);
struct ncs_local *ncs_run_local(struct ncs_run *run, int rank); /* of the rank's main thread */

/* ncs_run_error takes over the texts of *error. Call these functions in the context concerned.
 * ncs_run_error sets `order` and tells the machine how the thread ends; the thread's main must
 * return then. */
void ncs_run_error(struct ncs_run *run, struct ncs_run_error *error);
/* A joining thread takes the error over: the error no longer counts as uncaught. */
void ncs_run_error_taken(struct ncs_run *run, int rank, int thread);
/* Copies message. first: the element that differs, from 1; 0 = not about elements. */
void ncs_run_expect(struct ncs_run *run, bool held, const char *message, const char *label, uint64_t first);
void ncs_run_print(struct ncs_run *run, int rank, const char *text); /* may hold several lines */
void ncs_run_skip(struct ncs_run *run, const char *reason);          /* the whole run */

/* Called from time to time while a rank computes, with the instructions since the last report. Ends
 * the run when there are too many since the last call of any rank. */
void ncs_run_computes(struct ncs_run *run, uint64_t instructions, int rank, struct ncs_place (*where)(void *arg), void *arg);

/* Store: key -> bytes, shared by all ranks. set returns false when there is no memory. get waits
 * until the key exists; timeout in ns, < 0 = none; false after that time or when cancelled. The
 * value is a copy; free it with ncs_free. */
bool ncs_run_store_set(struct ncs_run *run, const char *key, const void *value, size_t bytes);
bool ncs_run_store_get(struct ncs_run *run, const char *key, int64_t timeout, void **value, size_t *bytes);
/* Adds to an integer key (absent = 0). An integer is a value of 8 bytes, an int64_t, whichever
 * function wrote it. Returns false if the key holds anything else. */
bool ncs_run_store_add(struct ncs_run *run, const char *key, int64_t n, int64_t *sum);

/* The bytes of unique ids that scripts of this run have read. A script may make an id of these bytes
 * only: an id names the address to which NCCL connects. */
void ncs_run_id_show(struct ncs_run *run, const ncclUniqueId *id);
bool ncs_run_id_shown(const struct ncs_run *run, const ncclUniqueId *id);

/* Host barrier among `count` ranks (ranks NULL = all). False after the timeout
 * or when cancelled. */
bool ncs_run_barrier(struct ncs_run *run, const int *ranks, size_t count, int64_t timeout);

/* A further thread of the calling rank: runs main(arg) in a context of its own. */
struct ncs_thread;
struct ncs_thread *ncs_run_spawn(struct ncs_run *run, void (*main)(void *arg), void *arg, struct ncs_error *err);
bool ncs_thread_join(struct ncs_run *run, struct ncs_thread *thread); /* false when cancelled */
bool ncs_thread_done(const struct ncs_thread *thread);
struct ncs_local *ncs_thread_local(struct ncs_thread *thread);

/* the rank's own statements have ended; call it again after its threads have ended */
void ncs_run_script_over(struct ncs_run *run);
void ncs_run_sleep(struct ncs_run *run, int64_t nanoseconds); /* virtual on the simulator */
int64_t ncs_run_clock(struct ncs_run *run);                   /* ns */

#endif
