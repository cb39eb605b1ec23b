/* Steps of hosts: barriers, keys of the store, threads. They are no calls of NCCL or CUDA and
 * have no call numbers, but other threads wait for them as for calls. */
#include "api/journal.h"

#include <pthread.h>
#include <string.h>

#include "api/journal_private.h"
#include "base/mem.h"

/* Steps may take 1 / SHARE of the journal's bytes: a program may set keys for hours. */
enum { SHARE = 8 };

struct ncs_host_step *ncs_journal_host(struct ncs_journal *j, enum ncs_host_kind kind, const char *what, int other)
{
    struct ncs_local *local = ncs_local;
    struct ncs_host_step *s;
    size_t bytes = sizeof *s + (what ? strlen(what) + 1 : 0);

    if (!local || local->rank < 0 || local->opening || local->ending)
        return NULL;
    if (j->host_bytes + bytes > j->limit / SHARE) {
        j->hosts_lost = true;
        return NULL;
    }
    s = ncs_new(sizeof *s);
    *s = (struct ncs_host_step){ .kind = kind, .rank = local->rank, .thread = local->thread, .other = other };
    s->what = ncs_copy_text(what);
    if (local->where)
        s->place = local->where(local->where_arg);
    s->nth = ++local->hosts;
    if (j->own->locked)
        pthread_mutex_lock(&j->own->lock);
    s->id = ++j->hosts;
    s->after = j->calls;
    j->host_bytes += bytes;
    *(j->newest_host ? &j->newest_host->newer : &j->oldest_host) = s;
    j->newest_host = s;
    if (j->own->locked)
        pthread_mutex_unlock(&j->own->lock);
    return s;
}

void ncs_journal_free_hosts(struct ncs_journal *j)
{
    for (struct ncs_host_step *s = j->oldest_host, *newer; s; s = newer) {
        newer = s->newer;
        ncs_free(s->what);
        ncs_free(s);
    }
}
