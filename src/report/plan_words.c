#include "report/plan_words.h"

#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/quantity.h"

const struct ncs_call_plan_memory *ncs_call_plan_find(const struct ncs_call_words *w, const void *p)
{
    uintptr_t at = (uintptr_t)p;
    for (size_t i = w->memories; i > 0; i--) {
        const struct ncs_call_plan_memory *m = &w->memory[i - 1];
        if (at >= m->base && at < m->base + (m->bytes ? m->bytes : 1))
            return m;
    }
    return NULL;
}

void ncs_call_words_free(struct ncs_call_words *w)
{
    ncs_free(w->memory);
    ncs_free(w->streams.handle);
    ncs_free(w->events.handle);
    ncs_free(w->windows.handle);
    ncs_free(w->others.handle);
    *w = (struct ncs_call_words){ 0 };
}

/* ---- names ---- */

static void add_thing(struct ncs_call_plan_things *t, const char *kind, const void *handle, struct ncs_str *out)
{
    size_t i = 0;
    while (i < t->count && t->handle[i] != handle)
        i++;
    if (i == t->count)
        NCS_PUSH(t->handle, t->count, t->room, handle);
    ncs_str_addf(out, "%s %zu", kind, i + 1);
}

static void plan_words_add_stream(struct ncs_call_words *w, const void *stream, struct ncs_str *out)
{
    if (!stream || stream == (const void *)cudaStreamLegacy)
        ncs_str_add(out, "legacy stream");
    else if (stream == (const void *)cudaStreamPerThread)
        ncs_str_add(out, "per-thread stream");
    else
        add_thing(&w->streams, "stream", stream, out);
}

static void plan_words_add_memory(const struct ncs_call_words *w, const void *p, struct ncs_str *out)
{
    char size[40];
    const struct ncs_call_plan_memory *m = ncs_call_plan_find(w, p);
    if (!m) {
        ncs_str_add(out, p ? "host memory" : "NULL");
        return;
    }
    ncs_str_addf(out, "buffer %d", m->number);
    if ((uintptr_t)p > m->base)
        ncs_str_addf(out, " + %s", ncs_format_size((uintptr_t)p - m->base, size, sizeof size));
}

static void plan_words_add_comm(const struct ncs_journal *j, const struct ncs_call *call, struct ncs_str *out)
{
    ncs_str_add(out, call->comm >= 0 ? j->comm[call->comm]->name : "an unknown communicator");
}

/* ---- communication ---- */

static void plan_words_add_operands(const struct ncs_call_words *w, const struct ncs_call *call, struct ncs_str *out)
{
    const void *send = ncs_call_sendbuff(call), *recv = ncs_call_recvbuff(call);
    bool sends = call->fn == NCS_FN_ncclSend || call->fn == NCS_FN_ncclPutSignal;
    if (ncs_call_is_one_sided(call) && !sends)
        return;
    ncs_str_add(out, ", ");
    if (sends) {
        plan_words_add_memory(w, send, out);
    } else if (call->fn == NCS_FN_ncclRecv) {
        ncs_str_add(out, "into ");
        plan_words_add_memory(w, recv, out);
    } else if (send == recv) {
        plan_words_add_memory(w, send, out);
        ncs_str_add(out, " in place");
    } else {
        plan_words_add_memory(w, send, out);
        ncs_str_add(out, " to ");
        plan_words_add_memory(w, recv, out);
    }
}

static void describe_counted(struct ncs_call_words *w, const struct ncs_journal *j, const struct ncs_call *call,
                             struct ncs_str *out)
{
    plan_words_add_comm(j, call, out);
    ncs_str_add(out, ": ");
    ncs_call_describe(call, out);
    plan_words_add_operands(w, call, out);
    ncs_str_add(out, ", ");
    plan_words_add_stream(w, ncs_call_stream(call), out);
}

/* ---- other calls, by the kinds of their arguments ---- */

static void plan_words_add_number(const char *name, int64_t value, struct ncs_str *out)
{
    ncs_str_addf(out, " %s %lld", name, (long long)value);
}

