/* A run ended well although two ranks launched calls of two communicators in opposite order. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static void launch_order_format_call(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_call *c)
{
    ncs_str_addf(s, "call %u on %s", (unsigned)c->number, ncs_comm_name(q, c->comm));
    ncs_format_place(s, c);
}

static bool launch_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_ORDER)
        return false;
    const struct ncs_call *const *c = r->call;
    bool swap = c[2]->rank < c[0]->rank;
    for (int i = 0; i < 2; i++) {
        const struct ncs_call *own = c[swap == (i == 0) ? 2 : 0];
        ncs_add_culprit(d, own->rank, own->number, own->place.line);
    }
    struct ncs_str s = { 0 };
    const struct ncs_call *const *one = c + (swap ? 2 : 0), *const *other = c + (swap ? 0 : 2);
    ncs_str_addf(&s, "rank %d launches ", one[0]->rank);
    launch_order_format_call(q, &s, one[0]);
    ncs_str_add(&s, " before ");
    launch_order_format_call(q, &s, one[1]);
    ncs_str_addf(&s,
                 ", rank %d the other way round: a device that cannot hold both kernels at a "
                 "time hangs",
                 other[0]->rank);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_text("launch the calls of communicators that share ranks in one order on all of "
                                  "them; sim = { lanes = 1 } shows the hang"));
    d->f.certainty = NCS_UNDEFINED;
    d->f.evidence = ncs_plain(ncs_copy_text("neither order is right by itself, so both ranks are named"));
    d->f.comm = ncs_copy_text(ncs_comm_name(q, one[0]->comm));
    d->f.call = one[0]->number;
    d->order = one[0]->id;
    return true;
}

const struct ncs_rule ncs_rule_launch_order = { .match = launch_order_match, .ground = NCS_GROUND_ORDER };
