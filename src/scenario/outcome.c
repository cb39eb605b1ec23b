/* Is the result the declared outcome? Each form is a list of conditions; what was declared and what
 * came are put into words by the same fields. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/scenario.h"

void ncs_outcome_free(struct ncs_outcome *o)
{
    ncs_free(o->culprit);
    ncs_free(o->waiting);
    ncs_free(o->comm);
    ncs_free(o->why);
    ncs_free(o->error_name);
    ncs_free(o->error_call);
    ncs_free(o->finding);
    *o = (struct ncs_outcome){ 0 };
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static const char *declared_comm(const struct ncs_outcome *o)
{
    return o->comm ? o->comm : "world";
}

/* ---- sets of ranks ---- */

struct ranks {
    int *rank;
    size_t count;
};

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

/* Sorts and drops repetitions. */
static void make_set(struct ranks *set)
{
    size_t kept = 0;
    if (set->count > 0)
        qsort(set->rank, set->count, sizeof *set->rank, by_value);
    for (size_t i = 0; i < set->count; i++)
        if (kept == 0 || set->rank[kept - 1] != set->rank[i])
            set->rank[kept++] = set->rank[i];
    set->count = kept;
}

static struct ranks set_of(const int *list, size_t count)
{
    struct ranks set = { ncs_new(count * sizeof(int)), count };
    if (count > 0)
        memcpy(set.rank, list, count * sizeof(int));
    make_set(&set);
    return set;
}

static struct ranks culprits_of(const struct ncs_finding *f)
{
    size_t count = f ? f->culprits : 0;
    struct ranks set = { ncs_new(count * sizeof(int)), count };
    for (size_t i = 0; i < count; i++)
        set.rank[i] = f->culprit[i].rank;
    make_set(&set);
    return set;
}

static struct ranks cycle_of(const struct ncs_finding *f)
{
    size_t count = f ? f->cycles : 0;
    struct ranks set = { ncs_new(count * sizeof(int)), count };
    for (size_t i = 0; i < count; i++)
        set.rank[i] = f->cycle[i].rank;
    make_set(&set);
    return set;
}

/* Frees both. */
static bool equal_sets(struct ranks a, struct ranks b)
{
    bool equal = a.count == b.count &&
                 (a.count == 0 || memcmp(a.rank, b.rank, a.count * sizeof *a.rank) == 0);
    ncs_free(a.rank);
    ncs_free(b.rank);
    return equal;
}

/* Frees the set. */
static void add_set(struct ncs_str *out, struct ranks set)
{
    if (set.count == 0)
        ncs_str_add(out, "none");
    else
        ncs_str_add_ranks(out, set.rank, set.count);
    ncs_free(set.rank);
}

/* ---- does it hold? ---- */

/* The cause: the first finding that is an error, NULL if there is none. */
static const struct ncs_finding *cause_of(const struct ncs_result *r)
{
    for (size_t i = 0; i < r->diagnosis.findings; i++)
        if (r->diagnosis.finding[i].level == NCS_LEVEL_ERROR)
            return &r->diagnosis.finding[i];
    return NULL;
}

/* Of a cycle all its ranks may be named, or those whose change alone would repair it. */
static bool culprits_agree(const struct ncs_outcome *o, const struct ncs_finding *cause)
{
    struct ranks cycle = cycle_of(cause);
    bool in_cycle = cycle.count > 0;
    if (equal_sets(set_of(o->culprit, o->culprits), cycle) && in_cycle)
        return true;
    return equal_sets(set_of(o->culprit, o->culprits), culprits_of(cause));
}

static bool hang_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    const struct ncs_finding *cause = cause_of(r);
    if (r->verdict != NCS_HANG)
        return false;
    if (o->culprits > 0 && !culprits_agree(o, cause))
        return false;
    if (o->waitings > 0 &&
        !equal_sets(set_of(o->waiting, o->waitings),
                    set_of(cause ? cause->blocked : NULL, cause ? cause->blockeds : 0)))
        return false;
    if (o->why && !(cause && same_text(cause->rule, o->why)))
        return false;
    if (o->call > 0 && !(cause && cause->call == o->call))
        return false;
    bool names_comm = o->comm_given || o->call > 0;
    return !names_comm || (cause && same_text(cause->comm, declared_comm(o)));
}

static bool error_agrees(const struct ncs_outcome *o, const struct ncs_run_error *e)
{
    return (!o->error_name || same_text(e->name, o->error_name) ||
            same_text(ncs_error_kind_name(e->kind), o->error_name)) &&
           (!o->error_call || same_text(e->call, o->error_call)) &&
           (o->rank < 0 || e->rank == o->rank);
}