static void add_argument(struct ncs_call_words *w, const struct ncs_journal *j, const struct ncs_call *call, int i,
                         struct ncs_str *out)
{
    const struct ncs_fn_arg *info = &ncs_fn_info[call->fn].arg[i];
    const union ncs_arg *arg = &call->arg[i];
    char size[40];
    switch (info->kind) {
    case NCS_ARG_IN:
    case NCS_ARG_OUT:
    case NCS_ARG_INOUT:
    case NCS_ARG_MEMORY:
        ncs_str_add(out, " ");
        plan_words_add_memory(w, arg->p, out);
        break;
    case NCS_ARG_BYTES: ncs_str_addf(out, " %s", ncs_format_size(arg->u, size, sizeof size)); break;
    case NCS_ARG_COUNT: ncs_str_addf(out, " x %llu", (unsigned long long)arg->u); break;
    case NCS_ARG_DTYPE: ncs_str_addf(out, " %s", ncs_dtype_name((int)arg->i) ? ncs_dtype_name((int)arg->i) : "?"); break;
    case NCS_ARG_REDOP: ncs_str_addf(out, " %s", ncs_redop_name((int)arg->i) ? ncs_redop_name((int)arg->i) : "op"); break;
    case NCS_ARG_COMM:
        ncs_str_add(out, " ");
        plan_words_add_comm(j, call, out);
        break;
    case NCS_ARG_STREAM:
        ncs_str_add(out, " ");
        plan_words_add_stream(w, arg->p, out);
        break;
    case NCS_ARG_EVENT:
        ncs_str_add(out, " ");
        add_thing(&w->events, "event", arg->p, out);
        break;
    case NCS_ARG_WINDOW:
        ncs_str_add(out, " ");
        add_thing(&w->windows, "window", arg->p, out);
        break;
    case NCS_ARG_REGISTRATION:
        ncs_str_add(out, " ");
        add_thing(&w->others, "registration", arg->p, out);
        break;
    case NCS_ARG_COLOR:
        if (arg->i < 0)
            ncs_str_add(out, " no color");
        else
            plan_words_add_number("color", arg->i, out);
        break;
    case NCS_ARG_NRANKS: ncs_str_addf(out, " %lld ranks", (long long)arg->i); break;
    case NCS_ARG_RANK: /* mostly the rank whose plan or row this is */
        if (arg->i != call->rank)
            plan_words_add_number(info->name, arg->i, out);
        break;
    case NCS_ARG_DEVICE:
    case NCS_ARG_ROOT:
    case NCS_ARG_PEER: plan_words_add_number(info->name, arg->i, out); break;
    case NCS_ARG_INT: plan_words_add_number(info->name, arg->i, out); break;
    case NCS_ARG_SECONDS: ncs_str_addf(out, " %g s", arg->d); break;
    default: /* structs, lists and out-parameters are gone by now */ break;
    }
}

static bool is_of_copy(enum ncs_kind kind)
{
    return kind == NCS_ARG_OUT || kind == NCS_ARG_IN || kind == NCS_ARG_BYTES;
}

/* Forgets freed memory, because its address may be reused. */
static void unlearn(struct ncs_call_words *w, const struct ncs_call *call)
{
    for (size_t i = 0; i < w->memories; i++)
        if (w->memory[i].base == (uintptr_t)call->arg[0].p)
            w->memory[i].base = UINTPTR_MAX;
}

static void learn(struct ncs_call_words *w, const struct ncs_call *call, struct ncs_str *out)
{
    const union ncs_arg *memory = ncs_call_arg(call, NCS_ARG_MEMORY_OUT);
    const union ncs_arg *bytes = ncs_call_arg(call, NCS_ARG_BYTES);
    if (strstr(ncs_fn_info[call->fn].name, "Free"))
        unlearn(w, call);
    if (!memory || !memory->p || !bytes)
        return;
    struct ncs_call_plan_memory m = { (uintptr_t)memory->p, bytes->u, ++w->allocated };
    NCS_PUSH(w->memory, w->memories, w->room, m);
    ncs_str_addf(out, ": buffer %d", m.number);
}

void ncs_call_plan_describe(struct ncs_call_words *w, const struct ncs_journal *j, const struct ncs_call *call,
                            struct ncs_str *out)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    if (info->counted) {
        describe_counted(w, j, call, out);
        return;
    }
    ncs_str_add(out, info->name);
    const union ncs_arg *to = ncs_call_arg(call, NCS_ARG_OUT), *from = ncs_call_arg(call, NCS_ARG_IN);
    if (to && from) {
        const union ncs_arg *bytes = ncs_call_arg(call, NCS_ARG_BYTES);
        char size[40];
        if (bytes)
            ncs_str_addf(out, " %s", ncs_format_size(bytes->u, size, sizeof size));
        ncs_str_add(out, " from ");
        plan_words_add_memory(w, from->p, out);
        ncs_str_add(out, " to ");
        plan_words_add_memory(w, to->p, out);
    }
    for (int i = 0; i < info->nargs; i++)
        if (!(to && from) || !is_of_copy(info->arg[i].kind))
            add_argument(w, j, call, i, out);
    learn(w, call, out);
}
