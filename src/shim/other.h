/* Which mapped libraries are an NCCL or CUDA runtime other than the drop-in ones: a program that finds
 * them by an RPATH or an absolute path bypasses the simulator. All in a header, because the program and
 * the loader's audit library both use it and share no object code. */
#ifndef NCS_SHIM_OTHER_H
#define NCS_SHIM_OTHER_H

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NCS_OTHER_SAYS "ncclscript: %s is mapped, not %s: what calls it is not simulated\n"

/* For the path of a library of NCCL or CUDA, the name of its drop-in; else NULL. Wheels name
 * libcudart-1a2b3c.so.12. NCCL's plugins do not count. */
static inline const char *ncs_replaces(const char *path)
{
    static const struct {
        const char *begin, *ours;
    } plain[] = {
        { "libnccl.so", "libnccl.so.2" },
        { "libcuda.so", "libcuda.so.1" },
        { "libnvidia-ml.so", "libnvidia-ml.so.1" },
    };
    static const char cudart[] = "libcudart";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strncmp(name, plain[i].begin, strlen(plain[i].begin)) == 0)
            return plain[i].ours;
    const char *rest = name + strlen(cudart);
    if (strncmp(name, cudart, strlen(cudart)) != 0 || (*rest != '.' && *rest != '-'))
        return NULL;
    return strstr(rest, ".so.12") ? "libcudart.so.12" : "libcudart.so.13";
}

/* The path of the drop-in for that library, in `folder`, which ends with a slash. */
static inline const char *ncs_ours(const char *folder, const char *path, char *text, size_t room)
{
    snprintf(text, room, "%s%s", folder, ncs_replaces(path));
    return text;
}

/* The folder of the library that contains the address `inside`; "" if unknown. */
static inline const char *ncs_folder_of(const void *inside, char *text, size_t room)
{
    Dl_info info;
    const char *slash = dladdr(inside, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    snprintf(text, room, "%.*s", slash ? (int)(slash + 1 - info.dli_fname) : 0, slash ? info.dli_fname : "");
    return text;
}

/* The drop-in libraries have the simulator beside them. */
static inline bool ncs_is_other(const char *path)
{
    char real[PATH_MAX], simulator[PATH_MAX + 32];
    if (!ncs_replaces(path) || !realpath(path, real))
        return false;
    *(strrchr(real, '/') + 1) = '\0';
    snprintf(simulator, sizeof simulator, "%slibncclscript-sim.so", real);
    return access(simulator, F_OK) != 0;
}

#endif
