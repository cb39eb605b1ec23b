/* Rules about one-sided calls: signals that are not sent, and the set-up that all ranks come to. */
#include "diagnose/rule.h"

#include "base/mem.h"

static bool lacks(const struct ncs_root *r, enum ncs_need_kind kind)
{
    return r->kind == NCS_ROOT_ABSENT && r->absents && r->need->kind == kind && r->need->call &&
           r->absent[0]->reason >= NCS_ABSENT_DESTROYED;
}

static void add_culprits(const struct ncs_root *r, struct ncs_draft *d)
{
    for (size_t i = 0; i < r->absents; i++)
        if (r->absent[i]->rank >= 0)
            ncs_add_culprit(d, r->absent[i]->rank, 0, 0);
}

bool ncs_rule_signal_missing(const struct ncs_inquiry *q, const struct ncs_root *r,
                             struct ncs_draft *d)
{
    if (!lacks(r, NCS_NEED_SIGNAL))
        return false;
    const struct ncs_need *n = r->need;
    const struct ncs_call *c = n->call;
    unsigned long long wanted = n->wanted, came = n->came;
    int peer = r->absent[0]->rank;
    add_culprits(r, d);
    ncs_fill_need(q, d, n, c->number);
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "rank %d waits for %llu signal%s of rank %d", c->rank, wanted,
                 wanted == 1 ? "" : "s", peer);
    ncs_say_place(&s, c);
    if (came)
        ncs_str_addf(&s, ", and %llu %s", came, came == 1 ? "is there" : "are there");
    else
        ncs_str_addf(&s, ", and none is there");
    d->f.why = ncs_str_take(&s);
    ncs_str_addf(&s, "let rank %d put or signal %llu more time%s to rank %d, or %s", peer,
                 wanted - came, wanted - came == 1 ? "" : "s", c->rank,
                 came ? "let the wait" : "leave out the wait");
    ncs_say_place(&s, c);
    if (came)
        ncs_str_addf(&s, " take %llu", came);
    d->f.fix = ncs_str_take(&s);
    return true;
}

bool ncs_rule_signal_setup(const struct ncs_inquiry *q, const struct ncs_root *r,
                           struct ncs_draft *d)
{
    if (!lacks(r, NCS_NEED_SETUP))
        return false;
    const struct ncs_call *c = r->need->call;
    add_culprits(r, d);
    ncs_fill_need(q, d, r->need, c->number);
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++)
        ranks[i] = r->absent[i]->rank;
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "the first one-sided call on %s waits until every rank has made one, and ",
                 ncs_comm_name(q, r->need->comm));
    ncs_say_ranks(&s, ranks, r->absents);
    ncs_str_add(&s, r->absents == 1 ? " makes none" : " make none");
    d->f.why = ncs_str_take(&s);
    ncs_str_add(&s, "let ");
    ncs_say_ranks(&s, ranks, r->absents);
    ncs_str_addf(&s, " make a one-sided call on %s too: to signal itself is enough",
                 ncs_comm_name(q, r->need->comm));
    d->f.fix = ncs_str_take(&s);
    ncs_free(ranks);
    return true;
}
