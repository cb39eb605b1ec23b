/* The table of rules, and which of them speaks. */
#include "diagnose/rules/rule.h"

#include <string.h>

/* cmake/rules.cmake writes rules.def: a row for each file of diagnose/rules, whose name is the rule's id. */
#define NCS_RULE(name, id) id,
const char *const ncs_rule_ids[] = {
#include "diagnose/rules/rules.def"
    NULL
};
#undef NCS_RULE

#define NCS_RULE(name, id) extern const struct ncs_rule ncs_rule_##name;
#include "diagnose/rules/rules.def"
#undef NCS_RULE

#define NCS_RULE(name, id) &ncs_rule_##name,
static const struct ncs_rule *const rules[] = {
#include "diagnose/rules/rules.def"
};
#undef NCS_RULE

enum { RULES = sizeof rules / sizeof *rules };

void ncs_draft_take(const struct ncs_analysis *q, const struct ncs_cause *r, const char *rule, struct ncs_draft *d,
                    struct ncs_drafts *all)
{
    ncs_add_colors(q, r, d);
    d->noticed = r->kind == NCS_CAUSE_NOTICE;
    ncs_add_behind_rows(q, d);
    d->f.rule = rule;
    d->f.level = r->kind >= NCS_CAUSE_LABELS || d->remark ? NCS_LEVEL_NOTE : NCS_LEVEL_ERROR;
    ncs_repairs(q, r, d);
    ncs_drafts_add(q, all, d);
}

/* The one that blames fewer, of two rules that go by the same. */
static bool is_better(const struct ncs_draft *d, const struct ncs_draft *than)
{
    return d->f.culprits < than->f.culprits;
}

/* The rule of this ground that explains the root best; NULL = none does. */
static const char *judge_by(const struct ncs_analysis *q, const struct ncs_cause *r, enum ncs_ground ground,
                            struct ncs_draft *best)
{
    const char *found = NULL;
    for (size_t i = 0; i < RULES; i++) {
        size_t rule = ncs_nth_kind(i, RULES);
        struct ncs_draft d = { .order = UINT64_MAX };
        if (rules[rule]->ground != ground || (r->rule && strcmp(r->rule, ncs_rule_ids[rule]) != 0))
            continue;
        bool better = rules[rule]->match(q, r, &d) && (!found || is_better(&d, best));
        ncs_free_finding(better ? &best->f : &d.f);
        *best = better ? d : *best;
        found = better ? ncs_rule_ids[rule] : found;
    }
    return found;
}

bool ncs_judge(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_drafts *all)
{
    struct ncs_draft d = { .order = UINT64_MAX };
    const char *rule = NULL;
    for (enum ncs_ground ground = 0; ground < NCS_GROUNDS && !rule; ground++)
        rule = judge_by(q, r, ground, &d);
    if (rule)
        ncs_draft_take(q, r, rule, &d, all);
    return rule != NULL;
}
