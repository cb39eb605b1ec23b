/* A binding without a link to NCCL or CUDA: it opens the libraries and looks for each function at the first use, and keeps
 * what it found, good or bad. lazy LIBRARY LIST: all functions of the list are looked for. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *path;
static void *library;
static char problem[512];
static int opened;

static void open_library(void)
{
    opened++;
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        snprintf(problem, sizeof problem, "%s", dlerror());
}

static void *symbol(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return library ? dlsym(library, name) : NULL;
}

int main(int argc, char **argv)
{
    char name[256];
    int found = 0, missing = 0, count = -1, version = 0;
    FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
    path = argv[1];
    while (list && fscanf(list, "%255s", name) == 1)
        symbol(name) ? found++ : missing++;
    printf("%d found, %d missing, opened %d times\n", found, missing, opened);
    if (!library)
        return printf("%s\n", problem) < 0;
    int (*devices)(int *) = (int (*)(int *))symbol("cudaGetDeviceCount");
    int (*nccl)(int *) = (int (*)(int *))symbol("ncclGetVersion");
    int code = devices ? devices(&count) : nccl ? nccl(&version) : -1;
    printf("code %d, %d devices, version %d\n", code, count, version);
    printf("%s\n", symbol("cudaNoSuchFunction") || symbol("ncclNoSuchFunction") ? "too much" : "no such function");
    fclose(list);
    return 0;
}
