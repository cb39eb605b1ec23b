/* Threads that ought to have made a call: where those of other processes were spawned that did. */
#include "diagnose/analysis.h"
#include "diagnose/party.h"

static const struct ncs_journal *journal_of(const struct ncs_analysis *q)
{
    return q->parties ? q->parties->journal : q->journal;
}

static int spawns_process_of(const struct ncs_analysis *q, int rank)
{
    return q->parties && rank >= 0 && (size_t)rank < q->parties->count ? q->parties->of[rank].rank : rank;
}

static const struct ncs_host_step *spawns_spawn_of(const struct ncs_analysis *q, const struct ncs_call *c)
{
    const struct ncs_host_step *h = journal_of(q)->oldest_host;
    while (h && (h->kind != NCS_HOST_SPAWN || h->rank != spawns_process_of(q, c->rank) || h->other != c->thread))
        h = h->newer;
    return h;
}

static int spawned_like(const struct ncs_analysis *q, const struct ncs_host_step *like, int process)
{
    int n = 0;
    for (const struct ncs_host_step *h = journal_of(q)->oldest_host; h; h = h->newer)
        n += h->kind == NCS_HOST_SPAWN && h->rank == process && h->place.line == like->place.line &&
             h->place.file == like->place.file;
    return n;
}

bool ncs_format_spawns(const struct ncs_analysis *q, const struct ncs_unmet *n, int rank, struct ncs_str *s)
{
    const char *what = q->parties ? "process" : "rank";
    int process = spawns_process_of(q, rank);
    for (size_t i = 0; i < n->presents && process >= 0; i++) {
        const struct ncs_host_step *h = spawns_spawn_of(q, n->present[i]);
        int own = h ? spawned_like(q, h, process) : 0, most = h ? spawned_like(q, h, h->rank) : 0;
        if (!h || h->rank == process || own >= most)
            continue;
        ncs_str_addf(s, "; %s %d spawned ", what, process);
        if (own)
            ncs_str_addf(s, "%d", own);
        else
            ncs_str_add(s, "no");
        ncs_str_addf(s, " thread%s at line %d, %s %d spawned %d", own > 1 ? "s" : "", h->place.line, what, h->rank, most);
        return true;
    }
    return false;
}