/* The verdict must be that error's: it may also have come after an earlier cause. */
static bool error_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    for (size_t i = 0; i < r->errors; i++)
        if (error_agrees(o, &r->error[i]) && r->verdict == ncs_error_verdict(r->error[i].kind))
            return true;
    return false;
}

static const char *comm_name(const struct ncs_result *r, int comm)
{
    const struct ncs_journal *j = r->journal;
    return j && comm >= 0 && (size_t)comm < j->comms ? j->comm[comm]->name : NULL;
}

static bool wrong_agrees(const struct ncs_outcome *o, const struct ncs_result *r,
                         const struct ncs_wrong *w)
{
    bool names_comm = o->comm_given || o->call > 0;
    return (o->rank < 0 || w->rank == o->rank) &&
           (o->call <= 0 || (int64_t)w->number == o->call) &&
           (o->first <= 0 || (int64_t)w->first == o->first) &&
           (!names_comm || same_text(comm_name(r, w->comm), declared_comm(o)));
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
        if ((o->rank < 0 || r->expect[i].rank == o->rank) &&
            (o->first <= 0 || (int64_t)r->expect[i].first == o->first))
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
    const struct ncs_finding *cause = cause_of(r);
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
    case NCS_HANG:
        return hang_holds(o, r);
    case NCS_ERROR:
        return error_holds(o, r);
    case NCS_WRONG:
        return wrong_holds(o, r);
    case NCS_LOST:
        return lost_holds(o, r);
    default:
        return r->verdict == o->verdict;
    }
}

static bool finding_holds(const struct ncs_outcome *o, const struct ncs_result *r)
{
    if (!o->finding)
        return true;
    for (size_t i = 0; i < r->diagnosis.findings; i++)
        if (same_text(r->diagnosis.finding[i].rule, o->finding))
            return true;
    return false;
}

/* ---- the difference in words ---- */

/* Appends what joins the next detail to a phrase: "a hang" with culprit 1; call 3 ... */
static void join(struct ncs_str *out, int *details)
{
    ncs_str_add(out, (*details)++ == 0 ? " with " : "; ");
}

static void declare_hang(struct ncs_str *out, const struct ncs_outcome *o)
{
    int details = 0;
    ncs_str_add(out, "a hang");
    if (o->culprits > 0) {
        join(out, &details);
        ncs_str_add(out, "culprit ");
        add_set(out, set_of(o->culprit, o->culprits));
    }
    if (o->waitings > 0) {
        join(out, &details);
        ncs_str_add(out, "waiting ");
        add_set(out, set_of(o->waiting, o->waitings));
    }
    if (o->call > 0) {
        join(out, &details);
        ncs_str_addf(out, "call %lld on %s", (long long)o->call, declared_comm(o));
    } else if (o->comm_given) {
        join(out, &details);
        ncs_str_addf(out, "comm %s", declared_comm(o));
    }
    if (o->why) {
        join(out, &details);
        ncs_str_addf(out, "why %s", o->why);
    }
}

/* Of a declared hang the same details; otherwise those that say most. */
static void report_hang(struct ncs_str *out, const struct ncs_outcome *o,
                        const struct ncs_result *r)
{
    const struct ncs_finding *cause = cause_of(r);
    bool other = o->any_verdict || o->verdict != NCS_HANG;
    int details = 0;
    ncs_str_add(out, "hang");
    if (!cause) {
        ncs_str_add(out, " without a finding");
        return;
    }
    if (other || o->culprits > 0) {
        join(out, &details);
        ncs_str_add(out, "culprit ");
        add_set(out, cause->culprits > 0 ? culprits_of(cause) : cycle_of(cause));
    }
    if (!other && o->waitings > 0) {
        join(out, &details);
        ncs_str_add(out, "waiting ");
        add_set(out, set_of(cause->blocked, cause->blockeds));
    }
    if (!other && (o->call > 0 || o->comm_given)) {
        join(out, &details);
        if (o->call > 0 && cause->call > 0)
            ncs_str_addf(out, "call %u on %s", cause->call, cause->comm ? cause->comm : "none");
        else
            ncs_str_addf(out, "comm %s", cause->comm ? cause->comm : "none");
    }
    if (other || o->why) {
        join(out, &details);
        ncs_str_addf(out, "why %s", cause->rule);
    }
}

