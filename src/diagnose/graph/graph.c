/* The graph of waiting at the moment of a hang. Its nodes are contexts, operations, jobs and unmet waits (unmet.c).
 * An edge from A to B says that A cannot go on before B does. The cause of the hang is a node without an edge to
 * a node that lives, or a cycle. */
#include "diagnose/graph/unmet.h"

#include <string.h>

#include "base/mem.h"

int ncs_node_unmet(const struct ncs_analysis *q, int node)
{
    int first = ncs_unmet_node(q, 0);
    return node >= first ? node - first : -1;
}

int ncs_node_rank(const struct ncs_analysis *q, int node)
{
    const struct ncs_snapshot *s = q->snap;
    size_t n = (size_t)node;
    if (n < s->contexts)
        return s->context[n].rank;
    if (n - s->contexts < s->ops)
        return s->op[n - s->contexts].rank;
    if (n - s->contexts - s->ops < s->jobs)
        return s->job[n - s->contexts - s->ops].rank;
    return -1;
}

void ncs_reserve_nodes(struct ncs_analysis *q, size_t count)
{
    size_t room = q->node_room, more = room;
    q->out = ncs_grown(q->out, &room, count, sizeof *q->out);
    q->met = ncs_grown(q->met, &more, count, sizeof *q->met);
    q->in = ncs_grown(q->in, &q->node_room, count, sizeof *q->in);
    for (; q->nodes < count; q->nodes++) {
        q->out[q->nodes] = q->in[q->nodes] = -1;
        q->met[q->nodes] = 0;
    }
}

/* An edge is added once. A collective of a thousand ranks has an edge to each of them, so a walk over the edges of
 * `from` would take quadratic time: q->met marks the targets of the one node that is being connected. */
void ncs_connect(struct ncs_analysis *q, int from, int to)
{
    if (from < 0 || to < 0 || (size_t)from >= q->nodes || (size_t)to >= q->nodes)
        return;
    if (q->met_from != from) {
        q->met_from = from;
        for (int e = q->out[from]; e >= 0; e = q->edge[e].next_out)
            q->met[q->edge[e].to] = from + 1;
    }
    if (q->met[to] == from + 1)
        return;
    q->met[to] = from + 1;
    struct ncs_edge edge = { from, to, q->out[from], q->in[to] };
    NCS_PUSH(q->edge, q->edges, q->edge_room, edge);
    q->out[from] = q->in[to] = (int)q->edges - 1;
}

static void connect_wait(struct ncs_analysis *q, int from, const struct ncs_snap_wait *w)
{
    if (w->kind == NCS_WAIT_OP)
        ncs_connect(q, from, ncs_op_node(q, w->index));
    else if (w->kind == NCS_WAIT_JOB)
        ncs_connect(q, from, ncs_job_node(q, w->index));
    else
        ncs_connect(q, from, ncs_unmet_node(q, ncs_unmet_at_gate(q, w->index)));
}

/* ---- operations ---- */

/* A wait for signals names several peers: each that lacks signals is an unmet wait of its own. */
static void connect_lacks(struct ncs_analysis *q, int op, int part)
{
    const struct ncs_call *call = q->snap->part[part].call;
    for (size_t i = 0; call && i < q->snap->lacks; i++) {
        const struct ncs_snap_lack *lack = &q->snap->lack[i];
        if (lack->part != part)
            continue;
        size_t unmet = ncs_unmet_signal(q, lack, call);
        ncs_connect(q, ncs_op_node(q, op), ncs_unmet_node(q, unmet));
    }
}

/* The operation is a callback, and the context that runs it has ended within it: the operation waits at the gate of
 * the callback, as nothing else can end it. */
static void connect_stopped(struct ncs_analysis *q, int op, const struct ncs_snap_context *c)
{
    for (size_t i = 0; i < q->snap->gates; i++) {
        const struct ncs_snap_gate *g = &q->snap->gate[i];
        if (strcmp(g->what, "callback") == 0 && g->owner == c->rank && g->owner_thread == c->thread)
            ncs_connect(q, ncs_op_node(q, op), ncs_unmet_node(q, ncs_unmet_at_gate(q, (int)i)));
    }
}

/* An operation with unfinished predecessors (BLOCKED) waits for these alone; the other waits begin when it runs. */
static void connect_op(struct ncs_analysis *q, int op)
{
    const struct ncs_snap_op *o = &q->snap->op[op];
    for (size_t i = 0; i < o->deps; i++)
        ncs_connect(q, ncs_op_node(q, op), ncs_op_node(q, q->snap->dep[o->dep + i]));
    if (o->state == NCS_OP_BLOCKED)
        return;
    if (o->context >= 0 && q->snap->context[o->context].state == NCS_CONTEXT_ENDED)
        connect_stopped(q, op, &q->snap->context[o->context]);
    else if (o->context >= 0)
        ncs_connect(q, ncs_op_node(q, op), o->context);
    for (size_t i = 0; i < o->parts; i++) {
        const struct ncs_snap_part *p = &q->snap->part[o->part + i];
        if (p->state == NCS_PART_AT_MEETING && p->meeting >= 0 && ncs_meeting_is_recorded(q, p->meeting)) {
            size_t unmet = ncs_unmet_at_meeting(q, p->meeting);
            ncs_connect(q, ncs_op_node(q, op), ncs_unmet_node(q, unmet));
        } else if (p->state == NCS_PART_AT_MEETING && p->meeting < 0) {
            connect_lacks(q, op, (int)(o->part + i));
        }
    }
}

