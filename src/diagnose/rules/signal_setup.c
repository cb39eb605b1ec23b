/* The first one-sided call on a communicator, to which not all of its ranks come. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static void add_culprits(const struct ncs_cause *r, struct ncs_draft *d)
{
    for (size_t i = 0; i < r->absents; i++)
        if (r->absent[i]->rank >= 0)
            ncs_add_culprit(d, r->absent[i]->rank, 0, 0);
}

static bool signal_setup_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_lacks(r, NCS_UNMET_SETUP))
        return false;
    const struct ncs_call *c = r->unmet->call;
    add_culprits(r, d);
    ncs_fill_unmet(q, d, r->unmet, c->number);
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++)
        ranks[i] = r->absent[i]->rank;
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "the first one-sided call on %s waits until every rank has made one, and ",
                 ncs_comm_name(q, r->unmet->comm));
    ncs_format_ranks(&s, ranks, r->absents);
    ncs_str_add(&s, r->absents == 1 ? " makes none" : " make none");
    d->f.why = ncs_str_take(&s);
    ncs_str_add(&s, "let ");
    ncs_format_ranks(&s, ranks, r->absents);
    ncs_str_addf(&s, " make a one-sided call on %s too: to signal itself is enough",
                 ncs_comm_name(q, r->unmet->comm));
    d->f.fix = ncs_str_take(&s);
    ncs_free(ranks);
    return true;
}

const struct ncs_rule ncs_rule_signal_setup = { .match = signal_setup_match, .ground = NCS_GROUND_FEWER };
