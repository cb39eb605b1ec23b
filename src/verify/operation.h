/* The state of one operation that verification keeps from before its data move until after. */
#ifndef NCS_VERIFY_OPERATION_H
#define NCS_VERIFY_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"
#include "api/machine.h"
#include "api/meeting.h"
#include "api/types.h"
#include "base/map.h"
#include "verify/movement.h"

struct ncs_seen;

/* Elements of the call's output on its rank; 0: no output. */
size_t ncs_output_count(const struct ncs_call *call, int nranks);

/* One rank's part of a collective. A pair has two: share 0 is the send, share 1 the receive. A put has
 * one, which is all of it. */
struct ncs_share {
    struct ncs_call *call;       /* pinned; NULL = not seen */
    const unsigned char *input;  /* the copy, in the operation's `copies`, or, if the operation borrows, the
                                 * buffer itself; NULL = none needed */
    const unsigned char *output; /* the destination: this rank's buffer, or a peer's window */
    size_t outputs, element;     /* elements of the output, 0 = no output; bytes of one, by the call's own type */
    unsigned char scalar[8];     /* of a pre-mul-sum */
    uint64_t before;             /* hash of the output buffer before the data moved; 0 = unknown */
    bool done;                   /* the data has moved */
};

struct ncs_operation {
    struct ncs_meeting_key key;          /* of a put: dst is -2, and number its id */
    const struct ncs_movement *movement; /* of a pair: the receive's */
    int dtype, op, root;                 /* of the first share seen */
    size_t count;                        /* the argument */
    bool scaled;                         /* a user operator */
    const struct ncs_call *first;        /* the share captured first, which has pinned it */
    struct ncs_wanted wanted;            /* what it asks for */
    enum ncs_unverified unfit;           /* why it cannot be checked */
    bool borrows;                        /* inputs are not copied, but read from the buffers */
    bool *doubtful;                      /* of a watched one: the stretches of its results, one result after another */
    bool foreseen;                       /* the inputs are gone; `copies` holds the expected outputs where one is wrong */
    unsigned char *copies;               /* of all inputs */
    size_t bytes, room;                  /* of copies: reserved in the budget, allocated */
    struct ncs_operation *next;          /* of the same key hash */
    struct ncs_seen *seen;               /* the kept sample; NULL = nothing asked for one, or not yet */
    bool overlooked;                     /* there was no room to keep it */
    bool over;                           /* its data have moved: it is among those that are checked next */
    struct ncs_operation *next_over;
    int shares, finished; /* finished: of calls that move in steps, shares that are over */
    struct ncs_share share[];
};

/* For a foreseen operation: the result whose inputs begin `offset` elements into every input. */
static inline unsigned char *ncs_foreseen(const struct ncs_operation *op, size_t offset)
{
    return op->copies + (op->movement->parts_in ? offset * ncs_dtype_bytes(op->dtype) : 0);
}

/* The operations in flight, and the pairing of calls. */
struct ncs_capture {
    const struct ncs_journal *journal; /* borrowed */
    /* Finds the bytes of a call; NULL: at the call's pointers. */
    const void *(*staged)(const struct ncs_call *call, enum ncs_staged what);
    enum ncs_unverified (*unstaged)(const struct ncs_call *call); /* why there are no copies */
    bool (*readable)(const void *p, size_t bytes);                /* as the machine's; NULL: whatever calls point at */
    bool borrows;                                                 /* see ncs_verify_trust */
    size_t budget, held;
    struct ncs_map operations; /* chains by hash of key */
    size_t sweep_at;           /* at this many chains, drop those of communicators that are gone */
    unsigned char *spare;      /* the copies of an earlier operation, for reuse */
    size_t spare_room;
};

/* Captures the call's input and records what verification needs from before the data move. `together`: the
 * number of calls that move their data in this instant, this one included. Returns the call's operation, NULL for calls that
 * move no data of their own. `near`: an operation that may be the call's, NULL = none: it is looked at first. */
struct ncs_operation *ncs_capture_call(struct ncs_capture *c, struct ncs_call *call, size_t together, struct ncs_operation *near);

/* The elements of the call's input on its rank, and in *inputs the number of ranks with such an input. */
size_t ncs_input_count(const struct ncs_operation *op, const struct ncs_call *call, size_t *inputs);

/* Reserves `inputs` times `each` bytes in op->copies at once, so that either all or none are captured.
 * False: the budget is used up. */
bool ncs_capture_reserve(struct ncs_capture *c, struct ncs_operation *op, size_t each, size_t inputs);

/* Marks the call's operation as one on whose arguments the ranks disagree. */
void ncs_capture_exclude(struct ncs_capture *c, struct ncs_call *call);

/* The call's operation, or NULL when it was not captured; `near` as above. */
struct ncs_operation *ncs_capture_find(struct ncs_capture *c, const struct ncs_call *call, struct ncs_operation *near);

/* True if these bytes can be read: a program may have freed them since the call. */
bool ncs_capture_can_read(const struct ncs_capture *c, const void *p, size_t bytes);

/* Index of the call's share. */
int ncs_share_of(const struct ncs_call *call);

void ncs_capture_drop(struct ncs_capture *c, struct ncs_operation *op);
void ncs_capture_free(struct ncs_capture *c); /* not the struct itself */

/* Hash of a buffer's content, at the speed of memory. */
uint64_t ncs_content_hash(const void *bytes, size_t count);

#endif
