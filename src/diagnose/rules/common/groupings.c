/* Finds calls that ranks of one communicator group differently. NCCL fuses the calls of a group: it sorts the collectives
 * by size, lets sends and receives follow them, and launches communicators by a hash (NCCL 2.30.7, src/enqueue.cc and
 * src/group.cc). So the order inside a group is not the order of issue, and a rank that does not group the same calls
 * may wait in another order. The simulator keeps the order of issue: there it is never why a run hangs. */
#include "diagnose/rules/rule.h"

#include "api/meeting.h"
#include "base/hash.h"
#include "base/mem.h"

enum { MOST_OF_GROUP = 64 }; /* communicators of one group whose order is compared */

/* A call that takes part in something: it did not fail, nor did its group, and it moves something. */
static bool groupings_takes_part(const struct ncs_call *c)
{
    return c->ordinal > 0 && c->comm >= 0 && c->comm_rank >= 0;
}

static bool groupings_together(const struct ncs_analysis *q, const struct ncs_call *a, const struct ncs_call *b)
{
    return a->group && b->group && ncs_group_key(q, a) == ncs_group_key(q, b);
}

static void groupings_found(const struct ncs_analysis *q, struct ncs_grouping *g, struct ncs_drafts *all)
{
    struct ncs_cause r = { .kind = NCS_CAUSE_GROUPS, .grouping = g, .comm = g->call[0]->comm, .rank = -1 };
    ncs_judge(q, &r, all);
    ncs_free(g->odd);
}

/* ---- collectives of one communicator ---- */

/* The next collective that NCCL fuses with others of its group. Composed ones become sends and receives, which it does
 * not sort by size. */
static const struct ncs_call *next_fused(const struct ncs_sequence *s, size_t *at)
{
    while (*at < s->held) {
        const struct ncs_call *c = s->call[(*at)++];
        if (groupings_takes_part(c) && !ncs_call_is_composed(c))
            return c;
    }
    return NULL;
}

/* A walk over the fused collectives of one member: the newest two. */
struct pace {
    size_t at;
    const struct ncs_call *last, *now;
    bool fused; /* both are in one group */
};

static bool pace_step(const struct ncs_analysis *q, const struct ncs_sequence *s, struct pace *p)
{
    p->last = p->now;
    p->now = next_fused(s, &p->at);
    p->fused = p->now && p->last && groupings_together(q, p->last, p->now);
    return p->now != NULL;
}

/* Names the members that are fewer; all of them if none are. Returns a member of the other kind than `model`. */
static size_t groupings_vote(const struct pace *pace, size_t members, size_t model, struct ncs_grouping *g)
{
    size_t votes[2] = { 0 }, other = model, room = 0;
    for (size_t i = 0; i < members; i++)
        votes[pace[i].fused] += pace[i].now != NULL;
    g->tied = votes[0] == votes[1];
    for (size_t i = 0; i < members; i++) {
        if (!pace[i].now)
            continue;
        if (other == model && pace[i].fused != pace[model].fused)
            other = i;
        if (g->tied || votes[pace[i].fused] < votes[!pace[i].fused])
            NCS_PUSH(g->odd, g->odds, room, pace[i].now);
    }
    return other;
}

static bool is_any_grouped(const struct ncs_analysis *q, int comm)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    bool grouped = false;
    for (int m = 0; m < info->members && !grouped; m++)
        grouped = q->comm[comm].seq[m].grouped;
    return grouped && info->nranks > 1;
}

