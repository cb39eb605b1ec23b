/* The kinds of faults, a row each in faults.def. */
#ifndef NCS_API_FAULTS_H
#define NCS_API_FAULTS_H

#include <stdbool.h>

#include "api/machine.h"

enum ncs_fault_kind {
#define NCS_FAULT(KIND, name, needs, injects, about) NCS_FAULT_##KIND,
#include "api/faults.def"
#undef NCS_FAULT
    NCS_FAULTS
};

enum ncs_fault_needs {
    NCS_FAULT_NEEDS_nothing,
    NCS_FAULT_NEEDS_delay,    /* how much later the call is made */
    NCS_FAULT_NEEDS_code,     /* the result that is seen */
    NCS_FAULT_NEEDS_elements, /* which elements of a result */
    NCS_FAULT_NEEDS_peer,     /* the rank at the other end; optionally the delay of the link */
};

struct ncs_fault_info {
    const char *name, *what, *about; /* "kill", "fault.kill" */
    enum ncs_fault_needs needs;
    enum ncs_injection_kind injects; /* NCS_INJECT_HOST: nothing */
};

extern const struct ncs_fault_info ncs_fault_info[NCS_FAULTS];
/* Names of the kinds, NULL at the end. */
extern const char *const ncs_fault_names[];

/* True if the fault concerns a communicator rather than one call. */
static inline bool ncs_fault_is_of_comm(enum ncs_fault_kind kind)
{
    enum ncs_injection_kind injects = ncs_fault_info[kind].injects;
    return injects == NCS_INJECT_LINK || injects == NCS_INJECT_ASYNC;
}

#endif
