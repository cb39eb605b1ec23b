/* Functions that the kernel calls in the wings above it, which define them, so that the kernel need
 * not include those wings. */
#ifndef NCS_SIM_KERNEL_ABOVE_H
#define NCS_SIM_KERNEL_ABOVE_H

#include <stdbool.h>
#include <stdint.h>

struct comm_rank;
struct context;
struct group;
struct op;
struct part;
struct process;
struct meeting;

/* The steps of a turn of the scheduler. Each does all it can now, and returns whether it did anything. */
bool sim_ops_activate(void);       /* enabled operations become active, launches go on */
bool sim_kernel_slots_grant(void); /* a waiting launch gets a free kernel slot */

/* The agenda has reached the entry's time. */
void sim_op_due(struct op *op);                 /* it ends, or its host function begins */
bool sim_meeting_move(struct meeting *meeting); /* moves the data: hooks, one pass, parts done; true = more is due now */
void sim_rma_move(struct part *part);           /* the same for a put, a signal or a wait */

/* Records the serials of the launches that end at `time` on their processes;
 * agenda.c orders by them. */
void sim_meeting_stamp(const struct meeting *meeting, int64_t time);
void sim_part_stamp(const struct part *p, int64_t time);
const struct process *sim_op_process(const struct op *op);

/* References that contexts and jobs hold to objects of the upper wings. */
void sim_op_ref(struct op *op);
void sim_op_unref(struct op *op);         /* NULL is a no-op */
void sim_comm_hold(struct comm_rank *cr); /* NULL is a no-op */
void sim_comm_let_go(struct comm_rank *cr);
void sim_group_clear(struct group *g);   /* drops everything queued */
void sim_params_free(struct context *c); /* what ncclParam* returned */

/* What is set for the process only; and its end. */
void sim_settings_begin(struct process *p);
/* All variables of the process, which it has not inherited from this one: "NAME=value", each with a NUL, an empty one at the end;
 * borrowed. */
void sim_settings_adopt(struct process *p, const char *variables);
void sim_settings_free(struct process *p);

/* The process dies: its contexts but this one stop, and its launches no longer take part. */
void sim_process_stop(struct process *p, const struct context *except);
/* None of its contexts runs any more: its connections close. */
void sim_process_over(struct process *p);

#endif