/* Walks all members at once, so that the first call that only some ranks fuse with the one before it is found. */
static void judge_fused(const struct ncs_analysis *q, int comm, struct ncs_drafts *all)
{
    size_t members = (size_t)q->journal->comm[comm]->members;
    struct pace *pace = ncs_new(members * sizeof *pace);
    bool on = is_any_grouped(q, comm);
    while (on) {
        size_t model = members, other = members;
        for (size_t i = 0; i < members; i++) {
            if (!pace_step(q, &q->comm[comm].seq[i], &pace[i]))
                continue;
            model = model == members ? i : model;
            other = pace[i].fused != pace[model].fused && other == members ? i : other;
        }
        on = model < members && other == members;
        if (other == members)
            continue;
        struct ncs_grouping g = { .how = NCS_GROUPING_FUSED };
        other = groupings_vote(pace, members, model, &g);
        const struct pace *one = &pace[pace[model].fused ? model : other];
        const struct pace *two = &pace[pace[model].fused ? other : model];
        bool alike = ncs_calls_are_alike(one->now, two->now) && ncs_calls_are_alike(one->last, two->last);
        g.call[0] = one->last, g.call[1] = one->now;
        g.call[2] = two->last, g.call[3] = two->now;
        if (alike)
            groupings_found(q, &g, all);
        else
            ncs_free(g.odd);
    }
    ncs_free(pace);
}

/* ---- sends and receives between two ranks ---- */

/* The messages of one group with one peer: the send whose counterpart the peer makes last, and the receive whose
 * counterpart it makes first. */
struct exchange {
    const struct ncs_call *send, *far_recv;
    const struct ncs_call *recv, *far_send;
    bool reported;
    struct exchange *next;
};

struct exchanges {
    struct ncs_map pair;  /* from, to, number among them, and which side -> the call */
    struct ncs_map group; /* group and peer -> struct exchange */
    struct exchange *newest;
    size_t odd_room; /* of the grouping's list */
};

static uint64_t groupings_pair_key(const struct ncs_call *c, bool send)
{
    uint64_t own = (uint64_t)(unsigned)c->comm_rank, peer = (uint64_t)(unsigned)ncs_call_peer(c);
    uint64_t way = ncs_is_send(c) ? own << 32 | peer : peer << 32 | own;
    return ncs_hash(ncs_hash(way, c->ordinal), send);
}

static bool groupings_is_message(const struct ncs_call *c)
{
    return ncs_call_is_pair(c) && groupings_takes_part(c) && ncs_call_peer(c) != c->comm_rank;
}

static const struct ncs_call *groupings_counterpart(const struct exchanges *x, const struct ncs_call *c)
{
    return ncs_map_get(&x->pair, groupings_pair_key(c, !ncs_is_send(c)));
}

static struct exchange *groupings_exchange_of(const struct ncs_analysis *q, struct exchanges *x, const struct ncs_call *c)
{
    uint64_t key = ncs_hash(ncs_group_key(q, c), (uint64_t)(unsigned)ncs_call_peer(c));
    struct exchange *e = ncs_map_get(&x->group, key);
    if (!e) {
        e = ncs_new(sizeof *e);
        e->next = x->newest;
        x->newest = e;
        ncs_map_put(&x->group, key, e);
    }
    return e;
}

/* Adds a grouped call. Blames both ranks if its group sends to the peer and receives from it, and the peer first sends,
 * and receives in a later launch: the maintainers call this undefined, because the calls of a group may block each other
 * (NVIDIA/nccl#1279). A peer that answers what it has received is left alone, and so are messages of one direction: the
 * user guide promises that they progress, the latter in order (point-to-point communication). */
static void exchange_add(const struct ncs_analysis *q, struct exchanges *x, const struct ncs_call *c, struct ncs_grouping *g)
{
    const struct ncs_call *far = groupings_counterpart(x, c);
    if (!far)
        return;
    struct exchange *e = groupings_exchange_of(q, x, c);
    if (ncs_is_send(c) ? !e->send || far->id > e->far_recv->id : !e->recv || far->id < e->far_send->id) {
        *(ncs_is_send(c) ? &e->send : &e->recv) = c;
        *(ncs_is_send(c) ? &e->far_recv : &e->far_send) = far;
    }
    if (!e->send || !e->recv || e->reported || e->far_send->id > e->far_recv->id ||
        groupings_together(q, e->far_send, e->far_recv))
        return;
    e->reported = true;
    NCS_PUSH(g->odd, g->odds, x->odd_room, e->send);
    NCS_PUSH(g->odd, g->odds, x->odd_room, e->far_send);
    if (g->call[0])
        return;
    bool first = e->send->id < e->recv->id;
    g->call[0] = first ? e->send : e->recv, g->call[1] = first ? e->recv : e->send;
    g->call[2] = e->far_send, g->call[3] = e->far_recv;
}

