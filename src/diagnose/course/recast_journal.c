/* The journal as it would be if each party were a process: each record carries the number of its party. A record of a
 * thread that drives several parties, such as the start of a group, is copied for each of them. */
#include "diagnose/course/recast.h"

#include "base/hash.h"
#include "base/mem.h"

/* Calls in which each party of a thread takes part. A wait for the stream of one party counts, too, while it lasts:
 * the thread would wait for the other parties' streams next. */
static bool is_for_all(const struct ncs_call *c)
{
    return c->fn == NCS_FN_ncclGroupStart || c->fn == NCS_FN_ncclGroupEnd ||
           (c->fn == NCS_FN_cudaStreamSynchronize && !c->returned);
}

static uint64_t queue_key(const struct ncs_call *c, enum ncs_kind kind)
{
    const union ncs_arg *arg = ncs_call_arg(c, kind);
    return arg && arg->p ? ncs_hash(ncs_hash((uint64_t)c->rank, kind), ncs_map_key(arg->p)) : 0;
}

/* The party of a call that names none. Work on a stream belongs to the party whose NCCL calls are on that stream, other
 * work to the party of the thread's device. A thread that drives no party stands for its process, but its work on
 * memory belongs to the device. */
static int party_of_work(struct ncs_recast_private *o, const struct ncs_driver *d, int device, const struct ncs_call *c)
{
    uint64_t stream = queue_key(c, NCS_ARG_STREAM), event = queue_key(c, NCS_ARG_EVENT);
    size_t known = stream ? ncs_map_number(&o->queue, stream) : 0;
    if (!known && event)
        known = ncs_map_number(&o->queue, event);
    if (known && event)
        ncs_map_put_number(&o->queue, event, known);
    bool moves = ncs_call_arg(c, NCS_ARG_MEMORY_OUT) || ncs_call_arg(c, NCS_ARG_MEMORY);
    if (d->mades == 1)
        return d->made[0];
    if (known && d->mades)
        return (int)known - 1;
    int own = d->mades || moves ? ncs_party_of_device(o->p, c->rank, device) : -1;
    return own >= 0 ? own : d->mades ? d->made[0] : ncs_party_of_process(o->p, c->rank);
}

static int party_of_call(struct ncs_recast_private *o, const struct ncs_driver *d, int device, const struct ncs_call *c)
{
    int party = c->fn == NCS_FN_ncclCommInitAll ? -1 : ncs_party_of_member(o->p, c->comm, c->comm_rank);
    uint64_t stream = c->number ? queue_key(c, NCS_ARG_STREAM) : 0;
    if (party >= 0 && stream) {
        ncs_map_put_number(&o->queue, stream, (size_t)party + 1);
        o->stream[party] = ncs_call_stream(c);
    }
    return party >= 0 ? party : party_of_work(o, d, device, c);
}

static void add_copy(struct ncs_recast_private *o, const struct ncs_call *c, int party)
{
    struct ncs_call copy = ncs_call_copy(c);
    copy.rank = party;
    if (c->fn == NCS_FN_cudaStreamSynchronize && party >= 0 && is_for_all(c) && o->stream[party])
        copy.arg[0].p = o->stream[party];
    NCS_PUSH(o->call, o->calls, o->room, copy);
    if (!ncs_map_get(&o->at, ncs_map_key(c)))
        ncs_map_put_number(&o->at, ncs_map_key(c), o->calls);
}

static void copy_calls(struct ncs_recast_private *o)
{
    int *device = ncs_new((o->p->drivers + 1) * sizeof *device);
    o->stream = ncs_new((o->p->count + o->p->drivers) * sizeof *o->stream); /* with the processes as such */
    for (const struct ncs_call *c = o->p->journal->oldest; c; c = c->newer) {
        const struct ncs_driver *d = c->rank < 0 ? NULL : ncs_driver_of(o->p, c->rank, c->thread);
        if (!d) {
            add_copy(o, c, -1);
            continue;
        }
        int *now = &device[d - o->p->driver];
        if (c->fn == NCS_FN_cudaSetDevice && c->returned && !c->rc)
            *now = (int)c->arg[0].i;
        if (!is_for_all(c) || d->mades < 2) {
            add_copy(o, c, party_of_call(o, d, *now, c));
            continue;
        }
        for (size_t i = 0; i < d->mades; i++)
            add_copy(o, c, d->made[i]);
    }
    ncs_free(device);
}

