/* Reads a recorded call: its arguments by role, its description. */
#include "api/journal.h"

#include <string.h>

#include "api/journal_private.h"
#include "api/types.h"
#include "base/mem.h"
#include "base/str.h"

size_t ncs_call_bytes(enum ncs_fn fn)
{
    return offsetof(struct ncs_call, arg) + ncs_fn_info[fn].nargs * sizeof(union ncs_arg);
}

struct ncs_call ncs_call_copy(const struct ncs_call *call)
{
    struct ncs_call copy = { 0 };
    memcpy(&copy, call, ncs_call_bytes(call->fn));
    return copy;
}

struct ncs_call_rare *ncs_call_add_rare(struct ncs_call *call)
{
    if (!call->rare)
        call->rare = ncs_new(sizeof *call->rare);
    return call->rare;
}

const char *ncs_call_stray(const struct ncs_call *call, int nranks, int *number)
{
    static const struct {
        enum ncs_kind kind;
        const char *name;
    } roles[] = {
        { NCS_ARG_ROOT, "root" },
        { NCS_ARG_PEER, "peer" },
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const union ncs_arg *arg = ncs_call_arg(call, roles[i].kind);
        *number = arg ? (int)arg->i : 0;
        if (arg && nranks > 0 && (*number < 0 || *number >= nranks))
            return roles[i].name;
    }
    return NULL;
}

const ncclWaitSignalDesc_t *ncs_call_waits(const struct ncs_call *call, size_t *count)
{
    const union ncs_arg *list = ncs_call_arg(call, NCS_ARG_WAITS);

    *count = list && list->p ? (size_t)ncs_call_arg(call, NCS_ARG_ITEMS)->i : 0;
    return list ? list->p : NULL;
}

bool ncs_call_is_immediate(const struct ncs_call *call, int nranks)
{
    return nranks == 1 && ncs_call_is_collective(call);
}

/* ---- extents ---- */

size_t ncs_block_count(enum ncs_blocks blocks, bool is_root, int nranks)
{
    if (blocks == NCS_BLOCKS_NONE || (ncs_blocks_are_roots(blocks) && !is_root))
        return 0;
    return ncs_blocks_are_many(blocks) ? (size_t)nranks : 1;
}

static size_t count_blocks(const struct ncs_call *call, int nranks, enum ncs_blocks blocks)
{
    return ncs_block_count(blocks, ncs_call_root(call) == call->comm_rank, nranks);
}

size_t ncs_call_reads(const struct ncs_call *call, int nranks)
{
    return count_blocks(call, nranks, ncs_fn_info[call->fn].reads);
}

size_t ncs_call_writes(const struct ncs_call *call, int nranks)
{
    return count_blocks(call, nranks, ncs_fn_info[call->fn].writes);
}

static void call_add_name(struct ncs_str *out, const char *name, const char *role, int value)
{
    if (name)
        ncs_str_addf(out, " %s", name);
    else
        ncs_str_addf(out, " %s %d", role, value);
}

static void call_add_waits(struct ncs_str *out, const struct ncs_call *call)
{
    size_t count;
    const ncclWaitSignalDesc_t *d = ncs_call_waits(call, &count);

    for (size_t i = 0; i < count && i < 8; i++) {
        ncs_str_addf(out, "%s%d", i ? ", " : " from ", d[i].peer);
        if (d[i].opCnt == 2)
            ncs_str_add(out, " twice");
        else if (d[i].opCnt != 1)
            ncs_str_addf(out, " %d times", d[i].opCnt);
    }
    if (count > 8)
        ncs_str_add(out, ", ...");
}

void ncs_call_describe(const struct ncs_call *call, struct ncs_str *out)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    int dtype = ncs_call_dtype(call), op = ncs_call_op(call);

    if (!info->counted) {
        ncs_str_add(out, info->name);
        return;
    }
    if (call->unsaid & NCS_UNSAID_KIND) {
        ncs_str_add(out, "a collective");
        return;
    }
    ncs_str_add(out, ncs_fn_info[info->same].name + strlen("nccl"));
    if (ncs_call_arg(call, NCS_ARG_COUNT)) {
        if (!(call->unsaid & NCS_UNSAID_DTYPE))
            call_add_name(out, ncs_dtype_name(dtype), "dtype", dtype);
        if (!(call->unsaid & NCS_UNSAID_COUNT))
            ncs_str_addf(out, " x %zu", ncs_call_count(call));
    }
    if (ncs_call_arg(call, NCS_ARG_REDOP) && !(call->unsaid & NCS_UNSAID_OP))
        call_add_name(out, ncs_redop_name(op), "op", op);
    if (ncs_call_arg(call, NCS_ARG_ROOT) && !(call->unsaid & NCS_UNSAID_ROOT))
        ncs_str_addf(out, " root %d", ncs_call_root(call));
    if (ncs_call_arg(call, NCS_ARG_PEER))
        ncs_str_addf(out, " %s %d", call->fn == NCS_FN_ncclRecv ? "from" : "to", ncs_call_peer(call));
    call_add_waits(out, call);
}
