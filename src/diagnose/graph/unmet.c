/* Unmet waits: the meetings and gates at which something waits for a rank that is not there. The snapshot has
 * meetings on the device, jobs of hosts and gates; several of them may be the same unmet wait. */
#include "diagnose/graph/unmet.h"

#include <string.h>

#include "api/meeting.h"
#include "base/mem.h"

static struct ncs_unmet *new_unmet(struct ncs_analysis *q, enum ncs_unmet_kind kind)
{
    struct ncs_unmet unmet = { .kind = kind, .meeting = -1, .job = -1, .gate = -1, .comm = -1, .src = -1, .dst = -1 };
    NCS_PUSH(q->unmet, q->unmets, q->unmet_room, unmet);
    ncs_reserve_nodes(q, (size_t)ncs_unmet_node(q, q->unmets));
    return &q->unmet[q->unmets - 1];
}

/* Present calls are in order of their ranks. `call` is NULL if the journal has dropped its record. */
static void add_present(struct ncs_unmet *n, const struct ncs_call *call)
{
    size_t at = n->presents;
    if (!call)
        return;
    while (at > 0 && n->present[at - 1]->comm_rank > call->comm_rank)
        at--;
    for (size_t i = at; i > 0 && n->present[i - 1]->comm_rank == call->comm_rank; i--)
        if (n->present[i - 1] == call)
            return;
    NCS_PUSH(n->present, n->presents, n->present_room, call);
    memmove(&n->present[at + 1], &n->present[at], (n->presents - 1 - at) * sizeof(const struct ncs_call *));
    n->present[at] = call;
    n->call = n->present[0];
    n->comm = call->comm;
}

