/* Edits for calls that disagree: arguments become those of a call that is right. */
#include "api/types.h"
#include "diagnose/repair/repair.h"

/* The call that the others are adapted to: one whose rank is not at fault. If all are, the first
 * one, or the one with the largest count: a larger count loses no data. */
static const struct ncs_call *reference(const struct ncs_repairing *p)
{
    const struct ncs_cause *r = p->r;
    for (size_t i = 0; i < r->calls; i++)
        if (!ncs_finding_blames(&p->d->f, r->call[i]->rank))
            return r->call[i];
    const struct ncs_call *best = r->call[0];
    for (size_t i = 1; i < r->calls; i++)
        if (ncs_call_dtype(r->call[i]) == ncs_call_dtype(best) && ncs_call_count(r->call[i]) > ncs_call_count(best))
            best = r->call[i];
    return best;
}

/* A call of another function is not adapted: only its kind would have to change, which
 * ncs_repair_kind() does. */
static void adapt(struct ncs_repairing *p, const struct ncs_call *c, const struct ncs_call *ref)
{
    if (c == ref || c->fn != ref->fn)
        return;
    if (ncs_call_root(c) != ncs_call_root(ref))
        ncs_add_argument(p, c, "root", ncs_call_root(ref));
    if (ncs_call_dtype(c) != ncs_call_dtype(ref))
        ncs_add_argument(p, c, "datatype", ncs_call_dtype(ref));
    if (ncs_call_count(c) != ncs_call_count(ref))
        ncs_add_argument(p, c, "count", (int64_t)ncs_call_count(ref));
    if (ncs_op_of(c) != ncs_op_of(ref))
        ncs_add_argument(p, c, "op", ncs_op_of(ref));
}

void ncs_repair_arguments(struct ncs_repairing *p)
{
    if (p->r->kind != NCS_CAUSE_DIFFER || p->r->calls < 2)
        return;
    const struct ncs_call *ref = reference(p);
    for (size_t i = 0; i < p->r->calls; i++)
        adapt(p, p->r->call[i], ref);
}

/* A call that NCCL refused takes the arguments of another rank's call with the same number that
 * succeeded. */
void ncs_repair_refused(struct ncs_repairing *p)
{
    for (size_t i = 0; p->r->kind == NCS_CAUSE_ABSENT && i < p->r->absents; i++) {
        const struct ncs_call *c = p->r->absent[i]->call;
        if (p->r->absent[i]->reason == NCS_ABSENT_ERROR && p->r->absent[i]->rank >= 0)
            for (c = p->q->journal->newest; c && !(c->rank == p->r->absent[i]->rank && ncs_failed(c));)
                c = c->older;
        if (!c || !c->number || !ncs_failed(c) || ncs_call_is_pair(c))
            continue;
        const struct ncs_comm_info *info = p->q->journal->comm[c->comm];
        const struct ncs_call *ref = NULL;
        for (int k = 0; k < info->nranks && !ref; k++) {
            ref = ncs_journal_call(p->q->journal, c->comm, k, c->number);
            ref = ref && ref->fn == c->fn && !ncs_failed(ref) ? ref : NULL;
        }
        if (ref)
            adapt(p, c, ref);
    }
}

/* Removes the calls of another function than the majority's. Whether the minority made an extra
 * call or left one out is not known yet; if it left one out, the next round of the repair
 * (run/repair.c) finds that. */
void ncs_repair_kind(struct ncs_repairing *p)
{
    const struct ncs_cause *r = p->r;
    if (r->kind != NCS_CAUSE_DIFFER || r->calls < 2 || ncs_call_is_pair(r->call[0]) || ncs_call_is_pair(r->call[1]))
        return;
    const struct ncs_call *ref = p->d->f.culprits < r->calls ? reference(p) : r->call[r->calls - 1];
    for (size_t i = 0; i < r->calls; i++)
        if (r->call[i]->fn != ref->fn)
            ncs_add_edit(p, ncs_edit_of(p, NCS_EDIT_DELETE, r->call[i]));
}

void ncs_repair_zero(struct ncs_repairing *p)
{
    for (size_t i = 0; i < p->r->absents; i++) {
        const struct ncs_call *c = p->r->absent[i]->call, *model = p->r->unmet->call;
        if (c && model)
            ncs_add_argument(p, c, "count", (int64_t)ncs_call_count(model));
    }
}
