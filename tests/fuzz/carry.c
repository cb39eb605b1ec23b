/* Requests and answers of calls that are made in another process (api/carry.h): whatever comes, a request that is taken has memory
 * of its own wherever the library may read or write, and an answer changes nothing but what the call writes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/carry.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

static struct ncs_carry_lates lates = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void told(void *arg, uint64_t there, const void *handle)
{
    (void)there;
    (void)handle;
    ++*(size_t *)arg;
}

/* As a library does that reads texts and writes all that it may. */
static void use(const struct ncs_carry_call *c, int at)
{
    struct ncs_carried plan = ncs_carry(c->fn, c->arg, at);
    size_t room = 0;
    unsigned char *memory = ncs_carry_memory_of(c, at, &room);
    const ncclConfig_t *config = (const ncclConfig_t *)memory;
    if (plan.how == NCS_CARRY_NOT || !c->arg[at].p)
        return;
    must(plan.how != NCS_CARRY_NEVER);
    if (plan.how == NCS_CARRY_LATE) { /* the cell */
        memset((void *)c->arg[at].p, 1, sizeof(void *));
        return;
    }
    must(memory == c->arg[at].p && room >= plan.bytes);
    if (plan.how == NCS_CARRY_TEXT)
        must(strlen((const char *)memory) <= room);
    else if (plan.how == NCS_CARRY_CONFIG)
        must(room >= sizeof *config && (!config->netName || strlen(config->netName) < SIZE_MAX) &&
             (!config->commName || strlen(config->commName) < SIZE_MAX));
    else
        memset(memory, 0x5a, plan.bytes);
}

/* Memory that stays for the library belongs to this program. */
static void drop(const struct ncs_carry_call *c)
{
    for (size_t i = 0; i < c->memories; i++)
        if (c->memory[i].at == NCS_CARRY_COMM_NAME ||
            (c->memory[i].at < (uint32_t)c->info->nargs && c->info->arg[c->memory[i].at].kind == NCS_ARG_COMMS_OUT))
            ncs_free(c->memory[i].memory);
    for (int i = 0; i < c->info->nargs; i++)
        if (ncs_carry(c->fn, c->arg, i).how == NCS_CARRY_LATE)
            ncs_free((void *)c->arg[i].p);
}

static void request(const unsigned char *message, size_t bytes)
{
    struct ncs_carry_call c;
    struct ncs_str items = { 0 };
    size_t written = 0;
    if (ncs_carry_take(&c, message, bytes, &lates, NULL)) {
        for (int i = 0; i < c.info->nargs; i++)
            use(&c, i);
        ncs_carry_set_function(&c, NULL, NULL, NULL);
        ncs_carry_results(&c, (union ncs_arg){ .i = 0 }, &items);
        ncs_carry_tell_late(&lates, told, &written);
        drop(&c);
    }
    ncs_carry_end(&c);
    ncs_carry_forget_late(&lates);
    ncs_str_free(&items);
}

/* For each function: memory of its arguments has the size that it needs, and no byte more. */
static void answer(enum ncs_fn fn, const unsigned char *message, size_t bytes)
{
    union ncs_arg arg[NCS_MAX_ARGS] = { { 0 } };
    void *memory[NCS_MAX_ARGS] = { NULL };
    struct ncs_carry_answer head;
    const char *text;
    for (int i = 0; i < ncs_fn_info[fn].nargs; i++) {
        struct ncs_carried plan = ncs_carry(fn, arg, i);
        if (plan.how == NCS_CARRY_OUT || plan.how == NCS_CARRY_INOUT)
            arg[i].p = memory[i] = malloc(plan.bytes ? plan.bytes : 1);
    }
    if (ncs_carry_unpack(fn, arg, NULL, message, bytes, &head, &text) && text)
        must(strlen(text) < bytes);
    for (int i = 0; i < NCS_MAX_ARGS; i++)
        free(memory[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In memory that ends where the message ends. The function is any: most numbers are none. */
    unsigned char *message = malloc(size ? size : 1);
    int32_t fn = 0;
    if (size)
        memcpy(message, data, size);
    if (size >= sizeof fn)
        memcpy(&fn, data, sizeof fn);
    fn = (int32_t)((uint32_t)fn % NCS_FN_COUNT);
    request(message, size);
    answer((enum ncs_fn)fn, message, size);
    free(message);
    return 0;
}
