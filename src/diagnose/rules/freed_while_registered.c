/* Memory is freed while a registration, a window or an import by another process refers to it. NCCL and CUDA
 * keep their mappings of it, and a later use of them is undefined (CUDA runtime API, cudaIpcCloseMemHandle;
 * read in NCCL 2.30.7, src/register/register.cc: the cached registration serves any later memory there). */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* A put into a window whose memory is freed ends with an illegal access. */
const struct ncs_call *const *ncs_stale_target(const struct ncs_analysis *q, const struct ncs_notice *fault)
{
    const struct ncs_call *put = fault->kind == NCS_NOTICE_FAULT && fault->calls ? fault->call[0] : NULL;
    if (!put || put->fn != NCS_FN_ncclPutSignal || put->comm < 0)
        return NULL;
    const char *target = ncs_journal_target(q->journal, put);
    for (size_t i = 0; target && i < q->notices; i++) {
        const struct ncs_notice *n = &q->notice[i];
        for (size_t k = 0; n->kind == NCS_NOTICE_STALE && k + 1 < n->calls; k += 2) {
            const struct ncs_call *made = n->call[k + 1];
            if (made->fn != NCS_FN_ncclCommWindowRegister || made->comm != put->comm || made->comm_rank != ncs_call_peer(put))
                continue;
            const char *from = ncs_call_arg(made, NCS_ARG_MEMORY)->p;
            if (target >= from && (uint64_t)(target - from) < ncs_call_arg(made, NCS_ARG_BYTES)->u)
                return (const struct ncs_call *const *)&n->call[k];
        }
    }
    return NULL;
}

/* Fills all but the certainty. put: it writes to the memory; NULL = nothing does. */
static void stale_fill(const struct ncs_analysis *q, const struct ncs_call *const *pair, size_t calls, const struct ncs_call *put,
                       struct ncs_draft *d)
{
    const struct ncs_call *freed = pair[0], *made = pair[1];
    bool import = made->fn == NCS_FN_cudaIpcOpenMemHandle, window = made->fn == NCS_FN_ncclCommWindowRegister;
    for (size_t k = 0; k + 1 < calls; k += 2)
        ncs_add_culprit(d, pair[k]->rank, 0, pair[k]->place.line);
    d->order = freed->id;
    d->f.comm = made->comm >= 0 ? ncs_copy_text(ncs_comm_name(q, made->comm)) : NULL;
    d->f.why = ncs_say(freed_while_registered_why, ncs_fact_culprits("who", d), ncs_fact_call("freed", q->journal, freed),
                       ncs_fact_call("made", q->journal, made), ncs_fact_is("import", import), ncs_fact_is("window", window),
                       ncs_fact_call("put", q->journal, put));
    d->f.fix = ncs_say(freed_while_registered_fix, ncs_fact_is("import", import), ncs_fact_is("window", window));
    d->f.evidence = ncs_say(freed_while_registered_evidence);
}

static bool stale_is_used(const struct ncs_analysis *q, const struct ncs_notice *stale)
{
    for (size_t i = 0; i < q->notices; i++) {
        const struct ncs_call *const *pair = ncs_stale_target(q, &q->notice[i]);
        if (pair && pair >= (const struct ncs_call *const *)stale->call &&
            pair < (const struct ncs_call *const *)stale->call + stale->calls)
            return true;
    }
    return false;
}

static bool freed_while_registered_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind == NCS_CAUSE_STALE && !stale_is_used(q, r->notice)) {
        const struct ncs_call *const *pair = (const struct ncs_call *const *)r->notice->call;
        stale_fill(q, pair, r->notice->calls, NULL, d);
        d->f.certainty = NCS_UNDEFINED;
        d->f.title = ncs_text("memory freed at line %d is still %s", pair[0]->place.line,
                              pair[1]->fn == NCS_FN_cudaIpcOpenMemHandle ? "mapped" : "registered");
        return true;
    }
    const struct ncs_call *const *pair = r->kind == NCS_CAUSE_NOTICE ? ncs_stale_target(q, r->notice) : NULL;
    if (!pair)
        return false;
    const struct ncs_call *put = r->notice->call[0];
    stale_fill(q, pair, 2, put, d);
    d->f.certainty = NCS_CERTAIN;
    d->f.call = put->number;
    ncs_set_title(q, d, put);
    ncs_add_row(d, put->rank, put->place.line, ncs_say(freed_while_registered_put));
    ncs_add_row(d, pair[0]->rank, pair[0]->place.line, ncs_say(freed_while_registered_freed));
    return true;
}

const struct ncs_rule ncs_rule_freed_while_registered = { .match = freed_while_registered_match,
                                                          .ground = NCS_GROUND_NOTICED,
                                                          .by_title = true };
