/* Ranks use several communicators in opposite order and wait for each other. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static void format_op(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_snap_op *op)
{
    if (op->call && op->call->number)
        ncs_str_addf(s, "call %u on %s", (unsigned)op->call->number, ncs_comm_name(q, op->call->comm));
    else
        ncs_str_addf(s, "another launch");
}

/* If a launch in the cycle waits for a kernel slot (a lane of its device), names the launches that
 * hold the slots. */
static void format_kernel_slots(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_str *s)
{
    size_t start = ncs_first_place(q, r);
    for (size_t k = 0; k < r->length; k++) {
        size_t i = (start + k) % r->length;
        size_t op = (size_t)(r->path[i] - ncs_op_node(q, 0));
        if (r->path[i] < ncs_op_node(q, 0) || op >= q->snap->ops || !q->snap->op[op].awaits_kernel_slot)
            continue;
        const struct ncs_snap_op *waits = &q->snap->op[op];
        ncs_str_addf(s, "; on rank %d the device has no lane left for ", waits->rank);
        format_op(q, s, waits);
        ncs_str_add(s, waits->deps > 1 ? ": lanes held by " : ": lane held by ");
        for (size_t m = 0; m < waits->deps; m++) {
            ncs_str_add(s, m ? ", " : "");
            format_op(q, s, &q->snap->op[q->snap->dep[waits->dep + m]]);
        }
    }
}

/* The two meetings of a cycle of two collectives. False = the cycle is another one. */
static bool find_two_meetings(const struct ncs_analysis *q, const struct ncs_cause *r, const struct ncs_unmet *of[2])
{
    size_t found = 0;
    for (size_t i = 0; i < r->length; i++) {
        int unmet = ncs_node_unmet(q, r->path[i]);
        if (unmet < 0)
            continue;
        if (found == 2 || q->unmet[unmet].kind != NCS_UNMET_COLLECTIVE)
            return false;
        of[found++] = &q->unmet[unmet];
    }
    return found == 2 && of[0]->comm != of[1]->comm;
}

/* Adds which rank alone has the other order, if several ranks wait at one of the two meetings. */
static void format_lone_rank(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_str *s)
{
    const struct ncs_unmet *of[2];
    if (!find_two_meetings(q, r, of))
        return;
    int first = of[0]->presents == 1 ? 0 : 1;
    const struct ncs_unmet *lone = of[first], *most = of[1 - first];
    if (lone->presents != 1 || most->presents < 2)
        return;
    int *rank = ncs_new(most->presents * sizeof *rank);
    for (size_t i = 0; i < most->presents; i++)
        rank[i] = most->present[i]->rank;
    ncs_str_addf(s, "; rank %d alone calls %s first, ", lone->present[0]->rank, ncs_comm_name(q, lone->comm));
    ncs_format_ranks(s, rank, most->presents);
    ncs_str_addf(s, " call %s first", ncs_comm_name(q, most->comm));
    ncs_free(rank);
}

static bool comm_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_CYCLE)
        return false;
    struct ncs_cycle_kinds k = ncs_cycle_kinds_of(q, r);
    if (k.comms < 2 || k.gates || k.ends)
        return false;
    ncs_fill_cycle(q, r, d);
    struct ncs_str why = { 0 };
    char *cycle = ncs_cycle_text(d);
    ncs_str_add(&why, cycle);
    ncs_free(cycle);
    size_t before = why.bytes;
    format_kernel_slots(q, r, &why);
    if (why.bytes == before)
        ncs_str_add(&why, "; each waits for a call that another one makes later");
    format_lone_rank(q, r, &why);
    d->f.why = ncs_str_take(&why);
    if (k.comms > 2)
        d->f.fix = ncs_text("put all communicators into one order for the whole job, and let each rank "
                            "use its own in that order: to break this cycle, one of its ranks has to change its order");
    else
        d->f.fix = ncs_text("use the communicators in one order on every rank");
    return true;
}

const struct ncs_rule ncs_rule_comm_order = { .match = comm_order_match, .ground = NCS_GROUND_ORDER };
