/* Calls as bytes: the maker's side. */
#include <string.h>

#include "api/carry.h"
#include "base/mem.h"

struct ncs_carry_late {
    const void *cell, *before;
    uint64_t there; /* where the caller keeps it, as the caller says */
    struct ncs_carry_late *next;
};

/* ---- a request ---- */

/* The library may write the cells of handles at any later time: they stay. */
static void carry_keep_late(struct ncs_carry_call *c, const struct ncs_carried *plan, const struct ncs_carry_request *request,
                            struct ncs_carry_lates *lates)
{
    size_t kept = 0;
    pthread_mutex_lock(&lates->lock);
    for (size_t i = 0; i < c->memories; i++) {
        const struct ncs_carry_memory *m = &c->memory[i];
        if (plan[m->at].how != NCS_CARRY_LATE) {
            c->memory[kept++] = *m;
            continue;
        }
        struct ncs_carry_late *l = ncs_new(sizeof *l);
        *l = (struct ncs_carry_late){ .cell = m->memory, .there = request->arg[m->at], .next = lates->first };
        memcpy(&l->before, m->memory, sizeof l->before);
        lates->first = l;
    }
    pthread_mutex_unlock(&lates->lock);
    c->memories = kept;
}

/* The texts of a configuration come by themselves. */
static void carry_forget_texts(ncclConfig_t *config)
{
    config->netName = config->commName = NULL;
}

/* Items of texts of the configuration come after it. */
static bool carry_set_argument(struct ncs_carry_call *c, uint32_t at, void *memory, bool has_config)
{
    int place = c->info->at[NCS_ARG_CONFIG];
    ncclConfig_t *config = has_config ? (ncclConfig_t *)c->arg[place - 1].p : NULL;
    if (at < (uint32_t)c->info->nargs)
        c->arg[at].p = memory;
    else if (at == NCS_CARRY_NET_NAME && config)
        config->netName = memory;
    else if (at == NCS_CARRY_COMM_NAME && config)
        config->commName = memory;
    else
        return false;
    if ((int)at == place - 1)
        carry_forget_texts(memory);
    return true;
}

/* Memory that the library may touch has to be there, and an argument that is only a number gets none. */
static bool carry_is_enough(const struct ncs_carry_call *c, const struct ncs_carried *plan, const struct ncs_carry_item *item)
{
    if (item->room > NCS_CARRY_MOST || item->bytes > item->room)
        return false;
    if (item->at >= (uint32_t)c->info->nargs || plan->how == NCS_CARRY_TEXT)
        return item->room > 0 && item->room <= NCS_CARRY_TEXT_MOST;
    enum ncs_kind kind = c->info->arg[item->at].kind;
    switch (plan->how) {
    case NCS_CARRY_NEVER: return false;
    case NCS_CARRY_NOT:
        return (kind == NCS_ARG_IN || kind == NCS_ARG_OUT) && item->room > 0 &&
               item->room >= ncs_carry_copied(c->fn, c->arg, (int)item->at);
    case NCS_CARRY_CONFIG: return item->room == sizeof(ncclConfig_t);
    default: return item->room == plan->bytes;
    }
}

static void carry_add(struct ncs_carry_call *c, const struct ncs_carry_item *item, const void *bytes, bool has_config)
{
    bool is_argument = item->at < (uint32_t)c->info->nargs;
    struct ncs_carry_memory m = {
        .memory = ncs_new(item->room + 1), .room = item->room, .at = item->at, .back = item->back && is_argument
    };
    if (item->bytes > 0)
        memcpy(m.memory, bytes, item->bytes);
    if (carry_set_argument(c, item->at, m.memory, has_config))
        c->memory[c->memories++] = m;
    else
        ncs_free(m.memory);
}

/* For an argument without an item. */
static bool carry_is_allowed(const struct ncs_carry_call *c, const struct ncs_carried *plan, int at, ncs_carry_owns *owns)
{
    enum ncs_kind kind = c->info->arg[at].kind;
    const void *p = c->arg[at].p;
    if (plan->how == NCS_CARRY_NEVER)
        return false;
    if (plan->how != NCS_CARRY_NOT)
        return !p || (owns && plan->how != NCS_CARRY_CONFIG && owns(c, at, plan->bytes));
    return !p || !owns || !ncs_carry_is_address(kind) || owns(c, at, ncs_carry_copied(c->fn, c->arg, at));
}

