/* A rank ended by an error, or a call of it failed and it took no part or left; others wait for it. */
#include "diagnose/rule.h"

#include "base/mem.h"

static const char *ended_with(const struct ncs_inquiry *q, const struct ncs_absent *a)
{
    const char *m = a->context >= 0 ? q->snap->context[a->context].message : NULL;
    return m ? m : "an error";
}

/* The same call of each of them failed in the same way at the same place. */
static bool alike(const struct ncs_root *r)
{
    const struct ncs_call *first = r->absent[0]->call;
    for (size_t i = 1; i < r->absents; i++) {
        const struct ncs_call *c = r->absent[i]->call;
        if (!c || c->fn != first->fn || c->rc != first->rc || c->number != first->number ||
            c->place.line != first->place.line || r->absent[i]->reason != r->absent[0]->reason)
            return false;
    }
    return true;
}

/* "on ranks 0, 2 " */
static void say_where_failed(const struct ncs_root *r, size_t ranks, struct ncs_str *s)
{
    int *rank = ncs_new(ranks * sizeof *rank);
    for (size_t i = 0; i < ranks; i++)
        rank[i] = r->absent[i]->rank;
    ncs_str_add(s, "on ");
    ncs_say_ranks(s, rank, ranks);
    ncs_str_add(s, " ");
    ncs_free(rank);
}

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_ERROR, NCS_ABSENT_DROPPED))
        return false;
    ncs_fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    struct ncs_str s = { 0 };
    int line;
    if (a->reason == NCS_ABSENT_ERROR) {
        line = a->context >= 0 ? ncs_said_place(q, a->context).line : 0;
        ncs_say_absent(r, &s);
        ncs_str_add(&s, " ended by error");
        if (line)
            ncs_str_addf(&s, " at line %d", line);
        ncs_say_before(q, r, &s);
        ncs_str_addf(&s, ": %s", ended_with(q, a));
    } else {
        char *what = ncs_describe(a->call);
        line = a->call->place.line;
        bool many = r->absents > 1 && alike(r);
        say_where_failed(r, many ? r->absents : 1, &s);
        if (a->call->number)
            ncs_str_addf(&s, "call %u, %s,", (unsigned)a->call->number, what);
        else
            ncs_str_add(&s, what);
        ncs_say_place(&s, a->call);
        const union ncs_arg *comm = ncs_call_arg(a->call, NCS_ARG_COMM);
        ncs_str_addf(&s, " failed with %s%s", ncs_said_result(a->call),
                     comm && !comm->p ? " (its communicator is NULL)" : "");
        if (a->reason == NCS_ABSENT_GAVE_UP)
            ncs_str_addf(&s, ", and %s made no call on %s after that", many ? "they" : "it",
                         ncs_comm_name(q, r->need->comm));
        else if (a->reason == NCS_ABSENT_DROPPED)
            ncs_str_addf(&s, ", and %s whole group was dropped", many ? "their" : "its");
        else
            ncs_str_add(&s, many ? ", so they take no part" : ", so it takes no part");
        ncs_free(what);
    }
    ncs_say_who_waits(q, &s, r->need, r->absents > 1);
    d->f.why = ncs_str_take(&s);
    if (line)
        d->f.fix = ncs_text("repair what failed at line %d; a rank that cannot go on has to have "
                            "the communicator aborted on all ranks", line);
    else
        d->f.fix = ncs_text("repair what failed on rank %d; a rank that cannot go on has to have "
                            "the communicator aborted on all ranks", a->rank);
    return true;
}

const struct ncs_rule ncs_rule_error_path = { .match = match };
