/* Windows: memory of every rank of a communicator that the other ranks may put into. Registration is
 * collective: the n-th call of a rank meets the n-th of the others. */
#ifndef NCS_SIM_WINDOW_H
#define NCS_SIM_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ncclscript/nccl_abi.h"

struct comm;
struct comm_rank;
struct job;
struct window;

/* True if this communicator can have windows and host-side one-sided operations. All conditions of
 * NCCL for them are checked here and nowhere else. */
bool sim_comm_has_windows(const struct comm_rank *cr);
bool sim_comm_has_rma(const struct comm_rank *cr);

/* The job of one rank's registration; *out is filled when all ranks have come to it. */
struct job *sim_job_window(struct comm_rank *cr, void *base, size_t bytes, int flags, ncclWindow_t *out);

/* The window behind a handle of this rank that is registered; NULL: there is none. */
struct window *sim_window_find(const struct comm_rank *cr, ncclWindow_t handle);
void *sim_window_base(const struct window *w, const struct comm_rank *cr);
/* This rank deregisters. The window is gone when all ranks have, and no put is under way. */
void sim_window_end(struct window *w, const struct comm_rank *cr);
void sim_window_ref(struct window *w); /* by a put */
void sim_window_unref(struct window *w);

/* True if p lies in memory that this rank has registered as symmetric. */
bool window_holds(const struct comm_rank *cr, const void *p);

/* The position of p in this rank's symmetric windows: the window's number from 1, and the offset in
 * it. window 0: in none. */
struct window_place {
    uint64_t window;
    size_t offset;
};
struct window_place sim_window_place(const struct comm_rank *cr, const void *p);

/* Sets *to to the address of `bytes` bytes at `offset` of the rank's side. Returns NULL, or the
 * reason why there is no such range. */
const char *sim_window_target(const struct window *w, int rank, size_t offset, size_t bytes, void **to);

void sim_windows_free(struct comm *comm);

#endif
