/* The state of the machine as plain data (api/snapshot.h). Jobs describe themselves by the small
 * functions here. */
#ifndef NCS_SIM_SNAPSHOT_H
#define NCS_SIM_SNAPSHOT_H

#include "api/snapshot.h"

struct gpu;
struct job;
struct op;
struct part;

/* Adds to a job's entry: a rank that has not checked in, an operation or further jobs that it waits
 * for, a part that waits for first contact. */
void sim_snapshot_missing(struct ncs_snap_job *out, struct ncs_snapshot *s, int rank);
void sim_snapshot_op_wait(struct op *op, struct ncs_snap_job *out, struct ncs_snapshot *s);
void sim_snapshot_children(struct job *const *jobs, size_t count, struct ncs_snap_job *out, struct ncs_snapshot *s);
void sim_snapshot_contact(const struct part *part, struct ncs_snap_job *out, struct ncs_snapshot *s);
/* As sim_snapshot_missing, for the round of launches that the job's group is in. */
void sim_snapshot_round(const struct part *part, struct ncs_snap_job *out, struct ncs_snapshot *s);

/* The job waits for its own thread to destroy graphs. */
void sim_snapshot_graphs(const struct job *job, struct ncs_snap_job *out, struct ncs_snapshot *s);
/* The job waits until the rank with that device lets go of it. */
void sim_snapshot_connection(const struct gpu *holder, struct ncs_snap_job *out, struct ncs_snapshot *s);

void sim_snapshot_take(struct ncs_snapshot *out);

#endif
