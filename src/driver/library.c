/* dlinfo */
#define _GNU_SOURCE
#include "driver/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/version.h"
#include "base/mem.h"

/* How to find each library: names that the loader resolves, the option for a path, and functions without
 * which a file does not count as the library. */
static const struct kind {
    const char *word, *option;
    const char *name[4];  /* NULL at the end */
    const char *wheel[3]; /* folders of a Python wheel below site-packages; NULL at the end */
    enum ncs_fn needed[6];
    int needs;
} kinds[] = {
    [NCS_LIB_NCCL] = {
        "NCCL", "--nccl-lib", { "libnccl.so.2", "libnccl.so" }, { "nvidia/nccl/lib" },
        { NCS_FN_ncclGetVersion, NCS_FN_ncclGetUniqueId, NCS_FN_ncclCommInitRank,
          NCS_FN_ncclGroupStart, NCS_FN_ncclGroupEnd, NCS_FN_ncclAllReduce },
        6,
    },
    [NCS_LIB_CUDA] = {
        "the CUDA runtime", "--cudart-lib",
        { "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0" },
        { "nvidia/cu13/lib", "nvidia/cuda_runtime/lib" },
        { NCS_FN_cudaGetDeviceCount, NCS_FN_cudaSetDevice, NCS_FN_cudaMalloc,
          NCS_FN_cudaMemcpyAsync, NCS_FN_cudaStreamQuery, NCS_FN_cudaRuntimeGetVersion },
        6,
    },
};

/* Functions whose signature changed in CUDA 13: older runtimes have the same function under another name,
 * or not at all. */
static const struct {
    enum ncs_fn fn;
    const char *older; /* NULL = none */
} renewed[] = {
    { NCS_FN_cudaGetDeviceProperties, NULL },
    { NCS_FN_cudaChooseDevice, NULL },
    { NCS_FN_cudaMemPrefetchAsync, "cudaMemPrefetchAsync_v2" },
    { NCS_FN_cudaMemAdvise, "cudaMemAdvise_v2" },
};

/* ---- one file ---- */

static void *symbol(void *handle, const char *name, void (**function)(void))
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found;
}

static const char *symbol_name(const struct ncs_library *l, enum ncs_fn fn)
{
    if (l->lib == NCS_LIB_CUDA && l->version < 13000)
        for (size_t i = 0; i < sizeof renewed / sizeof *renewed; i++)
            if (renewed[i].fn == fn)
                return renewed[i].older;
    return ncs_fn_info[fn].name;
}

static void bind(struct ncs_library *l, struct ncs_api *api)
{
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const struct ncs_fn_info *info = &ncs_fn_info[fn];
        void (*function)(void) = NULL;
        if (info->lib != l->lib)
            continue;
        const char *name = symbol_name(l, (enum ncs_fn)fn);
        if (name && symbol(l->handle, name, &function)) {
            l->bound++;
        } else {
            ncs_str_addf(&l->absent, "%s%s", l->absents++ ? ", " : "", info->name);
            function = NULL;
        }
        memcpy((char *)api + info->offset, &function, sizeof function);
    }
}

static void learn_version(struct ncs_library *l)
{
    void (*function)(void);
    const char *name = l->lib == NCS_LIB_NCCL ? "ncclGetVersion" : "cudaRuntimeGetVersion";
    int version = 0;
    if (symbol(l->handle, name, &function) && ((int (*)(int *))function)(&version) == 0)
        l->version = version;
}

static void learn_path(struct ncs_library *l, const char *asked)
{
    struct link_map *map;
    if (dlinfo(l->handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name && *map->l_name)
        asked = map->l_name;
    l->path = ncs_copy_text(asked);
}

/* The loader's message without "FILE: " at its beginning, which our message contains already. */
static const char *reason(const char *file)
{
    const char *text = dlerror();
    size_t bytes = strlen(file);
    if (!text)
        return "cannot be loaded";
    if (strncmp(text, file, bytes) == 0 && strncmp(text + bytes, ": ", 2) == 0)
        text += bytes + 2;
    return text;
}

/* Loads a file and checks that it is the library; `why` receives the reason if not. */
static bool load(struct ncs_library *l, const char *file, char *why, size_t room)
{
    const struct kind *k = &kinds[l->lib];
    void (*function)(void);
    l->handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!l->handle) {
        snprintf(why, room, "cannot be loaded as a shared library: %s", reason(file));
        return false;
    }
    for (int i = 0; i < k->needs; i++)
        if (!symbol(l->handle, ncs_fn_info[k->needed[i]].name, &function)) {
            snprintf(why, room, "is not %s: it has no %s", k->word, ncs_fn_info[k->needed[i]].name);
            dlclose(l->handle);
            l->handle = NULL;
            return false;
        }
    learn_version(l);
    learn_path(l, file);
    return true;
}

/* ---- a file that was given ---- */

