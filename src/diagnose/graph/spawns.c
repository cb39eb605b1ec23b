/* Spawned threads: a process that spawned fewer threads at a place than another one lacks the thread that was to make
 * a call. Places are read from the run's own journal, where ranks are processes, also when q has one of parties. */
#include "diagnose/analysis.h"
#include "diagnose/party.h"

const struct ncs_host_step *ncs_spawn_of(const struct ncs_journal *j, int rank, int thread)
{
    const struct ncs_host_step *h = j->oldest_host;
    while (h && (h->kind != NCS_HOST_SPAWN || h->rank != rank || h->other != thread))
        h = h->newer;
    return h;
}

bool ncs_spawns_at(const struct ncs_host_step *h, const struct ncs_place *place)
{
    return h->kind == NCS_HOST_SPAWN && h->place.line == place->line && h->place.file == place->file;
}

int ncs_spawned_at(const struct ncs_journal *j, const struct ncs_place *place, int rank)
{
    int n = 0;
    for (const struct ncs_host_step *h = j->oldest_host; h; h = h->newer)
        n += h->rank == rank && ncs_spawns_at(h, place);
    return n;
}

bool ncs_format_spawns(const struct ncs_analysis *q, const struct ncs_unmet *n, int rank, struct ncs_str *s)
{
    const char *what = q->parties ? "process" : "rank";
    const struct ncs_journal *j = q->parties ? q->parties->journal : q->journal;
    int process = ncs_process_of_party(q->parties, rank);
    for (size_t i = 0; i < n->presents && process >= 0; i++) {
        int caller = ncs_process_of_party(q->parties, n->present[i]->rank);
        const struct ncs_host_step *h = ncs_spawn_of(j, caller, n->present[i]->thread);
        int own = h ? ncs_spawned_at(j, &h->place, process) : 0, most = h ? ncs_spawned_at(j, &h->place, h->rank) : 0;
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