static void judge_exchanges(const struct ncs_analysis *q, int comm, struct ncs_drafts *all)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    struct exchanges x = { 0 };
    struct ncs_grouping g = { .how = NCS_GROUPING_EXCHANGE, .tied = true };
    bool grouped = false;
    for (int m = 0; m < info->members; m++)
        for (size_t i = 0; i < q->comm[comm].seq[m].sides; i++)
            grouped |= q->comm[comm].seq[m].side[i]->group != 0;
    for (int m = 0; m < info->members && grouped; m++)
        for (struct ncs_call *c = info->member[m].first; c; c = c->next_counted)
            if (groupings_is_message(c))
                ncs_map_put(&x.pair, groupings_pair_key(c, ncs_is_send(c)), c);
    for (int m = 0; m < info->members && grouped; m++)
        for (size_t i = 0; i < q->comm[comm].seq[m].sides; i++) {
            const struct ncs_call *c = q->comm[comm].seq[m].side[i];
            if (c->group && groupings_is_message(c))
                exchange_add(q, &x, c, &g);
        }
    if (g.call[0])
        groupings_found(q, &g, all);
    for (struct exchange *e = x.newest, *next; e; e = next) {
        next = e->next;
        ncs_free(e);
    }
    ncs_map_free(&x.pair);
    ncs_map_free(&x.group);
}

/* ---- a message and a collective of one group ---- */

/* The rank's collective of that ordinal; NULL = it is not known. */
static const struct ncs_call *groupings_collective(const struct ncs_analysis *q, int comm, int comm_rank, uint32_t ordinal)
{
    const struct ncs_sequence *s = &q->comm[comm].seq[comm_rank];
    for (size_t i = ordinal - 1; i < s->held; i++)
        if (s->call[i]->ordinal == ordinal)
            return s->call[i];
    return NULL;
}

/* Compares the order of a collective and a message of one group with that of the message's other end. Such a run goes
 * well only because NCCL lets the messages of a group follow its collectives. */
static bool judge_mixed_pair(const struct ncs_analysis *q, const struct exchanges *x, const struct ncs_call *a,
                             const struct ncs_call *b, struct ncs_drafts *all)
{
    bool message_first = groupings_is_message(a);
    const struct ncs_call *message = message_first ? a : b, *collective = message_first ? b : a;
    const struct ncs_call *far = groupings_counterpart(x, message);
    const struct ncs_call *there = far ? groupings_collective(q, far->comm, far->comm_rank, collective->ordinal) : NULL;
    if (!there || far->thread != there->thread || (far->id < there->id) == message_first)
        return false;
    struct ncs_grouping g = { .how = NCS_GROUPING_MIXED, .tied = true, .call = { a, b } };
    g.call[2] = message_first ? there : far;
    g.call[3] = message_first ? far : there;
    groupings_found(q, &g, all);
    return true;
}

/* Compares each message with the collectives of its group that stand next to it. */
static void judge_mixed(const struct ncs_analysis *q, int comm, struct ncs_drafts *all)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    struct exchanges x = { 0 };
    bool found = !is_any_grouped(q, comm);
    for (int m = 0; m < info->members && !found; m++)
        for (struct ncs_call *c = info->member[m].first; c; c = c->next_counted)
            if (groupings_is_message(c))
                ncs_map_put(&x.pair, groupings_pair_key(c, ncs_is_send(c)), c);
    for (int m = 0; m < info->members && !found && x.pair.count; m++) {
        const struct ncs_call *last[2] = { NULL, NULL }; /* collective, message */
        for (const struct ncs_call *c = info->member[m].first; c && !found; c = c->next_counted) {
            bool message = groupings_is_message(c);
            bool fused = !message && ncs_call_is_collective(c) && !ncs_call_is_composed(c) && groupings_takes_part(c);
            if (!message && !fused)
                continue;
            const struct ncs_call *before = last[!message];
            found = before && groupings_together(q, before, c) && judge_mixed_pair(q, &x, before, c, all);
            last[message] = c;
        }
    }
    ncs_map_free(&x.pair);
}

