/* One thread acts for several ranks of a communicator outside a group. */
#include "diagnose/party.h"
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* Functions that wait for more than one stream. */
static const struct {
    enum ncs_fn fn;
    const char *scope;
} wide[] = {
    { NCS_FN_cudaFree, "all that is under way on the device" },
    { NCS_FN_cudaFreeHost, "all that is under way on the device" },
    { NCS_FN_cudaDeviceSynchronize, "all that is under way on the device" },
    { NCS_FN_cudaDeviceReset, "all that is under way on the device" },
    { NCS_FN_cudaHostUnregister, "all that is under way on the device" },
};

static const char *scope_of(const struct ncs_call *call)
{
    for (size_t i = 0; call && i < sizeof wide / sizeof *wide; i++)
        if (wide[i].fn == call->fn)
            return wide[i].scope;
    return NULL;
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
static void format_wait(const struct ncs_analysis *q, int context, struct ncs_str *s)
{
    const struct ncs_snap_context *c = &q->snap->context[context];
    const char *scope = scope_of(c->call);
    int line = ncs_context_place(q, context).line;
    ncs_str_addf(s, "in %s()", ncs_context_function(q, context));
    if (line)
        ncs_str_addf(s, " at line %d", line);
    if (scope)
        ncs_str_addf(s, ", which waits for %s,", scope);
}

/* The maker waits for a second thread, which waits for the maker's call. */
static void format_two_threads(const struct ncs_analysis *q, const struct self_wait *k, struct ncs_str *s)
{
    const struct ncs_snap_context *w = &q->snap->context[k->waiter];
    ncs_str_addf(s, " of %s, but waits ", ncs_comm_name(q, k->unmet->comm));
    format_wait(q, k->maker, s);
    ncs_str_addf(s, " for %s, which thread %d has not set; thread %d waits ", q->snap->gate[k->gate->gate].key, w->thread,
                 w->thread);
    format_wait(q, k->waiter, s);
    ncs_str_add(s, scope_of(w->call) ? " and so for that call" : " for that call");
}

static void format_self_wait(const struct ncs_analysis *q, const struct self_wait *k, struct ncs_str *s)
{
    const struct ncs_call *c = k->unmet->call;
    int *absent = ncs_absent_comm_ranks(k->unmet);
    const struct ncs_snap_context *maker = &q->snap->context[k->maker];
    const char *comm = ncs_comm_name(q, c->comm);
    char *what = ncs_describe(c);
    bool inside = maker->call == c;
    if (k->gate)
        ncs_str_addf(s, "thread %d of rank %d", maker->thread, c->rank);
    else
        ncs_str_addf(s, "a thread of rank %d", c->rank);
    ncs_str_addf(s, " %s %s", inside ? "is in" : "has made", what);
    ncs_format_place(s, c);
    ncs_str_addf(s, " as rank %d of %s and ", c->comm_rank, comm);
    if (k->gate) {
        ncs_str_add(s, "has to make it as ");
        ncs_format_ranks(s, absent, k->unmet->absents);
        format_two_threads(q, k, s);
    } else {
        if (!inside) {
            ncs_str_add(s, "waits ");
            format_wait(q, k->maker, s);
        }
        ncs_str_add(s, inside ? "waits for " : " for that call to end; it needs ");
        ncs_format_ranks(s, absent, k->unmet->absents);
        ncs_str_addf(s, " of %s, whose calls only the same thread could make", inside ? "it" : comm);
    }
    ncs_free(absent);
    ncs_free(what);
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
    struct ncs_str s = { 0 };
    ncs_add_culprit(d, c->rank, c->number, c->place.line);
    ncs_fill_unmet(q, d, k.unmet, c->number);
    format_self_wait(q, &k, &s);
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "put the calls for all ranks of one thread into a group, from the one");
    ncs_format_place(&s, c);
    ncs_str_add(&s, q->snap->context[k.maker].call == c ? " on" : " on, and wait only after it");
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_one_thread_no_group = { .match = one_thread_no_group_match, .ground = NCS_GROUND_MISUSE };
