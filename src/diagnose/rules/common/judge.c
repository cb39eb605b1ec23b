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

static void mark_rank(const struct ncs_analysis *q, bool *is, int rank)
{
    if (rank >= 0 && rank < q->ranks)
        is[rank] = true;
}

/* Nobody knows what a rank without a record did, so its row says only that. A rank of the meeting gets such a row, too,
 * if its supposed call was not compared. */
static void set_unrecorded_rows(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    bool *has_row = ncs_new((size_t)(q->ranks + 1) * sizeof *has_row);
    for (size_t i = 0; i < d->f.rows; i++)
        mark_rank(q, has_row, d->f.row[i].rank);
    for (size_t i = 0; r->unmet && r->kind == NCS_CAUSE_DIFFER && i < r->unmet->presents; i++) {
        int rank = r->unmet->present[i]->rank;
        if (ncs_is_unrecorded(q, rank) && !has_row[rank])
            ncs_add_row(d, rank, 0, NULL);
        mark_rank(q, has_row, rank);
    }
    ncs_free(has_row);
    for (size_t i = 0; i < d->f.rows; i++) {
        struct ncs_finding_row *row = &d->f.row[i];
        if (!ncs_is_unrecorded(q, row->rank))
            continue;
        ncs_sentence_free(row->said);
        row->said = ncs_say(row_unknown, ncs_fact_text("how", q->snap->context[ncs_first_context(q, row->rank)].message));
        row->line = 0;
    }
}

/* An explanation may change ranks of several communicators, and the rule speaks of one. All are to blame. */
static void blame_changed(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    bool *blamed = ncs_new((size_t)(q->ranks + 1) * sizeof *blamed);
    for (size_t i = 0; i < d->f.culprits; i++)
        mark_rank(q, blamed, d->f.culprit[i].rank);
    for (size_t i = 0; i < r->edits && d->f.culprits; i++) {
        const struct ncs_edit *e = &r->edit[i];
        if (e->of_host || e->comm < 0 || blamed[e->rank])
            continue;
        ncs_add_culprit(d, e->rank, e->call, 0);
        mark_rank(q, blamed, e->rank);
        d->f.why = ncs_say(changed_too, ncs_fact_sentence("why", d->f.why), ncs_fact_rank("who", e->rank),
                           ncs_fact_comm(q, e->comm));
    }
    ncs_free(blamed);
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
    blame_changed(q, r, d);
    ncs_repairs(q, r, d);
    ncs_add_launches(q, r, d);
    ncs_drafts_add(q, all, d);
}

/* The rule of this ground that matches the cause (diagnose/README.md, rules 2 and 9); NULL = none does. Fills *d, whose contents
 * the caller owns then. */
static const char *judge_by(const struct ncs_analysis *q, const struct ncs_cause *r, enum ncs_ground ground, struct ncs_draft *d)
{
    for (size_t i = 0; i < RULES; i++) {
        size_t rule = ncs_nth_kind(i, RULES);
        struct ncs_why why;
        bool named = r->rule && NCS_BY(&why, NAMED, strcmp(r->rule, ncs_rule_ids[rule]) == 0);
        if (rules[rule]->ground != ground || (r->rule && !named))
            continue;
        *d = (struct ncs_draft){ .order = UINT64_MAX, .by_title = rules[rule]->by_title };
        bool matches = rules[rule]->match(q, r, d);
        if (matches && named && !d->f.decided)
            ncs_decided(&d->f, why, "%s", r->rule);
        if (matches)
            return ncs_rule_ids[rule];
        ncs_free_finding(&d->f); /* it may be filled in part */
    }
    return NULL;
}

