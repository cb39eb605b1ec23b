/* A rank made its call with count 0, which NCCL drops. */
#include "diagnose/rules/rule.h"

static bool zero_count_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_EMPTY, NCS_ABSENT_EMPTY))
        return false;
    ncs_fill_absent(q, r, d);
    const struct ncs_call *c = r->absent[0]->call;
    struct ncs_str s = { 0 };
    ncs_format_absent(r, &s);
    ncs_str_addf(&s, " made call %u with count 0", (unsigned)c->number);
    ncs_format_place(&s, c);
    ncs_str_add(&s, ": NCCL drops an empty collective, it is no participation");
    ncs_format_who_waits(q, &s, r->unmet, r->absents > 1);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(
        ncs_text("give call %u the same count on every rank, or leave it out on all of them", (unsigned)c->number));
    return true;
}

const struct ncs_rule ncs_rule_zero_count = { .match = zero_count_match, .ground = NCS_GROUND_RECORD };
