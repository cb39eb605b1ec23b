#include "api/faults.h"

#include <stddef.h>

const struct ncs_fault_info ncs_fault_info[NCS_FAULTS] = {
#define NCS_FAULT(KIND, name, needs, injects, about) \
    { #name, "fault." #name, about, NCS_FAULT_NEEDS_##needs, NCS_INJECT_##injects },
#include "api/faults.def"
#undef NCS_FAULT
};

const char *const ncs_fault_names[] = {
#define NCS_FAULT(KIND, name, needs, injects, about) #name,
#include "api/faults.def"
#undef NCS_FAULT
    NULL
};
