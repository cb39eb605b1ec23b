/* The journal's knowledge of memory: where the bytes behind a pointer were allocated and freed. */
#include "diagnose/analysis.h"

#include <string.h>

#include "api/types.h"
#include "base/mem.h"

/* The newest allocation of the rank before the call that holds the address. */
static const struct ncs_call *allocation_of(const struct ncs_analysis *q, const struct ncs_call *call, const void *address)
{
    const struct ncs_calls *all = &q->index.memory;
    for (size_t i = all->count; i-- > 0;) {
        const struct ncs_call *c = all->of[i];
        uintptr_t from = (uintptr_t)ncs_call_arg(c, NCS_ARG_MEMORY_OUT)->p;
        if (c->id < call->id && c->rank == call->rank && from && (uintptr_t)address >= from &&
            (uintptr_t)address - from < ncs_call_arg(c, NCS_ARG_BYTES)->u)
            return c;
    }
    return NULL;
}

bool ncs_in_one_memory(const struct ncs_analysis *q, const struct ncs_call *call, const void *a, size_t bytes_a, const void *b,
                       size_t bytes_b)
{
    const struct ncs_call *made = allocation_of(q, call, a);
    if (!made)
        return false;
    uintptr_t base = (uintptr_t)ncs_call_arg(made, NCS_ARG_MEMORY_OUT)->p;
    size_t all = ncs_call_arg(made, NCS_ARG_BYTES)->u, at_a = (uintptr_t)a - base, at_b = (uintptr_t)b - base;
    return (uintptr_t)b >= base && at_a <= all && bytes_a <= all - at_a && at_b <= all && bytes_b <= all - at_b;
}

/* Other functions with a memory argument, such as registrations and queries, do not free it. */
static bool frees(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].ends == NCS_ENDS_MEMORY;
}

static const struct ncs_call *memory_end_of(const struct ncs_call *allocation)
{
    const void *base = ncs_call_arg(allocation, NCS_ARG_MEMORY_OUT)->p;
    for (const struct ncs_call *c = allocation->newer; c; c = c->newer) {
        const union ncs_arg *memory = c->rank == allocation->rank && frees(c) ? ncs_call_arg(c, NCS_ARG_MEMORY) : NULL;
        if (memory && memory->p == base && !c->ending && !(c->returned && c->rc))
            return c;
    }
    return NULL;
}

static const char *memory_role_of(enum ncs_kind kind, const char *why)
{
    static const struct {
        enum ncs_kind kind;
        const char *role;
    } roles[] = { { NCS_ARG_IN, "send buffer" }, { NCS_ARG_OUT, "receive buffer" }, { NCS_ARG_INOUT, "buffer" } };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (roles[i].kind == kind)
            return !why || !strstr(why, "buffer") || strstr(why, roles[i].role) ? roles[i].role : NULL;
    return NULL;
}

/* How many bytes of the argument the call moves; 0 = not known, or they do not fit. */
static int64_t memory_extent_of(const struct ncs_call *call, enum ncs_kind kind, int nranks)
{
    int64_t bytes;
    size_t times = kind == NCS_ARG_OUT ? ncs_call_writes(call, nranks) : ncs_call_reads(call, nranks);
    bool moves = (kind == NCS_ARG_IN || kind == NCS_ARG_OUT) && nranks > 0 && ncs_call_dtype(call) >= 0;
    bool fits = moves && !__builtin_mul_overflow(times, ncs_call_count(call), &times) &&
                !__builtin_mul_overflow(times, ncs_dtype_bytes(ncs_call_dtype(call)), &bytes);
    return fits ? bytes : 0;
}

/* Behind `before`: of what memory the address is, and as what it is used. role NULL = as the scalar of the call's operator, which
 * is read on the device when the operation runs. */
static struct ncs_sentence *say_memory_of(const struct ncs_analysis *q, const struct ncs_call *call, const void *address,
                                          const char *role, enum ncs_kind kind, struct ncs_sentence *before, bool *freed)
{
    const struct ncs_call *made = allocation_of(q, call, address), *end = made ? memory_end_of(made) : NULL;
    int nranks = call->comm >= 0 ? q->journal->comm[call->comm]->nranks : 0;
    *freed |= end != NULL;
    return ncs_say(
        memory, ncs_fact_sentence("before", before), ncs_fact_text("role", role), ncs_fact_is("counted", ncs_call_count(call)),
        ncs_fact_is("writes", kind == NCS_ARG_OUT), ncs_fact_number("bytes", role ? memory_extent_of(call, kind, nranks) : 0),
        ncs_fact_call("made", q->journal, made), ncs_fact_text("label", made ? made->label : NULL),
        ncs_fact_number("size", made ? (int64_t)ncs_call_arg(made, NCS_ARG_BYTES)->u : 0),
        ncs_fact_number("from", made ? (const char *)address - (const char *)ncs_call_arg(made, NCS_ARG_MEMORY_OUT)->p : 0),
        ncs_fact_call("freed", q->journal, end));
}

struct ncs_sentence *ncs_say_memory(const struct ncs_analysis *q, const struct ncs_call *call, const char *why, bool *freed)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    struct ncs_sentence *all = NULL;
    const void *seen = NULL;
    if (why && strstr(why, "window"))
        return NULL; /* the reason is about the peer's memory */
    if (why && strstr(why, "scalar") && call->redop && call->redop->on_device)
        return say_memory_of(q, call, call->redop->pointer, NULL, 0, NULL, freed);
    for (int i = 0; i < info->nargs; i++) {
        const char *role = memory_role_of(info->arg[i].kind, why);
        const void *address = call->arg[i].p;
        if (!role || !address || address == seen)
            continue;
        all = say_memory_of(q, call, address, role, info->arg[i].kind, all, freed);
        seen = address;
    }
    return all;
}
