/* The graph of waiting at the moment of a hang: contexts, operations, jobs, and the meetings that
 * do not come about. An edge says "cannot go on before"; cause is what has no way out. */
#include "diagnose/analysis.h"

#include <stdlib.h>
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

static void reserve_nodes(struct ncs_analysis *q, size_t count)
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

static struct ncs_unmet *graph_new_unmet(struct ncs_analysis *q, enum ncs_unmet_kind kind)
{
    struct ncs_unmet unmet = {
        .kind = kind, .meeting = -1, .job = -1, .gate = -1, .comm = -1, .src = -1, .dst = -1
    };
    NCS_PUSH(q->unmet, q->unmets, q->unmet_room, unmet);
    reserve_nodes(q, (size_t)ncs_unmet_node(q, q->unmets));
    return &q->unmet[q->unmets - 1];
}

/* A call whose record was dropped is left out. */
static void add_present(struct ncs_unmet *n, const struct ncs_call *call)
{
    size_t at = n->presents;
    if (!call)
        return;
    for (size_t i = 0; i < n->presents; i++)
        if (n->present[i] == call)
            return;
    NCS_PUSH(n->present, n->presents, n->present_room, call);
    for (; at > 0 && n->present[at - 1]->comm_rank > call->comm_rank; at--)
        n->present[at] = n->present[at - 1];
    n->present[at] = call;
    n->call = n->present[0];
    n->comm = call->comm;
}

static void push_absent(struct ncs_unmet *n, int comm_rank)
{
    struct ncs_absent a = { .rank = -1, .comm_rank = comm_rank, .context = -1, .op = -1,
                            .reason = NCS_ABSENT_ELSEWHERE };
    NCS_PUSH(n->absent, n->absents, n->absent_room, a);
}

static void add_absent(struct ncs_unmet *n, int comm_rank)
{
    for (size_t i = 0; i < n->absents; i++)
        if (n->absent[i].comm_rank == comm_rank)
            return;
    push_absent(n, comm_rank);
}

/* ---- meetings on the device ---- */

static const struct ncs_call *member_call(const struct ncs_analysis *q, int meeting, size_t i)
{
    return q->snap->part[q->snap->member[q->snap->meeting[meeting].member + i]].call;
}

const struct ncs_notice *ncs_mismatch_notice(const struct ncs_analysis *q, const struct ncs_call *call)
{
    for (size_t i = 0; i < q->notices; i++)
        for (size_t k = 0; k < q->notice[i].calls; k++)
            if (q->notice[i].kind == NCS_NOTICE_MISMATCH && q->notice[i].call[k] == call)
                return &q->notice[i];
    return NULL;
}

/* The calls that stand at one place in the sequences of all ranks, if every rank has one there and
 * they are not all the same. */
static bool add_different(const struct ncs_analysis *q, struct ncs_unmet *n,
                          const struct ncs_call *call)
{
    uint32_t at = ncs_position(q, call);
    const struct ncs_comm_info *info = q->journal->comm[call->comm];
    bool differ = false;
    for (int r = 0; r < info->nranks; r++) {
        const struct ncs_call *c =
            r < info->members ? ncs_sequence_at(&q->comm[call->comm].seq[r], at) : NULL;
        if (!c)
            return false;
        differ |= ncs_call_signature(c) != ncs_call_signature(call);
    }
    for (int r = 0; r < info->nranks && differ; r++)
        add_present(n, ncs_sequence_at(&q->comm[call->comm].seq[r], at));
    return differ;
}

/* An all-to-all, gather or scatter meets pair by pair, but it is one call of all ranks: one need,
 * which those lack whose pairs lack them. Where the ranks disagree that is what keeps it from
 * completing, whoever waits for whom. */
