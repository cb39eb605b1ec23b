/* Faults as a scenario asks for them: what happens, and when. */
#ifndef NCS_RUN_FAULT_H
#define NCS_RUN_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "api/faults.h"
#include "run/run.h"

/* Without `call` and `fn`: at once; a fault of elements then is about the rank's next call
 * that has a result there. */
struct ncs_fault {
    enum ncs_fault_kind kind;
    const void *comm;      /* ncclComm_t: of the call that it waits for, of a fault about one; NULL = any */
    uint32_t call;         /* before the rank's call of that number on comm; 0 = not given, or fn is */
    int fn;                /* enum ncs_fn: before its nth use by this rank from now on (on comm, unless
                            * the fault is about it); -1 = not given */
    uint64_t nth;          /* from 1 */
    int64_t nanoseconds;   /* later; of a link: that it takes longer, < 0 = it is cut */
    int code;
    int peer;              /* rank of comm */
    uint64_t first, count; /* elements of the output, from 0; count 0 = up to the end */
    struct ncs_place place; /* of the statement */
};

/* Whether the driver can do that: on real hardware what needs no injection. */
bool ncs_run_can_fault(const struct ncs_run *run, enum ncs_fault_kind kind);

/* Brings it about now, or keeps it for later; in the rank's own context. KILL and STALL of now do not
 * return before the run is over. */
void ncs_run_fault(struct ncs_run *run, const struct ncs_fault *fault);

#endif
