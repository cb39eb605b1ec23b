/* Ranks use several communicators in opposite order and wait for each other. */
#include "diagnose/rules/rule.h"

/* Behind the launches `before`; NULL = it is the first. */
static struct ncs_sentence *say_launch(const struct ncs_analysis *q, struct ncs_sentence *before, const struct ncs_snap_op *op)
{
    return ncs_say(comm_order_launch, ncs_fact_sentence("before", before), ncs_fact_call("call", q->journal, op->call));
}

/* If launches of the cycle wait for a kernel slot (a lane of their device): which launches hold the slots. */
static struct ncs_sentence *say_kernel_slots(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    size_t start = ncs_first_place(q, r);
    struct ncs_sentence *all = NULL;
    for (size_t k = 0; k < r->length; k++) {
        size_t i = (start + k) % r->length;
        size_t op = (size_t)(r->path[i] - ncs_op_node(q, 0));
        if (r->path[i] < ncs_op_node(q, 0) || op >= q->snap->ops || !q->snap->op[op].awaits_kernel_slot)
            continue;
        const struct ncs_snap_op *waits = &q->snap->op[op];
        struct ncs_sentence *held = NULL;
        for (size_t m = 0; m < waits->deps; m++)
            held = say_launch(q, held, &q->snap->op[q->snap->dep[waits->dep + m]]);
        all = ncs_say(comm_order_lane, ncs_fact_sentence("before", all), ncs_fact_rank("who", waits->rank),
                      ncs_fact_sentence("launch", say_launch(q, NULL, waits)), ncs_fact_is("several", waits->deps > 1),
                      ncs_fact_sentence("held", held));
    }
    return all;
}

static bool comm_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_CYCLE)
        return false;
    struct ncs_cycle_kinds k = ncs_cycle_kinds_of(q, r);
    if (k.comms < 2 || k.gates || k.ends)
        return false;
    struct ncs_odd_order odd = ncs_odd_order_of(q, r);
    ncs_fill_cycle(q, r, &odd, d);
    d->f.why = ncs_say(comm_order_why, ncs_fact_sentence("cycle", ncs_say_cycle(d)),
                       ncs_fact_sentence("lanes", say_kernel_slots(q, r)), ncs_fact_odd("odd", &odd),
                       ncs_fact_ranks("others", odd.other, odd.others), ncs_fact_is("like", odd.by_siblings),
                       ncs_fact_text("first", odd.first ? ncs_comm_name(q, odd.first->comm) : NULL),
                       ncs_fact_text("second", odd.first ? ncs_comm_name(q, odd.second->comm) : NULL));
    d->f.fix = ncs_say(comm_order_fix, ncs_fact_is("several", k.comms > 2));
    ncs_odd_order_free(&odd);
    return true;
}

const struct ncs_rule ncs_rule_comm_order = { .match = comm_order_match, .ground = NCS_GROUND_ORDER };
