/* Compares a result with the declared outcome. Each form of outcome is a list of conditions. */
#include "scenario/outcome.h"

#include <string.h>

#include "base/mem.h"

const char *const ncs_certainty_names[] = {
    [NCS_CERTAIN] = "certain", [NCS_POLICY_DEPENDENT] = "luck", [NCS_UNDEFINED] = "undefined", [NCS_LIKELY] = "likely", NULL,
};

const char *const ncs_policy_names[] = {
    [NCS_POLICY_STRICT] = "strict",
    [NCS_POLICY_TYPICAL] = "typical",
    NULL,
};

const char *const ncs_fail_on_names[] = {
    [NCS_FAIL_ON_ERROR] = "error",
    [NCS_FAIL_ON_UNDEFINED] = "undefined",
    [NCS_FAIL_ON_NOTE] = "note",
    NULL,
};

void ncs_outcome_free(struct ncs_outcome *o)
{
    ncs_free(o->culprit);
    ncs_free(o->waiting);
    ncs_free(o->comm);
    ncs_free(o->why);
    ncs_free(o->error_name);
    ncs_free(o->error_call);
    ncs_free(o->finding.rule);
    ncs_free(o->finding.culprit);
    ncs_free(o->finding.waiting);
    ncs_free(o->finding.comm);
    ncs_free(o->finding.certainty);
    *o = (struct ncs_outcome){ 0 };
}

static bool outcome_same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

const char *ncs_declared_comm(const struct ncs_outcome *o)
{
    return o->comm ? o->comm : "world";
}

/* For a cycle, the outcome may name all its ranks, or only those whose change alone repairs it. */
static bool culprits_agree(const int *declared, size_t count, const struct ncs_finding *f)
{
    struct ncs_rank_set cycle = ncs_rank_set_of_cycle(f);
    bool in_cycle = cycle.count > 0;
    if (ncs_rank_sets_equal(ncs_rank_set_of(declared, count), cycle) && in_cycle)
        return true;
    return ncs_rank_sets_equal(ncs_rank_set_of(declared, count), ncs_rank_set_of_culprits(f));
}

static bool waiting_agree(const int *declared, size_t count, const struct ncs_finding *f)
{
    return ncs_rank_sets_equal(ncs_rank_set_of(declared, count), ncs_rank_set_of(f ? f->blocked : NULL, f ? f->blockeds : 0));
}

static bool hang_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    const struct ncs_finding *cause = ncs_first_error(&r->diagnosis);
    if (r->verdict != NCS_HANG)
        return false;
    if (o->culprits > 0 && !culprits_agree(o->culprit, o->culprits, cause))
        return false;
    if (o->waitings > 0 && !waiting_agree(o->waiting, o->waitings, cause))
        return false;
    if (o->why && !(cause && outcome_same_text(cause->rule, o->why)))
        return false;
    if (o->call > 0 && !(cause && cause->call == o->call))
        return false;
    bool names_comm = o->comm_given || o->call > 0;
    return !names_comm || (cause && outcome_same_text(cause->comm, ncs_declared_comm(o)));
}

static bool error_agrees(const struct ncs_outcome *o, const struct ncs_run_error *e)
{
    return (!o->error_name || outcome_same_text(e->name, o->error_name) ||
            outcome_same_text(ncs_error_kind_name(e->kind), o->error_name)) &&
           (!o->error_call || outcome_same_text(e->call, o->error_call)) && (o->rank < 0 || e->rank == o->rank);
}

/* The verdict must follow from that error: it could also stem from an earlier cause. */
static bool error_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    for (size_t i = 0; i < r->errors; i++)
        if (error_agrees(o, &r->error[i]) && r->verdict == ncs_error_verdict(r->error[i].kind))
            return true;
    return false;
}

const char *ncs_result_comm(const struct ncs_result *r, int comm)
{
    const struct ncs_journal *j = r->journal;
    return j && comm >= 0 && (size_t)comm < j->comms ? j->comm[comm]->name : NULL;
}

static bool wrong_agrees(const struct ncs_outcome *o, const struct ncs_result *r, const struct ncs_wrong *w)
{
    bool names_comm = o->comm_given || o->call > 0;
    return (o->rank < 0 || w->rank == o->rank) && (o->call <= 0 || (int64_t)w->number == o->call) &&
           (o->first <= 0 || (int64_t)w->first == o->first) &&
           (!names_comm || outcome_same_text(ncs_result_comm(r, w->comm), ncs_declared_comm(o)));
}

static bool wrong_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    if (r->verdict != NCS_WRONG)
        return false;
    for (size_t i = 0; i < r->wrongs; i++)
        if (wrong_agrees(o, r, &r->wrong[i]))
            return true;
    if (o->call > 0 || o->comm_given)
        return false; /* only a verified result has these */
    for (size_t i = 0; i < r->expects; i++)
        if ((o->rank < 0 || r->expect[i].rank == o->rank) && (o->first <= 0 || (int64_t)r->expect[i].first == o->first))
            return true;
    for (size_t i = 0; i < r->errors && o->first <= 0; i++)
        if (r->error[i].kind == NCS_KIND_EXPECT && (o->rank < 0 || r->error[i].rank == o->rank))
            return true;
    return false;
}

