/* Describes outcomes: the declared one, and the same details of the actual one. */
#include "scenario/outcome.h"

/* Appends the next detail: "a hang" with culprit 1; call 3 ... */
__attribute__((format(printf, 3, 4))) static void add_detail(struct ncs_str *out, int *details, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ncs_str_add(out, (*details)++ == 0 ? " with " : "; ");
    ncs_str_addv(out, fmt, args);
    va_end(args);
}

static void add_detail_of_ranks(struct ncs_str *out, int *details, const char *what, struct ncs_rank_set ranks)
{
    add_detail(out, details, "%s ", what);
    ncs_rank_set_format(out, ranks);
}

static void declare_hang(struct ncs_str *out, const struct ncs_outcome *o)
{
    int details = 0;
    ncs_str_add(out, "a hang");
    if (o->culprits > 0)
        add_detail_of_ranks(out, &details, "culprit", ncs_rank_set_of(o->culprit, o->culprits));
    if (o->waitings > 0)
        add_detail_of_ranks(out, &details, "waiting", ncs_rank_set_of(o->waiting, o->waitings));
    if (o->call > 0)
        add_detail(out, &details, "call %lld on %s", (long long)o->call, ncs_declared_comm(o));
    else if (o->comm_given)
        add_detail(out, &details, "comm %s", ncs_declared_comm(o));
    if (o->why)
        add_detail(out, &details, "why %s", o->why);
}

/* If a hang was declared, reports the declared details; otherwise the most telling ones. */
static void report_hang(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r)
{
    const struct ncs_finding *cause = ncs_first_error(&r->diagnosis);
    bool other = o->any_verdict || o->verdict != NCS_HANG;
    int details = 0;
    ncs_str_add(out, "hang");
    if (!cause) {
        ncs_str_add(out, " without a finding");
        return;
    }
    if (other || o->culprits > 0)
        add_detail_of_ranks(out, &details, "culprit",
                            cause->culprits > 0 ? ncs_rank_set_of_culprits(cause) : ncs_rank_set_of_cycle(cause));
    if (!other && o->waitings > 0)
        add_detail_of_ranks(out, &details, "waiting", ncs_rank_set_of(cause->blocked, cause->blockeds));
    if (!other && o->call > 0 && cause->call > 0)
        add_detail(out, &details, "call %u on %s", cause->call, cause->comm ? cause->comm : "none");
    else if (!other && (o->call > 0 || o->comm_given))
        add_detail(out, &details, "comm %s", cause->comm ? cause->comm : "none");
    if (other || o->why)
        add_detail(out, &details, "why %s", cause->rule);
}

static void declare_wrong(struct ncs_str *out, const struct ncs_outcome *o)
{
    ncs_str_add(out, "a wrong result");
    if (o->rank >= 0)
        ncs_str_addf(out, " on rank %d", o->rank);
    if (o->call > 0)
        ncs_str_addf(out, " of call %lld on %s", (long long)o->call, ncs_declared_comm(o));
    else if (o->comm_given)
        ncs_str_addf(out, " on %s", ncs_declared_comm(o));
    if (o->first > 0)
        ncs_str_addf(out, " from element %lld", (long long)o->first);
}

