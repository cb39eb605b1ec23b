/* A rank ended by an error, or a call of it failed and it took no part; other ranks wait for it. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* The error with which the rank's thread ended. */
static const char *ended_with(const struct ncs_analysis *q, const struct ncs_absent *a)
{
    const char *m = a->context >= 0 ? q->snap->context[a->context].message : NULL;
    return m ? m : "an error";
}

/* True if the same call failed on all absent ranks in the same way at the same place: then one
 * sentence covers all. */
static bool error_path_alike(const struct ncs_cause *r)
{
    const struct ncs_call *first = r->absent[0]->call;
    for (size_t i = 1; i < r->absents; i++) {
        const struct ncs_call *c = r->absent[i]->call;
        if (!c || c->fn != first->fn || c->rc != first->rc || c->number != first->number || c->place.line != first->place.line ||
            r->absent[i]->reason != r->absent[0]->reason)
            return false;
    }
    return true;
}

/* "on ranks 0, 2 " */
static void format_where_failed(const struct ncs_cause *r, size_t ranks, struct ncs_str *s)
{
    int *rank = ncs_new(ranks * sizeof *rank);
    for (size_t i = 0; i < ranks; i++)
        rank[i] = r->absent[i]->rank;
    ncs_str_add(s, "on ");
    ncs_format_ranks(s, rank, ranks);
    ncs_str_add(s, " ");
    ncs_free(rank);
}

/* The call whose error ended the rank; NULL = it was no call. */
static const struct ncs_call *ended_by(const struct ncs_analysis *q, int rank)
{
    for (size_t i = 0; i < q->notices; i++)
        if (q->notice[i].kind == NCS_NOTICE_ERROR && q->notice[i].call[0]->rank == rank)
            return q->notice[i].call[0];
    return NULL;
}

static void format_ended(const struct ncs_analysis *q, const struct ncs_cause *r, int line, struct ncs_str *s)
{
    ncs_add_fact(s, ncs_fact_absent(r));
    ncs_str_add(s, " ended by error");
    if (line)
        ncs_str_addf(s, " at line %d", line);
    ncs_add_fact(s, ncs_fact_before(q, r));
    ncs_str_addf(s, ": %s", ended_with(q, r->absent[0]));
}

static void error_path_format_failed(const struct ncs_cause *r, bool many, struct ncs_str *s)
{
    const struct ncs_call *call = r->absent[0]->call;
    char *what = ncs_describe(call);
    format_where_failed(r, many ? r->absents : 1, s);
    if (call->number)
        ncs_str_addf(s, "call %u, %s,", (unsigned)call->number, what);
    else
        ncs_str_add(s, what);
    ncs_format_place(s, call);
    ncs_str_add(s, " ");
    ncs_format_result(call, s);
    ncs_free(what);
}

static void format_so(const struct ncs_analysis *q, const struct ncs_cause *r, bool many, struct ncs_str *s)
{
    const char *who = many ? "they" : "it";
    if (r->absent[0]->reason == NCS_ABSENT_GAVE_UP)
        ncs_str_addf(s, "; %s made no call on %s after that", who, ncs_comm_name(q, r->unmet->comm));
    else if (r->absent[0]->reason == NCS_ABSENT_DROPPED)
        ncs_str_addf(s, "; with it %s whole group was dropped", many ? "their" : "its");
    else
        ncs_str_addf(s, "; so %s take%s no part", who, many ? "" : "s");
}

static bool error_path_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_ERROR, NCS_ABSENT_DROPPED))
        return false;
    ncs_fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    bool ended = a->reason == NCS_ABSENT_ERROR, many = !ended && r->absents > 1 && error_path_alike(r);
    /* an error of the program itself has no call, but its thread has a place */
    const struct ncs_call *failed = ended ? ended_by(q, a->rank) : a->call;
    int line = !ended ? failed->place.line : a->context >= 0 ? ncs_context_place(q, a->context).line : 0;
    struct ncs_str s = { 0 }, fix = { 0 };
    if (ended)
        format_ended(q, r, line, &s);
    else
        error_path_format_failed(r, many, &s);
    if (failed)
        ncs_format_failing(q, failed, &s, &fix);
    else if (line)
        ncs_str_addf(&fix, "repair what failed at line %d", line);
    else
        ncs_str_addf(&fix, "repair what failed on rank %d", a->rank);
    if (!ended)
        format_so(q, r, many, &s);
    ncs_add_fact(&s, ncs_fact_waits(q, r->unmet, r->absents > 1));
    ncs_str_add(&fix, "; a rank that cannot go on has to have the communicator aborted on all ranks");
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_str_take(&fix));
    if (failed && failed->rc == ncclRemoteError && !failed->faulted) {
        char *doubt = ncs_sentence_take(ncs_say(error_path_remote));
        ncs_finding_doubt(&d->f, doubt);
        ncs_free(doubt);
    }
    return true;
}

const struct ncs_rule ncs_rule_error_path = { .match = error_path_match, .ground = NCS_GROUND_RECORD };