static void push_absent(struct ncs_unmet *n, int comm_rank)
{
    struct ncs_absent a = { .rank = -1, .comm_rank = comm_rank, .context = -1, .op = -1, .reason = NCS_ABSENT_ELSEWHERE };
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

/* Adds the calls at the position of this one in all ranks' sequences, if every rank has a call there and their
 * signatures differ. Returns true if it has added them. */
static bool add_different(const struct ncs_analysis *q, struct ncs_unmet *n, const struct ncs_call *call)
{
    uint32_t at = ncs_position(q, call);
    const struct ncs_comm_info *info = q->journal->comm[call->comm];
    bool differ = false;
    for (int r = 0; r < info->nranks; r++) {
        const struct ncs_call *c = r < info->members ? ncs_sequence_at(&q->comm[call->comm].seq[r], at) : NULL;
        if (!c)
            return false;
        differ |= !ncs_calls_are_alike(c, call);
    }
    for (int r = 0; r < info->nranks && differ; r++)
        add_present(n, ncs_sequence_at(&q->comm[call->comm].seq[r], at));
    return differ;
}

/* An all-to-all, gather or scatter meets pair by pair, but is one call of all ranks. So all its pairs are one unmet
 * wait, and a rank is absent if a pair misses it. If the ranks' calls differ, that keeps the call from completing,
 * whoever waits for whom: the wait is STUCK. */
static struct ncs_unmet *composed_unmet(struct ncs_analysis *q, const struct ncs_call *call)
{
    for (size_t i = 0; i < q->unmets; i++) {
        struct ncs_unmet *o = &q->unmet[i];
        if (o->composed && o->comm == call->comm && ncs_position(q, o->composed) == ncs_position(q, call))
            return o;
    }
    const struct ncs_notice *notice = ncs_mismatch_notice(q, call);
    struct ncs_unmet *n = new_unmet(q, NCS_UNMET_COLLECTIVE);
    n->composed = call;
    for (size_t i = 0; notice && i < notice->calls; i++)
        add_present(n, notice->call[i]);
    if (notice || add_different(q, n, call))
        n->kind = NCS_UNMET_STUCK;
    add_present(n, call);
    return n;
}

static size_t composed_meeting(struct ncs_analysis *q, int meeting)
{
    const struct ncs_snap_meeting *s = &q->snap->meeting[meeting];
    const struct ncs_call *call = member_call(q, meeting, 0);
    struct ncs_unmet *n = composed_unmet(q, call);
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

static size_t composed_job(struct ncs_analysis *q, int job, const struct ncs_call *call)
{
    const struct ncs_snap_job *j = &q->snap->job[job];
    struct ncs_unmet *n = composed_unmet(q, call);
    n->job = job;
    n->contact = true;
    add_present(n, call);
    for (size_t i = 0; i < j->misses && n->kind == NCS_UNMET_COLLECTIVE; i++)
        add_absent(n, q->snap->missing[j->miss + i]);
    return (size_t)(n - q->unmet);
}

bool ncs_meeting_is_recorded(const struct ncs_analysis *q, int meeting)
{
    for (size_t i = 0; i < q->snap->meeting[meeting].members; i++)
        if (member_call(q, meeting, i))
            return true;
    return false;
}

/* True if the record shows that the rank's call is over: with a root, a call may end before all ranks have made it. */
static bool unmet_is_over(const struct ncs_analysis *q, const struct ncs_unmet *n, int r)
{
    if (!q->snap->recorded || !n->call || !ncs_call_arg(n->call, NCS_ARG_ROOT) || r >= q->journal->comm[n->comm]->members)
        return false;
    const struct ncs_call *own = ncs_sequence_at(&q->comm[n->comm].seq[r], ncs_position(q, n->call));
    return own && !ncs_map_get(&q->part, ncs_map_key(own));
}

/* All ranks of the communicator that are not present, which are in order of their ranks. */
static void add_other_ranks(const struct ncs_analysis *q, struct ncs_unmet *n, int nranks)
{
    size_t next = 0;
    for (int r = 0; r < nranks; r++) {
        while (next < n->presents && n->present[next]->comm_rank < r)
            next++;
        if ((next == n->presents || n->present[next]->comm_rank != r) && !unmet_is_over(q, n, r))
            push_absent(n, r);
    }
}

size_t ncs_unmet_at_meeting(struct ncs_analysis *q, int meeting)
{
    const struct ncs_snap_meeting *s = &q->snap->meeting[meeting];
    if (s->pair && s->members && member_call(q, meeting, 0) && ncs_is_composed(member_call(q, meeting, 0)))
        return composed_meeting(q, meeting);
    size_t known = ncs_map_number(&q->unmet_at, (uint64_t)meeting);
    if (known)
        return known - 1;
    enum ncs_unmet_kind kind = s->stuck ? NCS_UNMET_STUCK : s->pair ? NCS_UNMET_PAIR : NCS_UNMET_COLLECTIVE;
    struct ncs_unmet *n = new_unmet(q, kind);
    n->meeting = meeting;
    ncs_map_put_number(&q->unmet_at, (uint64_t)meeting, q->unmets);
    if (s->pair) {
        n->src = s->src;
        n->dst = s->dst;
    }
    for (size_t i = 0; i < s->members; i++)
        add_present(n, q->snap->part[q->snap->member[s->member + i]].call);
    if (!s->stuck && s->pair && n->presents == 1)
        add_absent(n, ncs_is_send(n->present[0]) ? s->dst : s->src);
    if (!s->stuck && !s->pair)
        add_other_ranks(q, n, s->nranks);
    return q->unmets - 1;
}

size_t ncs_unmet_signal(struct ncs_analysis *q, const struct ncs_snap_lack *lack, const struct ncs_call *wait)
{
    struct ncs_unmet *n = new_unmet(q, NCS_UNMET_SIGNAL);
    n->src = lack->peer;
    n->dst = wait->comm_rank;
    n->wanted = lack->wanted;
    n->came = lack->came;
    add_present(n, wait);
    add_absent(n, lack->peer);
    return q->unmets - 1;
}

/* ---- meetings of hosts ---- */

/* The call that a job of first contact is for. At the end of a group the job has no counted call of its own: then it
 * is a call queued in the group for the same peer. */
static const struct ncs_call *contact_call(const struct ncs_analysis *q, const struct ncs_snap_job *job)
{
    if (job->call && job->call->number > 0)
        return job->call;
    for (size_t i = 0; i < q->snap->parts; i++) {
        const struct ncs_call *c = q->snap->part[i].call;
        if (!c || q->snap->part[i].op >= 0 || c->rank != job->rank || c->comm_rank != job->comm_rank ||
            ncs_call_is_pair(c) != job->pair)
            continue;
        if (!job->pair || (ncs_call_peer(c) == job->peer && ncs_is_send(c) == job->sending))
            return c;
    }
    return job->call;
}

/* Ranks that end a communicator wait for those of their own host only. */
static bool misses_alike(const struct ncs_analysis *q, const struct ncs_unmet *o, const struct ncs_snap_job *j)
{
    bool alike = j->kind != NCS_JOB_DESTROY || o->absents == j->misses;
    for (size_t i = 0; alike && j->kind == NCS_JOB_DESTROY && i < j->misses; i++)
        alike = o->absent[i].comm_rank == q->snap->missing[j->miss + i];
    return alike;
}

size_t ncs_unmet_of_job(struct ncs_analysis *q, int job)
{
    const struct ncs_snap_job *j = &q->snap->job[job];
    const struct ncs_call *call = j->kind == NCS_JOB_CONTACT ? contact_call(q, j) : j->call;
    bool contact = j->kind == NCS_JOB_CONTACT && call;
    if (contact && ncs_is_composed(call))
        return composed_job(q, job, call);
    /* ncclCommGrow waits for new ranks as an init does: perhaps no record names them yet. */
    bool joins = j->kind == NCS_JOB_INIT || (j->kind == NCS_JOB_GROW && !j->refused);
    enum ncs_unmet_kind kind = joins                                    ? NCS_UNMET_INIT
                               : contact && ncs_call_is_one_sided(call) ? NCS_UNMET_SETUP
                               : j->pair                                ? NCS_UNMET_PAIR
                                                                        : NCS_UNMET_COLLECTIVE;
    int src = j->pair ? j->sending ? j->comm_rank : j->peer : -1;
    int dst = j->pair ? j->sending ? j->peer : j->comm_rank : -1;
    struct ncs_unmet *n = NULL;
    for (size_t i = 0; i < q->unmets && !n; i++) {
        struct ncs_unmet *o = &q->unmet[i];
        if (o->job >= 0 && o->kind == kind && call && o->comm == call->comm && call->comm >= 0 && o->src == src &&
            o->dst == dst && (o->call->fn == call->fn || (o->call->number && call->number)) && misses_alike(q, o, j))
            n = o;
    }
    if (!n) {
        n = new_unmet(q, kind);
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

/* ---- gates ---- */

/* True for a wait in the own code of a program under exec: nothing shows what it waits for, nor for whom. */
static bool is_unseen(const struct ncs_snap_gate *gate)
{
    return gate->owner < 0 && !gate->key;
}

/* The snapshot has a gate for each wait: waits for one key, or at one barrier, end together. So may waits that are unseen:
 * ranks at one barrier do not wait for each other. The phrase that says what each rank does there may differ. */
static bool opens_with(const struct ncs_snap_gate *a, const struct ncs_snap_gate *b)
{
    bool phrases = strchr(a->what, ' ') && strchr(b->what, ' ');
    if (a == b || (strcmp(a->what, b->what) != 0 && !phrases))
        return a == b;
    return (is_unseen(a) && is_unseen(b)) || (a->key && b->key && strcmp(a->key, b->key) == 0);
}

bool ncs_waits_at_gate(const struct ncs_analysis *q, const struct ncs_snap_context *c, const struct ncs_snap_gate *gate)
{
    if (c->held_by)
        c = &q->snap->context[c->held_by - 1];
    for (size_t i = 0; i < c->waits; i++) {
        const struct ncs_snap_wait *w = &q->snap->wait[c->wait + i];
        if (w->kind != NCS_WAIT_GATE)
            continue;
        const struct ncs_snap_gate *g = &q->snap->gate[w->index];
        if (opens_with(g, gate))
            return true;
    }
    return false;
}

/* True if another thread of the rank may set the store key for which one thread of it waits. The driver's own
 * threads (numbers below 0) do not count: they run callbacks, for which the rank's threads wait. */
static bool may_set_it_itself(const struct ncs_analysis *q, int rank, const struct ncs_snap_gate *gate)
{
    bool other = false;
    if (strcmp(gate->what, "store:get") != 0)
        return false;
    for (int i = ncs_first_context(q, rank); i >= 0; i = q->next_context[i]) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        bool here = ncs_waits_at_gate(q, c, gate);
        if (here && c->thread < 0)
            return false;
        other |= !here && c->thread >= 0 && c->state != NCS_CONTEXT_ENDED;
    }
    return other;
}

/* A rank that may as well run or sleep in its own code does not show that it waits for one that has ended. */
static void keep_living(struct ncs_unmet *n)
{
    size_t living = 0;
    for (size_t i = 0; i < n->absents; i++)
        if (n->absent[i].reason > NCS_ABSENT_LAST_FINAL)
            n->absent[living++] = n->absent[i];
    n->absents = living ? living : n->absents;
}

/* Adds the ranks that could open the gate: at a join the owner of the joined thread; at a barrier the listed ranks
 * that are not there; for a store key every rank that does not wait for it, because nothing shows which rank was
 * meant to set it. */
static void gate_absents(struct ncs_analysis *q, struct ncs_unmet *n, const struct ncs_snap_gate *gate)
{
    bool barrier = strcmp(gate->what, "barrier") == 0;
    for (int r = 0; r < q->ranks; r++) {
        bool waits = false;
        for (int i = ncs_first_context(q, r); i >= 0; i = q->next_context[i])
            waits |= ncs_waits_at_gate(q, &q->snap->context[i], gate);
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
            bool stopped = c && c->state == NCS_CONTEXT_ENDED && (c->ending == NCS_END_KILLED || c->ending == NCS_END_LOST);
            a.reason = stopped ? NCS_ABSENT_KILLED : NCS_ABSENT_ELSEWHERE;
        }
        NCS_PUSH(n->absent, n->absents, n->absent_room, a);
    }
    if (is_unseen(gate) && q->snap->stop == NCS_STOP_STALLED)
        keep_living(n);
}

size_t ncs_unmet_at_gate(struct ncs_analysis *q, int gate)
{
    const struct ncs_snap_gate *g = &q->snap->gate[gate];
    for (size_t i = 0; i < q->unmets; i++) {
        if (q->unmet[i].gate < 0)
            continue;
        const struct ncs_snap_gate *o = &q->snap->gate[q->unmet[i].gate];
        if (o == g || (g->owner < 0 && opens_with(o, g)))
            return i;
    }
    struct ncs_unmet *n = new_unmet(q, NCS_UNMET_GATE);
    n->gate = gate;
    gate_absents(q, n, g);
    return q->unmets - 1;
}