bool ncs_carry_take(struct ncs_carry_call *c, const void *message, size_t bytes, struct ncs_carry_lates *lates,
                    ncs_carry_owns *owns)
{
    struct ncs_carry_request request;
    struct ncs_carry_reader items;
    struct ncs_carry_item item;
    struct ncs_carried plan[NCS_CARRY_ITEMS] = { { NCS_CARRY_NOT, 0 } };
    bool come[NCS_CARRY_ITEMS] = { false };
    const void *from;
    *c = (struct ncs_carry_call){ .memories = 0 };
    if (!ncs_carry_begin(&items, message, bytes, &request, sizeof request) || request.fn < 0 || request.fn >= NCS_FN_COUNT)
        return false;
    c->fn = (enum ncs_fn)request.fn;
    c->info = &ncs_fn_info[request.fn];
    c->clears = request.clears != 0;
    for (int i = 0; i < c->info->nargs; i++)
        c->arg[i].u = request.arg[i];
    for (int i = 0; i < c->info->nargs; i++) /* sizes come from the arguments as they were sent */
        plan[i] = ncs_carry(c->fn, c->arg, i);
    while (ncs_carry_next(&items, &item, &from)) {
        int config = c->info->at[NCS_ARG_CONFIG];
        if (come[item.at] || !carry_is_enough(c, &plan[item.at], &item))
            return false;
        come[item.at] = true;
        carry_add(c, &item, from, config && come[config - 1]);
    }
    c->taken = items.at == items.end;
    for (int i = 0; i < c->info->nargs && c->taken; i++)
        c->taken = come[i] || carry_is_allowed(c, &plan[i], i, owns);
    if (c->taken)
        carry_keep_late(c, plan, &request, lates);
    return c->taken;
}

void *ncs_carry_memory_of(const struct ncs_carry_call *c, int at, size_t *bytes)
{
    for (size_t i = 0; i < c->memories; i++)
        if (c->memory[i].at == (uint32_t)at) {
            *bytes = c->memory[i].room;
            return c->memory[i].memory;
        }
    return NULL;
}

uint64_t ncs_carry_set_function(struct ncs_carry_call *c, cudaHostFn_t host, cudaStreamCallback_t callback, void *data)
{
    int is_host = c->info->at[NCS_ARG_HOSTFN], at = is_host ? is_host : c->info->at[NCS_ARG_STREAMFN];
    uint64_t number = at ? c->arg[at - 1].u : 0;
    if (!number)
        return 0;
    c->arg[at - 1].f = is_host ? (void (*)(void))host : (void (*)(void))callback;
    c->arg[c->info->at[NCS_ARG_USERDATA] - 1].p = data;
    return number;
}

/* ---- an answer ---- */

/* A call that fails leaves its results as they are. */
void ncs_carry_results(const struct ncs_carry_call *c, union ncs_arg result, struct ncs_str *items)
{
    bool is_text = c->info->result == NCS_RESULT_TEXT;
    bool done = is_text || result.i == 0 || (c->info->lib == NCS_LIB_NCCL && result.i == ncclInProgress);
    const char *text = is_text && result.p ? result.p : "";
    if (is_text)
        ncs_carry_add_item(items, &(struct ncs_carry_item){ .at = NCS_CARRY_RESULT, .bytes = strlen(text) + 1 }, text);
    for (size_t i = 0; i < c->memories && done; i++)
        if (c->memory[i].back)
            ncs_carry_add_item(items, &(struct ncs_carry_item){ .at = c->memory[i].at, .bytes = c->memory[i].room },
                               c->memory[i].memory);
}

/* NCCL keeps the address of a communicator's name (NCCL 2.29, src/init.cc), and ncclCommInitAll in a group writes its list at the
 * group's end. */
static bool carry_stays(const struct ncs_carry_call *c, uint32_t at)
{
    return at == NCS_CARRY_COMM_NAME || (at < (uint32_t)c->info->nargs && c->info->arg[at].kind == NCS_ARG_COMMS_OUT);
}

void ncs_carry_end(struct ncs_carry_call *c)
{
    for (size_t i = 0; i < c->memories; i++)
        if (!c->taken || !carry_stays(c, c->memory[i].at))
            ncs_free(c->memory[i].memory);
    c->memories = 0;
}

/* ---- handles that are written late ---- */

/* NCCL clears some handles first and fills them later. */
void ncs_carry_tell_late(struct ncs_carry_lates *lates, void (*tell)(void *arg, uint64_t there, const void *handle), void *arg)
{
    pthread_mutex_lock(&lates->lock);
    for (struct ncs_carry_late **at = &lates->first, *l; (l = *at) != NULL;) {
        const void *now;
        memcpy(&now, l->cell, sizeof now);
        bool written = now != l->before;
        if (written)
            tell(arg, l->there, now);
        l->before = now;
        if (written && now) { /* the cell itself stays: a call may still be writing it, and the journal looks at it */
            *at = l->next;
            ncs_free(l);
        } else {
            at = &l->next;
        }
    }
    pthread_mutex_unlock(&lates->lock);
}

void ncs_carry_forget_late(struct ncs_carry_lates *lates)
{
    pthread_mutex_lock(&lates->lock);
    for (struct ncs_carry_late *l = lates->first, *next; l; l = next) {
        next = l->next;
        ncs_free(l);
    }
    lates->first = NULL;
    pthread_mutex_unlock(&lates->lock);
}
