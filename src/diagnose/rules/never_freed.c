/* A script made something by a C name and never freed it. What the methods of objects make is released at the end
 * of the script. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"
#include "diagnose/ledger/ledger.h"

static bool never_freed_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    (void)q;
    if (r->kind != NCS_CAUSE_LOST_RESOURCE)
        return false;
    const struct ncs_left *left = r->notice->left;
    struct ncs_str what = { 0 };
    ncs_left_format(&what, left);
    d->f.title = left->place.line ? ncs_text("%s made at line %d, never freed", ncs_resource_name(left->kind), left->place.line)
                                  : ncs_text("%s, never freed", ncs_resource_name(left->kind));
    d->f.why = ncs_say(never_freed_why, ncs_fact_ranks("who", left->rank, left->ranks), ncs_fact_text("what", what.text));
    d->f.fix = ncs_say(never_freed_fix, ncs_fact_is("several", left->count != left->ranks),
                       ncs_fact_text("freer", ncs_resource_freer(left->fn)));
    d->f.evidence = ncs_say(never_freed_evidence);
    ncs_str_free(&what);
    for (size_t i = 0; i < left->ranks; i++)
        ncs_add_culprit(d, left->rank[i], 0, left->place.line);
    return true;
}

const struct ncs_rule ncs_rule_never_freed = { .match = never_freed_match, .ground = NCS_GROUND_NOTICED, .by_title = true };
