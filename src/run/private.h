/* The run itself, which the files of room run share. Only the tests include this from outside: they
 * bring their own machine. */
#ifndef NCS_RUN_PRIVATE_H
#define NCS_RUN_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "diagnose/hazard/hazard.h"
#include "diagnose/ledger/ledger.h"
#include "run/environ.h"
#include "run/notices.h"
#include "run/run.h"
#include "run/store.h"
#include "run/timeline/timeline.h"
#include "run/watch.h"

struct armed;
struct amender;

struct run_rank {
    struct ncs_run *run;
    void *program;           /* what program.rank_new gave; NULL = not made */
    struct ncs_local local;  /* of its main thread */
    int threads;             /* spawned so far */
    bool dead;               /* by fault.kill */
    bool halted;             /* its main thread, by fault.stall */
    struct ncs_place death;  /* the statement of that fault */
    char *misfit;            /* why a fault could not happen in the call that it waited for; NULL = none */
    struct armed *armed;     /* faults that wait for their calls, in order */
    struct ncs_gate *prompt; /* where it waits for lines; NULL = it has not waited yet */
    struct amender *amender; /* if calls of the rank are changed; else NULL */
};

struct ncs_run {
    struct ncs_run_options options;
    struct ncs_program program;
    void (*on_output)(void *arg, const char *line);
    void *output_arg;

    const struct ncs_driver *driver;
    const struct ncs_machine *machine; /* open; NULL before and after */
    const struct ncs_api *api;         /* journalled */
    struct ncs_journal *journal;
    struct ncs_verify *verify;     /* NULL: there is no machine */
    struct ncs_hazards *hazards;   /* NULL in a plan */
    struct ncs_ledger *ledger;     /* the same */
    struct ncs_timeline *timeline; /* NULL: not asked for */

    struct ncs_local runner;
    struct run_rank *rank;      /* options.ranks of them */
    uint64_t started;           /* ranks whose main has begun */
    struct ncs_thread *threads; /* spawned, newest first */
    struct run_store store;
    struct run_watch watch;
    struct run_environ environ;
    void **scratch; /* memory of inserted calls */
    size_t scratches, scratches_room;

    struct ncs_notices notices;
    size_t errors_room, expects_room;
    size_t errors_so_far; /* including errors that a join has taken over */
    bool skipped;
    uint64_t computed; /* instructions since this number of calls: */
    uint64_t computed_at;
    struct timespec computed_from; /* the processor time of the thread then */
    pthread_t computed_by;
    atomic_bool spent;                               /* the memory budget is */
    void (*outer_spent)(void);                       /* handler of the memory budget before the run */
    uint64_t skip_order, refused_order, wrong_order; /* as ncs_run_error.order; of the first wrong result */
    bool real;                                       /* the machine is: see ncs_driver */
    bool lingers;                                    /* ranks may still be in calls: see ncs_run_leave */
    bool executed;
    bool lives;         /* a session: its contexts wait for more lines */
    atomic_bool broken; /* see ncs_run_break */
    bool closed;        /* the verdict is settled: reports of contexts that are being
                                        * abandoned do not count */
    bool interrupted;   /* from outside, while the machine ran */
    bool swayed;        /* buffering of sends may have decided the outcome */
    uint64_t buffered;  /* most bytes of a pair that were buffered */
    struct ncs_result result;
};

/* ncs_run_execute on a driver that is open already. */
const struct ncs_result *ncs_run_execute_on(struct ncs_run *run, const struct ncs_driver *driver);

/* As ncs_run_new, but does not forget an interrupt; and one execution without a second run under
 * the other policy. */
struct ncs_run *ncs_run_make(const struct ncs_run_options *options, const struct ncs_program *program,
                             void (*on_output)(void *arg, const char *line), void *arg);
void ncs_run_once(struct ncs_run *run, const struct ncs_driver *driver);
/* The steps of ncs_run_once. */
bool ncs_run_open_machine(struct ncs_run *run, const struct ncs_driver *driver, struct ncs_error *err);
bool ncs_run_make_ranks(struct ncs_run *run, struct ncs_error *err);
void ncs_run_diagnose(struct ncs_run *run, const struct ncs_snapshot *snapshot, struct ncs_diagnosis *out);
void ncs_run_look_at_unfinished(struct ncs_run *run, const struct ncs_snapshot *snapshot);
void ncs_run_count_up(struct ncs_run *run); /* fills the counters of the result */
/* Gives the machine back; the result stays. */
void ncs_run_close_machine(struct ncs_run *run);
uint64_t ncs_run_eager(const struct ncs_run_options *options); /* bytes, under typical */

/* hazards.c: memory that is used without order */
void ncs_run_hazards_open(struct ncs_run *run);
void ncs_run_hazards_report(struct ncs_run *run); /* before the diagnosis */
void ncs_run_hazards_close(struct ncs_run *run);
/* the calling thread has waited for something that is not in the journal */
void ncs_run_waited(struct ncs_run *run);
/* The calling rank has compared the value that it read last. */
void ncs_run_compared(struct ncs_run *run, bool held);

/* ledger.c: what the ranks make and free */
void ncs_run_ledger_open(struct ncs_run *run);
void ncs_run_ledger_report(struct ncs_run *run); /* before the diagnosis */
void ncs_run_ledger_close(struct ncs_run *run);

/* timeline.c: records times for charts */
void ncs_run_timeline_open(struct ncs_run *run);
void ncs_run_work(void *self, const struct ncs_work *work, enum ncs_work_state state);
void ncs_run_timeline_found(struct ncs_run *run, const struct ncs_call *call, const char *what, const char *why);

