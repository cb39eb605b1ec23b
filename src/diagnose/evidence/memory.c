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

/* ", of which it reads 4096 bytes,". Adds nothing if the number of bytes is not known or does not fit. */
static void memory_format_extent(struct ncs_str *s, const struct ncs_call *call, enum ncs_kind kind, int nranks)
{
    size_t times = kind == NCS_ARG_OUT ? ncs_call_writes(call, nranks) : ncs_call_reads(call, nranks);
    size_t bytes = ncs_call_dtype(call) < 0 ? 0 : ncs_dtype_bytes(ncs_call_dtype(call));
    bool moves = kind == NCS_ARG_IN || kind == NCS_ARG_OUT;
    if (moves && nranks > 0 && !__builtin_mul_overflow(times, ncs_call_count(call), &times) &&
        !__builtin_mul_overflow(times, bytes, &bytes) && bytes)
        ncs_str_addf(s, ", of which it %s %zu bytes,", kind == NCS_ARG_OUT ? "writes" : "reads", bytes);
}

static void memory_format_origin(struct ncs_str *s, const struct ncs_analysis *q, const struct ncs_call *call,
                                 const void *address)
{
    const struct ncs_call *made = allocation_of(q, call, address);
    if (!made) {
        ncs_str_add(s, "is no address of an allocation of this rank");
        return;
    }
    const struct ncs_call *freed = memory_end_of(made);
    uint64_t all = ncs_call_arg(made, NCS_ARG_BYTES)->u;
    const void *base = ncs_call_arg(made, NCS_ARG_MEMORY_OUT)->p;
    uint64_t from = (uint64_t)((uintptr_t)address - (uintptr_t)base);
    ncs_str_add(s, "is memory");
    if (made->label)
        ncs_str_addf(s, " \"%s\"", made->label);
    ncs_str_addf(s, " of %llu bytes", (unsigned long long)all);
    if (from)
        ncs_str_addf(s, " (from byte %llu on)", (unsigned long long)from);
    if (made->place.line)
        ncs_str_addf(s, " allocated at line %d", made->place.line);
    if (!freed)
        return;
    ncs_str_add(s, " and freed");
    ncs_format_place(s, freed);
    ncs_str_addf(s, " (%s)", ncs_fn_info[freed->fn].name);
}

/* The scalar of the call's operator, which is read on the device when the operation runs. */
static bool memory_format_scalar(const struct ncs_analysis *q, const struct ncs_call *call, struct ncs_str *s)
{
    const struct ncs_call *made = allocation_of(q, call, call->redop->pointer);
    ncs_str_add(s, "; the scalar ");
    memory_format_origin(s, q, call, call->redop->pointer);
    return made && memory_end_of(made);
}

bool ncs_format_memory(const struct ncs_analysis *q, const struct ncs_call *call, const char *why, struct ncs_str *s)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    int nranks = call->comm >= 0 ? q->journal->comm[call->comm]->nranks : 0;
    bool freed = false;
    const void *seen = NULL;
    if (why && strstr(why, "window"))
        return false; /* the reason is about the peer's memory */
    if (why && strstr(why, "scalar") && call->redop && call->redop->on_device)
        return memory_format_scalar(q, call, s);
    for (int i = 0; i < info->nargs; i++) {
        const char *role = memory_role_of(info->arg[i].kind, why);
        const void *address = call->arg[i].p;
        if (!role || !address || address == seen)
            continue;
        const struct ncs_call *made = allocation_of(q, call, address);
        freed |= made && memory_end_of(made);
        ncs_str_addf(s, "; %s %s", ncs_call_count(call) ? "its" : "the", role);
        memory_format_extent(s, call, info->arg[i].kind, nranks);
        ncs_str_add(s, " ");
        memory_format_origin(s, q, call, address);
        seen = address;
    }
    return freed;
}
