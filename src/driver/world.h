/* Shared by the files of the machine of real runs: its contexts, the host's time, and the token's inside
 * (token.h is for calls of the libraries). Read and write all of it under the token. */
#ifndef NCS_DRIVER_WORLD_H
#define NCS_DRIVER_WORLD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/gen/api.h"
#include "api/machine.h"
#include "base/map.h"

#define SECOND ((int64_t)1000000000)

enum place { AT_WORK, AT_CALL, AT_GATE, ASLEEP, STOPPED, GONE };

struct real_context {
    pthread_t thread;
    struct ncs_context_options options;
    enum place at;
    enum ncs_ending ending;
    char *message;
    struct ncs_place end_place;
    const char *what; /* AT_GATE */
    char *key;
    int owner, owner_thread;
    bool timed;
    bool failed;             /* an error of NCCL's has ended one of its waits */
    bool dead;               /* its process is dead: it stops as soon as it returns from a call */
    uint64_t polls, checked; /* polls in vain; their number when its script last called check */
    struct real_context *next;
};

/* State of the copies of collectives' data (stage.h). */
struct stage_state {
    bool open, copies;
    int ranks;
    struct stage_arena *arena;        /* by rank, of `pinned` */
    void **pinned;                    /* by process */
    struct stage_launch **under_way;  /* by rank, oldest first */
    int *ops;                         /* by rank: copies and events under way */
    struct stage_launch *made;        /* their inputs are copied, and NCCL may not have them yet */
    struct stage_launch *in_progress; /* of non-blocking communicators, until they are ready */
};

/* A process has one NCCL and one CUDA runtime, whose functions have no argument for a context. So all
 * state of the driver is here, and a thread's state in its _Thread_local variables. */
struct real_driver {
    const struct ncs_api *plain; /* the libraries' own functions */
    struct ncs_api with_token;   /* with the token given back around each */
    struct ncs_api wrapped;      /* the functions that scripts call */
    pthread_mutex_t token;
    atomic_bool interrupted;

    struct stage_state stage;
    struct {
        struct real_event *free;
        size_t count, room;
    } events;
    struct {
        struct stage_line *first;
        struct ncs_map by_rank; /* by communicator and rank in it */
        struct ncs_map broken;  /* by communicator + 1 */
    } lines;
    struct {
        struct ncs_observer observer;
        struct ncs_map open;
        const struct meeting *told; /* the meeting whose copies the observer may ask for */
    } meetings;
    struct {
        struct real_stream *stream; /* that the run has made */
        size_t count, room;
    } streams;
    struct real_task *tasks;    /* functions that streams run and that have not ended */
    struct addition *additions; /* standin.c */

    /* State of the machine. */
    bool open, started, stopped, cancelled;
    struct ncs_machine_options options;
    int gpus;
    struct real_context *first, **last;
    struct real_context *visitors; /* CUDA's threads that run functions of the script's */
    size_t live, stopped_for_ever; /* the latter stay in a call until the run is over */
    struct ncs_gate *gates;
    pthread_cond_t changed; /* contexts came or went, or the run began or ended */
    int64_t start, progress;
    enum ncs_stop stop;
};

extern struct real_driver ncs_real;
extern _Thread_local struct real_context *ncs_real_self; /* NULL on a thread outside the run */

void ncs_real_take(void);
void ncs_real_leave(void);
/* Waits under the token; false when the time `until` has come. until < 0: no limit. */
bool ncs_real_wait(pthread_cond_t *cond, int64_t until);

/* True for calls that only ask whether something is over: they are no progress by themselves. */
bool ncs_real_is_look(enum ncs_fn fn);

/* waits.c: visits the functions in streams that have not run to their end: each one's call and device, and
 * the visitor that runs it or NULL. */
void ncs_real_tasks(void (*visit)(void *arg, const struct ncs_call *call, int device, const struct real_context *visitor),
                    void *arg);

/* gate.c and state.c: the machine's functions with these names. */
struct ncs_gate *ncs_real_gate_new(void);
void ncs_real_gate_free(struct ncs_gate *g);
bool ncs_real_gate_wait(struct ncs_gate *g, int64_t deadline, const char *what, const char *key, int owner, int owner_thread);
void ncs_real_gate_wake(struct ncs_gate *g);
/* gate.c: threads that wait at a gate test their condition again. */
void ncs_real_gates_wake(void);
/* threads.c: keeps a thread of a dead process until the run is over; returns at once to others. */
void ncs_real_stop_dead(void);
static inline bool ncs_real_is_dead(void)
{
    return ncs_real_self && ncs_real_self->dead;
}
/* threads.c: another process of the job has ended. With the token, or without. */
void ncs_real_lose(int process, const char *why);
void ncs_real_snapshot(struct ncs_snapshot *out);

#endif