struct run_gate_what {
    const char *what, *key; /* as of ncs_machine.gate_wait */
    int owner, owner_thread;
};

/* The runner's own waits. All threads go through these functions. */
bool ncs_run_gate_wait(struct ncs_run *run, struct ncs_gate *gate, int64_t deadline, const struct run_gate_what *w);
void ncs_run_machine_sleep(struct ncs_run *run, int64_t nanoseconds);

/* Notices of variables that ranks do not share (unlike.c). */
void ncs_run_unlike_report(struct ncs_run *run);

/* other_policy.c: runs again under the other policy if the outcome may differ. */
void ncs_run_other_policy(struct ncs_run *run, const struct ncs_driver *driver);

/* prove.c: tries the explanations of a hang and prefers the first one that lets the run go on. */
void ncs_run_prove(struct ncs_run *run, const struct ncs_driver *driver);
void ncs_run_proof_free(struct ncs_proof *proof); /* the contents */

/* trial.c: runs the program again, silently, with its calls changed; trial: see ncs_run_options.
 * The caller frees the run. */
struct ncs_run *ncs_run_again(const struct ncs_run *run, const struct ncs_amendments *amend, bool trial,
                              const struct ncs_driver *driver);
struct ncs_trial ncs_trial_make(const struct ncs_finding *f, const struct ncs_run *with_its_edits);
void ncs_trial_free(struct ncs_trial *t); /* the contents */
/* True if the trial's edits are exactly those of f. */
bool ncs_trial_has_edits(const struct ncs_trial *t, const struct ncs_finding *f);

/* "with this one call inserted on rank 2 the run passes". j is the journal of the run that the
 * edits were made for. The caller frees the text. */
char *ncs_trial_format(const struct ncs_trial *t, const struct ncs_diagnosis *d, const struct ncs_journal *j);
/* The first finding that has edits; NULL = none. In a run with a wrong result it may be a note. */
const struct ncs_finding *ncs_run_repairable(const struct ncs_diagnosis *d);

/* recur.c: the finding of `now` that repeats the change of `changed`: the same ranks at the same
 * lines, or right behind the calls that the last edits, `done`, inserted or left out. NULL = the
 * run did not go on, or nothing repeats. `taken`: which of several, the first or that with the fewest edits. */
enum ncs_taken { NCS_TAKE_CHEAPEST, NCS_TAKE_FEWEST };
const struct ncs_finding *ncs_run_recurrence(const struct ncs_run *before, const struct ncs_run *now,
                                             const struct ncs_finding *changed, const struct ncs_finding *done,
                                             enum ncs_taken taken);
/* Runs the program again with f's edits, which `amend` has, and applies the same edits each time
 * they are missing again, NCS_MOST_RETURNS times at most. */
struct ncs_trial ncs_run_try(struct ncs_run *run, const struct ncs_finding *f, struct ncs_amendments *amend,
                             const struct ncs_driver *driver);

/* repair.c: runs the program again with the edits of the findings, if the options ask for it. */
void ncs_run_repair(struct ncs_run *run, const struct ncs_driver *driver);
void ncs_run_repair_free(struct ncs_repair *repair); /* the contents */

/* judge.c: sets verdict and certainty from the rest of the result. */
void ncs_run_judge(struct ncs_run *run);
enum ncs_certainty ncs_run_certainty(const struct ncs_result *r);

/* abort.c: ends a run on a real machine that does not end by itself. False when some thread does
 * not return. */
bool ncs_run_abort(struct ncs_run *run);

/* amend.c, amend_state.c: called before each call of a rank, on any driver. If an edit withdraws
 * the call, returns the code of the calls made in its place; else 0. */
int ncs_run_amend(struct ncs_run *run, struct ncs_call *call);
/* Counts a captured call that a launch of its graph makes once more: no edit changes it. */
void ncs_run_count_launched(struct ncs_run *run, const struct ncs_call *call);
/* The number that the call would have without the edits. */
uint32_t ncs_run_script_number(const struct ncs_run *run, const struct ncs_call *call);
void ncs_run_before_wait(struct ncs_run *run); /* where the rank may wait without a call */
void ncs_run_thread_over(struct ncs_run *run); /* the calling thread, spawned */
/* Called before a step of the calling thread that is no call (ncs_journal_host). Returns true if an
 * edit leaves the step out; an edit may change the key. */
bool ncs_run_amend_host(struct ncs_run *run, const char **key);
void ncs_run_amend_begin(struct ncs_run *run);
/* False if a call of the first edits was to be exchanged, or grouped, with a later one that the run has not come to. */
bool ncs_run_amended(const struct ncs_run *run);
void ncs_run_amend_free(struct ncs_run *run);

/* fault.c */
void ncs_run_watch_calls(struct ncs_run *run);   /* for faults and edits */
void ncs_run_faults_report(struct ncs_run *run); /* before the diagnosis: notes about unused faults */
/* True if the run has ended and faults stopped every rank. */
bool ncs_run_lost(const struct ncs_run *run);
void ncs_run_faults_free(struct ncs_run *run);

/* thread.c */
void ncs_run_threads_free(struct ncs_run *run);
/* Iterates over the spawned threads: begins with NULL, ends with NULL. */
const struct ncs_thread *ncs_thread_after(const struct ncs_run *run, const struct ncs_thread *t);
/* True if the thread belongs to the rank and is not over. */
bool ncs_thread_runs(const struct ncs_thread *t, int rank);

#endif
