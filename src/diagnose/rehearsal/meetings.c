/* Meetings: collectives meet by their number on the communicator, a send and a receive by their number between the
 * two ranks. One-sided calls meet nobody: they send signals, or take signals that have been sent. */
#include "diagnose/rehearsal/rehearsal.h"

#include "api/meeting.h"
#include "base/mem.h"

/* ---- who meets whom ---- */

static size_t next_number(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    bool pair = ncs_deed_is_pair(d);
    uint64_t sequence = ncs_rehearsal_key(d->comm, d->comm_rank, pair ? (int64_t)d->fn : 0, pair ? d->peer : -1);
    size_t number = ncs_map_number(&p->count, sequence) + 1;
    ncs_map_put_number(&p->count, sequence, number);
    return number;
}

static size_t meeting_for(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    struct ncs_meeting_key key = ncs_meeting_key(d->fn, d->comm, d->comm_rank, d->peer, next_number(p, d));
    struct ncs_meeting fresh = { .comm = d->comm, .src = key.src, .dst = key.dst };
    size_t at = ncs_map_number(&p->meeting_at, ncs_meeting_hash(&key));
    if (!at) {
        NCS_PUSH(p->meeting, p->meetings, p->meeting_room, fresh);
        ncs_map_put_number(&p->meeting_at, ncs_meeting_hash(&key), at = p->meetings);
    }
    return at;
}

void ncs_rehearsal_join(struct ncs_rehearsal *p, size_t part)
{
    struct ncs_launch_part *own = &p->part[part];
    if (ncs_deed_is_one_sided(&own->deed))
        return;
    own->meeting = meeting_for(p, &own->deed);
    struct ncs_meeting *m = &p->meeting[own->meeting - 1];
    NCS_PUSH(m->part, m->parts, m->room, part);
    m->ranks += own->deed.by->ranks;
}

/* ---- whether a meeting takes place ---- */

static bool is_of_all(const struct ncs_meeting *m)
{
    return m->src < 0;
}

static bool members_agree(const struct ncs_rehearsal *p, const struct ncs_meeting *m)
{
    const struct ncs_deed *a = &p->part[m->part[0]].deed;
    for (size_t i = 1; i < m->parts; i++) {
        const struct ncs_deed *b = &p->part[m->part[i]].deed;
        bool kinds = !is_of_all(m) || a->fn == b->fn || ncs_calls_are_alike(a->call, b->call);
        if (!kinds || a->bytes != b->bytes || (is_of_all(m) && a->root != b->root))
            return false;
    }
    return true;
}

/* True if every rank that is not there yet is free, so that it is assumed to come. */
static bool others_will_come(const struct ncs_rehearsal *p, const struct ncs_meeting *m)
{
    if (!is_of_all(m)) {
        int there = p->part[m->part[0]].deed.comm_rank;
        return ncs_rehearsal_is_free(p, m->comm, there == m->src ? m->dst : m->src);
    }
    int nranks = p->q->journal->comm[m->comm]->nranks;
    bool *here = ncs_new((size_t)nranks * sizeof *here), all = true;
    for (size_t i = 0; i < m->parts; i++)
        for (size_t k = 0; k < p->part[m->part[i]].deed.by->ranks; k++) {
            int comm_rank = ncs_rehearsal_seat(p, &p->part[m->part[i]].deed, k);
            if (comm_rank < nranks)
                here[comm_rank] = true;
        }
    for (int r = 0; r < nranks && all; r++)
        all = here[r] || ncs_rehearsal_is_free(p, m->comm, r);
    ncs_free(here);
    return all;
}

/* In a gather or scatter each rank but the root meets the root and nobody else. */
static bool root_is_there(const struct ncs_rehearsal *p, const struct ncs_meeting *m, const struct ncs_deed *own)
{
    const struct ncs_fn_info *info = &ncs_fn_info[own->fn];
    if (!info->composed || !info->rooted || own->root == own->comm_rank)
        return false;
    for (size_t i = 0; i < m->parts; i++) {
        const struct ncs_launch_part *other = &p->part[m->part[i]];
        const struct ncs_deed *root = &other->deed;
        if (root->comm_rank == own->root)
            return other->reached && root->fn == own->fn && root->root == own->root && root->bytes == own->bytes;
    }
    return false;
}

/* Ranks that are not there may be assumed only if all that are there have reached the meeting on their streams and
 * agree. */
static bool is_met(struct ncs_rehearsal *p, struct ncs_meeting *m, const struct ncs_deed *own)
{
    size_t expected = is_of_all(m) ? (size_t)p->q->journal->comm[m->comm]->nranks : 2;
    if (m->met || root_is_there(p, m, own))
        return true;
    if (m->reached < m->ranks || !members_agree(p, m))
        return false;
    m->supposed |= m->ranks < expected && others_will_come(p, m);
    return m->met = m->ranks >= expected || m->supposed;
}

/* ---- signals ---- */

static uint64_t meetings_signal_key(int comm, int target, int origin)
{
    return ncs_rehearsal_key(comm, target, origin, 0);
}

static bool meetings_take_signals(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    size_t count;
    const ncclWaitSignalDesc_t *w = ncs_call_waits(d->call, &count);
    for (size_t i = 0; i < count; i++) {
        int peer = d->peer >= 0 ? d->peer : w[i].peer;
        if (w[i].opCnt > 0 && !ncs_rehearsal_is_free(p, d->comm, peer) &&
            ncs_map_number(&p->sent, meetings_signal_key(d->comm, d->comm_rank, peer)) < (size_t)w[i].opCnt)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t key = meetings_signal_key(d->comm, d->comm_rank, d->peer >= 0 ? d->peer : w[i].peer);
        size_t there = ncs_map_number(&p->sent, key), taken = w[i].opCnt > 0 ? (size_t)w[i].opCnt : 0;
        ncs_map_put_number(&p->sent, key, there > taken ? there - taken : 0);
    }
    return true;
}

/* A put carries a signal, too. */
static bool meetings_carry_out(struct ncs_rehearsal *p, const struct ncs_deed *d)
{
    if (d->fn == NCS_FN_ncclWaitSignal)
        return meetings_take_signals(p, d);
    uint64_t key = meetings_signal_key(d->comm, d->peer, d->comm_rank);
    ncs_map_put_number(&p->sent, key, ncs_map_number(&p->sent, key) + 1);
    return true;
}

bool ncs_rehearsal_meet(struct ncs_rehearsal *p, struct ncs_launch_part *part)
{
    struct ncs_meeting *m = part->meeting ? &p->meeting[part->meeting - 1] : NULL;
    bool first = !part->reached;
    part->reached = true;
    if (m)
        m->reached += first ? part->deed.by->ranks : 0;
    part->met = m ? is_met(p, m, &part->deed) : meetings_carry_out(p, &part->deed);
    return first || part->met;
}
