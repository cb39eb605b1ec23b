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

/* Adds which ranks have the odd order, if it is about one pair of communicators. */
static void format_orders(const struct ncs_analysis *q, const struct ncs_odd_order *odd, struct ncs_str *s)
{
    if (!odd->first)
        return;
    int *rank = ncs_new(odd->ranks * sizeof *rank);
    for (size_t i = 0; i < odd->ranks; i++)
        rank[i] = odd->rank[i].rank;
    ncs_str_add(s, "; ");
    ncs_format_ranks(s, rank, odd->ranks);
    const char *like = odd->by_siblings ? ", or one made like it," : "";
    ncs_str_addf(s, "%s %s%s first, ", odd->ranks > 1 ? " call" : " alone calls", ncs_comm_name(q, odd->first->comm), like);
    ncs_format_ranks(s, odd->other, odd->others);
    ncs_str_addf(s, " call%s %s%s first", odd->others > 1 ? "" : "s", ncs_comm_name(q, odd->second->comm), like);
    ncs_free(rank);
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
    struct ncs_str why = { 0 };
    char *cycle = ncs_sentence_take(ncs_say_cycle(d));
    ncs_str_add(&why, cycle);
    ncs_free(cycle);
    size_t before = why.bytes;
    format_kernel_slots(q, r, &why);
    if (why.bytes == before)
        ncs_str_add(&why, "; each waits for a call that another one makes later");
    format_orders(q, &odd, &why);
    ncs_odd_order_free(&odd);
    d->f.why = ncs_plain(ncs_str_take(&why));
    if (k.comms > 2)
        d->f.fix = ncs_plain(
            ncs_text("put all communicators into one order for the whole job, and let each rank "
                     "use its own in that order: to break this cycle, one of its ranks has to change its order"));
    else
        d->f.fix = ncs_plain(ncs_text("use the communicators in one order on every rank"));
    return true;
}

const struct ncs_rule ncs_rule_comm_order = { .match = comm_order_match, .ground = NCS_GROUND_ORDER };