static struct ncs_unmet *graph_composed_unmet(struct ncs_analysis *q, const struct ncs_call *call)
{
    for (size_t i = 0; i < q->unmets; i++) {
        struct ncs_unmet *o = &q->unmet[i];
        if (o->composed && o->comm == call->comm &&
            ncs_position(q, o->composed) == ncs_position(q, call))
            return o;
    }
    const struct ncs_notice *notice = ncs_mismatch_notice(q, call);
    struct ncs_unmet *n = graph_new_unmet(q, NCS_UNMET_COLLECTIVE);
    n->composed = call;
    for (size_t i = 0; notice && i < notice->calls; i++)
        add_present(n, notice->call[i]);
    if (notice || add_different(q, n, call))
        n->kind = NCS_UNMET_STUCK;
    add_present(n, call);
    return n;
}

static size_t graph_composed_meeting(struct ncs_analysis *q, int meeting)
{
    const struct ncs_snap_meeting *s = &q->snap->meeting[meeting];
    const struct ncs_call *call = member_call(q, meeting, 0);
    struct ncs_unmet *n = graph_composed_unmet(q, call);
    bool cut = s->stuck == NCS_STUCK_LINK;
    if (cut || n->meeting < 0 || q->snap->meeting[n->meeting].stuck != NCS_STUCK_LINK)
        n->meeting = meeting;
    if (cut)
        n->kind = NCS_UNMET_STUCK;
    for (size_t i = 0; i < s->members; i++)
        add_present(n, member_call(q, meeting, i));
    if (n->kind == NCS_UNMET_COLLECTIVE && s->members == 1)
        add_absent(n, call->comm_rank == s->src ? s->dst : s->src);
    return (size_t)(n - q->unmet);
}

static size_t graph_composed_job(struct ncs_analysis *q, int job, const struct ncs_call *call)
{
    const struct ncs_snap_job *j = &q->snap->job[job];
    struct ncs_unmet *n = graph_composed_unmet(q, call);
    n->job = job;
    n->contact = true;
    add_present(n, call);
    for (size_t i = 0; i < j->misses && n->kind == NCS_UNMET_COLLECTIVE; i++)
        add_absent(n, q->snap->missing[j->miss + i]);
    return (size_t)(n - q->unmet);
}

static bool is_recorded(const struct ncs_analysis *q, int meeting)
{
    for (size_t i = 0; i < q->snap->meeting[meeting].members; i++)
        if (member_call(q, meeting, i))
            return true;
    return false;
}

static size_t graph_meeting_unmet(struct ncs_analysis *q, int meeting)
{
    const struct ncs_snap_meeting *s = &q->snap->meeting[meeting];
    if (s->pair && s->members && member_call(q, meeting, 0) &&
        ncs_is_composed(member_call(q, meeting, 0)))
        return graph_composed_meeting(q, meeting);
    for (size_t i = 0; i < q->unmets; i++)
        if (q->unmet[i].meeting == meeting)
            return i;
    enum ncs_unmet_kind kind = s->stuck  ? NCS_UNMET_STUCK
                              : s->pair ? NCS_UNMET_PAIR
                                        : NCS_UNMET_COLLECTIVE;
    struct ncs_unmet *n = graph_new_unmet(q, kind);
    n->meeting = meeting;
    if (s->pair) {
        n->src = s->src;
        n->dst = s->dst;
    }
    for (size_t i = 0; i < s->members; i++)
        add_present(n, q->snap->part[q->snap->member[s->member + i]].call);
    if (s->stuck)
        return q->unmets - 1;
    if (s->pair) {
        for (size_t i = 0; i < n->presents; i++)
            add_absent(n, ncs_is_send(n->present[i]) ? s->dst : s->src);
        if (n->presents > 1)
            n->absents = 0;
        return q->unmets - 1;
    }
    size_t next = 0; /* they are in order of their ranks */
    for (int r = 0; r < s->nranks; r++) {
        while (next < n->presents && n->present[next]->comm_rank < r)
            next++;
        if (next == n->presents || n->present[next]->comm_rank != r)
            push_absent(n, r);
    }
    return q->unmets - 1;
}

