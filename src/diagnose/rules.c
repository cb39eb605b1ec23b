/* The table of rules, and which of them speaks. */
#include "diagnose/rule.h"

#include <string.h>

#define NCS_RULE(name, id) id,
const char *const ncs_rule_ids[] = {
#include "diagnose/rules.def"
    NULL
};
#undef NCS_RULE

#define NCS_RULE(name, id) extern const struct ncs_rule ncs_rule_##name;
#include "diagnose/rules.def"
#undef NCS_RULE

#define NCS_RULE(name, id) &ncs_rule_##name,
static const struct ncs_rule *const rules[] = {
#include "diagnose/rules.def"
};
#undef NCS_RULE

void ncs_draft_take(const struct ncs_inquiry *q, const struct ncs_root *r, const char *rule, struct ncs_draft *d,
                    struct ncs_drafts *all)
{
    ncs_add_colors(q, r, d);
    d->noticed = r->kind == NCS_ROOT_NOTICE;
    ncs_add_behind_rows(q, d);
    d->f.rule = rule;
    d->f.level = r->kind >= NCS_ROOT_LABELS || d->remark ? NCS_LEVEL_NOTE : NCS_LEVEL_ERROR;
    ncs_repairs(q, r, d);
    ncs_drafts_add(q, all, d);
}

bool ncs_judge(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_drafts *all)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct ncs_draft d = { .order = UINT64_MAX };
        if (r->rule && strcmp(r->rule, ncs_rule_ids[i]) != 0)
            continue;
        if (rules[i]->match(q, r, &d)) {
            ncs_draft_take(q, r, ncs_rule_ids[i], &d, all);
            return true;
        }
        ncs_free_finding(&d.f);
    }
    return false;
}
