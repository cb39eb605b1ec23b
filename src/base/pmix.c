#include "base/pmix.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The part of PMIx's binary interface that is used here (PMIx standard 2.0 to 5.0: chapters "Data structures and types" and "Key/value
 * management"). A value's union has never been larger than this room. */
struct pmix_process {
    char space[256];
    uint32_t rank;
};

struct pmix_value {
    uint16_t type;
    union {
        char *text;
        int number;
        uint16_t small;
        uint32_t count;
        char room[24];
    } as;
};

struct pmix_info {
    char key[512];
    uint32_t flags;
    struct pmix_value value;
};

enum { PMIX_TEXT = 3, PMIX_INT = 6, PMIX_UINT16 = 13, PMIX_UINT32 = 14 };
enum { PMIX_TO_ALL = 3 };
enum { PMIX_TIMED_OUT = -24, PMIX_NOT_FOUND = -46 };
#define PMIX_WHOLE_JOB (UINT32_MAX - 1)

static struct {
    bool tried, open;
    struct pmix_process self;
    int (*init)(struct pmix_process *self, struct pmix_info *info, size_t infos);
    int (*finalize)(const struct pmix_info *info, size_t infos);
    int (*put)(uint8_t scope, const char *key, struct pmix_value *value);
    int (*commit)(void);
    int (*get)(const struct pmix_process *of, const char *key, const struct pmix_info *info, size_t infos,
               struct pmix_value **value);
} pmix;

static bool pmix_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found;
}

static bool pmix_load(void)
{
    void *library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libpmix.so", RTLD_NOW | RTLD_LOCAL);
    return library && pmix_find(library, "PMIx_Init", &pmix.init) && pmix_find(library, "PMIx_Finalize", &pmix.finalize) &&
           pmix_find(library, "PMIx_Put", &pmix.put) && pmix_find(library, "PMIx_Commit", &pmix.commit) &&
           pmix_find(library, "PMIx_Get", &pmix.get);
}

bool ncs_pmix_open(void)
{
    if (pmix.tried)
        return pmix.open;
    pmix.tried = true;
    /* Without a launcher PMIx_Init succeeds as well: it makes a job of one process. */
    if (!getenv("PMIX_NAMESPACE") || !getenv("PMIX_RANK") || !pmix_load())
        return false;
    pmix.open = pmix.init(&pmix.self, NULL, 0) == 0;
    return pmix.open;
}

void ncs_pmix_close(void)
{
    if (pmix.open)
        pmix.finalize(NULL, 0);
    pmix.open = false;
}

/* The library has no function for this in all its versions. */
static void pmix_free(struct pmix_value *value)
{
    if (value && value->type == PMIX_TEXT)
        free(value->as.text);
    free(value);
}

static int pmix_fact(uint32_t rank, const char *key)
{
    struct pmix_process of = pmix.self;
    struct pmix_value *value = NULL;
    int fact = -1;
    of.rank = rank;
    if (!pmix.open || pmix.get(&of, key, NULL, 0, &value) != 0 || !value)
        return -1;
    if (value->type == PMIX_UINT32 && value->as.count <= INT_MAX)
        fact = (int)value->as.count;
    else if (value->type == PMIX_UINT16)
        fact = value->as.small;
    pmix_free(value);
    return fact;
}

int ncs_pmix_number(void)
{
    return pmix.open && pmix.self.rank <= INT_MAX ? (int)pmix.self.rank : -1;
}

int ncs_pmix_processes(void)
{
    return pmix_fact(PMIX_WHOLE_JOB, "pmix.job.size");
}

int ncs_pmix_local(void)
{
    return pmix_fact(pmix.self.rank, "pmix.lrank");
}

int ncs_pmix_locals(void)
{
    return pmix_fact(PMIX_WHOLE_JOB, "pmix.local.size");
}

bool ncs_pmix_put(const char *key, const char *text)
{
    struct pmix_value value = { .type = PMIX_TEXT };
    char *copy = ncs_copy_text(text); /* the library does not say that it leaves the text as it is */
    value.as.text = copy;
    bool done = pmix.open && pmix.put(PMIX_TO_ALL, key, &value) == 0 && pmix.commit() == 0;
    ncs_free(copy);
    return done;
}

enum ncs_pmix_got ncs_pmix_get(int number, const char *key, int64_t patience, char **text)
{
    struct pmix_process of = pmix.self;
    struct pmix_info limit = { .key = "pmix.timeout", .value = { .type = PMIX_INT } };
    struct pmix_value *value = NULL;
    int64_t seconds = patience / 1000000000 + 1;
    *text = NULL;
    of.rank = (uint32_t)number;
    limit.value.as.number = seconds < INT_MAX ? (int)seconds : INT_MAX;
    int rc = pmix.open ? pmix.get(&of, key, &limit, 1, &value) : -1;
    if (rc == 0 && value && value->type == PMIX_TEXT)
        *text = ncs_copy_text(value->as.text);
    if (rc == 0)
        pmix_free(value);
    /* A request that comes while the other process publishes may be told that there is nothing (seen with PMIx 4.2.2). */
    bool late = rc == PMIX_TIMED_OUT || rc == PMIX_NOT_FOUND;
    return *text ? NCS_PMIX_GOT : late ? NCS_PMIX_LATE : NCS_PMIX_FAILED;
}
