/* The diagnosis from end to end: sequences, graph, rules, and the list of who waits. */
#include "diagnose/finding.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "diagnose/analysis.h"
#include "diagnose/party.h"

static int diagnose_count_ranks(const struct ncs_analysis *q)
{
    int last = -1;
    for (size_t i = 0; i < q->snap->contexts; i++)
        if (q->snap->context[i].rank > last)
            last = q->snap->context[i].rank;
    for (size_t i = 0; i < q->journal->comms; i++)
        for (int r = 0; r < q->journal->comm[i]->members; r++)
            if (q->journal->comm[i]->member[r].rank > last)
                last = q->journal->comm[i]->member[r].rank;
    return last + 1;
}

/* The ranks for which one context waits. One array serves all contexts: a run of a thousand ranks has as many lines, so nothing
 * is cleared, and only the entries from `low` to `high` are looked at. */
struct peers {
    int *line; /* by rank: the last line that has it */
    int lines;
    int low, high;
    size_t left; /* that all lines together may still have; then each names the first ones only */
    int unmet;   /* what the last line waits for alone, if all that wait for it have the same peers; else -1 */
    const int *same;
    size_t sames; /* the last line's */
};

enum { PEERS_MOST = 1 << 22, PEERS_FIRST = 64 };

static void add_peer(struct peers *p, int rank)
{
    if (rank < 0)
        return;
    p->line[rank] = p->lines + 1;
    p->low = rank < p->low ? rank : p->low;
    p->high = rank > p->high ? rank : p->high;
}

/* False if the line has no room for more. */
static bool take_peer(struct peers *p, struct ncs_wait_line *w, size_t *room, int rank)
{
    if (!p->left && w->peers >= PEERS_FIRST)
        return false;
    NCS_PUSH(w->peer, w->peers, *room, rank);
    p->left -= p->left > 0;
    return true;
}

/* Moves the peers into the line in ascending order. */
static void take_peers(struct peers *p, struct ncs_wait_line *w)
{
    size_t room = 0;
    for (int r = p->low; r <= p->high; r++)
        if (p->line[r] == p->lines + 1 && !take_peer(p, w, &room, r))
            break;
    p->lines++;
    p->low = INT_MAX;
    p->high = -1;
}

static void take_same_peers(struct peers *p, struct ncs_wait_line *w)
{
    size_t room = 0;
    for (size_t i = 0; i < p->sames && take_peer(p, w, &room, p->same[i]); i++)
        continue;
}

/* If calls disagree, each rank waits for all others. */
static void add_peers(const struct ncs_analysis *q, int self, struct peers *p, const struct ncs_unmet *n)
{
    const int pair[] = { n->src, n->dst };
    for (size_t i = 0; i < 2 && n->kind == NCS_UNMET_STUCK; i++) {
        int rank = ncs_run_rank(q, n->comm, pair[i]);
        if (rank != self)
            add_peer(p, rank);
    }
    for (size_t i = 0; i < n->absents; i++)
        add_peer(p, n->absent[i].rank);
    for (size_t i = 0; i < n->presents && n->kind == NCS_UNMET_STUCK; i++)
        if (n->present[i]->rank != self && !ncs_is_unrecorded(q, n->present[i]->rank))
            add_peer(p, n->present[i]->rank);
}

static enum ncs_via diagnose_via_of(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    switch (n->kind) {
    case NCS_UNMET_PAIR: return NCS_VIA_PAIR;
    case NCS_UNMET_SIGNAL: return NCS_VIA_SIGNAL;
    case NCS_UNMET_INIT: return NCS_VIA_INIT;
    case NCS_UNMET_GATE: return ncs_is_key(q, n) ? NCS_VIA_STORE : NCS_VIA_HOST;
    default: return ncs_is_meeting(n) ? NCS_VIA_INIT : n->src >= 0 ? NCS_VIA_PAIR : NCS_VIA_COLLECTIVE;
    }
}

/* The rank's call at a meeting; NULL = it has none there. */
static const struct ncs_call *present_call(const struct ncs_analysis *q, const struct ncs_unmet *n, int rank)
{
    size_t low = 0, high = n->presents;
    while (n->comm >= 0 && q->comm[n->comm].numbered_alike && high - low > 1) { /* in order of the ranks */
        size_t middle = low + (high - low) / 2;
        *(n->present[middle]->comm_rank <= rank ? &low : &high) = middle;
    }
    for (size_t k = low; k < high; k++)
        if (n->present[k]->rank == rank)
            return n->present[k];
    return NULL;
}

/* Returns true if the line explains why the context waits: by a peer, or by something that has none. */
static bool fill_wait(struct ncs_analysis *q, int context, struct peers *peers, struct ncs_wait_line *w)
{
    const struct ncs_snap_context *c = &q->snap->context[context];
    size_t unmets;
    int *unmet = ncs_unmet_of(q, context, &unmets);
    const struct ncs_call *call = NULL;
    w->rank = c->rank;
    w->thread = c->thread > 0 ? c->thread : 0; /* the driver's own threads have numbers below 0 */
    w->in = ncs_copy_text(ncs_context_function(q, context));
    w->place = ncs_context_place(q, context);
    bool alone = unmets == 1 && q->unmet[unmet[0]].kind != NCS_UNMET_STUCK, again = alone && unmet[0] == peers->unmet;
    for (size_t i = 0; i < unmets; i++) {
        const struct ncs_unmet *n = &q->unmet[unmet[i]];
        if (!again)
            add_peers(q, c->rank, peers, n);
        if (!w->waiting)
            w->via = diagnose_via_of(q, n);
        w->waiting = true;
        if (n->kind == NCS_UNMET_GATE && !w->what && q->snap->gate[n->gate].key)
            w->what = ncs_copy_text(q->snap->gate[n->gate].key);
        call = call ? call : present_call(q, n, c->rank);
    }
    if (again)
        take_same_peers(peers, w);
    else
        take_peers(peers, w);
    peers->unmet = alone ? unmet[0] : -1;
    peers->same = w->peer;
    peers->sames = w->peers;
    if (call) {
        w->comm = call->comm >= 0 ? ncs_copy_text(ncs_comm_name(q, call->comm)) : NULL;
        w->call = call->number;
        w->op = call->number ? ncs_describe(call) : NULL;
    }
    /* At a gate no rank may be left that could open it, and no record may name the absent rank of a communicator. */
    bool edge = w->peers > 0;
    for (size_t i = 0; i < unmets; i++)
        edge |= q->unmet[unmet[i]].kind == NCS_UNMET_GATE || q->unmet[unmet[i]].absents > 0 ||
                q->unmet[unmet[i]].kind == NCS_UNMET_STUCK || q->unmet[unmet[i]].kind == NCS_UNMET_INIT ||
                ncs_is_meeting(&q->unmet[unmet[i]]);
    ncs_free(unmet);
    return edge || ncs_polls(q, c) || c->has_deadline;
}

