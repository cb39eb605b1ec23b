/* Faults as a scenario asks for them: what happens, and when. */
#ifndef NCS_RUN_FAULT_H
#define NCS_RUN_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run.h"

enum ncs_fault_kind {
    NCS_FAULT_KILL,    /* the rank dies: all its threads, and what its GPU has not begun */
    NCS_FAULT_STALL,   /* the thread stops for ever */
    NCS_FAULT_SLOW,    /* the call is made `nanoseconds` later */
    NCS_FAULT_FAIL,    /* the call is not made and gives `code` */
    NCS_FAULT_CORRUPT, /* what the call writes on this rank comes out wrong */
    NCS_FAULT_LINK,    /* to `peer`: `nanoseconds` slower, < 0 = cut */
    NCS_FAULT_ASYNC,   /* the communicator has the asynchronous error `code` */
};

/* Without `call` and `fn`: at once; CORRUPT then is about the rank's next call that has a result there. */
struct ncs_fault {
    enum ncs_fault_kind kind;
    const void *comm;      /* ncclComm_t: of the call that it waits for, of LINK and ASYNC; NULL = any */
    uint32_t call;         /* before the rank's call of that number on comm; 0 = not given, or fn is */
    int fn;                /* enum ncs_fn: before its nth use by this rank from now on (on comm, but for
                            * LINK and ASYNC); -1 = not given */
    uint64_t nth;          /* from 1 */
    int64_t nanoseconds;
    int code;
    int peer;              /* rank of comm */
    uint64_t first, count; /* CORRUPT: elements of the output, from 0; count 0 = up to the end */
    struct ncs_place place; /* of the statement */
};

/* Whether the driver can do that: on real hardware KILL, STALL, SLOW and FAIL. */
bool ncs_run_can_fault(const struct ncs_run *run, enum ncs_fault_kind kind);

/* Brings it about now, or keeps it for later; in the rank's own context. KILL and STALL of now do not
 * return before the run is over. */
void ncs_run_fault(struct ncs_run *run, const struct ncs_fault *fault);

#endif
