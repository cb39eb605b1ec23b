/* What the functions of NCCL 2.31 and 2.32 say that the table of functions lacks. The names are looked up in the library
 * that the first argument names, or in the one that the loader finds. Each answer is a line: what, the code, and the last error. */
#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct coll_config {
    size_t size;
    unsigned magic, version;
    void *ext;
    int ctas[3], cluster;
    const char *selection;
    int force, policy;
    uint64_t tag;
    void *event;
};

struct encryption {
    size_t size;
    unsigned magic, version;
    int mode;
    const char *key;
};

typedef int all_reduce(const void *, void *, size_t, int, int, void *, void *, const struct coll_config *);
typedef int gather(const void *, void *, size_t, int, int, void *, void *, const struct coll_config *);
typedef int move(const void *, void *, size_t, int, void *, void *, const struct coll_config *);
typedef int reduce(const void *, void *, size_t, int, int, int, void *, void *, const struct coll_config *);
typedef int set_encryption(const struct encryption *);

static void *library;

static void *find(const char *name)
{
    void *f = dlsym(library, name);
    if (!f)
        printf("%s is missing\n", name);
    return f;
}

static void answered(const char *what, int code)
{
    const char *(*last)(void *) = find("ncclGetLastError");
    printf("%s: %d %s\n", what, code, last(NULL));
}

static void try_encryption(void)
{
    set_encryption *set = find("ncclSetEncryption");
    struct encryption e = { sizeof e, 0, 23203, 0, NULL };
    if (!set)
        return;
    answered("no encryption", set(NULL));
    answered("encryption without its magic", set(&e));
    e.magic = 0xcafebeef;
    answered("encryption none", set(&e));
    e.mode = 1;
    answered("encryption without a key", set(&e));
    e.key = "short";
    answered("encryption with a short key", set(&e));
    e.key = "0123456789abcdef0123456789abcdef";
    answered("encryption with a key", set(&e));
    e.mode = 7;
    answered("encryption of no mode", set(&e));
}

int main(int argc, char **argv)
{
    static char data[64];
    library = dlopen(argc > 1 ? argv[1] : "libnccl.so.2", RTLD_NOW);
    if (!library)
        return 1;
    setbuf(stdout, NULL);
    all_reduce *reduces = find("ncclAllReduceConfig");
    move *gathers = find("ncclAllGatherConfig"), *exchanges = find("ncclAlltoAllConfig");
    reduce *roots = find("ncclReduceConfig");
    gather *collects = find("ncclGatherConfig"), *scatters = find("ncclScatterConfig"), *casts = find("ncclBroadcastConfig");
    all_reduce *halves = find("ncclReduceScatterConfig");
    struct coll_config good = { offsetof(struct coll_config, event),
                                0xcafebeef,
                                23102,
                                NULL,
                                { INT_MIN, INT_MIN, INT_MIN },
                                INT_MIN,
                                NULL,
                                1,
                                INT_MIN,
                                0,
                                NULL };
    answered("AllReduce", reduces(data, data, 1, 7, 0, NULL, NULL, NULL));
    answered("AllGather", gathers(data, data, 1, 7, NULL, NULL, NULL));
    answered("AlltoAll", exchanges(data, data, 1, 7, NULL, NULL, NULL));
    answered("Reduce", roots(data, data, 1, 7, 0, 0, NULL, NULL, NULL));
    answered("Gather", collects(data, data, 1, 7, 0, NULL, NULL, NULL));
    answered("Scatter", scatters(data, data, 1, 7, 0, NULL, NULL, NULL));
    answered("Broadcast", casts(data, data, 1, 7, 0, NULL, NULL, NULL));
    answered("ReduceScatter", halves(data, data, 1, 7, 0, NULL, NULL, NULL));
#define TRY(what, change)                                             \
    do {                                                              \
        struct coll_config c = good;                                  \
        change;                                                       \
        answered(what, reduces(data, data, 1, 7, 0, NULL, NULL, &c)); \
    } while (0)
    TRY("good", (void)0);
    TRY("no magic", c.magic = 0);
    TRY("size 40", c.size = 40);
    TRY("size 64", c.size = 64);
    TRY("CTAs 0", c.ctas[0] = 0);
    TRY("force 2", c.force = 2);
    TRY("policy 3", c.policy = 3);
    TRY("policy 4", c.policy = 4);
    try_encryption();
    return 0;
}
