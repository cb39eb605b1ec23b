/* Opens a plug-in for itself alone: libnccl, which the plug-in brings along, is in no scope that others search. Closes it,
 * and opens it again in another place.
 * Usage: host PLUGIN [deep]; deep: the plug-in looks up its own libraries first */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int open_and_reduce(const char *path, int flags)
{
    int (*reduce)(int) = NULL;
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
    if (plugin)
        *(void **)&reduce = dlsym(plugin, "plugin_reduce");
    if (!reduce)
        fprintf(stderr, "%s\n", dlerror());
    errno = EDOM;
    int failed = reduce ? reduce(7) : 9;
    if (errno != EDOM)
        failed = 8;
    if (plugin)
        dlclose(plugin);
    return failed;
}

int main(int argc, char **argv)
{
    int flags = argc > 2 && strcmp(argv[2], "deep") == 0 ? RTLD_DEEPBIND : 0;
    int failed = argc > 1 ? open_and_reduce(argv[1], flags) : 9;
    mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* where the plug-in was */
    return failed ? failed : open_and_reduce(argv[1], flags);
}
