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

/* "that has been in a window of world since line 4" */
static void stale_format_holder(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_call *made)
{
    bool import = made->fn == NCS_FN_cudaIpcOpenMemHandle, window = made->fn == NCS_FN_ncclCommWindowRegister;
    if (import)
        ncs_str_addf(s, "that rank %d has mapped", made->rank);
    else
        ncs_str_addf(s, "that has been %s %s", window ? "in a window of" : "registered on", ncs_comm_name(q, made->comm));
    if (made->place.line)
        ncs_str_addf(s, " since line %d", made->place.line);
}

static const char *stale_remedy(const struct ncs_call *made)
{
    if (made->fn == NCS_FN_cudaIpcOpenMemHandle)
        return "let every process that has mapped it call cudaIpcCloseMemHandle first";
    return made->fn == NCS_FN_ncclCommWindowRegister ? "deregister the window before you free its memory"
                                                     : "deregister the buffer before you free it";
}

/* Fills all but the certainty. */
static void stale_fill(const struct ncs_analysis *q, const struct ncs_call *const *pair, size_t calls, struct ncs_draft *d,
                       struct ncs_str *s)
{
    const struct ncs_call *freed = pair[0], *made = pair[1];
    for (size_t k = 0; k + 1 < calls; k += 2)
        ncs_add_culprit(d, pair[k]->rank, 0, pair[k]->place.line);
    ncs_add_fact(s, ncs_fact_culprits("who", d));
    ncs_str_addf(s, " %s memory", d->f.culprits == 1 ? "frees" : "free");
    ncs_format_place(s, freed);
    ncs_str_add(s, " ");
    stale_format_holder(q, s, made);
    d->order = freed->id;
    d->f.comm = made->comm >= 0 ? ncs_copy_text(ncs_comm_name(q, made->comm)) : NULL;
    d->f.fix = ncs_plain(ncs_copy_text(stale_remedy(made)));
    d->f.evidence = ncs_plain(ncs_copy_text("by the calls that make and free"));
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
    struct ncs_str s = { 0 };
    if (r->kind == NCS_CAUSE_STALE && !stale_is_used(q, r->notice)) {
        const struct ncs_call *const *pair = (const struct ncs_call *const *)r->notice->call;
        stale_fill(q, pair, r->notice->calls, d, &s);
        d->f.certainty = NCS_UNDEFINED;
        d->f.title = ncs_text("memory freed at line %d is still %s", pair[0]->place.line,
                              pair[1]->fn == NCS_FN_cudaIpcOpenMemHandle ? "mapped" : "registered");
        d->f.why = ncs_plain(ncs_str_take(&s));
        return true;
    }
    const struct ncs_call *const *pair = r->kind == NCS_CAUSE_NOTICE ? ncs_stale_target(q, r->notice) : NULL;
    if (!pair)
        return false;
    const struct ncs_call *put = r->notice->call[0];
    stale_fill(q, pair, 2, d, &s);
    ncs_str_addf(&s, ", and rank %d's put", put->rank);
    ncs_format_place(&s, put);
    ncs_str_add(&s, " writes there");
    d->f.certainty = NCS_CERTAIN;
    d->f.call = put->number;
    ncs_set_title(q, d, put);
    ncs_add_row(d, put->rank, put->place.line, ncs_plain(ncs_copy_text("puts into this memory")));
    ncs_add_row(d, pair[0]->rank, pair[0]->place.line, ncs_plain(ncs_copy_text("frees the memory of its window")));
    d->f.why = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_freed_while_registered = { .match = freed_while_registered_match,
                                                          .ground = NCS_GROUND_NOTICED,
                                                          .by_title = true };