/* ---- jobs and ranks ---- */

/* A job waits at a meeting of hosts, for what its own waits say, or for both. */
static void connect_job(struct ncs_analysis *q, int job)
{
    const struct ncs_snap_job *j = &q->snap->job[job];
    if (j->misses || j->refused || j->kind == NCS_JOB_CONTACT)
        ncs_connect(q, ncs_job_node(q, job), ncs_unmet_node(q, ncs_unmet_of_job(q, job)));
    for (size_t i = 0; i < j->waits; i++)
        connect_wait(q, ncs_job_node(q, job), &q->snap->wait[j->wait + i]);
}

/* The context whose thread made the absent rank's last call on the communicator, if it lives: programs give a
 * communicator to one thread. -1 = any context of the rank may make the next call. */
static int speaker(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_absent *a)
{
    const struct ncs_comm_info *info = n->comm >= 0 ? q->journal->comm[n->comm] : NULL;
    const struct ncs_call *last = info && a->comm_rank >= 0 && a->comm_rank < info->members ? info->member[a->comm_rank].last
                                                                                            : NULL;
    for (int i = ncs_first_context(q, a->rank); i >= 0 && last; i = q->next_context[i])
        if (q->snap->context[i].thread == last->thread && q->snap->context[i].state != NCS_CONTEXT_ENDED)
            return i;
    return -1;
}

/* A thread that drives several ranks has a context for each of them, and waits as one: that context must go on
 * first. Returns it, or the context itself. */
static int holder_of(const struct ncs_analysis *q, int context)
{
    size_t holder = context >= 0 ? q->snap->context[context].held_by : 0;
    return holder ? (int)holder - 1 : context;
}

/* Connects the unmet wait to every context of the absent rank that may make the call. A context that waits at the
 * same gate cannot open it. */
static void connect_rank(struct ncs_analysis *q, const struct ncs_unmet *n, int node, const struct ncs_absent *a)
{
    const struct ncs_snap_gate *gate = n->gate >= 0 ? &q->snap->gate[n->gate] : NULL;
    int one = speaker(q, n, a);
    for (int k = ncs_first_context(q, a->rank); k >= 0; k = q->next_context[k])
        if (q->snap->context[k].state != NCS_CONTEXT_ENDED && (one < 0 || k == one) &&
            !(gate && ncs_waits_at_gate(q, &q->snap->context[k], gate)))
            ncs_connect(q, node, holder_of(q, k));
}

/* An absent rank that will never come (up to LAST_FINAL) has no edge: there the graph ends, and the cause is found. */
static void connect_unmet(struct ncs_analysis *q, size_t unmet)
{
    struct ncs_unmet *n = &q->unmet[unmet];
    int node = ncs_unmet_node(q, unmet);
    if (n->kind == NCS_UNMET_INIT)
        ncs_find_by_id(q, n);
    for (size_t i = 0; i < n->absents; i++) {
        struct ncs_absent *a = &n->absent[i];
        if (n->kind != NCS_UNMET_GATE)
            ncs_why_absent(q, n, a);
        if (a->reason <= NCS_ABSENT_LAST_FINAL)
            continue;
        if (a->reason == NCS_ABSENT_QUEUED) {
            ncs_connect(q, node, ncs_op_node(q, a->op));
        } else if (a->reason == NCS_ABSENT_CONTACT || (n->kind == NCS_UNMET_GATE && q->snap->gate[n->gate].owner >= 0)) {
            ncs_connect(q, node, holder_of(q, a->context));
        } else if (a->rank < 0) {
            ncs_connect_unknown(q, unmet);
        } else {
            connect_rank(q, n, node, a);
        }
    }
}

void ncs_graph(struct ncs_analysis *q)
{
    const struct ncs_snapshot *s = q->snap;
    ncs_reserve_nodes(q, (size_t)ncs_unmet_node(q, 0));
    for (size_t i = 0; i < s->parts; i++) /* a call with several parts leads to one that is not done, if there is one */
        if (s->part[i].call && (s->part[i].state < NCS_PART_DONE || !ncs_map_get(&q->part, ncs_map_key(s->part[i].call))))
            ncs_map_put(&q->part, ncs_map_key(s->part[i].call), (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < s->ops; i++)
        connect_op(q, (int)i);
    for (size_t i = 0; i < s->jobs; i++)
        connect_job(q, (int)i);
    for (size_t i = 0; i < s->contexts; i++) {
        const struct ncs_snap_context *c = &s->context[i];
        if (c->state == NCS_CONTEXT_ENDED)
            continue;
        for (size_t k = 0; k < c->waits; k++)
            connect_wait(q, (int)i, &s->wait[c->wait + k]);
        if (!c->waits)
            ncs_connect_poll(q, (int)i);
    }
    /* Last: the loops above still make unmet waits. */
    for (size_t i = 0; i < q->unmets; i++)
        connect_unmet(q, i);
}
