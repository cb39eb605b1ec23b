#include "scenario/truth.h"

#include <string.h>

#include "base/mem.h"

/* An error is declared by the name of a result or of a kind of error; a kind may have a verdict of its own. */
static enum ncs_verdict truth_verdict_of(const struct ncs_outcome *o)
{
    for (int kind = NCS_KIND_NCCL; o->verdict == NCS_ERROR && kind <= NCS_KIND_LUA; kind++)
        if (o->error_name && strcmp(o->error_name, ncs_error_kind_name(kind)) == 0)
            return ncs_error_verdict((enum ncs_error_kind)kind);
    return o->verdict;
}

static bool has_location(const struct ncs_outcome *o)
{
    return o->verdict == NCS_HANG || o->verdict == NCS_WRONG;
}

/* The rank that the verdict itself blames. The place of a wrong result does not show who is to blame. */
static int blamed_rank(const struct ncs_outcome *o)
{
    return o->verdict == NCS_ERROR || o->verdict == NCS_LOST ? o->rank : -1;
}

/* The number of findings to expect if it is not declared: one for a hang or a named error, none for a pass. */
static int64_t findings_of(const struct ncs_outcome *o, const char *rule)
{
    if (o->findings_given)
        return o->findings;
    if (o->any_verdict)
        return -1;
    if (o->verdict == NCS_HANG || o->verdict == NCS_LOST || (rule && o->verdict != NCS_PASS))
        return 1;
    return o->verdict == NCS_PASS && !o->finding_given ? 0 : -1;
}

struct ncs_truth ncs_truth_of(const struct ncs_outcome *o)
{
    const struct ncs_outcome_finding *f = &o->finding;
    struct ncs_truth t = { .any_verdict = o->any_verdict, .verdict = truth_verdict_of(o) };
    int rank = blamed_rank(o);
    t.rule = o->why ? o->why : f->rule;
    if (o->culprits > 0)
        t.culprit = ncs_rank_set_of(o->culprit, o->culprits);
    else if (f->culprits > 0)
        t.culprit = ncs_rank_set_of(f->culprit, f->culprits);
    else if (rank >= 0)
        t.culprit = ncs_rank_set_of(&rank, 1);
    if (o->waitings > 0)
        t.blocked = ncs_rank_set_of(o->waiting, o->waitings);
    else if (f->waitings > 0)
        t.blocked = ncs_rank_set_of(f->waiting, f->waitings);
    t.call = o->call > 0 && has_location(o) ? o->call : f->call;
    t.comm = has_location(o) && (o->comm_given || o->call > 0) ? ncs_declared_comm(o) : f->comm;
    t.findings = findings_of(o, t.rule);
    return t;
}

void ncs_truth_free(struct ncs_truth *t)
{
    ncs_free(t->culprit.rank);
    ncs_free(t->blocked.rank);
    *t = (struct ncs_truth){ 0 };
}

bool ncs_truth_is_bug(const struct ncs_truth *t)
{
    return t->any_verdict || t->verdict != NCS_PASS || t->rule || t->findings > 0;
}