struct ncs_call *ncs_recast_call_for(const struct ncs_recast_private *o, const struct ncs_call *c, int party)
{
    size_t at = c ? ncs_map_number(&o->at, ncs_map_key(c)) : 0;
    if (!at)
        return (struct ncs_call *)c;
    for (size_t i = at - 1; i < o->calls && o->call[i].id == c->id; i++)
        if (o->call[i].rank == party)
            return &o->call[i];
    return &o->call[at - 1];
}

struct ncs_call *ncs_recast_call(const struct ncs_recast_private *o, const struct ncs_call *c)
{
    return ncs_recast_call_for(o, c, -1);
}

static void link_calls(struct ncs_recast_private *o)
{
    for (size_t i = 0; i < o->calls; i++) {
        struct ncs_call *c = &o->call[i];
        c->next_counted = ncs_recast_call(o, c->next_counted);
        c->older = i ? c - 1 : NULL;
        c->newer = i + 1 < o->calls ? c + 1 : NULL;
    }
}

static void add_host(struct ncs_recast_private *o, const struct ncs_host_step *h, int party)
{
    struct ncs_host_step copy = *h;
    copy.rank = party;
    NCS_PUSH(o->host, o->hosts, o->host_room, copy);
}

/* A step of a thread is a step of each party that it makes calls for or, if there is none, of its process. */
static void copy_hosts(struct ncs_recast_private *o, struct ncs_journal *out)
{
    for (const struct ncs_host_step *h = o->p->journal->oldest_host; h; h = h->newer) {
        const struct ncs_driver *d = ncs_driver_of(o->p, h->rank, h->thread);
        for (size_t i = 0; d && i < d->mades; i++)
            add_host(o, h, d->made[i]);
        if (!d || !d->mades)
            add_host(o, h, ncs_party_of_process(o->p, h->rank));
    }
    for (size_t i = 0; i < o->hosts; i++)
        o->host[i].newer = i + 1 < o->hosts ? &o->host[i + 1] : NULL;
    out->oldest_host = o->hosts ? o->host : NULL;
    out->newest_host = o->hosts ? &o->host[o->hosts - 1] : NULL;
}

static struct ncs_comm_info *copy_comm(const struct ncs_recast_private *o, const struct ncs_comm_info *info)
{
    struct ncs_comm_info *copy = ncs_new(sizeof *copy);
    *copy = *info;
    copy->member = ncs_new((size_t)info->members * sizeof *copy->member);
    for (int i = 0; i < info->members; i++) {
        struct ncs_member *m = &copy->member[i];
        *m = info->member[i];
        m->rank = ncs_party_of_member(o->p, info->number, i);
        m->first = ncs_recast_call(o, m->first);
        m->last = ncs_recast_call(o, m->last);
        m->line = ncs_new(m->line_room * sizeof *m->line);
        for (uint32_t k = 0; k < m->line_room; k++)
            m->line[k] = ncs_recast_call(o, info->member[i].line[k]);
    }
    return copy;
}

void ncs_recast_journal(struct ncs_recast_private *o, struct ncs_journal *out)
{
    const struct ncs_journal *j = o->p->journal;
    copy_calls(o);
    link_calls(o);
    *out = *j;
    out->oldest = o->calls ? o->call : NULL;
    out->newest = o->calls ? &o->call[o->calls - 1] : NULL;
    copy_hosts(o, out);
    out->comm = ncs_new(j->comms * sizeof *out->comm);
    for (size_t i = 0; i < j->comms; i++)
        out->comm[i] = copy_comm(o, j->comm[i]);
}