/* ---- communicators of one group ---- */

/* What the ranks do with a pair of collectives of two communicators. */
enum style { GROUPED_FIRST, GROUPED_SECOND, APART_FIRST, APART_SECOND, STYLES }; /* which of the two comes first */

struct both { /* one rank's calls */
    const struct ncs_call *a, *b;
    enum style style;
};

/* The member of the communicator that is the same device of the same rank; -1 = none. */
static int groupings_same_place(const struct ncs_comm_info *info, const struct ncs_member *m, int guess)
{
    for (int i = -1; i < info->members; i++) {
        int at = i < 0 ? guess : i;
        if (at >= 0 && at < info->members && info->member[at].rank == m->rank && info->member[at].device == m->device)
            return at;
    }
    return -1;
}

/* Fills in what the member does with the pair; false = it has not both, or makes them in two threads. */
static bool groupings_both(const struct ncs_analysis *q, int comm_rank, const struct ncs_call *a, const struct ncs_call *b,
                           struct both *out)
{
    const struct ncs_comm_info *info = q->journal->comm[a->comm];
    const struct ncs_member *m = &info->member[comm_rank];
    int k = m->rank < 0 ? -1 : groupings_same_place(q->journal->comm[b->comm], m, m->rank);
    if (k < 0)
        return false;
    out->a = groupings_collective(q, a->comm, comm_rank, a->ordinal);
    out->b = groupings_collective(q, b->comm, k, b->ordinal);
    if (!out->a || !out->b || out->a->thread != out->b->thread)
        return false;
    bool first = out->a->id < out->b->id;
    out->style = groupings_together(q, out->a, out->b) ? (first ? GROUPED_FIRST : GROUPED_SECOND)
                                                       : (first ? APART_FIRST : APART_SECOND);
    return ncs_calls_are_alike(out->a, a) && ncs_calls_are_alike(out->b, b);
}

static enum style groupings_commonest(const size_t votes[STYLES], bool *tied)
{
    enum style best = GROUPED_FIRST;
    for (enum style s = 0; s < STYLES; s++)
        best = votes[s] > votes[best] ? s : best;
    *tied = false;
    for (enum style s = 0; s < STYLES; s++)
        *tied |= s != best && votes[s] == votes[best];
    return best;
}

/* Compares what all ranks do that are in both communicators. */
static bool judge_pair_of_comms(const struct ncs_analysis *q, const struct ncs_call *a, const struct ncs_call *b,
                                struct ncs_drafts *all)
{
    int members = q->journal->comm[a->comm]->members;
    struct both *both = ncs_new((size_t)members * sizeof *both);
    size_t votes[STYLES] = { 0 }, count = 0, room = 0;
    for (int i = 0; i < members; i++)
        if (groupings_both(q, i, a, b, &both[count]))
            votes[both[count++].style]++;
    struct ncs_grouping g = { .how = NCS_GROUPING_COMMS };
    enum style usual = groupings_commonest(votes, &g.tied);
    bool differ = votes[usual] < count;
    for (size_t i = 0; i < count && differ; i++)
        if (g.tied || both[i].style != usual)
            NCS_PUSH(g.odd, g.odds, room, both[i].a);
    /* one that groups them, and one that does otherwise; another order is worse than another group */
    const struct both *one = NULL, *other = NULL;
    for (size_t i = 0; i < count && differ && !one; i++)
        one = both[i].style <= GROUPED_SECOND ? &both[i] : NULL;
    for (size_t i = 0; i < count && one; i++) {
        bool turned = (both[i].a->id < both[i].b->id) != (one->a->id < one->b->id);
        if (both[i].style != one->style && (!other || (turned && g.how == NCS_GROUPING_COMMS))) {
            other = &both[i];
            g.how = turned ? NCS_GROUPING_ORDER : NCS_GROUPING_COMMS;
        }
    }
    if (other) {
        bool first = one->a->id < one->b->id, far_first = other->a->id < other->b->id;
        g.call[0] = first ? one->a : one->b, g.call[1] = first ? one->b : one->a;
        g.call[2] = far_first ? other->a : other->b, g.call[3] = far_first ? other->b : other->a;
        groupings_found(q, &g, all);
    } else {
        ncs_free(g.odd);
    }
    ncs_free(both);
    return other != NULL;
}

