/* A rank was stopped, and others wait for it. */
#include "diagnose/rule.h"

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_KILLED, NCS_ABSENT_KILLED))
        return false;
    ncs_fill_absent(q, r, d);
    struct ncs_str s = { 0 };
    if (r->absents == 1 && ncs_may_go_on(q, r->absent[0]->rank))
        ncs_str_add(&s, "a thread of ");
    ncs_say_absent(r, &s);
    ncs_str_add(&s, r->absents > 1 ? " were stopped" : " was stopped");
    int context = r->absent[0]->context;
    if (r->absents == 1 && context >= 0 && q->snap->context[context].message)
        ncs_str_addf(&s, " by %s", q->snap->context[context].message);
    ncs_say_before(q, r, &s);
    ncs_say_who_waits(q, &s, r->need, r->absents > 1);
    d->f.why = ncs_str_take(&s);
    d->f.fix = ncs_text("when a rank is lost, all others have to abort the communicators that "
                        "they share with it");
    return true;
}

const struct ncs_rule ncs_rule_rank_lost = { .match = match };