static void declare_wrong(struct ncs_str *out, const struct ncs_outcome *o)
{
    ncs_str_add(out, "a wrong result");
    if (o->rank >= 0)
        ncs_str_addf(out, " on rank %d", o->rank);
    if (o->call > 0)
        ncs_str_addf(out, " of call %lld on %s", (long long)o->call, declared_comm(o));
    else if (o->comm_given)
        ncs_str_addf(out, " on %s", declared_comm(o));
    if (o->first > 0)
        ncs_str_addf(out, " from element %lld", (long long)o->first);
}

static void report_wrong(struct ncs_str *out, const struct ncs_result *r)
{
    ncs_str_add(out, "wrong result");
    if (r->wrongs > 0) {
        const struct ncs_wrong *w = &r->wrong[0];
        const char *comm = comm_name(r, w->comm);
        ncs_str_addf(out, " on rank %d of call %u on %s from element %llu", w->rank, w->number,
                     comm ? comm : "none", (unsigned long long)w->first);
    } else if (r->expects > 0) {
        ncs_str_addf(out, " on rank %d: %s", r->expect[0].rank,
                     r->expect[0].message ? r->expect[0].message : "an expectation failed");
    } else if (r->errors > 0) {
        ncs_str_addf(out, " on rank %d: %s", r->error[0].rank,
                     r->error[0].message ? r->error[0].message : "an assertion failed");
    }
}

static void declare_error(struct ncs_str *out, const struct ncs_outcome *o)
{
    ncs_str_addf(out, "error %s", o->error_name ? o->error_name : "of any name");
    if (o->error_call)
        ncs_str_addf(out, " of %s", o->error_call);
    if (o->rank >= 0)
        ncs_str_addf(out, " on rank %d", o->rank);
}

/* The first error that the verdict speaks of. */
static void report_error(struct ncs_str *out, const struct ncs_result *r)
{
    for (size_t i = 0; i < r->errors; i++) {
        const struct ncs_run_error *e = &r->error[i];
        if (r->verdict != ncs_error_verdict(e->kind))
            continue;
        ncs_str_addf(out, "error %s", e->name ? e->name : ncs_error_kind_name(e->kind));
        if (e->call)
            ncs_str_addf(out, " of %s", e->call);
        ncs_str_addf(out, " on rank %d", e->rank);
        return;
    }
    ncs_str_add(out, ncs_verdict_name(r->verdict));
    if (r->internal.status != NCS_OK)
        ncs_str_addf(out, ": %s", r->internal.text);
}

static void declare(struct ncs_str *out, const struct ncs_outcome *o)
{
    switch (o->verdict) {
    case NCS_HANG:
        declare_hang(out, o);
        break;
    case NCS_ERROR:
        declare_error(out, o);
        break;
    case NCS_WRONG:
        declare_wrong(out, o);
        break;
    case NCS_LOST:
        ncs_str_add(out, "a lost rank");
        if (o->rank >= 0)
            ncs_str_addf(out, " %d", o->rank);
        break;
    default:
        ncs_str_addf(out, "a %s", ncs_verdict_name(o->verdict));
        break;
    }
}

static void report(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r)
{
    switch (r->verdict) {
    case NCS_HANG:
        report_hang(out, o, r);
        break;
    case NCS_ERROR:
    case NCS_INVALID:
    case NCS_INTERNAL_FAULT:
        report_error(out, r);
        break;
    case NCS_WRONG:
        report_wrong(out, r);
        break;
    default:
        ncs_str_add(out, ncs_verdict_name(r->verdict));
        break;
    }
}

static void report_findings(struct ncs_str *out, const struct ncs_result *r)
{
    const struct ncs_diagnosis *d = &r->diagnosis;
    ncs_str_add(out, d->findings == 0 ? "no finding" : d->findings == 1 ? "finding " : "findings ");
    for (size_t i = 0; i < d->findings; i++)
        ncs_str_addf(out, "%s%s", i ? ", " : "", d->finding[i].rule);
}

bool ncs_outcome_holds(const struct ncs_outcome *o, const struct ncs_result *r,
                       struct ncs_str *difference)
{
    if (!verdict_holds(o, r)) {
        ncs_str_add(difference, "declared ");
        declare(difference, o);
        ncs_str_add(difference, ", got: ");
        report(difference, o, r);
        return false;
    }
    if (!finding_holds(o, r)) {
        ncs_str_addf(difference, "declared finding %s, got: ", o->finding);
        report_findings(difference, r);
        return false;
    }
    return true;
}
