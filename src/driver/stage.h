/* Copies the data of collectives on real hardware for an observer of the run: inputs into pinned memory of
 * the host before the launch, outputs after it, in the order of the streams. A copy never blocks a rank
 * and never delays more than NCCL itself does; a copy that cannot be made is left out. When all parts of a
 * meeting are over, the observer is told (api/machine.h).
 *
 * Everything runs under the token. Private to this room. */
#ifndef NCS_DRIVER_STAGE_H
#define NCS_DRIVER_STAGE_H

#include "api/gen/api.h"
#include "api/machine.h"

struct stage_part;

/* ---- stage.c ---- */

/* bytes: pinned memory, divided among the ranks; 0: no copies, but meetings are still observed. */
void ncs_stage_open(int ranks, size_t bytes);
void ncs_stage_close(void);
void ncs_stage_observe(const struct ncs_observer *observer); /* NULL = no observer */

/* Call these around a counted call, and around the end of a group. simulate: nothing is launched. */
void ncs_stage_begin(enum ncs_fn fn, ncclComm_t comm);
void ncs_stage_end(int rc);
void ncs_stage_group_started(void);
void ncs_stage_group_ending(bool simulate);
void ncs_stage_group_ended(bool simulate, int rc);
void ncs_stage_forget(void); /* the thread ends: drops the calls queued in its open group */

/* A non-blocking communicator has reported the end of its last call. */
void ncs_stage_ready(ncclComm_t comm);
/* The communicator is about to be destroyed, aborted or revoked. */
void ncs_stage_leaves(enum ncs_fn fn, ncclComm_t comm);

/* Checks launches in flight for their end: the calling rank's; all ranks'. */
void ncs_stage_look(void);
void ncs_stage_look_at_all(void);

/* ---- copy.c: the copies of a launch ---- */

enum { STREAMS = 8 }; /* of a communicator in a group */

struct stage_launch {
    struct stage_line *line;
    struct stage_part *first, **last;
    cudaStream_t stream[STREAMS];
    int streams;
    int rank, parts;
    bool odd;          /* it has too many streams */
    bool nothing;      /* NCCL refused it after all */
    bool crossed;      /* another thread's launch on the same communicator or stream overlapped it */
    bool in_progress;  /* the call has returned before NCCL has put the launch into the streams */
    const void *owner; /* its thread */
    struct stage_launch *next_made;
    cudaEvent_t done; /* recorded after the last copy; NULL = nothing to wait for */
    struct stage_launch *next;
};

void ncs_copy_close(void);
cudaEvent_t ncs_copy_take_event(int device); /* for the current device; NULL: none could be made */
void ncs_copy_give_event(cudaEvent_t event, int device);
/* The error that CUDA keeps for the thread. */
cudaError_t ncs_copy_standing_error(void);
/* Switches to the launch's device; returns the device to switch back to, -1 = it is the same. leave
 * switches back, and clears errors of the copies. */
int ncs_copy_enter(const struct stage_launch *l);
void ncs_copy_leave(int device);
/* Reserves memory for the part's copies: for all of them, or for none. */
void ncs_copy_make_room(struct stage_part *p);
/* Enqueue the copies into the streams. False: a copy is missing. */
bool ncs_copy_inputs(const struct stage_launch *l);
bool ncs_copy_outputs(const struct stage_launch *l);
void ncs_copy_lose(struct stage_launch *l, enum ncs_unverified why);

/* ---- pinned.c: pinned memory of one rank ---- */

struct stage_extent {
    size_t at, bytes;
};

struct stage_arena {
    unsigned char *base;
    size_t bytes;
    struct stage_extent *used; /* by place */
    size_t uses, uses_room;
};

void *ncs_pinned_take(struct stage_arena *a, size_t bytes); /* NULL: no room */
void ncs_pinned_give(struct stage_arena *a, void *p);
/* Divides pinned memory among the ranks of the stage. False: none could be allocated. */
bool ncs_pinned_open(size_t bytes);
/* `idle`: no copy is in flight any more. */
void ncs_pinned_close(bool idle);

/* ---- line.c: ranks of communicators ---- */

struct stage_line {
    int comm, comm_rank;
    int nranks, device;
    int rank;          /* of the run */
    ncclComm_t handle; /* NULL: destroyed or aborted */
    struct stage_line *next;
};

struct stage_line *ncs_stage_line_of(const struct ncs_call *call, ncclComm_t handle); /* NULL: none */
void ncs_stage_line_drop(ncclComm_t handle);
/* Results that the communicator's ranks still receive are not verified. */
void ncs_stage_line_break(int comm);
bool ncs_stage_line_is_broken(int comm);
int ncs_stage_line_comm(ncclComm_t handle); /* -1: unknown */
/* The first communicator of the rank on which NCCL reports an error; ncclSuccess: none. */
ncclResult_t ncs_stage_line_error(int rank, ncclComm_t *comm);
void ncs_stage_line_close_all(void);

/* ---- meet.c: which parts form a meeting ---- */

struct stage_part {
    struct ncs_call *call; /* pinned */
    struct stage_line *line;
    void *memory;                  /* for the copies, in the rank's arena; NULL = no copies */
    unsigned char *fetched;        /* the same here, if the arena is in another process */
    const void *in, *out, *scalar; /* pointers into memory; NULL = no copy */
    enum ncs_unverified lost;      /* why there are no copies */
    struct stage_arena *arena;
    struct stage_part *next;
};

/* The part is over; takes ownership of it and its memory. */
void ncs_meet_arrive(struct stage_part *part);
void ncs_meet_free(struct stage_part *part);
void ncs_meet_observe(const struct ncs_observer *observer);
void ncs_meet_close(void);
const void *ncs_meet_staged(const struct ncs_call *call, enum ncs_staged what);
enum ncs_unverified ncs_meet_unstaged(const struct ncs_call *call);

/* Bytes that the call reads and writes on its own rank. False: the number overflows. */
bool ncs_meet_extent(const struct ncs_call *call, int nranks, size_t *in, size_t *out);

#endif
