/* One thread acts for several ranks of a communicator outside a group. */
#include "diagnose/party.h"
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* True for functions that wait for all that is under way on the device. */
static bool is_wide(const struct ncs_call *call)
{
    static const enum ncs_fn wide[] = { NCS_FN_cudaFree, NCS_FN_cudaFreeHost, NCS_FN_cudaDeviceSynchronize,
                                        NCS_FN_cudaDeviceReset, NCS_FN_cudaHostUnregister };
    for (size_t i = 0; call && i < sizeof wide / sizeof *wide; i++)
        if (wide[i] == call->fn)
            return true;
    return false;
}

struct self_wait {
    const struct ncs_unmet *unmet; /* the call that is made, and waits for calls of other ranks */
    const struct ncs_unmet *gate;  /* at which the maker waits before it makes those calls; NULL = none */
    int maker;                     /* context that has to make those calls */
    int waiter;                    /* context that waits for the call; -1 = the maker itself (no gate) */
};

/* Finds a cycle of at most two threads of one process around one call: the thread that should make
 * the missing calls waits, itself or through a host wait, for the call that needs them. */
static bool find_self_wait(const struct ncs_analysis *q, const struct ncs_cause *r, struct self_wait *k)
{
    int rank = -1;
    *k = (struct self_wait){ .maker = -1, .waiter = -1 };
    for (size_t i = 0; i < r->length; i++) {
        int at = ncs_node_unmet(q, r->path[i]);
        const struct ncs_unmet *n = at >= 0 ? &q->unmet[at] : NULL;
        if (n && n->kind == NCS_UNMET_GATE ? k->gate || !ncs_is_key(q, n)
            : n                            ? k->unmet || !n->call || n->kind == NCS_UNMET_SIGNAL
                                           : false)
            return false; /* a wait for signals holds its stream, and a group would not undo that */
        if (n && n->kind == NCS_UNMET_GATE)
            k->gate = n;
        else if (n)
            k->unmet = n;
        if ((size_t)r->path[i] >= q->snap->contexts)
            continue;
        const struct ncs_snap_context *c = &q->snap->context[r->path[i]];
        if (rank >= 0 && !ncs_parties_share(q->parties, c->rank, rank))
            return false;
        rank = c->rank;
    }
    if (k->unmet && !ncs_parties_share(q->parties, k->unmet->call->rank, rank))
        return false;
    for (size_t i = 0; i < r->length && k->unmet; i++) {
        if ((size_t)r->path[i] >= q->snap->contexts)
            continue;
        bool makes = q->snap->context[r->path[i]].thread == k->unmet->call->thread;
        int *which = makes ? &k->maker : &k->waiter;
        if (*which >= 0)
            return false; /* a third thread: another mistake */
        *which = r->path[i];
    }
    return k->unmet && k->maker >= 0 && !k->gate == (k->waiter < 0);
}

/* "in x:free() at line 23, which waits for all that is under way on the device" */
static struct ncs_fact fact_wait(const char *name, const struct ncs_analysis *q, int context)
{
    return ncs_fact_sentence(name, ncs_say(thread_waits, ncs_fact_text("function", ncs_context_function(q, context)),
                                           ncs_fact_line("line", ncs_context_place(q, context).line),
                                           ncs_fact_is("wide", is_wide(q->snap->context[context].call))));
}

static struct ncs_sentence *say_self_wait(const struct ncs_analysis *q, const struct self_wait *k)
{
    const struct ncs_snap_context *maker = &q->snap->context[k->maker];
    const struct ncs_snap_context *waiter = k->gate ? &q->snap->context[k->waiter] : maker;
    int *absent = ncs_absent_comm_ranks(k->unmet);
    struct ncs_sentence *s = ncs_say(
        one_thread_no_group_why, ncs_fact_call("call", q->journal, k->unmet->call),
        ncs_fact_number("number", k->unmet->call->comm_rank), ncs_fact_is("inside", maker->call == k->unmet->call),
        ncs_fact_ranks("absent", absent, k->unmet->absents),
        ncs_fact_text("key", k->gate ? q->snap->gate[k->gate->gate].key : NULL), ncs_fact_number("maker", maker->thread),
        fact_wait("wait", q, k->maker), ncs_fact_number("waiter", waiter->thread),
        fact_wait("other", q, k->gate ? k->waiter : k->maker), ncs_fact_is("wide", is_wide(waiter->call)));
    ncs_free(absent);
    return s;
}

/* True if the thread waits at the end of a group that has the call, and calls of other ranks. */
static bool groups_ranks(const struct ncs_analysis *q, const struct self_wait *k)
{
    const struct ncs_call *call = k->unmet->call, *end = q->snap->context[k->maker].call;
    bool several = false;
    for (const struct ncs_call *c = q->journal->oldest; c; c = c->newer)
        several |= call->group && c->group == call->group && c->comm >= 0 && c->rank != call->rank;
    return several && end && end->group == call->group;
}

static bool one_thread_no_group_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct self_wait k;
    if (r->kind != NCS_CAUSE_CYCLE || !find_self_wait(q, r, &k) || groups_ranks(q, &k))
        return false;
    const struct ncs_call *c = k.unmet->call;
    ncs_add_culprit(d, c->rank, c->number, c->place.line);
    ncs_fill_unmet(q, d, k.unmet, c->number);
    d->f.why = say_self_wait(q, &k);
    d->f.fix = ncs_say(one_thread_no_group_fix, ncs_fact_call("call", q->journal, c),
                       ncs_fact_is("inside", q->snap->context[k.maker].call == c));
    return true;
}

const struct ncs_rule ncs_rule_one_thread_no_group = { .match = one_thread_no_group_match, .ground = NCS_GROUND_MISUSE };