/* Adds the ranks that are absent from the wait, each with its reason, or the ranks of the cycle. */
static void format_asked(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_str *s)
{
    enum { MOST = 8 };
    static const char *const reasons[] = {
        [NCS_ABSENT_KILLED] = "killed",
        [NCS_ABSENT_ERROR] = "ended with an error",
        [NCS_ABSENT_GAVE_UP] = "gave up",
        [NCS_ABSENT_FAILED] = "its call failed",
        [NCS_ABSENT_DROPPED] = "dropped",
        [NCS_ABSENT_EMPTY] = "count 0",
        [NCS_ABSENT_GROUP] = "in a group",
        [NCS_ABSENT_ABORTED] = "aborted",
        [NCS_ABSENT_DESTROYED] = "destroyed",
        [NCS_ABSENT_FINISHED] = "finished",
        [NCS_ABSENT_QUEUED] = "queued",
        [NCS_ABSENT_CONTACT] = "blocked in its host",
        [NCS_ABSENT_ELSEWHERE] = "waits elsewhere",
    };
    for (size_t i = 0; i < r->absents && i < MOST; i++)
        ncs_str_addf(s, "%srank %d (%s%s)", i ? ", " : ": without ", r->absent[i]->rank, reasons[r->absent[i]->reason],
                     r->absent[i]->guessed ? ", a guess" : "");
    size_t steps = 0;
    for (size_t i = 0; i < r->length; i++)
        if (ncs_node_unmet(q, r->path[i]) >= 0 && steps++ < MOST)
            ncs_str_addf(s, "%srank %d", steps > 1 ? ", " : ": the shortest cycle, through ", ncs_cycle_wait_at(q, r, i).rank);
    ncs_str_add(s, r->absents > MOST || steps > MOST ? ", ..." : "");
}

/* Notes the choice by grounds. The rules that match with a weaker one are asked for that alone. A comparison that chose whom to
 * blame, or a cause behind the wait, says more than the ground, so it stays the finding's; but in a cycle that a rule explains
 * by a call, the ground says more. */
static void weigh_grounds(const struct ncs_analysis *q, const struct ncs_cause *r, const char *rule, enum ncs_ground ground,
                          struct ncs_why why, struct ncs_finding *f)
{
    static const char *const grounds[] = {
        [NCS_GROUND_NOTICED] = "noticed", [NCS_GROUND_MISUSE] = "misuse", [NCS_GROUND_RECORD] = "record",
        [NCS_GROUND_INSTEAD] = "instead", [NCS_GROUND_MORE] = "more",     [NCS_GROUND_LEFT] = "left",
        [NCS_GROUND_FEWER] = "fewer",     [NCS_GROUND_ORDER] = "order",   [NCS_GROUND_DISAGREE] = "disagree",
        [NCS_GROUND_WAITS] = "waits",     [NCS_GROUND_HOSTS] = "hosts",   [NCS_GROUND_NOTHING] = "nothing",
    };
    struct ncs_str others = { 0 };
    enum ncs_decision before = f->decided;
    for (size_t i = 0; i < RULES && ncs_decisions_kept; i++) {
        struct ncs_draft d = { .order = UINT64_MAX };
        if (rules[i]->ground > ground && rules[i]->match(q, r, &d))
            ncs_str_addf(&others, "%s%s (%s)", others.bytes ? ", " : " before ", ncs_rule_ids[i], grounds[rules[i]->ground]);
        ncs_free_finding(&d.f);
    }
    ncs_decided(f, why, "%s (%s)%s", rule, grounds[ground], others.bytes ? others.text : ", no other rule matches");
    ncs_str_free(&others);
    struct ncs_str about = { 0 };
    if (ncs_decisions_kept)
        format_asked(q, r, &about);
    if (r->asked.decision)
        ncs_decided(f, r->asked, "the cause that the rules were asked about%s", about.bytes ? about.text : "");
    ncs_str_free(&about);
    bool behind = r->asked.decision > NCS_DECIDED_POLLS && (r->asked.decision != NCS_DECIDED_CYCLE || ground >= NCS_GROUND_ORDER);
    f->decided = before ? before : behind ? r->asked.decision : NCS_DECIDED_GROUND;
}

bool ncs_judge(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_drafts *all)
{
    struct ncs_draft d = { .order = UINT64_MAX };
    const char *rule = NULL;
    struct ncs_why why;
    enum ncs_ground ground = 0;
    while (ground < NCS_GROUNDS && !NCS_BY(&why, GROUND, (rule = judge_by(q, r, ground, &d)) != NULL))
        ground++;
    if (rule && !r->rule)
        weigh_grounds(q, r, rule, ground, why, &d.f);
    if (rule)
        ncs_draft_take(q, r, rule, &d, all);
    return rule != NULL;
}
