/* Faults that a scenario declares: their kind and when they happen. */
#ifndef NCS_RUN_FAULT_H
#define NCS_RUN_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "api/faults.h"
#include "run/run.h"

/* Without `call` and `fn` the fault happens at once; a fault of elements then affects the rank's
 * next call that has a result on that rank. */
struct ncs_fault {
    enum ncs_fault_kind kind;
    const void *comm;    /* the communicator of the call it waits for, or that the fault is about;
                            * NULL = any */
    uint32_t call;       /* before the rank's call of that number on comm; 0 =
                            * not given, or fn is */
    int fn;              /* enum ncs_fn: before its nth use by this rank from now on (on comm, unless
                            * the fault is about it); -1 = not given */
    uint64_t nth;        /* from 1 */
    int64_t nanoseconds; /* delay; for a link: additional time, < 0 = cut */
    int code;
    int peer;               /* rank of comm */
    uint64_t first, count;  /* elements of the output, from 0; count 0 = up to the end */
    struct ncs_place place; /* of the statement */
};

/* True if the driver can cause this fault. Real hardware supports only the faults that
 * need no injection. */
bool ncs_run_can_fault(const struct ncs_run *run, enum ncs_fault_kind kind);

/* Carries the fault out now, or keeps it for later; call it in the rank's own context. An immediate
 * KILL or STALL does not return before the run is over. */
void ncs_run_fault(struct ncs_run *run, const struct ncs_fault *fault);

/* Why a fault could not happen in the rank's call that has just returned, for ncs_free; NULL = it could,
 * or there is none. */
char *ncs_run_take_misfit(struct ncs_run *run, int rank);

#endif
