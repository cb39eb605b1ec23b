/* Finds the real functions. A preloaded library comes first wherever the loader looks a name up, also for a library that
 * was found by an RPATH. It does not come first where a program asks one library by dlsym, as Python's ctypes does. So the
 * recorder has a dlsym of its own, which passes on all but the names that it knows. LD_AUDIT would reach more
 * (RTLD_DEEPBIND), but slows every call between libraries down in glibc before 2.35. */
#define _GNU_SOURCE /* RTLD_NEXT, dlvsym */
#include "shim/record/recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#define HAS_OWN_DLSYM 1
#endif

enum { MODULES = 512 };

typedef void *(*find_symbol)(void *, const char *);

static find_symbol real_dlsym(void)
{
    static find_symbol found;
#ifdef HAS_OWN_DLSYM
    static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5", NULL };
    for (size_t i = 0; !found && versions[i]; i++)
        *(void **)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
#else
    found = dlsym;
#endif
    return found;
}

static bool is_of_recorder(const void *address)
{
    Dl_info here, there;
    return address && dladdr((void *)(uintptr_t)&is_of_recorder, &here) && dladdr(address, &there) &&
           here.dli_fbase == there.dli_fbase;
}

/* ---- the libraries of the program, in any scope ---- */

struct modules {
    char *name[MODULES];
    int count;
};

static int add_module(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    struct modules *all = arg;
    (void)bytes;
    if (info->dlpi_name && info->dlpi_name[0] && all->count < MODULES)
        all->name[all->count++] = strdup(info->dlpi_name);
    return 0;
}

/* Asks each library that is mapped: one that a plug-in has opened for itself is in no common scope. */
static void *find_in_modules(const char *name)
{
    struct modules all = { .count = 0 };
    void *found = NULL;
    dl_iterate_phdr(add_module, &all);
    for (int i = 0; i < all.count; i++) {
        void *module = found || !all.name[i] ? NULL : dlopen(all.name[i], RTLD_LAZY | RTLD_NOLOAD);
        void *address = module ? real_dlsym()(module, name) : NULL;
        if (address && !is_of_recorder(address))
            found = address;
        if (module)
            dlclose(module);
        free(all.name[i]);
    }
    return found;
}

/* A program may close a library that it has opened, and open it again at another address: wrappers keep the address. */
static void pin_library(void *function)
{
    Dl_info info;
    if (function && dladdr(function, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void *ncs_recorder_real(const char *name)
{
    find_symbol find = real_dlsym();
    int error = errno;
    void *found = find ? find(RTLD_NEXT, name) : NULL;
    if (find && (!found || is_of_recorder(found)))
        found = find_in_modules(name);
    pin_library(found);
    errno = error;
    return found;
}

/* ---- names that a program looks up itself ---- */

#ifdef HAS_OWN_DLSYM
static const struct recorder_export *recorder_export_of(const char *name)
{
    if (!name || (strncmp(name, "nccl", 4) != 0 && strncmp(name, "cuda", 4) != 0))
        return NULL;
    for (const struct recorder_export *e = ncs_recorder_exports; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

/* The wrapper, if the library that was asked has the function, and it is the one that the wrapper calls. */
static void *wrapped(const struct recorder_export *e, void *found)
{
    if (!found)
        return NULL;
    if (is_of_recorder(found)) { /* the global scope was asked */
        void *real = __atomic_load_n(e->real, __ATOMIC_ACQUIRE);
        return real || ncs_recorder_real(e->name) ? e->wrapper : NULL;
    }
    void *none = NULL;
    if (__atomic_compare_exchange_n(e->real, &none, found, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        pin_library(found);
    return !none || none == found ? e->wrapper : found;
}

/* The loader takes the return address for the caller, on which RTLD_NEXT and RTLD_DEFAULT depend. So the real function is
 * called last, by a jump. */
#ifdef __clang__
#define JUMP __attribute__((musttail)) return
#define JUMPS
#else
#define JUMP return
#define JUMPS __attribute__((optimize("O2"), optimize("no-stack-protector")))
#endif

extern void *dlsym(void *restrict handle, const char *restrict name);
JUMPS void *dlsym(void *restrict handle, const char *restrict name)
{
    const struct recorder_export *e = recorder_export_of(name);
    find_symbol find = real_dlsym();
    if (!e || handle == RTLD_NEXT)
        JUMP find(handle, name);
    return wrapped(e, find(handle, name));
}
#endif
