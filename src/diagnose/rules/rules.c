/* The table of rules, and which of them speaks. */
#include "diagnose/rules/rule.h"

#include <string.h>

/* By what a rule tells the cause, the strongest evidence first. */
enum ground {
    NOTICED,  /* the machine noticed it: a crash, an access, memory without order, a cut link */
    MISUSE,   /* a call that is wrong whatever the others do */
    RECORD,   /* what became of the rank that is missed: it failed, was lost, aborted, left a group open */
    INSTEAD,  /* one call that was made otherwise: on another communicator, to another peer, in another's place */
    MORE,     /* a call that the others did not make */
    LEFT,     /* a communicator that is destroyed before the calls of others: more than that these are missed */
    FEWER,    /* a call that the others made */
    ORDER,    /* calls that ranks made in different orders, where nobody is known to be the odd one */
    DISAGREE, /* calls that met and differ */
    WAITS,    /* who waits for whom */
    HOSTS,    /* the same of hosts: what keeps them back may be behind any call */
    NOTHING,  /* that somebody waits */
    GROUNDS
};

#define NCS_RULE(name, id, ground) id,
const char *const ncs_rule_ids[] = {
#include "diagnose/rules/rules.def"
    NULL
};
#undef NCS_RULE

#define NCS_RULE(name, id, ground) extern const struct ncs_rule ncs_rule_##name;
#include "diagnose/rules/rules.def"
#undef NCS_RULE

#define NCS_RULE(name, id, ground) { &ncs_rule_##name, ground },
static const struct {
    const struct ncs_rule *rule;
    enum ground ground;
} rules[] = {
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
static const char *judge_by(const struct ncs_analysis *q, const struct ncs_cause *r, enum ground ground,
                            struct ncs_draft *best)
{
    const char *found = NULL;
    for (size_t i = 0; i < RULES; i++) {
        size_t rule = ncs_nth_kind(i, RULES);
        struct ncs_draft d = { .order = UINT64_MAX };
        if (rules[rule].ground != ground || (r->rule && strcmp(r->rule, ncs_rule_ids[rule]) != 0))
            continue;
        bool better = rules[rule].rule->match(q, r, &d) && (!found || is_better(&d, best));
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
    for (enum ground ground = 0; ground < GROUNDS && !rule; ground++)
        rule = judge_by(q, r, ground, &d);
    if (rule)
        ncs_draft_take(q, r, rule, &d, all);
    return rule != NULL;
}