/* Adds an unmet wait for each peer whose signals are missing. */
static void connect_lacks(struct ncs_analysis *q, int op, int part)
{
    const struct ncs_call *call = q->snap->part[part].call;
    for (size_t i = 0; call && i < q->snap->lacks; i++) {
        const struct ncs_snap_lack *lack = &q->snap->lack[i];
        if (lack->part != part)
            continue;
        struct ncs_unmet *n = graph_new_unmet(q, NCS_UNMET_SIGNAL);
        n->src = lack->peer;
        n->dst = call->comm_rank;
        n->wanted = lack->wanted;
        n->came = lack->came;
        add_present(n, call);
        add_absent(n, lack->peer);
        ncs_connect(q, ncs_op_node(q, op), ncs_unmet_node(q, q->unmets - 1));
    }
}

static size_t graph_gate_unmet(struct ncs_analysis *q, int gate);

/* The context that runs a callback has stopped in it. */
static void connect_stopped(struct ncs_analysis *q, int op, const struct ncs_snap_context *c)
{
    for (size_t i = 0; i < q->snap->gates; i++) {
        const struct ncs_snap_gate *g = &q->snap->gate[i];
        if (strcmp(g->what, "callback") == 0 && g->owner == c->rank && g->owner_thread == c->thread)
            ncs_connect(q, ncs_op_node(q, op), ncs_unmet_node(q, graph_gate_unmet(q, (int)i)));
    }
}

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
        if (p->state == NCS_PART_AT_MEETING && p->meeting >= 0 && is_recorded(q, p->meeting)) {
            size_t unmet = graph_meeting_unmet(q, p->meeting);
            ncs_connect(q, ncs_op_node(q, op), ncs_unmet_node(q, unmet));
        } else if (p->state == NCS_PART_AT_MEETING && p->meeting < 0) {
            connect_lacks(q, op, (int)(o->part + i));
        }
    }
}

/* ---- meetings of hosts ---- */

/* The call that a contact is about: the job's own, or, at the end of a group, one queued in it. */
static const struct ncs_call *contact_call(const struct ncs_analysis *q,
                                           const struct ncs_snap_job *job)
{
    if (job->call && job->call->number > 0)
        return job->call;
    for (size_t i = 0; i < q->snap->parts; i++) {
        const struct ncs_call *c = q->snap->part[i].call;
        if (!c || q->snap->part[i].op >= 0 || c->rank != job->rank ||
            c->comm_rank != job->comm_rank || ncs_call_is_pair(c) != job->pair)
            continue;
        if (!job->pair || (ncs_call_peer(c) == job->peer && ncs_is_send(c) == job->sending))
            return c;
    }
    return job->call;
}

static size_t graph_job_unmet(struct ncs_analysis *q, int job)
{
    const struct ncs_snap_job *j = &q->snap->job[job];
    const struct ncs_call *call = j->kind == NCS_JOB_CONTACT ? contact_call(q, j) : j->call;
    bool contact = j->kind == NCS_JOB_CONTACT && call;
    if (contact && ncs_is_composed(call))
        return graph_composed_job(q, job, call);
    /* A growth waits for new ranks as an init does: they may be known to nobody yet. */
    bool joins = j->kind == NCS_JOB_INIT || (j->kind == NCS_JOB_GROW && !j->refused);
    enum ncs_unmet_kind kind = joins                                     ? NCS_UNMET_INIT
                              : contact && ncs_call_is_one_sided(call) ? NCS_UNMET_SETUP
                              : j->pair                                 ? NCS_UNMET_PAIR
                                                                        : NCS_UNMET_COLLECTIVE;
    int src = j->pair ? j->sending ? j->comm_rank : j->peer : -1;
    int dst = j->pair ? j->sending ? j->peer : j->comm_rank : -1;
    struct ncs_unmet *n = NULL;
    for (size_t i = 0; i < q->unmets && !n; i++) {
        struct ncs_unmet *o = &q->unmet[i];
        if (o->job >= 0 && o->kind == kind && call && o->comm == call->comm && call->comm >= 0 &&
            o->src == src && o->dst == dst &&
            (o->call->fn == call->fn || (o->call->number && call->number)))
            n = o;
    }
    if (!n) {
        n = graph_new_unmet(q, kind);
        n->job = job;
        n->src = src;
        n->dst = dst;
        n->contact = j->kind == NCS_JOB_CONTACT;
        for (size_t i = 0; i < j->misses; i++)
            add_absent(n, q->snap->missing[j->miss + i]);
        if (j->pair && !n->absents)
            add_absent(n, j->peer);
    }
    if (call)
        add_present(n, call);
    return (size_t)(n - q->unmet);
}