static bool open_given(struct ncs_library *l, const char *given, struct ncs_error *err)
{
    const struct kind *k = &kinds[l->lib];
    char why[512], here[PATH_MAX];
    struct stat info;
    if (!*given)
        return ncs_fail(err, NCS_BAD_INPUT, "%s: expected the path of a library", k->option);
    bool there = stat(given, &info) == 0;
    if (!there && strchr(given, '/')) {
        ncs_fail(err, NCS_BAD_INPUT, "%s: no file `%s`", k->option, given);
        return ncs_fail_hint(err, "give the path of %s", k->name[0]);
    }
    if (there && S_ISDIR(info.st_mode)) {
        ncs_fail(err, NCS_BAD_INPUT, "%s: `%s` is a folder", k->option, given);
        return ncs_fail_hint(err, "give the path of %s", k->name[0]);
    }
    /* Without a slash the loader would not search this folder. */
    snprintf(here, sizeof here, "%s%s", there && !strchr(given, '/') ? "./" : "", given);
    return load(l, here, why, sizeof why) || ncs_fail(err, NCS_BAD_INPUT, "%s: `%s` %s", k->option, given, why);
}

/* ---- the usual names and places ---- */

static bool try_places(struct ncs_library *l, const char *pattern)
{
    glob_t found;
    char why[512];
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    bool ok = false;
    for (size_t i = found.gl_pathc; i-- > 0 && !ok;)
        ok = load(l, found.gl_pathv[i], why, sizeof why);
    globfree(&found);
    return ok;
}

/* Tries every name in the folders that match the pattern. */
static bool try_folder(struct ncs_library *l, const char *folder, const char *below)
{
    const struct kind *k = &kinds[l->lib];
    char pattern[PATH_MAX];
    bool ok = false;
    for (int i = 0; k->name[i] && !ok; i++) {
        int length = snprintf(pattern, sizeof pattern, "%s/%s%s%s", folder, below, *below ? "/" : "", k->name[i]);
        ok = length < (int)sizeof pattern && try_places(l, pattern);
    }
    return ok;
}

static bool try_wheels(struct ncs_library *l, const char *packages)
{
    const struct kind *k = &kinds[l->lib];
    bool ok = false;
    for (int i = 0; k->wheel[i] && !ok; i++)
        ok = try_folder(l, packages, k->wheel[i]);
    return ok;
}

static bool find_python(char python[PATH_MAX])
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t bytes = strcspn(path, ":");
        snprintf(python, PATH_MAX, "%.*s/python3", (int)bytes, path);
        struct stat info;
        if (bytes && stat(python, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0111))
            return true;
        path += bytes + (path[bytes] == ':');
    }
    return false;
}

/* PREFIX/bin/python3 keeps its packages below PREFIX/lib. A virtual environment's python3 is a link: its
 * own folder is tried first, then that of the link's target. */
static bool try_prefix(struct ncs_library *l, char *python)
{
    char packages[PATH_MAX + 64];
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(python, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    static const char *const folders[] = { "lib/python3*/site-packages", "lib/python3*/dist-packages",
                                           "local/lib/python3*/dist-packages" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(packages, sizeof packages, "%s/%s", python, folders[i]);
        if (try_wheels(l, packages))
            return true;
    }
    return false;
}

static bool try_python(struct ncs_library *l)
{
    char python[PATH_MAX], itself[PATH_MAX], packages[PATH_MAX];
    const char *home = getenv("HOME");
    if (!find_python(python))
        return false;
    bool real = realpath(python, itself) != NULL;
    if (try_prefix(l, python) || (real && try_prefix(l, itself)))
        return true;
    snprintf(packages, sizeof packages, "%s/.local/lib/python3*/site-packages", home ? home : "");
    return home && try_wheels(l, packages);
}

static bool open_usual(struct ncs_library *l, struct ncs_error *err)
{
    const struct kind *k = &kinds[l->lib];
    char why[512];
    for (int i = 0; k->name[i]; i++)
        if (load(l, k->name[i], why, sizeof why))
            return true;
    if (try_folder(l, "/usr/local/cuda/lib64", "") || try_folder(l, "/usr/local/cuda/lib", "") || try_python(l))
        return true;
    ncs_fail(err, NCS_NO_DEVICE,
             "%s was not found: no %s in the loader's path, in /usr/local/cuda or "
             "among python3's packages",
             k->word, k->name[0]);
    return ncs_fail_hint(err, "give its path with %s", k->option);
}

bool ncs_library_open(struct ncs_library *l, enum ncs_lib lib, const char *given, struct ncs_api *api, struct ncs_error *err)
{
    *l = (struct ncs_library){ .lib = lib };
    if (!(given ? open_given(l, given, err) : open_usual(l, err)))
        return false;
    bind(l, api);
    return true;
}

void ncs_library_forget(struct ncs_library *l)
{
    ncs_free(l->path);
    ncs_str_free(&l->absent);
    *l = (struct ncs_library){ .lib = l->lib };
}

const char *ncs_library_version(const struct ncs_library *l, char *buffer, size_t room)
{
    if (l->lib == NCS_LIB_NCCL && l->version)
        return ncs_nccl_version_text(l->version, buffer, room);
    if (l->version)
        snprintf(buffer, room, "%d.%d", l->version / 1000, l->version % 1000 / 10);
    else
        snprintf(buffer, room, "unknown");
    return buffer;
}