struct comms_of_group { /* the first call of each communicator and rank of it in a group */
    const struct ncs_call *of[MOST_OF_GROUP];
    size_t count;
    struct comms_of_group *next;
};

static bool is_on_one_device(const struct ncs_analysis *q, const struct ncs_call *a, const struct ncs_call *b)
{
    const struct ncs_member *x = &q->journal->comm[a->comm]->member[a->comm_rank];
    const struct ncs_member *y = &q->journal->comm[b->comm]->member[b->comm_rank];
    return a->comm != b->comm && x->rank == y->rank && x->device == y->device;
}

/* Compares a new communicator of a group with the earlier ones, each pair of calls once in the run. */
static bool groupings_add_comm(const struct ncs_analysis *q, struct comms_of_group *g, const struct ncs_call *c,
                               struct ncs_map *seen, struct ncs_drafts *all)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->of[i]->comm == c->comm && g->of[i]->comm_rank == c->comm_rank)
            return false;
    if (g->count == MOST_OF_GROUP)
        return false;
    for (size_t i = 0; i < g->count; i++) {
        const struct ncs_call *a = g->of[i]->comm < c->comm ? g->of[i] : c, *b = a == c ? g->of[i] : c;
        if (!is_on_one_device(q, a, b))
            continue;
        uint64_t key = ncs_hash(ncs_hash((uint64_t)a->comm << 32 | a->ordinal, (uint64_t)b->comm), b->ordinal);
        if (ncs_map_number(seen, key))
            continue;
        ncs_map_put_number(seen, key, 1);
        if (judge_pair_of_comms(q, a, b, all))
            return true;
    }
    g->of[g->count++] = c;
    return false;
}

static void judge_comms(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    struct ncs_map groups = { 0 }, seen = { 0 };
    struct comms_of_group *newest = NULL;
    bool found = q->journal->comms < 2;
    for (size_t i = 0; i < q->index.mades && !found; i++) {
        const struct ncs_call *c = q->index.made[i].call;
        if (!c->group || !c->number || !groupings_takes_part(c) || !ncs_call_is_collective(c) ||
            q->journal->comm[c->comm]->nranks < 2)
            continue;
        uint64_t key = ncs_group_key(q, c);
        struct comms_of_group *g = ncs_map_get(&groups, key);
        if (!g) {
            g = ncs_new(sizeof *g);
            g->next = newest;
            newest = g;
            ncs_map_put(&groups, key, g);
        }
        found = groupings_add_comm(q, g, c, &seen, all);
    }
    for (struct comms_of_group *next; newest; newest = next) {
        next = newest->next;
        ncs_free(newest);
    }
    ncs_map_free(&groups);
    ncs_map_free(&seen);
}

void ncs_judge_groupings(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    bool done = q->snap->stop == NCS_STOP_DONE, real = q->snap->stop == NCS_STOP_STALLED;
    if (!(done || real) || !q->snap->contexts || q->journal->dropped)
        return;
    for (size_t i = 0; i < q->journal->comms; i++) {
        judge_fused(q, (int)i, all);
        judge_exchanges(q, (int)i, all);
        judge_mixed(q, (int)i, all);
    }
    judge_comms(q, all);
}
