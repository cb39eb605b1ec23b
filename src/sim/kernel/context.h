/* Contexts: threads of control under one token. They are fibers by default, own OS threads
 * on request; sim_context_transfer hides the difference. State that C keeps per thread
 * belongs to the context. */
#ifndef NCS_SIM_CONTEXT_H
#define NCS_SIM_CONTEXT_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/machine.h"
#include "sim/kernel/fiber.h"
#include "sim/kernel/progress.h"
#include "sim/kernel/turn.h"
#include "sim/kernel/wait.h"

struct job;
struct part;
struct stream;
struct param_texts;

enum context_state {
    CONTEXT_READY,
    CONTEXT_RUNNING,
    CONTEXT_PARKED, /* a sleep is a wait without conditions and with a deadline */
    CONTEXT_POLLING,
    CONTEXT_IDLE, /* a thread of the driver's own without work: not live */
    CONTEXT_ENDED,
};

/* The calls that a thread has queued between ncclGroupStart and ncclGroupEnd (group.c). */
/* Decides if ncclGroupEnd waits. For calls that communicate, the last communicator that joined
 * decides. All jobs must agree. */
enum group_mode { GROUP_UNDECIDED, GROUP_WAITS, GROUP_GOES_ON };

struct group {
    int depth;
    int error;          /* of the last queued call that failed: the whole group will be dropped */
    struct part **part; /* in issue order; owned */
    size_t parts, parts_room;
    struct job **job; /* init, split, finalize ...: referenced, not started before the end */
    size_t jobs, jobs_room;
    enum group_mode mode;
};

struct context {
    int id; /* in order of creation; -1 = the runner */
    struct process *process;
    struct ncs_context_options options;
    enum context_state state;
    struct context *next; /* in the ready or the polling queue */

    struct fiber fiber;
    pthread_t thread;
    sem_t token; /* own threads: posted when the token is handed over */
    bool thread_started;
    pid_t tid;      /* of a thread from outside, or of the machine's own thread beside it */
    bool cancelled; /* being abandoned */

    struct wait wait;
    uint64_t poll_epoch; /* epoch of the last fruitless poll */
    uint64_t fruitless;  /* polls in vain since the epoch changed */
    uint64_t sleeps;     /* sleeps since the epoch changed */
    uint64_t idle_epoch; /* the epoch to which these two refer */
    bool slept;          /* since the last poll */
    bool timed;          /* it has looked at the clock since the epoch changed */
    struct polls polls;  /* of a thread from outside */
    bool acts;           /* a thread from outside: it has made a call about communicators */
    atomic_bool knocks;  /* it waits for the token to enter a call */
    struct turn turn;    /* of a thread from outside, with a seed */

    enum ncs_ending ending;
    char *message;
    struct ncs_place place;

    int device;       /* CUDA's current device */
    int cuda_error;   /* CUDA's last error */
    int capture_mode; /* cudaStreamCaptureMode: which captures forbid it calls that may wait */
    bool in_callback; /* runs a stream's host function, which must not call CUDA or NCCL */
    struct group group;
    struct param_texts *params;        /* what ncclParam* returned; NULL = nothing yet */
    struct stream **per_thread_stream; /* by device, made at first use */
};

/* The running context; NULL on a thread without a context. */
struct context *sim_context_self(void);

/* Every function of the API begins with it. Returns the running context. NULL = the caller must
 * return at once without effect, because the context is abandoned or there is none. It is a
 * scheduling point. */
struct context *sim_context_enter(void);

bool sim_context_new(const struct ncs_context_options *options, struct ncs_error *err);
/* The calling thread, which comes from outside, becomes a running context of the process that `local` names;
 * sim_context_detach ends it. Takes over `local`, from ncs_new. */
void sim_context_attach(struct ncs_local *local);
void sim_context_detach(void);
void sim_context_adopt_runner(void); /* makes world.runner stand for the calling thread */

/* For a context of the driver's own: waits until it is resumed. False when it was resumed to unwind. */
bool sim_context_idle(struct context *c);
void sim_context_resume(struct context *c);

/* Hands the token from the running context to another; returns when it comes back. */
void sim_context_transfer(struct context *from, struct context *to);

void sim_contexts_abandon(void); /* drops the live ones: their state becomes ENDED (abandoned) */
void sim_contexts_free(void);    /* frees all; none is live any more */

/* Marks the running context ended and gives the token away for good. */
void sim_context_finish(struct context *c) __attribute__((noreturn));

#endif
