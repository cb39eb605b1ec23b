/* The table of rules, and the choice of the rule that explains a cause. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* cmake/rules.cmake writes rules.def: a row for each file of diagnose/rules, whose name is the
 * rule's id. */
#define NCS_RULE(name, id) id,
#define NCS_RULE_ROW(name, id, ground_, match_) id,
const char *const ncs_rule_ids[] = {
#include "diagnose/rules/rules.def"
#include "diagnose/rules/rows.def"
    NULL
};
#undef NCS_RULE
#undef NCS_RULE_ROW

#define NCS_RULE(name, id) extern const struct ncs_rule ncs_rule_##name;
#include "diagnose/rules/rules.def"
#undef NCS_RULE

#define NCS_RULE_ROW(name, id, ground_, match_)                                                            \
    static bool name##_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d) \
    {                                                                                                      \
        return match_;                                                                                     \
    }                                                                                                      \
    static const struct ncs_rule rule_##name = { .match = name##_match, .ground = NCS_GROUND_##ground_ };
#include "diagnose/rules/rows.def"
#undef NCS_RULE_ROW

#define NCS_RULE(name, id) &ncs_rule_##name,
#define NCS_RULE_ROW(name, id, ground_, match_) &rule_##name,
/* In the order of ncs_rule_ids. */
static const struct ncs_rule *const rules[] = {
#include "diagnose/rules/rules.def"
#include "diagnose/rules/rows.def"
};
#undef NCS_RULE
#undef NCS_RULE_ROW

enum { RULES = sizeof rules / sizeof *rules };

/* Nobody knows what a rank without a record did, so its row says only that. A rank of the meeting gets such a row, too,
 * if its supposed call was not compared. */
static void set_unrecorded_rows(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    for (size_t i = 0; r->unmet && r->kind == NCS_CAUSE_DIFFER && i < r->unmet->presents; i++) {
        bool has_row = !ncs_is_unrecorded(q, r->unmet->present[i]->rank);
        for (size_t k = 0; k < d->f.rows && !has_row; k++)
            has_row = d->f.row[k].rank == r->unmet->present[i]->rank;
        if (!has_row)
            ncs_add_row(d, r->unmet->present[i]->rank, 0, NULL);
    }
    for (size_t i = 0; i < d->f.rows; i++) {
        struct ncs_finding_row *row = &d->f.row[i];
        if (!ncs_is_unrecorded(q, row->rank))
            continue;
        ncs_free(row->text);
        row->text = ncs_text("unknown: %s", q->snap->context[ncs_first_context(q, row->rank)].message);
        row->line = 0;
    }
}

void ncs_draft_take(const struct ncs_analysis *q, const struct ncs_cause *r, const char *rule, struct ncs_draft *d,
                    struct ncs_drafts *all)
{
    ncs_add_colors(q, r, d);
    d->noticed = r->kind == NCS_CAUSE_NOTICE;
    ncs_add_behind_rows(q, d);
    set_unrecorded_rows(q, r, d);
    d->f.rule = rule;
    d->f.level = r->kind >= NCS_CAUSE_LABELS || d->remark ? NCS_LEVEL_NOTE : NCS_LEVEL_ERROR;
    ncs_repairs(q, r, d);
    ncs_add_launches(q, r, d);
    ncs_drafts_add(q, all, d);
}

/* Of equal grounds (diagnose/README.md, rules 2 and 9). The order of the table is the alphabet's. */
static bool is_better(const struct ncs_draft *d, const struct ncs_draft *than)
{
    return d->f.culprits < than->f.culprits;
}

/* The best rule of this ground that matches the cause; NULL = none does. Fills *best, whose
 * contents the caller owns then. */
static const char *judge_by(const struct ncs_analysis *q, const struct ncs_cause *r, enum ncs_ground ground,
                            struct ncs_draft *best)
{
    const char *found = NULL;
    for (size_t i = 0; i < RULES; i++) {
        size_t rule = ncs_nth_kind(i, RULES);
        struct ncs_draft d = { .order = UINT64_MAX, .by_title = rules[rule]->by_title };
        if (rules[rule]->ground != ground || (r->rule && strcmp(r->rule, ncs_rule_ids[rule]) != 0))
            continue;
        /* a rule that does not match may have filled d in part, so that is freed, too */
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
