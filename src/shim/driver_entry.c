/* Functions of libcuda by name, by which programs of the runtime find them without linking libcuda. */
#define _GNU_SOURCE /* dladdr */
#include <stdatomic.h>

#include "shim/other.h"
#include "shim/shim.h"

typedef cudaError_t entry_finder(const char *name, void **function, int version, uint64_t flags, int *status);
enum { ENTRY_DEFAULT = 0, ENTRY_PER_THREAD = 2 }; /* cudaEnableDefault, ...PerThreadDefaultStream (driver_types.h) */

/* The cuGetProcAddress_v2 of the libcuda beside this library; NULL = there is none. The caller does not hold the token:
 * dlopen waits for the loader's lock, and the thread that has it may wait for the token. */
static entry_finder *find_driver(void)
{
    static _Atomic(entry_finder *) known;
    char folder[PATH_MAX], path[PATH_MAX + 32];
    if (!atomic_load(&known)) {
        void *driver = dlopen(
            ncs_ours(ncs_folder_of((const void *)&known, folder, sizeof folder), "libcuda.so.1", path, sizeof path),
            RTLD_NOW | RTLD_LOCAL);
        void *found = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
        atomic_store(&known, (entry_finder *)found);
    }
    return atomic_load(&known);
}

/* After the simulator has checked the arguments and found nothing, which is the answer without libcuda. */
static cudaError_t find_entry(const char *name, void **function, unsigned version, unsigned long long flags,
                              enum cudaDriverEntryPointQueryResult *result)
{
    entry_finder *find = find_driver();
    int status = cudaDriverEntryPointSymbolNotFound;
    if (find)
        find(name, function, (int)version, flags, &status);
    if (result)
        *result = (enum cudaDriverEntryPointQueryResult)status; /* the driver's numbers are the same */
    return cudaSuccess;
}

#define ENTRY(fn, export, parameters, arguments, version, per_default)                                                         \
    NCS_SHIM_ENTER(cudaError_t, fn, export, parameters, (cudaError_t)ncs_shim_refusal())                                       \
    cudaError_t rc = api->fn arguments;                                                                                        \
    ncs_shim_leave();                                                                                                          \
    return rc == cudaSuccess ? find_entry(name, function, version, flags == ENTRY_DEFAULT ? per_default : flags, result) : rc; \
    }
#define ENTRIES(fn, parameters, arguments, version)              \
    ENTRY(fn, fn, parameters, arguments, version, ENTRY_DEFAULT) \
    ENTRY(fn, fn##_ptsz, parameters, arguments, version, ENTRY_PER_THREAD)

ENTRIES(cudaGetDriverEntryPoint,
        (const char *name, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result),
        (name, function, flags, result), NCS_RUNTIME_VERSION)
ENTRIES(cudaGetDriverEntryPointByVersion,
        (const char *name, void **function, unsigned version, unsigned long long flags,
         enum cudaDriverEntryPointQueryResult *result),
        (name, function, version, flags, result), version)
