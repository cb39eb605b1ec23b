/* Jobs: state machines on the host, one behind every call that can wait. A job takes a step when
 * something that it listens to fires. The caller parks on the job or polls it. */
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
    /* Does all it can now. True = the job is done, and job->rc is set. Otherwise the job has linked
     * job->listen to the waitable it needs. */
    bool (*step)(struct job *job);
    /* Withdraws the traces of an unfinished job that others can see. May be NULL. */
    void (*cancel)(struct job *job);
    /* Frees what the job owns, not the job itself. May be NULL. */
    void (*free)(struct job *job);
    /* Describes in the snapshot's entry what the job waits for. */
    void (*describe)(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *snapshot);
};

struct job {
    const struct job_type *type;
    bool started, done, dirty;
    size_t agenda_place; /* 0 = not there */
    int rc;
    unsigned references;
    int rank; /* of the run */
    const struct process *process;
    struct ncs_call *call;   /* the call that started it, pinned */
    struct comm_rank *about; /* the communicator that it begins or ends; NULL = a group */
    struct job *parent;      /* takes a step when this one ends; NULL = none */
    struct waitable ended;
    struct waiter listen;
    struct job *previous, *next;
    struct job *next_dirty;
};

/* A job with one reference, the caller's. Once started, it takes its first step with the next drain, and
 * the world holds a reference until the job is done. */
struct job *sim_job_new(const struct job_type *type);
/* As sim_job_new; the job holds a reference to the communicator. */
struct job *sim_job_about(const struct job_type *type, struct comm_rank *cr);
void sim_job_start(struct job *job);
void sim_job_ref(struct job *job);
void sim_job_unref(struct job *job); /* NULL is a no-op */

void sim_job_mark(struct job *job);           /* it will take a step */
bool sim_jobs_step(void);                     /* every marked job takes one; true if any did */
void sim_job_cancel(struct job *job, int rc); /* rc is set before the type's cancel */

/* Replaces what the job listens to: when `on` fires, the job takes a step. */
void sim_job_listen(struct job *job, struct waitable *on);

/* The job takes a step at that time, whatever happens before. */
void sim_job_at(struct job *job, int64_t time);

/* Parks until the job is done and returns its code; 0 when the context is abandoned. Consumes the
 * caller's reference, because a parked frame owns nothing (sim/README.md, rule 3). */
int sim_job_wait(struct context *c, struct job *job);

#endif
