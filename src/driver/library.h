/* NCCL's and CUDA's shared libraries: where they are looked for, what they hold. */
#ifndef NCS_DRIVER_LIBRARY_H
#define NCS_DRIVER_LIBRARY_H

#include "api/gen/api.h"
#include "base/error.h"
#include "base/str.h"

struct ncs_library {
    enum ncs_lib lib;       /* NCS_LIB_NCCL or NCS_LIB_CUDA */
    void *handle;           /* NULL = not open */
    char *path;             /* of the file that was loaded */
    int version;            /* as ncclGetVersion or cudaRuntimeGetVersion says it; 0 = unknown */
    int bound;              /* functions that it has */
    struct ncs_str absent;  /* the names of those that it lacks: "ncclCommGrow, ncclWinGetUserPtr" */
    int absents;
};

/* Opens the library at `given`, a path or a name that the loader finds; NULL: the usual names, then
 * the usual places, and the first that can be used counts. Puts its functions into the members of
 * `api`; a member that it lacks is NULL. False and err when there is none: NCS_BAD_INPUT for one
 * that was given, NCS_NO_DEVICE otherwise. */
bool ncs_library_open(struct ncs_library *l, enum ncs_lib lib, const char *given,
                      struct ncs_api *api, struct ncs_error *err);
void ncs_library_forget(struct ncs_library *l); /* its texts; the library itself stays loaded */

/* "2.28.9", "13.0". Returns buffer. */
const char *ncs_library_version(const struct ncs_library *l, char *buffer, size_t room);

#endif
