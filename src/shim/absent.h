/* Functions of the real libraries that are not simulated: each exists, fails, and is counted. */
#ifndef NCS_SHIM_ABSENT_H
#define NCS_SHIM_ABSENT_H

#include <stdatomic.h>

#include "base/str.h"

struct ncs_absent {
    const char *name, *why;
    atomic_uint calls;
    struct ncs_absent *next; /* of those that were called; set by the first call */
};

/* Counts a call, and prints why it fails the first time. Without the token. */
void ncs_shim_count_absent(struct ncs_absent *function);
/* Appends "cudaGraphLaunch (3 calls), ncclDevCommCreate": all that were called; nothing if none. */
void ncs_shim_list_absent(struct ncs_str *out);

#endif