static void connect_wait(struct ncs_analysis *q, int from, const struct ncs_snap_wait *w);

static void connect_job(struct ncs_analysis *q, int job)
{
    const struct ncs_snap_job *j = &q->snap->job[job];
    if (j->misses || j->refused || j->kind == NCS_JOB_CONTACT)
        ncs_connect(q, ncs_job_node(q, job), ncs_unmet_node(q, graph_job_unmet(q, job)));
    for (size_t i = 0; i < j->waits; i++)
        connect_wait(q, ncs_job_node(q, job), &q->snap->wait[j->wait + i]);
}

static bool at_gate(const struct ncs_analysis *q, const struct ncs_snap_context *c,
                    const struct ncs_snap_gate *gate)
{
    if (c->held_by)
        c = &q->snap->context[c->held_by - 1];
    for (size_t i = 0; i < c->waits; i++) {
        const struct ncs_snap_wait *w = &q->snap->wait[c->wait + i];
        if (w->kind != NCS_WAIT_GATE)
            continue;
        const struct ncs_snap_gate *g = &q->snap->gate[w->index];
        if (g == gate || (strcmp(g->what, gate->what) == 0 && g->key && gate->key &&
                          strcmp(g->key, gate->key) == 0))
            return true;
    }
    return false;
}

/* True if another thread of the rank may set the key for which one of them waits. The driver's own
 * threads do not count: they run callbacks, on which the others wait. */
static bool may_set_it_itself(const struct ncs_analysis *q, int rank, const struct ncs_snap_gate *gate)
{
    bool other = false;
    if (strcmp(gate->what, "store:get") != 0)
        return false;
    for (int i = ncs_first_context(q, rank); i >= 0; i = q->next_context[i]) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        bool here = at_gate(q, c, gate);
        if (here && c->thread < 0)
            return false;
        other |= !here && c->thread >= 0 && c->state != NCS_CONTEXT_ENDED;
    }
    return other;
}

/* The ranks that could open a gate: the owner of the joined thread; the ranks missing at a barrier;
 * for a key of the store every other thread, because nothing shows which was meant to set it. */
static void gate_absents(struct ncs_analysis *q, struct ncs_unmet *n,
                         const struct ncs_snap_gate *gate)
{
    bool barrier = strcmp(gate->what, "barrier") == 0;
    for (int r = 0; r < q->ranks; r++) {
        bool waits = false;
        for (int i = ncs_first_context(q, r); i >= 0; i = q->next_context[i])
            waits |= at_gate(q, &q->snap->context[i], gate);
        waits = waits && !may_set_it_itself(q, r, gate);
        if (gate->owner >= 0 ? r != gate->owner : waits || (barrier && !ncs_is_listed(gate->key, r)))
            continue;
        struct ncs_absent a = { .rank = r, .comm_rank = -1, .op = -1, .context = -1 };
        ncs_why_rank_absent(q, &a);
        if (gate->owner >= 0) {
            for (int i = ncs_first_context(q, r); i >= 0; i = q->next_context[i])
                if (q->snap->context[i].thread == gate->owner_thread)
                    a.context = i;
            const struct ncs_snap_context *c = a.context >= 0 ? &q->snap->context[a.context] : NULL;
            bool stopped = c && c->state == NCS_CONTEXT_ENDED && c->ending == NCS_END_KILLED;
            a.reason = stopped ? NCS_ABSENT_KILLED : NCS_ABSENT_ELSEWHERE;
        }
        NCS_PUSH(n->absent, n->absents, n->absent_room, a);
    }
}