static bool lost_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    if (r->verdict != NCS_LOST)
        return false;
    const struct ncs_finding *cause = ncs_first_error(&r->diagnosis);
    if (o->rank < 0)
        return true;
    for (size_t i = 0; cause && i < cause->culprits; i++)
        if (cause->culprit[i].rank == o->rank)
            return true;
    return false;
}

static bool verdict_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    if (o->any_verdict)
        return true;
    switch (o->verdict) {
    case NCS_HANG: return hang_holds(o, r);
    case NCS_ERROR: return error_holds(o, r);
    case NCS_WRONG: return wrong_holds(o, r);
    case NCS_LOST: return lost_holds(o, r);
    default: return r->verdict == o->verdict;
    }
}

static bool finding_agrees(const struct ncs_outcome_finding *d, const struct ncs_finding *f)
{
    return (!d->rule || outcome_same_text(f->rule, d->rule)) &&
           (d->culprits == 0 || culprits_agree(d->culprit, d->culprits, f)) &&
           (d->waitings == 0 || waiting_agree(d->waiting, d->waitings, f)) && (d->call <= 0 || f->call == d->call) &&
           (!d->comm || outcome_same_text(f->comm, d->comm)) &&
           (!d->certainty || outcome_same_text(ncs_certainty_names[f->certainty], d->certainty));
}

static bool finding_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    if (!o->finding_given)
        return true;
    for (size_t i = 0; i < r->diagnosis.findings; i++)
        if (finding_agrees(&o->finding, &r->diagnosis.finding[i]))
            return true;
    return false;
}

static int64_t error_findings(const struct ncs_result *r)
{
    int64_t count = 0;
    for (size_t i = 0; i < r->diagnosis.findings; i++)
        count += r->diagnosis.finding[i].level == NCS_LEVEL_ERROR;
    return count;
}

bool ncs_outcome_holds(const struct ncs_outcome *o, const struct ncs_result *r, struct ncs_str *difference)
{
    if (!verdict_holds(o, r))
        ncs_outcome_format_verdict(difference, o, r);
    else if (!finding_holds(o, r))
        ncs_outcome_format_finding(difference, o, r);
    else if (o->findings_given && error_findings(r) != o->findings)
        ncs_outcome_format_findings(difference, o, r);
    else
        return true;
    return false;
}

/* ---- findings that fail a run that passed ---- */

static bool outcome_is_declared(const struct ncs_outcome *o, const struct ncs_finding *f)
{
    return (o->finding_given && finding_agrees(&o->finding, f)) || (o->findings_given && f->level == NCS_LEVEL_ERROR);
}

static bool outcome_counts(const struct ncs_finding *f, enum ncs_fail_on level)
{
    bool undefined = f->certainty == NCS_UNDEFINED || f->certainty == NCS_POLICY_DEPENDENT;
    return level == NCS_FAIL_ON_NOTE || (level == NCS_FAIL_ON_UNDEFINED && undefined);
}

static bool has_rule(const struct ncs_failing *failing, const char *rule)
{
    for (size_t i = 0; i < failing->rules; i++)
        if (strcmp(failing->rule[i], rule) == 0)
            return true;
    return false;
}

void ncs_outcome_failing(const struct ncs_outcome *o, const struct ncs_result *r, enum ncs_fail_on level, struct ncs_failing *out)
{
    size_t room = 0;
    *out = (struct ncs_failing){ .level = level };
    for (size_t i = 0; r->verdict == NCS_PASS && i < r->diagnosis.findings; i++) {
        const struct ncs_finding *f = &r->diagnosis.finding[i];
        if (outcome_counts(f, level) && !outcome_is_declared(o, f) && !has_rule(out, f->rule))
            NCS_PUSH(out->rule, out->rules, room, f->rule);
    }
    if (r->verdict == NCS_PASS && r->ignoreds && !has_rule(out, "failed-call"))
        NCS_PUSH(out->rule, out->rules, room, "failed-call");
}

void ncs_failing_free(struct ncs_failing *failing)
{
    ncs_free(failing->rule);
    *failing = (struct ncs_failing){ 0 };
}

/* ---- the judgement ---- */

/* Only a run that ended by itself can be compared with the declared outcome. */
static bool is_judged(enum ncs_verdict v)
{
    return v != NCS_INTERNAL_FAULT && v != NCS_MEMORY && v != NCS_SKIPPED && v != NCS_TIMEOUT && v != NCS_INTERRUPTED;
}

static bool declares_more_than_pass(const struct ncs_outcome *o)
{
    return o->any_verdict || o->verdict != NCS_PASS || o->finding_given || o->findings_given;
}

bool ncs_outcome_judge(const struct ncs_outcome *outcome, const struct ncs_result *result, enum ncs_fail_on level,
                       struct ncs_failing *failing, struct ncs_str *difference)
{
    struct ncs_str line = { 0 };
    bool holds = is_judged(result->verdict) && ncs_outcome_holds(outcome, result, &line);
    if (holds)
        ncs_outcome_failing(outcome, result, level, failing);
    if (line.bytes && declares_more_than_pass(outcome))
        ncs_str_add(difference, line.text);
    ncs_str_free(&line);
    return holds && failing->rules == 0;
}
