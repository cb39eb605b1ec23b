/* A call names a root or a peer that its part of a split lacks, while another part of the split has
 * that rank: some rank gave the wrong color. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static int part_too_small_named(const struct ncs_call *c)
{
    return ncs_call_is_pair(c) ? ncs_call_peer(c) : ncs_call_root(c);
}

/* True if another part of the same split has the rank. */
static bool other_has(const struct ncs_analysis *q, const struct ncs_comm_info *part, int rank)
{
    for (size_t i = 0; i < q->journal->comms; i++) {
        const struct ncs_comm_info *o = q->journal->comm[i];
        if (o != part && o->split == part->split && o->parent == part->parent && rank < o->nranks)
            return true;
    }
    return false;
}

static bool part_too_small_is_outside(const struct ncs_analysis *q, const struct ncs_call *c)
{
    if (!c || !c->number || c->comm < 0 || !c->returned || !ncs_failed(c))
        return false;
    const struct ncs_comm_info *info = q->journal->comm[c->comm];
    return info->split && info->parent >= 0 && part_too_small_named(c) >= info->nranks &&
           other_has(q, info, part_too_small_named(c));
}

static void part_too_small_format(const struct ncs_analysis *q, const struct ncs_call *c, const struct ncs_cause *r,
                                  struct ncs_draft *d)
{
    const struct ncs_comm_info *info = q->journal->comm[c->comm];
    const struct ncs_call **call = ncs_split_calls(q, info->parent, info->split), *own = NULL;
    int count = q->journal->comm[info->parent]->nranks;
    for (int i = 0; i < count; i++)
        own = call[i] && call[i]->rank == c->rank ? call[i] : own;
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "%s %d of the call", ncs_call_is_pair(c) ? "peer" : "root", part_too_small_named(c));
    ncs_format_place(&s, c);
    ncs_str_addf(&s, " on rank %d is no rank of %s, which has %d, so it fails", c->rank, info->name, info->nranks);
    if (own) {
        ncs_str_add(&s, "; of the colors of the split");
        ncs_format_place(&s, own);
        bool known = true;
        for (int i = 0; i < count; i++)
            known &= call[i] != NULL;
        ncs_str_add(&s, known ? ", " : " not all are known");
        if (known)
            ncs_format_colors(call, count, &s);
    }
    if (r->unmet)
        ncs_add_fact(&s, ncs_fact_waits(q, r->unmet, r->absents > 1));
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_addf(&s, "give rank %d the color of the part that it is meant for", c->rank);
    if (own)
        ncs_format_place(&s, own);
    if (info->nranks == 1)
        ncs_str_add(&s, ", or name rank 0");
    else
        ncs_str_addf(&s, ", or name a rank from 0 to %d", info->nranks - 1);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    d->f.evidence = ncs_plain(ncs_copy_text("another part of the split has that rank"));
    ncs_free(call);
}

static bool part_too_small_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *first = NULL;
    if (ncs_is_because(r, NCS_ABSENT_ERROR, NCS_ABSENT_DROPPED)) {
        if (!part_too_small_is_outside(q, r->absent[0]->call))
            return false;
        ncs_fill_absent(q, r, d);
        ncs_sentence_free(d->f.evidence);
        part_too_small_format(q, r->absent[0]->call, r, d);
        return true;
    }
    if (r->kind != NCS_CAUSE_PARTS)
        return false;
    for (size_t i = 0; i < q->index.failed.count; i++) {
        const struct ncs_call *c = q->index.failed.of[i];
        if (!part_too_small_is_outside(q, c))
            continue;
        ncs_add_culprit(d, c->rank, c->number, c->place.line);
        if (!first || c->rank < first->rank)
            first = c;
    }
    if (!first)
        return false;
    part_too_small_format(q, first, r, d);
    d->f.certainty = NCS_CERTAIN;
    ncs_set_call(q, d, first);
    return true;
}

const struct ncs_rule ncs_rule_part_too_small = { .match = part_too_small_match, .ground = NCS_GROUND_MISUSE };