static void report_wrong(struct ncs_str *out, const struct ncs_result *r)
{
    const struct ncs_finding *cause = ncs_first_error(&r->diagnosis);
    if (r->wrongs + r->expects + r->errors == 0 && cause) {
        ncs_str_addf(out, "wrong without a wrong value: %s", cause->rule);
        return;
    }
    ncs_str_add(out, "wrong result");
    if (r->wrongs > 0) {
        const struct ncs_wrong *w = &r->wrong[0];
        const char *comm = ncs_result_comm(r, w->comm);
        ncs_str_addf(out, " on rank %d of call %u on %s from element %llu", w->rank, w->number, comm ? comm : "none",
                     (unsigned long long)w->first);
    } else if (r->expects > 0) {
        ncs_str_addf(out, " on rank %d: %s", r->expect[0].rank,
                     r->expect[0].message ? r->expect[0].message : "an expectation failed");
    } else if (r->errors > 0) {
        ncs_str_addf(out, " on rank %d: %s", r->error[0].rank, r->error[0].message ? r->error[0].message : "an assertion failed");
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

/* Describes the first error that led to the verdict. */
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

static void words_declare_outcome(struct ncs_str *out, const struct ncs_outcome *o)
{
    switch (o->verdict) {
    case NCS_HANG: declare_hang(out, o); break;
    case NCS_ERROR: declare_error(out, o); break;
    case NCS_WRONG: declare_wrong(out, o); break;
    case NCS_LOST:
        ncs_str_add(out, "a lost rank");
        if (o->rank >= 0)
            ncs_str_addf(out, " %d", o->rank);
        break;
    default: ncs_str_addf(out, "a %s", ncs_verdict_name(o->verdict)); break;
    }
}

static void words_report_outcome(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r)
{
    switch (r->verdict) {
    case NCS_HANG: report_hang(out, o, r); break;
    case NCS_ERROR:
    case NCS_INVALID:
    case NCS_INTERNAL_FAULT: report_error(out, r); break;
    case NCS_WRONG: report_wrong(out, r); break;
    default: ncs_str_add(out, ncs_verdict_name(r->verdict)); break;
    }
}

void ncs_outcome_format_verdict(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r)
{
    ncs_str_add(out, "declared ");
    words_declare_outcome(out, o);
    ncs_str_add(out, ", got: ");
    words_report_outcome(out, o, r);
}

/* ---- findings ---- */

static void declare_finding(struct ncs_str *out, const struct ncs_outcome_finding *f)
{
    int details = 0;
    ncs_str_addf(out, "finding %s", f->rule ? f->rule : "of any rule");
    if (f->culprits > 0)
        add_detail_of_ranks(out, &details, "culprit", ncs_rank_set_of(f->culprit, f->culprits));
    if (f->waitings > 0)
        add_detail_of_ranks(out, &details, "waiting", ncs_rank_set_of(f->waiting, f->waitings));
    if (f->call > 0)
        add_detail(out, &details, "call %lld", (long long)f->call);
    if (f->comm)
        add_detail(out, &details, "comm %s", f->comm);
    if (f->certainty)
        add_detail(out, &details, "certainty %s", f->certainty);
}

/* The details of a reported finding that were declared. */
static void report_finding(struct ncs_str *out, const struct ncs_outcome_finding *d, const struct ncs_finding *f)
{
    int details = 0;
    ncs_str_add(out, f->rule);
    if (d->culprits > 0)
        add_detail_of_ranks(out, &details, "culprit", ncs_rank_set_of_culprits(f));
    if (d->waitings > 0)
        add_detail_of_ranks(out, &details, "waiting", ncs_rank_set_of(f->blocked, f->blockeds));
    if (d->call > 0)
        add_detail(out, &details, "call %u", f->call);
    if (d->comm)
        add_detail(out, &details, "comm %s", f->comm ? f->comm : "none");
    if (d->certainty)
        add_detail(out, &details, "certainty %s", ncs_certainty_names[f->certainty]);
}

static void report_findings(struct ncs_str *out, const struct ncs_outcome_finding *d, const struct ncs_result *r)
{
    const struct ncs_diagnosis *all = &r->diagnosis;
    ncs_str_add(out, all->findings == 0 ? "no finding" : all->findings == 1 ? "finding " : "findings ");
    for (size_t i = 0; i < all->findings; i++) {
        ncs_str_add(out, i ? ", " : "");
        report_finding(out, d, &all->finding[i]);
    }
}

void ncs_outcome_format_finding(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r)
{
    ncs_str_add(out, "declared ");
    declare_finding(out, &o->finding);
    ncs_str_add(out, ", got: ");
    report_findings(out, &o->finding, r);
}

void ncs_outcome_format_findings(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r)
{
    const struct ncs_diagnosis *all = &r->diagnosis;
    size_t errors = 0;
    ncs_str_addf(out, "declared %lld finding%s of level error, got: ", (long long)o->findings, o->findings == 1 ? "" : "s");
    for (size_t i = 0; i < all->findings; i++)
        if (all->finding[i].level == NCS_LEVEL_ERROR)
            ncs_str_addf(out, "%s%s", errors++ ? ", " : "", all->finding[i].rule);
    if (errors == 0)
        ncs_str_add(out, "none");
}