static size_t graph_gate_unmet(struct ncs_analysis *q, int gate)
{
    const struct ncs_snap_gate *g = &q->snap->gate[gate];
    for (size_t i = 0; i < q->unmets; i++) {
        if (q->unmet[i].gate < 0)
            continue;
        const struct ncs_snap_gate *o = &q->snap->gate[q->unmet[i].gate];
        if (o == g || (g->owner < 0 && strcmp(o->what, g->what) == 0 && o->key && g->key &&
                       strcmp(o->key, g->key) == 0))
            return i;
    }
    struct ncs_unmet *n = graph_new_unmet(q, NCS_UNMET_GATE);
    n->gate = gate;
    gate_absents(q, n, g);
    return q->unmets - 1;
}

static void connect_wait(struct ncs_analysis *q, int from, const struct ncs_snap_wait *w)
{
    if (w->kind == NCS_WAIT_OP)
        ncs_connect(q, from, ncs_op_node(q, w->index));
    else if (w->kind == NCS_WAIT_JOB)
        ncs_connect(q, from, ncs_job_node(q, w->index));
    else
        ncs_connect(q, from, ncs_unmet_node(q, graph_gate_unmet(q, w->index)));
}

/* The context of a rank with several threads that has made the calls on the communicator so far, if
 * it lives. -1 = any of them may make the next one. */
static int speaker(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_absent *a)
{
    const struct ncs_comm_info *info = n->comm >= 0 ? q->journal->comm[n->comm] : NULL;
    const struct ncs_call *last =
        info && a->comm_rank >= 0 && a->comm_rank < info->members ? info->member[a->comm_rank].last : NULL;
    for (int i = ncs_first_context(q, a->rank); i >= 0 && last; i = q->next_context[i])
        if (q->snap->context[i].thread == last->thread && q->snap->context[i].state != NCS_CONTEXT_ENDED)
            return i;
    return -1;
}

/* The context that must go on first: the context itself, or the one as which its thread waits. */
static int holder_of(const struct ncs_analysis *q, int context)
{
    size_t holder = context >= 0 ? q->snap->context[context].held_by : 0;
    return holder ? (int)holder - 1 : context;
}

/* To all that may do what the absent rank has not done. */
static void connect_rank(struct ncs_analysis *q, const struct ncs_unmet *n, int node,
                         const struct ncs_absent *a)
{
    const struct ncs_snap_gate *gate = n->gate >= 0 ? &q->snap->gate[n->gate] : NULL;
    int one = speaker(q, n, a);
    for (int k = ncs_first_context(q, a->rank); k >= 0; k = q->next_context[k])
        if (q->snap->context[k].state != NCS_CONTEXT_ENDED && (one < 0 || k == one) &&
            !(gate && at_gate(q, &q->snap->context[k], gate)))
            ncs_connect(q, node, holder_of(q, k));
}

static void graph_connect_unmet(struct ncs_analysis *q, size_t unmet)
{
    struct ncs_unmet *n = &q->unmet[unmet];
    int node = ncs_unmet_node(q, unmet);
    for (size_t i = 0; i < n->absents; i++) {
        struct ncs_absent *a = &n->absent[i];
        if (n->kind != NCS_UNMET_GATE)
            ncs_why_absent(q, n, a);
        if (a->reason <= NCS_ABSENT_LAST_FINAL)
            continue;
        if (a->reason == NCS_ABSENT_QUEUED) {
            ncs_connect(q, node, ncs_op_node(q, a->op));
        } else if (a->reason == NCS_ABSENT_CONTACT ||
                   (n->kind == NCS_UNMET_GATE && q->snap->gate[n->gate].owner >= 0)) {
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
    reserve_nodes(q, (size_t)ncs_unmet_node(q, 0));
    for (size_t i = 0; i < s->parts; i++) /* of a call with several, one that is not over */
        if (s->part[i].call && (s->part[i].state < NCS_PART_DONE ||
                                !ncs_map_get(&q->part, ncs_map_key(s->part[i].call))))
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
    for (size_t i = 0; i < q->unmets; i++)
        graph_connect_unmet(q, i);
}
