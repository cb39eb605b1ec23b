/* Ranks wait in the destroy of a communicator for other ranks of their host, which do not end it. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* The first missed rank that waits somewhere; NULL = none does. */
static const struct ncs_absent *first_elsewhere(const struct ncs_cause *r)
{
    for (size_t i = 0; i < r->absents; i++)
        if (r->absent[i]->context >= 0 && r->absent[i]->reason == NCS_ABSENT_ELSEWHERE)
            return r->absent[i];
    return NULL;
}

/* In the program's own code the place is only that of its last call. */
static bool is_in_own_code(const struct ncs_analysis *q, const struct ncs_absent *a)
{
    return strchr(ncs_context_function(q, a->context), ' ');
}

/* "; rank 3 waits in barrier at line 12" */
static struct ncs_fact fact_elsewhere(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    const struct ncs_absent *a = first_elsewhere(r);
    return ncs_fact_sentence("elsewhere", !a ? NULL
                                             : ncs_say(destroy_elsewhere, ncs_fact_rank("who", a->rank),
                                                       ncs_fact_is("stopped", is_in_own_code(q, a)),
                                                       ncs_fact_text("in", ncs_context_function(q, a->context)),
                                                       ncs_fact_line("line", ncs_context_place(q, a->context).line)));
}

/* Counts the ranks of the communicator, on all hosts, that have ended it or wait to end it, and those that still could. Who waits
 * in the end of another communicator is on the way to this one. */
static void count_ends(const struct ncs_analysis *q, int comm, size_t *ends, size_t *others)
{
    *ends = *others = 0;
    for (int r = 0; r < q->journal->comm[comm]->members; r++) {
        struct ncs_absent a = { .rank = ncs_run_rank(q, comm, r), .comm_rank = r };
        bool ended = ncs_end_of(q, comm, r);
        *ends += ended;
        ncs_why_rank_absent(q, &a);
        const struct ncs_call *now = a.context >= 0 ? q->snap->context[a.context].call : NULL;
        bool ends_another = now && ncs_fn_info[now->fn].ends == NCS_ENDS_COMM;
        *others += !ended && !ends_another && a.reason > NCS_ABSENT_LAST_FINAL;
    }
}

/* As many ranks have ended the communicator as have not: these may have done so too early. */
static void doubt_absent(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_draft *d)
{
    struct ncs_finding other = { .rule = "destroy-missing-rank", .comm = ncs_copy_text(ncs_comm_name(q, n->comm)) };
    size_t room = 0, culprit_room = 0;
    for (size_t i = 0; i < n->presents; i++) {
        struct ncs_culprit c = { .rank = n->present[i]->rank,
                                 .line = n->present[i]->place.line,
                                 .comm_rank = n->present[i]->comm_rank };
        NCS_PUSH(other.culprit, other.culprits, culprit_room, c);
    }
    other.why = ncs_say(destroy_missing_rank_early, ncs_fact_present("who", q, n), ncs_fact_comm(q, n->comm),
                        ncs_fact_call("call", q->journal, n->call));
    d->f.otherwise = ncs_sentence_take(
        ncs_say(destroy_missing_rank_or, ncs_fact_sentence("early", ncs_sentence_copy(other.why))));
    d->f.certainty = NCS_LIKELY;
    NCS_PUSH(d->f.other, d->f.others, room, other);
}

/* Most ranks have not ended the communicator: the few that have did so too early. */
static void blame_few(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n = r->unmet;
    for (size_t i = 0; i < n->presents; i++)
        ncs_add_culprit(d, n->present[i]->rank, 0, n->present[i]->place.line);
    d->f.evidence = ncs_say(destroy_missing_rank_few_evidence);
    d->f.why = ncs_say(destroy_missing_rank_few, ncs_fact_present("who", q, n), ncs_fact_call("call", q->journal, n->call),
                       ncs_fact_comm(q, n->comm), ncs_fact_absent(r), fact_elsewhere(q, r));
    d->f.fix = ncs_say(destroy_missing_rank_few_fix, ncs_fact_present("who", q, n), ncs_fact_comm(q, n->comm));
}

static void blame_absent(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n = r->unmet;
    const struct ncs_absent *a = first_elsewhere(r);
    bool waits = a && !is_in_own_code(q, a);
    for (size_t i = 0; i < r->absents; i++)
        if (r->absent[i]->rank >= 0)
            ncs_add_culprit(d, r->absent[i]->rank, 0,
                            r->absent[i]->context >= 0 ? ncs_context_place(q, r->absent[i]->context).line : 0);
    d->f.why = ncs_say(destroy_missing_rank_why, ncs_fact_absent(r), ncs_fact_comm(q, n->comm), ncs_fact_present("who", q, n),
                       ncs_fact_call("call", q->journal, n->call), fact_elsewhere(q, r));
    d->f.fix = ncs_say(destroy_missing_rank_fix, ncs_fact_absent(r), ncs_fact_comm(q, n->comm),
                       ncs_fact_text("in", waits ? ncs_context_function(q, a->context) : NULL),
                       ncs_fact_line("line", waits ? ncs_context_place(q, a->context).line : 0));
}

static bool stands_at(const struct ncs_unmet *n, int rank)
{
    for (size_t i = 0; i < n->presents; i++)
        if (n->present[i]->rank == rank)
            return true;
    return false;
}

/* A call on another communicator that waits for others, too, of a rank that waits in the destroy; NULL = there is none. */
static const struct ncs_call *find_call_beside(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    for (size_t i = 0; i < q->unmets; i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        for (size_t k = 0; k < o->presents && o->comm != n->comm; k++)
            if (o->present[k]->number && stands_at(n, o->present[k]->rank))
                return o->present[k];
    }
    return NULL;
}

static bool destroy_missing_rank_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_ABSENT || !r->absents || !ncs_is_teardown(q, r->unmet) || !r->unmet->call)
        return false;
    const struct ncs_unmet *n = r->unmet;
    size_t ends, others;
    count_ends(q, n->comm, &ends, &others);
    (ends < others ? blame_few : blame_absent)(q, r, d);
    if (ends == others)
        doubt_absent(q, n, d);
    ncs_fill_unmet(q, d, n, 0);
    ncs_doubt_teardown(q, find_call_beside(q, n), d);
    return true;
}

const struct ncs_rule ncs_rule_destroy_missing_rank = { .match = destroy_missing_rank_match, .ground = NCS_GROUND_LEFT };
