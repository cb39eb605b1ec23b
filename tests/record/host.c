/* Opens a plug-in for itself alone: libnccl, which the plug-in brings along, is in no scope that others search.
 * Usage: host PLUGIN */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int (*reduce)(int) = NULL;
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (plugin)
        *(void **)&reduce = dlsym(plugin, "plugin_reduce");
    if (!reduce)
        fprintf(stderr, "%s\n", dlerror());
    return reduce ? reduce(7) : 9;
}
