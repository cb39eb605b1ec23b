/* Statements of Lua for steps that are no plain calls: keys and barriers of hosts, signals, failed calls, and calls that make
 * communicators and windows and wait for a rank that does not come. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "reproduce/workload.h"

void ncs_workload_add_quoted(struct ncs_str *out, const char *text, bool yaml)
{
    ncs_str_add(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            ncs_str_addf(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            ncs_str_addf(out, yaml ? "\\u%04x" : "\\%03d", c);
        else
            ncs_str_add_bytes(out, text, 1);
    }
    ncs_str_add(out, "\"");
}

/* ---- hosts ---- */

static void add_key(struct ncs_str *out, const char *key)
{
    struct ncs_str line = { 0 };
    ncs_workload_add_line(&line, key ? key : "");
    ncs_workload_add_quoted(out, line.text, false);
    ncs_str_free(&line);
}

/* "ranks 0, 2, 5..7" as "{ 0, 2, 5, 6, 7 }". Nothing for all ranks. */
static void add_barrier_ranks(struct ncs_str *out, const char *what, int ranks)
{
    struct ncs_str list = { 0 };
    int count = 0;
    for (const char *c = what ? what : ""; *c;) {
        if (!isdigit((unsigned char)*c)) {
            c++;
            continue;
        }
        char *end;
        long first = strtol(c, &end, 10), last = first;
        if (strncmp(end, "..", 2) == 0)
            last = strtol(end + 2, &end, 10);
        for (long r = first; r <= last && r < ranks; r++)
            ncs_str_addf(&list, "%s%ld", count++ ? ", " : "", r);
        c = end;
    }
    if (count > 0 && count < ranks)
        ncs_str_addf(out, "{ ranks = { %s } }", list.text);
    ncs_str_free(&list);
}

char *ncs_workload_host_text(const struct ncs_host_step *step, int ranks)
{
    struct ncs_str out = { 0 };
    switch (step->kind) {
    case NCS_HOST_BARRIER:
        ncs_str_add(&out, "barrier(");
        add_barrier_ranks(&out, step->what, ranks);
        ncs_str_add(&out, ")");
        break;
    case NCS_HOST_SET:
        ncs_str_add(&out, "store:set(");
        add_key(&out, step->what);
        ncs_str_add(&out, ", true)");
        break;
    case NCS_HOST_ADD:
        ncs_str_add(&out, "store:add(");
        add_key(&out, step->what);
        ncs_str_add(&out, ", 1)");
        break;
    case NCS_HOST_GET:
        ncs_str_add(&out, "store:get(");
        add_key(&out, step->what);
        ncs_str_add(&out, ")");
        break;
    case NCS_HOST_SPAWN: return NULL;
    }
    return ncs_str_take(&out);
}

/* ---- signals ---- */

char *ncs_workload_signal_text(const struct ncs_call *call, bool on_stream)
{
    struct ncs_str out = { 0 };
    size_t count = 0;
    const ncclWaitSignalDesc_t *wait = ncs_call_waits(call, &count);
    const char *stream = on_stream ? "{ stream = " NCS_TEXT_STREAM " }" : "";
    if (call->fn != NCS_FN_ncclWaitSignal) {
        ncs_str_addf(&out, "%s:signal(%s%s%s)", NCS_TEXT_COMM, NCS_TEXT_PARTNER, *stream ? ", " : "", stream);
        return ncs_str_take(&out);
    }
    if (!wait || count == 0)
        return NULL;
    ncs_str_addf(&out, "%s:wait_signal(", NCS_TEXT_COMM);
    if (count == 1 && wait->opCnt == 1) {
        ncs_str_add(&out, NCS_TEXT_PARTNER);
    } else {
        ncs_str_add(&out, "{");
        for (size_t i = 0; i < count; i++) {
            ncs_str_add(&out, i ? ", { peer = " : " { peer = ");
            if (count == 1)
                ncs_str_add(&out, NCS_TEXT_PARTNER);
            else
                ncs_str_addf(&out, "%d", wait[i].peer);
            ncs_str_addf(&out, ", op_cnt = %d }", wait[i].opCnt);
        }
        ncs_str_add(&out, " }");
    }
    ncs_str_addf(&out, "%s%s)", *stream ? ", " : "", stream);
    return ncs_str_take(&out);
}

/* ---- failed calls ---- */

/* True if the arguments are wrong in every run: others fail because of what went before. */
static bool fails_by_arguments(const struct ncs_call *call, int nranks)
{
    int number, peer = ncs_call_peer(call), dtype = ncs_call_dtype(call), op = ncs_call_op(call);
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    bool no_memory = (info->at[NCS_ARG_IN] && !ncs_call_sendbuff(call)) || (info->at[NCS_ARG_OUT] && !ncs_call_recvbuff(call));
    return call->comm < 0 || ncs_call_stray(call, nranks, &number) || (info->pair && peer == call->comm_rank) ||
           (info->at[NCS_ARG_DTYPE] && (dtype < 0 || dtype >= ncclNumTypes)) ||
           (info->at[NCS_ARG_REDOP] && (op < 0 || op >= ncclNumOps)) || (no_memory && ncs_call_count(call) > 0);
}

