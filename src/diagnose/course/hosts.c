/* Keys and barriers of a rehearsal. A barrier counts processes, as the run does, although courses are of ranks. */
#include "diagnose/course/hosts.h"

#include <string.h>

#include "base/mem.h"
#include "diagnose/course/course.h"
#include "diagnose/party.h"

void ncs_hosts_open(const struct ncs_analysis *q, struct ncs_hosts *out)
{
    *out = (struct ncs_hosts){ .processes = q->parties ? 0 : q->ranks };
    for (size_t i = 0; q->parties && i < q->parties->count; i++)
        if (q->parties->of[i].rank >= out->processes)
            out->processes = q->parties->of[i].rank + 1;
}

void ncs_hosts_close(struct ncs_hosts *h)
{
    for (size_t i = 0; i < h->barriers; i++) {
        ncs_free(h->barrier[i].visit);
        ncs_free(h->barrier[i].listed);
        ncs_free(h->barrier[i].waiting);
    }
    ncs_free(h->barrier);
    ncs_map_free(&h->visitors);
    ncs_map_free(&h->set);
}

/* ---- keys ---- */

void ncs_hosts_set(struct ncs_hosts *h, const char *key)
{
    ncs_map_put_number(&h->set, ncs_key_hash(key), 1);
}

bool ncs_hosts_is_set(const struct ncs_hosts *h, const char *key)
{
    return ncs_map_get(&h->set, ncs_key_hash(key)) != NULL;
}

/* ---- barriers ---- */

struct ncs_visit {
    uint64_t id;
    int process;
};

static struct ncs_barrier *hosts_barrier_of(struct ncs_hosts *h, const char *ranks)
{
    for (size_t i = 0; i < h->barriers; i++)
        if (strcmp(h->barrier[i].ranks, ranks) == 0)
            return &h->barrier[i];
    struct ncs_barrier fresh = { .ranks = ranks };
    fresh.listed = ncs_new(((size_t)h->processes + 1) * sizeof *fresh.listed);
    fresh.waiting = ncs_new(((size_t)h->processes + 1) * sizeof *fresh.waiting);
    for (int p = 0; p < h->processes; p++)
        fresh.members += fresh.listed[p] = ncs_is_listed(ranks, p);
    NCS_PUSH(h->barrier, h->barriers, h->room, fresh);
    return &h->barrier[h->barriers - 1];
}

/* free NULL: no process may still come, so the count decides. */
static bool are_all_there(const struct ncs_hosts *h, const struct ncs_barrier *b, const bool *free)
{
    bool all = b->present == b->members || free;
    for (int p = 0; p < h->processes && all && free; p++)
        all = !b->listed[p] || b->waiting[p] || free[p];
    return all;
}

/* When all processes have arrived, the first waiting thread of each process goes on. Further threads of a process wait
 * for the next time: the run counts a process once for each time that the barrier opens. */
static void hosts_release(struct ncs_hosts *h, struct ncs_barrier *b)
{
    bool *gone = ncs_new(((size_t)h->processes + 1) * sizeof *gone);
    size_t kept = 0;
    for (size_t i = 0; i < b->visits; i++) {
        struct ncs_visit v = b->visit[i];
        if (gone[v.process]) {
            b->visit[kept++] = v;
            continue;
        }
        gone[v.process] = true;
        b->present -= --b->waiting[v.process] == 0;
        ncs_map_put_number(&h->visitors, v.id, 2);
    }
    b->visits = kept;
    ncs_free(gone);
}

bool ncs_hosts_visit(struct ncs_hosts *h, const char *ranks, uint64_t id, int process, const bool *free)
{
    struct ncs_barrier *b = hosts_barrier_of(h, ranks);
    if (process < 0 || process >= h->processes)
        return true;
    if (!ncs_map_get(&h->visitors, id)) {
        struct ncs_visit own = { .id = id, .process = process };
        NCS_PUSH(b->visit, b->visits, b->room, own);
        b->present += b->waiting[process]++ == 0;
        ncs_map_put_number(&h->visitors, id, 1);
    }
    if (ncs_map_number(&h->visitors, id) == 1 && are_all_there(h, b, free))
        hosts_release(h, b);
    return ncs_map_number(&h->visitors, id) == 2;
}
