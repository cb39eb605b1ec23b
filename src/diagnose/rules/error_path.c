/* A rank ended by an error, or a call of it failed and it took no part or left; others wait for it. */
#include "diagnose/rule.h"

#include "base/mem.h"

static const char *ended_with(const struct ncs_inquiry *q, const struct ncs_absent *a)
{
    const char *m = a->context >= 0 ? q->snap->context[a->context].message : NULL;
    return m ? m : "an error";
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
        ncs_str_addf(&s, "on rank %d ", a->rank);
        if (a->call->number)
            ncs_str_addf(&s, "call %u, %s,", (unsigned)a->call->number, what);
        else
            ncs_str_add(&s, what);
        ncs_say_place(&s, a->call);
        const union ncs_arg *comm = ncs_call_arg(a->call, NCS_ARG_COMM);
        ncs_str_addf(&s, " failed with %s%s", ncs_said_result(a->call),
                     comm && !comm->p ? " (its communicator is NULL)" : "");
        if (a->reason == NCS_ABSENT_GAVE_UP)
            ncs_str_addf(&s, ", and it made no call on %s after that", ncs_comm_name(q, r->need->comm));
        else
            ncs_str_add(&s, a->reason == NCS_ABSENT_DROPPED ? ", and its whole group was dropped"
                                                            : ", so it takes no part");
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
