/* Jobs: host-side state machines behind every call that can wait. A job takes a step whenever
 * something that it listens to fires; the caller parks on it, or polls it. */
#ifndef NCS_SIM_JOB_H
#define NCS_SIM_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/snapshot.h"
#include "sim/kernel/wait.h"

struct comm_rank;
struct context;
struct ncs_call;
struct process;

struct job;
struct job_type {
    enum ncs_job_kind kind;
    size_t bytes;
    /* Goes on as far as it can; true when done, with job->rc set. Links job->listen to what it
     * still waits for. */
    bool (*step)(struct job *job);
    /* Gives up: the parts of an unfinished job that others can see. May be NULL. */
    void (*cancel)(struct job *job);
    /* Frees what the job owns, not the job itself. May be NULL. */
    void (*free)(struct job *job);
    /* Adds to the snapshot's entry what it waits for. */
    void (*describe)(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot);
};

struct job {
    const struct job_type *type;
    bool started, done, dirty;
    size_t agenda_place;     /* 0 = not there */
    int rc;
    unsigned references;
    int rank;                /* of the run */
    const struct process *process;
    struct ncs_call *call;   /* that started it, pinned */
    struct comm_rank *about; /* the communicator that it begins or ends; NULL = a group */
    struct job *parent;      /* takes a step when this one ends; NULL = none */
    struct waitable ended;
    struct waiter listen;
    struct job *previous, *next;
    struct job *next_dirty;
};

/* A job of that type with one reference, the caller's. Once started it takes its first step with
 * the next drain, and the world keeps it until it is done. */
struct job *sim_job_new(const struct job_type *type);
struct job *sim_job_about(const struct job_type *type, struct comm_rank *cr); /* which it holds */
void sim_job_start(struct job *job);
void sim_job_ref(struct job *job);
void sim_job_unref(struct job *job); /* NULL is a no-op */

void sim_job_mark(struct job *job); /* it will take a step */
bool sim_jobs_step(void);        /* every marked job takes one; true if any did */
void sim_job_cancel(struct job *job, int rc); /* rc is set before the type's cancel */

/* Listens to one more thing: later firings mark the job. Replaces what it listened to. */
void sim_job_listen(struct job *job, struct waitable *on);

/* It will take a step at that time, whatever else happens. */
void sim_job_at(struct job *job, int64_t time);

/* Parks until the job is done and gives its code; 0 when the context is being abandoned. Consumes
 * the caller's reference: a parked frame owns nothing. */
int sim_job_wait(struct context *c, struct job *job);

#endif
