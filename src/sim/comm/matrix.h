/* All-to-alls that are still whole. The n ranks of an all-to-all exchange n * n messages, each of which is a meeting.
 * While nothing can distinguish them they are not made: each rank's call stays one part, all parts form one meeting, and it
 * moves the messages in the order in which their meetings would. It is opened, which makes every part and meeting just as
 * if they had been there from the start, when a rank's call differs or comes at another instant, when other sends or
 * receives use the communicator, and before a part is withdrawn or a report describes it.
 *
 * One thing differs: where another communicator acts at the same instant, its messages may come between others of these. Nothing
 * that NCCL promises depends on that; the trace's hash does, and so does a result over which the program races. */
#ifndef NCS_SIM_MATRIX_H
#define NCS_SIM_MATRIX_H

#include <stdbool.h>

#include "sim/comm/launch.h"

struct comm;

/* The state of such a meeting. */
struct matrix {
    int64_t since;      /* the instant at which its parts arrive */
    uint64_t events;    /* meetings put on the agenda so far: the next to be put there must not come between its parts */
    int *order, *place; /* ranks in the order of their arrival; and each rank's place in it, INT_MAX = absent */
    bool written;       /* no input has unwritten memory */
    bool moving;        /* some messages have been moved, */
    int row, peer;      /* the next is between the rank at place `row` and the rank `peer`, */
    bool back;          /* from the latter */
};

/* A part that is a whole all-to-all. */
static inline bool sim_part_is_matrix(const struct part *p)
{
    return ncs_fn_info[p->fn].composed;
}

/* True if the call, which is not launched yet, can be launched as one part. */
bool sim_matrix_is_possible(const struct part *whole);
/* True if the part can join the meeting of its call. Otherwise that meeting is opened. */
bool sim_matrix_admits(const struct part *whole);
void sim_matrix_arrive(struct part *whole);
/* Moves messages up to the first that ends an operation; true if more are left. */
bool sim_matrix_move(struct meeting *meeting);
void sim_matrix_free(struct matrix *m);

void sim_matrix_open(struct meeting *meeting);
/* Opens that of the part's call. */
void sim_matrix_open_call(const struct part *p);
/* Opens those of the communicator; of all communicators. */
void sim_matrices_open(struct comm *comm);
void sim_matrices_open_all(void);

#endif
