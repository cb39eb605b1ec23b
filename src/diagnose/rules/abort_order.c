/* Ranks abort one communicator and stand in it, because of what they run on another one. */
#include "diagnose/rule.h"

#include "base/mem.h"

/* The abort that the ranks at the need stand in, of another communicator; NULL if one of them is
 * elsewhere. */
static const struct ncs_call *aborts(const struct ncs_inquiry *q, const struct ncs_need *n)
{
    const struct ncs_call *abort = NULL;
    bool *direct = ncs_waiters(q, ncs_need_node(q, (size_t)(n - q->need)), true), all = true;
    for (size_t i = 0; i < q->snap->contexts && all; i++) {
        const struct ncs_call *c = direct[i] ? q->snap->context[i].call : NULL;
        if (!direct[i])
            continue;
        all = c && c->fn == NCS_FN_ncclCommAbort && c->comm >= 0 && c->comm != n->comm;
        if (all && (!abort || c->rank < abort->rank))
            abort = c;
    }
    ncs_free(direct);
    return all ? abort : NULL;
}

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_KILLED, NCS_ABSENT_LAST_FINAL) || r->need->comm < 0)
        return false;
    const struct ncs_call *abort = aborts(q, r->need);
    if (!abort)
        return false;
    ncs_fill_absent(q, r, d);
    const char *other = ncs_comm_name(q, r->need->comm);
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "rank %d stands in the abort of %s", abort->rank, ncs_comm_name(q, abort->comm));
    ncs_say_place(&s, abort);
    ncs_str_addf(&s, ", which waits for what is before it on the device: call %u on %s",
                 (unsigned)r->need->call->number, other);
    ncs_say_place(&s, r->need->call);
    ncs_str_add(&s, ", and that waits for ");
    ncs_say_absent(r, &s);
    d->f.why = ncs_str_take(&s);
    ncs_str_addf(&s, "abort %s before %s, or both in one group", other, ncs_comm_name(q, abort->comm));
    ncs_say_place(&s, abort);
    d->f.fix = ncs_str_take(&s);
    return true;
}

const struct ncs_rule ncs_rule_abort_order = { .match = match };