static bool before(const struct ncs_wait_line *a, const struct ncs_wait_line *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->thread < b->thread;
}

/* The line of a context that does not wait: a run that was stopped from outside has such. */
static void fill_running(const struct ncs_analysis *q, int context, struct ncs_wait_line *w)
{
    const struct ncs_snap_context *c = &q->snap->context[context];
    bool called = c->call && !c->call->returned;
    w->rank = c->rank;
    w->thread = c->thread > 0 ? c->thread : 0; /* as in fill_wait */
    w->in = ncs_copy_text(called ? ncs_context_function(q, context) : "script");
    w->place = ncs_context_place(q, context);
}

static void list_waits(struct ncs_analysis *q)
{
    struct ncs_diagnosis *d = q->result;
    struct peers peers = { ncs_new((size_t)(q->ranks + 1) * sizeof *peers.line), 0, INT_MAX, -1, PEERS_MOST, -1, NULL, 0 };
    size_t room = 0;
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        bool runs = c->state == NCS_CONTEXT_READY && !ncs_polls(q, c), edge = true;
        if (c->state == NCS_CONTEXT_ENDED || c->held_by || (runs && q->hung))
            continue;
        struct ncs_wait_line w = { 0 };
        if (runs)
            fill_running(q, (int)i, &w);
        else
            edge = fill_wait(q, (int)i, &peers, &w);
        if (!edge && q->hung)
            d->explained = false;
        size_t at = d->waits;
        NCS_PUSH(d->wait, d->waits, room, w);
        for (; at > 0 && before(&w, &d->wait[at - 1]); at--)
            d->wait[at] = d->wait[at - 1];
        d->wait[at] = w;
    }
    ncs_free(peers.line);
}

static void analysis_free(struct ncs_analysis *q)
{
    for (size_t i = 0; i < q->journal->comms; i++) {
        struct ncs_call_divergence *of[] = { &q->comm[i].divergence, &q->comm[i].later, &q->comm[i].by_line };
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
            ncs_free(of[k]->minority);
            ncs_free(of[k]->gaps.at);
        }
    }
    ncs_unmatched_free(q);
    for (size_t i = 0; i < q->unmets; i++) {
        ncs_free(q->unmet[i].present);
        ncs_free(q->unmet[i].absent);
    }
    ncs_free(q->open);
    ncs_free(q->unmet);
    ncs_free(q->edge);
    ncs_free(q->out);
    ncs_free(q->in);
    ncs_free(q->met);
    ncs_map_free(&q->part);
    ncs_map_free(&q->unmet_at);
    ncs_read_free(q);
}

/* Analyses the run as the rules see it. */
static void analyse(const struct ncs_parties *parties, const struct ncs_journal *journal, const struct ncs_snapshot *snap,
                    const struct ncs_notice *notices, size_t count, struct ncs_diagnosis *out)
{
    struct ncs_analysis q = {
        .parties = parties, .journal = journal, .snap = snap, .notice = notices, .notices = count, .result = out
    };
    q.hung = q.snap->stop == NCS_STOP_QUIET || q.snap->stop == NCS_STOP_LIVELOCK || q.snap->stop == NCS_STOP_STALLED;
    q.ranks = diagnose_count_ranks(&q);
    q.job_ranks = parties ? 0 : (size_t)q.ranks;
    for (size_t i = 0; parties && i < parties->count; i++)
        q.job_ranks += parties->of[i].device >= 0 || parties->of[i].rank < 0;
    ncs_read(&q);
    ncs_align(&q);
    ncs_find_by_lines(&q);
    ncs_graph(&q);
    ncs_rules(&q);
    ncs_format_beforehand(&q);
    list_waits(&q);
    analysis_free(&q);
}

void ncs_diagnose(const struct ncs_journal *journal, const struct ncs_snapshot *snapshot, const struct ncs_notice *notices,
                  size_t count, struct ncs_diagnosis *out)
{
    static const struct ncs_snapshot nothing = { .stop = NCS_STOP_DONE };
    const struct ncs_snapshot *snap = snapshot ? snapshot : &nothing;
    struct ncs_parties parties;
    struct ncs_recast as;
    memset(out, 0, sizeof *out);
    out->explained = true;
    if (!ncs_parties_read(journal, snap, &parties)) {
        analyse(NULL, journal, snap, notices, count, out);
        return;
    }
    ncs_recast_open(&parties, notices, count, &as);
    analyse(&parties, &as.journal, &as.snap, as.notice, as.notices, out);
    ncs_name_parties(&parties, out);
    ncs_recast_close(&as);
    ncs_parties_free(&parties);
}
