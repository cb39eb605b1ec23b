/* A rank destroyed a communicator on which others still have a call to make. */
#include "diagnose/rules/rule.h"

/* A program ends with the destroy, so one that left out a call has destroyed, too: where the calls
 * show which one it left out, or others have one too many, that is what is told. */
static bool destroyed_after_all(const struct ncs_inquiry *q, const struct ncs_root *r)
{
    const struct ncs_parting *p = ncs_parting_of(q, r);
    bool all = r->need->kind == NCS_NEED_COLLECTIVE;
    if (p && (p->how != NCS_PARTING_FEWER || p->skipped_line))
        return false;
    for (size_t i = 0; i < r->absents; i++)
        all &= r->absent[i]->reason == NCS_ABSENT_DESTROYED;
    return all;
}

static void advise(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_str *s)
{
    const struct ncs_call *c = r->need->call;
    ncs_str_add(s, "let ");
    ncs_say_absent(r, s);
    if (r->need->kind == NCS_NEED_PAIR)
        ncs_str_addf(s, " %s rank %d", ncs_is_send(c) ? "receive from" : "send to", c->rank);
    else
        ncs_str_add(s, " make the call");
    if (c && r->need->kind != NCS_NEED_PAIR)
        ncs_say_place(s, c);
    ncs_str_addf(s, "%s before %s %s", r->need->kind == NCS_NEED_PAIR ? "" : " too,",
                 r->absents > 1 ? "they destroy" : "it destroys", ncs_comm_name(q, r->need->comm));
}

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_DESTROYED, NCS_ABSENT_DESTROYED) ||
        (!destroyed_after_all(q, r) && !ncs_left_alone(q, r)))
        return false;
    ncs_say_left(q, r, d, "destroyed");
    struct ncs_str s = { 0 };
    advise(q, r, &s);
    d->f.fix = ncs_str_take(&s);
    return true;
}

const struct ncs_rule ncs_rule_early_destroy = { .match = match };
