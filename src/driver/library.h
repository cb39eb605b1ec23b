/* Finds the shared libraries of NCCL and CUDA, and their functions. */
#ifndef NCS_DRIVER_LIBRARY_H
#define NCS_DRIVER_LIBRARY_H

#include "api/gen/api.h"
#include "base/error.h"
#include "base/str.h"

struct ncs_library {
    enum ncs_lib lib;      /* NCS_LIB_NCCL or NCS_LIB_CUDA */
    void *handle;          /* NULL = not open */
    char *path;            /* of the file that was loaded */
    int version;           /* as returned by ncclGetVersion or cudaRuntimeGetVersion; 0 = unknown */
    int bound;             /* functions found in it */
    struct ncs_str absent; /* names of functions that it lacks: "ncclCommGrow, ncclWinGetUserPtr" */
    int absents;
};

/* Opens the library at `given`, a path or a name that the loader resolves. NULL: tries the usual names,
 * then the usual places, and takes the first usable one. Fills the members of `api`; a missing function is
 * NULL. False and err if no library is usable: NCS_BAD_INPUT if `given` is not NULL, else NCS_NO_DEVICE. */
bool ncs_library_open(struct ncs_library *l, enum ncs_lib lib, const char *given, struct ncs_api *api, struct ncs_error *err);
void ncs_library_forget(struct ncs_library *l); /* frees its texts; the library itself stays loaded */

/* "2.28.9", "13.0". Returns buffer. */
const char *ncs_library_version(const struct ncs_library *l, char *buffer, size_t room);

#endif
