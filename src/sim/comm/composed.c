#include "sim/comm/composed.h"

#include "api/journal.h"
#include "api/meeting.h"
#include "api/types.h"
#include "base/mem.h"
#include "sim/comm/comm.h"
#include "sim/comm/matrix.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/world.h"

/* The calls of all ranks with one sequence number, until the last has arrived. It serves to compare
 * them; nobody waits for it. */
struct attendance {
    struct ncs_wanted wanted;
    struct ncs_call *call; /* pinned */
};

struct muster {
    int arrived;
    struct attendance rank[];
};

static size_t muster_bytes(const struct comm *comm)
{
    return sizeof(struct muster) + (size_t)comm->nranks * sizeof(struct attendance);
}

/* Computes addresses as C on a real machine does: NULL and overflows are detected when the memory
 * is used. */
static void *composed_block(const void *base, size_t bytes, int index)
{
    return (void *)((uintptr_t)base + bytes * (size_t)index);
}

static struct part *share(const struct part *whole, struct composed *s, enum ncs_fn fn, int peer)
{
    struct part *p = sim_new(sizeof *p);
    *p = (struct part){ .fn = fn,
                        .cr = whole->cr,
                        .call = whole->call,
                        .stream = whole->stream,
                        .launch = whole->launch,
                        .sequence = whole->sequence,
                        .capture = whole->capture,
                        .count = whole->count,
                        .dtype = whole->dtype,
                        .root = peer,
                        .composed = s };
    bool sends = fn == NCS_FN_ncclSend;
    enum ncs_blocks blocks = sends ? ncs_fn_info[s->fn].reads : ncs_fn_info[s->fn].writes;
    void *at = composed_block(sends ? whole->send : whole->recv, s->bytes, ncs_blocks_are_many(blocks) ? peer : 0);
    if (sends)
        p->send = at;
    else
        p->recv = at;
    sim_part_measure(p);
    sim_comm_hold(p->cr);
    ncs_call_pin(p->call);
    sim_stream_ref(p->stream);
    s->parts++;
    s->open++;
    return p;
}

static struct composed *composed_of(const struct part *whole)
{
    struct composed *s = sim_new(sizeof *s);
    *s = (struct composed){
        .cr = whole->cr, .fn = whole->fn, .root = whole->root, .dtype = whole->dtype, .bytes = whole->bytes, .call = whole->call
    };
    ncs_call_pin(s->call);
    return s;
}

struct composed *sim_composed_again(const struct composed *captured, struct ncs_call *call)
{
    struct composed *s = sim_new(sizeof *s);
    *s = (struct composed){ .cr = captured->cr,
                            .fn = captured->fn,
                            .root = captured->root,
                            .dtype = captured->dtype,
                            .bytes = captured->bytes,
                            .call = call };
    ncs_call_pin(s->call);
    return s;
}

void sim_composed_alone(struct part *whole)
{
    whole->composed = composed_of(whole);
    whole->composed->parts = whole->composed->open = 1;
    whole->fn = NCS_FN_ncclBroadcast;
    whole->root = 0;
    sim_part_measure(whole);
}

bool sim_composed_whole(struct part *whole)
{
    if (!sim_matrix_is_possible(whole))
        return false;
    whole->composed = composed_of(whole);
    whole->composed->parts = 1;
    whole->composed->open = 2 * (size_t)whole->cr->nranks;
    return true;
}

size_t sim_composed_call(struct part *whole, struct part **out)
{
    struct comm_rank *cr = whole->cr;
    struct composed *s = whole->composed ? whole->composed : composed_of(whole);
    const struct ncs_fn_info *info = &ncs_fn_info[s->fn];
    bool is_root = cr->rank == s->root;
    size_t count = 0;
    s->parts = s->open = 0;
    whole->composed = NULL;
    for (int peer = 0; peer < cr->nranks; peer++) {
        bool peer_is_root = peer == s->root;
        if (ncs_block_count(info->reads, is_root, 1) && ncs_block_count(info->writes, peer_is_root, 1))
            out[count++] = share(whole, s, NCS_FN_ncclSend, peer);
        if (ncs_block_count(info->writes, is_root, 1) && ncs_block_count(info->reads, peer_is_root, 1))
            out[count++] = share(whole, s, NCS_FN_ncclRecv, peer);
    }
    sim_part_free(whole);
    return count;
}

static void tell_mismatch(const struct muster *m, int nranks)
{
    if (!sim_world.observer.mismatch)
        return;
    struct ncs_call **calls = ncs_new((size_t)nranks * sizeof *calls);
    size_t count = 0;
    for (int i = 0; i < nranks; i++)
        if (m->rank[i].call)
            calls[count++] = m->rank[i].call;
    if (count > 0)
        sim_world.observer.mismatch(sim_world.observer.self, calls, count);
    ncs_free(calls);
}

static void free_muster(struct comm *comm, struct muster *m)
{
    for (int i = 0; i < comm->nranks; i++)
        ncs_call_unpin(m->rank[i].call);
    sim_free(m, muster_bytes(comm));
}

static void composed_compare(struct comm *comm, const struct muster *m)
{
    const struct attendance *first = &m->rank[0];
    bool differs = false;
    for (const struct attendance *a = first; a < first + comm->nranks; a++)
        differs |= ncs_wanted_differ(&a->wanted, &first->wanted) != 0;
    if (differs)
        tell_mismatch(m, comm->nranks);
}

void sim_composed_launched(struct composed *s)
{
    if (s->sequence > 0)
        return;
    s->sequence = ++s->cr->composed;
    s->before = s->cr->matrices;
    s->cr->matrices += sim_composed_is_mutual(s->fn);
}

int sim_composed_arrivals(const struct comm *comm, uint64_t sequence)
{
    const struct muster *m = ncs_map_get(&comm->musters, sequence);
    return m ? m->arrived : 0;
}

void sim_composed_arrive(struct composed *s)
{
    struct comm *comm = s->cr->comm;
    if (s->arrived)
        return;
    s->arrived = true;
    struct muster *m = ncs_map_get(&comm->musters, s->sequence);
    if (!m) {
        m = sim_new(muster_bytes(comm));
        ncs_map_put(&comm->musters, s->sequence, m);
    }
    m->rank[s->cr->rank] = (struct attendance){ { .fn = s->fn, .bytes = s->bytes, .dtype = s->dtype, .root = s->root }, s->call };
    ncs_call_pin(s->call);
    if (++m->arrived < comm->nranks)
        return;
    composed_compare(comm, m);
    ncs_map_remove(&comm->musters, s->sequence);
    free_muster(comm, m);
}

void sim_composed_moved(struct composed *s)
{
    struct world *w = &sim_world;
    if (--s->open == 0 && s->call && w->observer.finished)
        w->observer.finished(w->observer.self, s->call);
}

void sim_composed_unref(struct composed *s)
{
    if (!s || --s->parts > 0)
        return;
    ncs_call_unpin(s->call);
    sim_free(s, sizeof *s);
}

static void free_one(void *value, void *arg)
{
    free_muster(arg, value);
}

void sim_composed_free_all(struct comm *comm)
{
    ncs_map_each(&comm->musters, free_one, comm);
    ncs_map_free(&comm->musters);
}
