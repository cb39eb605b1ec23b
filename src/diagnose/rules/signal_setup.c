/* The first one-sided call on a communicator waits for all its ranks, and some never make one. */
#include "diagnose/rules/rule.h"

static bool signal_setup_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_lacks(r, NCS_UNMET_SETUP))
        return false;
    const struct ncs_call *c = r->unmet->call;
    ncs_blame_absent(r, d);
    ncs_fill_unmet(q, d, r->unmet, c->number);
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "the first one-sided call on %s waits until every rank has made one, and ",
                 ncs_comm_name(q, r->unmet->comm));
    ncs_format_absent(r, &s);
    ncs_str_add(&s, r->absents == 1 ? " makes none" : " make none");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "let ");
    ncs_format_absent(r, &s);
    ncs_str_addf(&s, " make a one-sided call on %s too: to signal itself is enough", ncs_comm_name(q, r->unmet->comm));
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_signal_setup = { .match = signal_setup_match, .ground = NCS_GROUND_FEWER };