/* Appends an argument that fails as that of the program did. False if the kind has no such text. */
static bool add_failed_argument(struct ncs_str *out, const struct ncs_call *call, int at, bool has_comm)
{
    switch (ncs_fn_info[call->fn].arg[at].kind) {
    case NCS_ARG_IN:
    case NCS_ARG_OUT:
    case NCS_ARG_INOUT: ncs_str_add(out, call->arg[at].p ? "cuda.buffer(\"float32\", 16)" : "nil"); return true;
    case NCS_ARG_COUNT: ncs_str_addf(out, "%llu", (unsigned long long)call->arg[at].u); return true;
    case NCS_ARG_COMM: ncs_str_add(out, has_comm ? NCS_TEXT_COMM : "nil"); return true;
    case NCS_ARG_STREAM: ncs_str_add(out, NCS_TEXT_STREAM); return true;
    case NCS_ARG_DTYPE:
    case NCS_ARG_REDOP:
    case NCS_ARG_ROOT:
    case NCS_ARG_PEER:
    case NCS_ARG_INT:
    case NCS_ARG_FLAGS: ncs_str_addf(out, "%lld", (long long)call->arg[at].i); return true;
    default: return false;
    }
}

char *ncs_workload_failed_text(const struct ncs_call *call, int nranks, bool has_ended)
{
    struct ncs_str out = { 0 };
    bool fits = has_ended || fails_by_arguments(call, nranks), has_comm = call->comm >= 0;
    ncs_str_addf(&out, "C.%s(", ncs_fn_info[call->fn].name);
    for (int i = 0; i < ncs_fn_info[call->fn].nargs && fits; i++) {
        ncs_str_add(&out, i ? ", " : "");
        fits = add_failed_argument(&out, call, i, has_comm);
    }
    ncs_str_add(&out, ")");
    if (!fits)
        ncs_str_clear(&out);
    char *text = fits ? ncs_str_take(&out) : NULL;
    ncs_str_free(&out);
    return text;
}

/* ---- communicators and windows ---- */

char *ncs_workload_collective_text(const struct ncs_call *call)
{
    struct ncs_str out = { 0 };
    const union ncs_arg *color = ncs_call_arg(call, NCS_ARG_COLOR);
    if (call->fn == NCS_FN_ncclCommRevoke || call->fn == NCS_FN_ncclCommSuspend || call->fn == NCS_FN_ncclCommResume)
        ncs_str_addf(&out, "%s:%s()", NCS_TEXT_COMM,
                     call->fn == NCS_FN_ncclCommRevoke    ? "revoke"
                     : call->fn == NCS_FN_ncclCommSuspend ? "suspend"
                                                          : "resume");
    else if (call->fn == NCS_FN_ncclCommWindowRegister)
        ncs_str_addf(&out, "%s:window(cuda.buffer(\"float32\", 16, { memory = \"nccl\" }), { symmetric = true })", NCS_TEXT_COMM);
    else if (color && color->i < 0)
        ncs_str_addf(&out, "%s:split { color = nccl.NOCOLOR }", NCS_TEXT_COMM);
    else
        ncs_str_addf(&out, "%s:split { color = %lld }", NCS_TEXT_COMM, color ? (long long)color->i : 0);
    return ncs_str_take(&out);
}

char *ncs_workload_illegal_text(const struct ncs_workload_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    struct ncs_str out = { 0 };
    ncs_str_addf(&out, "C.%s(", info->name);
    for (int i = 0; i < info->nargs; i++) {
        ncs_str_add(&out, i ? ", " : "");
        switch (info->arg[i].kind) {
        case NCS_ARG_IN:
        case NCS_ARG_OUT:
        case NCS_ARG_INOUT: ncs_str_add(&out, "cuda.buffer(\"int8\", 1)"); break;
        case NCS_ARG_COUNT: ncs_str_add(&out, NCS_TEXT_COUNT); break;
        case NCS_ARG_DTYPE: ncs_str_addf(&out, "%d", call->dtype); break;
        case NCS_ARG_REDOP: ncs_str_addf(&out, "%d", call->op); break;
        case NCS_ARG_ROOT:
        case NCS_ARG_PEER: ncs_str_add(&out, NCS_TEXT_PARTNER); break;
        case NCS_ARG_COMM: ncs_str_add(&out, NCS_TEXT_COMM); break;
        case NCS_ARG_STREAM: ncs_str_add(&out, NCS_TEXT_STREAM); break;
        default: ncs_str_add(&out, "0");
        }
    }
    ncs_str_add(&out, ")");
    return ncs_str_take(&out);
}

char *ncs_workload_init_text(const struct ncs_call *call, int rank, int ranks)
{
    struct ncs_str out = { 0 };
    const union ncs_arg *nranks = ncs_call_arg(call, NCS_ARG_NRANKS), *own = ncs_call_arg(call, NCS_ARG_RANK);
    if (!nranks || !own)
        return NULL;
    ncs_str_add(&out, "nccl.init_rank(");
    if (nranks->i == ranks)
        ncs_str_add(&out, "nranks");
    else
        ncs_str_addf(&out, "%lld", (long long)nranks->i);
    ncs_str_addf(&out, ", store:get(\"id %d\"), ", call->comm + 1);
    if (own->i == rank)
        ncs_str_add(&out, "rank)");
    else
        ncs_str_addf(&out, "%lld)", (long long)own->i);
    return ncs_str_take(&out);
}
