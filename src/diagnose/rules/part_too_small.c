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

static void part_too_small_fill(const struct ncs_analysis *q, const struct ncs_call *c, const struct ncs_cause *r,
                                struct ncs_draft *d)
{
    const struct ncs_comm_info *info = q->journal->comm[c->comm];
    const struct ncs_call **call = ncs_split_calls(q, info->parent, info->split), *own = NULL;
    int count = q->journal->comm[info->parent]->nranks;
    bool known = true;
    for (int i = 0; i < count; i++) {
        own = call[i] && call[i]->rank == c->rank ? call[i] : own;
        known &= call[i] != NULL;
    }
    d->f.why = ncs_say(part_too_small_why, ncs_fact_is("peer", ncs_call_is_pair(c)),
                       ncs_fact_number("named", part_too_small_named(c)), ncs_fact_call("call", q->journal, c),
                       ncs_fact_number("nranks", info->nranks), ncs_fact_call("own", q->journal, own),
                       ncs_fact_sentence("colors", known ? ncs_say_colors(call, count) : NULL),
                       r->unmet ? ncs_fact_waits(q, r->unmet, r->absents > 1) : ncs_fact_text("waits", NULL));
    d->f.fix = ncs_say(part_too_small_fix, ncs_fact_rank("who", c->rank), ncs_fact_call("own", q->journal, own),
                       ncs_fact_number("last", info->nranks - 1));
    d->f.evidence = ncs_say(part_too_small_evidence);
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
        part_too_small_fill(q, r->absent[0]->call, r, d);
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
    part_too_small_fill(q, first, r, d);
    d->f.certainty = NCS_CERTAIN;
    ncs_set_call(q, d, first);
    return true;
}

const struct ncs_rule ncs_rule_part_too_small = { .match = part_too_small_match, .ground = NCS_GROUND_MISUSE };
