/* One thread acts for several ranks of a communicator outside a group. */
#include "diagnose/rule.h"

#include "base/mem.h"

/* A cycle of a thread with itself: it alone could make the calls that it waits for. */
static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->kind != NCS_ROOT_CYCLE || !r->need->call || r->need->kind == NCS_NEED_SIGNAL)
        return false; /* a wait for signals holds its stream, and a group would not undo that */
    int context = -1;
    for (size_t i = 0; i < r->length; i++) {
        if (ncs_node_need(q, r->path[i]) >= 0 && r->path[i] != r->path[0])
            return false;
        if ((size_t)r->path[i] < q->snap->contexts) {
            if (context >= 0 && context != r->path[i])
                return false;
            context = r->path[i];
        }
    }
    if (context < 0)
        return false;
    const struct ncs_call *c = r->need->call;
    const struct ncs_snap_context *thread = &q->snap->context[context];
    struct ncs_str s = { 0 };
    int *absent = ncs_absent_comm_ranks(r->need);
    char *what = ncs_describe(c);
    ncs_add_culprit(d, thread->rank, c->number, c->place.line);
    ncs_fill_need(q, d, r->need, c->number);
    ncs_str_addf(&s, "a thread of rank %d is in %s", thread->rank, what);
    ncs_say_place(&s, c);
    ncs_str_addf(&s, " as rank %d of %s and waits for ", c->comm_rank, ncs_comm_name(q, c->comm));
    ncs_say_ranks(&s, absent, r->need->absents);
    ncs_str_add(&s, " of it, whose calls only the same thread could make");
    d->f.why = ncs_str_take(&s);
    ncs_str_add(&s, "put the calls for all ranks of one thread into a group, from the one");
    ncs_say_place(&s, c);
    ncs_str_add(&s, " on");
    d->f.fix = ncs_str_take(&s);
    ncs_free(absent);
    ncs_free(what);
    return true;
}

const struct ncs_rule ncs_rule_one_thread_no_group = { .match = match };
