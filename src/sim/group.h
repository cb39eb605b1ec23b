/* Groups: what a thread has queued between ncclGroupStart and ncclGroupEnd, and the job that carries
 * it out. A call outside of a group is a group of one. */
#ifndef NCS_SIM_GROUP_H
#define NCS_SIM_GROUP_H

#include <stdbool.h>
#include <stddef.h>

struct comm_rank;
struct context;
struct job;
struct part;

struct group {
    int depth;
    int error;          /* the last error of a queued call: the whole group will be dropped */
    struct part **part; /* in issue order; owned */
    size_t parts, parts_room;
    struct job **job;   /* init, finalize, destroy, abort: referenced, not started before the end */
    size_t jobs, jobs_room;
    struct comm_rank *last; /* joined last: its blocking mode is the group's */
};

void group_begin(struct context *c);
/* Ends one level; at the outermost carries everything out. The code of ncclGroupEnd. */
int group_end(struct context *c);

/* Records the error of a call in the open group, ends the level that the call began, and returns
 * what the call returns: rc when not 0; inside a group 0; outside what carrying out gave. */
int group_leave(struct context *c, int rc);

void group_add_part(struct context *c, struct part *part);
void group_add_job(struct context *c, struct comm_rank *cr, struct job *job);

void group_clear(struct group *g); /* drops everything queued */

/* Whether every launch of this rank waits for its partners' hosts, not only the first. */
bool group_exchanges(const struct comm_rank *cr);

/* The parts that a job holds before they are launched; count 0 for other jobs. */
struct part *const *group_job_parts(const struct job *job, size_t *count);

/* Cancels running group jobs, but one, that wait on behalf of this rank: their calls return rc. */
void groups_cancel(const struct comm_rank *cr, const struct job *but, int rc);

#endif
