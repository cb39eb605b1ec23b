/* Ranks wait in the destroy of a communicator for other ranks of their host, which do not end it. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* " in ncclCommDestroy at line 9" */
static void format_destroy(const struct ncs_call *destroy, struct ncs_str *s)
{
    ncs_str_addf(s, " in %s", ncs_fn_info[destroy->fn].name);
    ncs_format_place(s, destroy);
}

/* Adds "; rank 3 waits in barrier at line 12", for the first rank that waits somewhere. Returns its context; -1 = none. */
static int format_elsewhere(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_str *s)
{
    for (size_t i = 0; i < r->absents; i++) {
        int context = r->absent[i]->context;
        const char *function = context >= 0 && r->absent[i]->reason == NCS_ABSENT_ELSEWHERE ? ncs_context_function(q, context)
                                                                                            : NULL;
        if (!function)
            continue;
        ncs_str_addf(s, strchr(function, ' ') ? "; rank %d %s" : "; rank %d waits in %s", r->absent[i]->rank, function);
        int line = ncs_context_place(q, context).line;
        if (line && !strchr(function, ' ')) /* else it is that of its last call */
            ncs_str_addf(s, " at line %d", line);
        return context;
    }
    return -1;
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
static void doubt_absent(const struct ncs_analysis *q, const int *here, size_t count, const struct ncs_unmet *n,
                         struct ncs_draft *d)
{
    struct ncs_finding other = { .rule = "destroy-missing-rank", .comm = ncs_copy_text(ncs_comm_name(q, n->comm)) };
    struct ncs_str s = { 0 };
    size_t room = 0, culprit_room = 0;
    for (size_t i = 0; i < n->presents; i++) {
        struct ncs_culprit c = { .rank = n->present[i]->rank,
                                 .line = n->present[i]->place.line,
                                 .comm_rank = n->present[i]->comm_rank };
        NCS_PUSH(other.culprit, other.culprits, culprit_room, c);
    }
    ncs_format_ranks(&s, here, count);
    ncs_str_addf(&s, " destroy%s %s too early", count == 1 ? "s" : "", other.comm);
    ncs_format_place(&s, n->call);
    other.why = ncs_plain(ncs_str_take(&s));
    ncs_str_addf(&s, "it could also be that %s, before what the others wait for", ncs_sentence_text(other.why));
    d->f.otherwise = ncs_str_take(&s);
    d->f.certainty = NCS_LIKELY;
    NCS_PUSH(d->f.other, d->f.others, room, other);
}

/* Most ranks have not ended the communicator: the few that have did so too early. */
static void blame_few(const struct ncs_analysis *q, const struct ncs_cause *r, const int *here, size_t count, struct ncs_draft *d,
                      struct ncs_str *why, struct ncs_str *fix)
{
    const struct ncs_unmet *n = r->unmet;
    for (size_t i = 0; i < n->presents; i++)
        ncs_add_culprit(d, n->present[i]->rank, 0, n->present[i]->place.line);
    d->f.evidence = ncs_plain(ncs_copy_text("by the majority: more ranks have not destroyed it yet"));
    ncs_format_ranks(why, here, count);
    ncs_str_addf(why, " wait%s", count == 1 ? "s" : "");
    format_destroy(n->call, why);
    ncs_str_addf(why, " until the other ranks of the host destroy %s, too: ", ncs_comm_name(q, n->comm));
    ncs_format_absent(r, why);
    ncs_str_addf(why, " ha%s not", r->absents == 1 ? "s" : "ve");
    format_elsewhere(q, r, why);
    ncs_str_add(fix, "let ");
    ncs_format_ranks(fix, here, count);
    ncs_str_addf(fix, " destroy %s at the same point as the other ranks of the host, and first do what these wait for",
                 ncs_comm_name(q, n->comm));
}

static void blame_absent(const struct ncs_analysis *q, const struct ncs_cause *r, const int *here, size_t count,
                         struct ncs_draft *d, struct ncs_str *why, struct ncs_str *fix)
{
    const struct ncs_unmet *n = r->unmet;
    const char *comm = ncs_comm_name(q, n->comm);
    for (size_t i = 0; i < r->absents; i++)
        if (r->absent[i]->rank >= 0)
            ncs_add_culprit(d, r->absent[i]->rank, 0,
                            r->absent[i]->context >= 0 ? ncs_context_place(q, r->absent[i]->context).line : 0);
    ncs_format_absent(r, why);
    ncs_str_addf(why, " ha%s not destroyed %s; ", r->absents == 1 ? "s" : "ve", comm);
    ncs_format_ranks(why, here, count);
    ncs_str_addf(why, " wait%s for that", count == 1 ? "s" : "");
    format_destroy(n->call, why);
    int context = format_elsewhere(q, r, why);
    ncs_str_add(fix, "let ");
    ncs_format_absent(r, fix);
    ncs_str_addf(fix, " destroy %s, too", comm);
    if (context >= 0 && !strchr(ncs_context_function(q, context), ' ')) {
        ncs_str_addf(fix, ", before the wait in %s", ncs_context_function(q, context));
        if (ncs_context_place(q, context).line)
            ncs_str_addf(fix, " at line %d", ncs_context_place(q, context).line);
    }
    ncs_str_add(fix, ": a destroy waits for all ranks of the host");
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
    struct ncs_str why = { 0 }, fix = { 0 };
    size_t count;
    int *here = ncs_present_ranks(q, n, &count);
    size_t ends, others;
    count_ends(q, n->comm, &ends, &others);
    (ends < others ? blame_few : blame_absent)(q, r, here, count, d, &why, &fix);
    if (ends == others)
        doubt_absent(q, here, count, n, d);
    ncs_free(here);
    ncs_fill_unmet(q, d, n, 0);
    d->f.why = ncs_plain(ncs_str_take(&why));
    d->f.fix = ncs_plain(ncs_str_take(&fix));
    ncs_doubt_teardown(q, find_call_beside(q, n), d);
    return true;
}

const struct ncs_rule ncs_rule_destroy_missing_rank = { .match = destroy_missing_rank_match, .ground = NCS_GROUND_LEFT };
