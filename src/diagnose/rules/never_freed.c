/* A script made something by a C name and never freed it. What the methods of objects make is released at the end
 * of the script. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"
#include "diagnose/ledger/ledger.h"

static void never_freed_format(const struct ncs_left *left, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    ncs_format_ranks(&s, left->rank, left->ranks);
    ncs_str_add(&s, " never freed ");
    ncs_left_format(&s, left);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.title = left->place.line ? ncs_text("%s made at line %d, never freed", ncs_resource_name(left->kind), left->place.line)
                                  : ncs_text("%s, never freed", ncs_resource_name(left->kind));
}

static bool never_freed_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    (void)q;
    if (r->kind != NCS_CAUSE_LOST_RESOURCE)
        return false;
    const struct ncs_left *left = r->notice->left;
    never_freed_format(left, d);
    d->f.fix = ncs_plain(ncs_text("free %s with %s before the script ends, as a program in C has to",
                                  left->count == left->ranks ? "it" : "each", ncs_resource_freer(left->fn)));
    d->f.evidence = ncs_plain(ncs_copy_text("by the calls that make and free"));
    for (size_t i = 0; i < left->ranks; i++)
        ncs_add_culprit(d, left->rank[i], 0, left->place.line);
    return true;
}

const struct ncs_rule ncs_rule_never_freed = { .match = never_freed_match, .ground = NCS_GROUND_NOTICED, .by_title = true };
