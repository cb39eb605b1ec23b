/* Reads the journal and the contexts in one walk each, into the lists that everything else asks (index.h). */
#include "diagnose/analysis.h"

#include <string.h>

#include "api/meeting.h"
#include "base/hash.h"
#include "base/mem.h"

uint64_t ncs_class_of_comm(const struct ncs_analysis *q, int comm)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    if (info->parent >= 0 && info->parent < comm)
        return ncs_hash(ncs_hash(ncs_class_of_comm(q, info->parent), info->split), 1);
    for (size_t i = 0; i < q->comm[comm].rares; i++)
        if (ncs_is_init(q->comm[comm].rare[i]))
            return ncs_hash(2, (uint64_t)q->comm[comm].rare[i]->place.line);
    return ncs_hash(3, (uint64_t)comm);
}

static void find_contexts(struct ncs_analysis *q)
{
    q->first_context = ncs_new((size_t)(q->ranks + 1) * sizeof *q->first_context);
    q->next_context = ncs_new((q->snap->contexts + 1) * sizeof *q->next_context);
    for (int r = 0; r < q->ranks; r++)
        q->first_context[r] = -1;
    for (size_t i = q->snap->contexts; i-- > 0;) {
        int rank = q->snap->context[i].rank;
        q->next_context[i] = rank >= 0 ? q->first_context[rank] : -1;
        if (rank >= 0)
            q->first_context[rank] = (int)i;
    }
}

/* Makes a sequence for each rank of a communicator. It begins behind the dropped records: its first ordinal says at which
 * position. */
static void begin_sequences(struct ncs_analysis *q)
{
    q->comm = ncs_new(q->journal->comms * sizeof *q->comm);
    for (size_t c = 0; c < q->journal->comms; c++) {
        const struct ncs_comm_info *info = q->journal->comm[c];
        q->comm[c].seq = ncs_new((size_t)info->members * sizeof *q->comm[c].seq);
        q->comm[c].numbered_alike = true;
        for (int i = 0; i < info->members; i++) {
            const struct ncs_member *m = &info->member[i];
            q->comm[c].numbered_alike &= i >= info->nranks || m->rank < 0 || m->rank == i;
            struct ncs_sequence *s = &q->comm[c].seq[i];
            s->base = m->first ? m->first->number - 1 : m->calls;
            s->last = s->base;
            s->cut = s->base > 0;
            s->room = m->calls - s->base;
            if (s->room == 0)
                continue;
            s->call = ncs_new(s->room * sizeof *s->call);
            s->signature = ncs_new(s->room * sizeof *s->signature);
            s->mark = ncs_new(s->room * sizeof *s->mark);
        }
    }
}

/* A pinned record was kept while later ones were dropped. Collectives before such a hole have no known position any
 * more, so the sequence begins anew behind the hole. */
static void skip_hole(struct ncs_sequence *s, const struct ncs_call *c)
{
    if (c->number > s->last + 1) {
        s->cut = true;
        s->placed = false;
        s->held = s->sides = 0;
        s->doubtful = s->grouped = false;
    }
    if (c->number > s->last)
        s->last = c->number;
}

/* True if the call has a send and a receive buffer and is not in place. With unequal amounts, or in an all-to-all, equal
 * addresses are no call in place but an overlap. */
static bool has_two_buffers(const struct ncs_call *c)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    const void *send = ncs_call_sendbuff(c), *recv = ncs_call_recvbuff(c);
    bool in_place = send == recv && info->reads == info->writes && c->fn != NCS_FN_ncclAlltoAll;
    return send && recv && !in_place;
}

static void index_add_call(struct ncs_calls *all, const struct ncs_call *c)
{
    NCS_PUSH(all->of, all->count, all->room, c);
}

static void add_counted(struct ncs_ranks_of_comm *on, const struct ncs_call *c, bool dropped, struct ncs_made *made)
{
    struct ncs_sequence *s = &on->seq[c->comm_rank];
    if (dropped)
        skip_hole(s, c);
    if (ncs_call_is_pair(c) || ncs_call_is_one_sided(c)) {
        NCS_PUSH(s->side, s->sides, s->side_room, c);
        on->labelled |= c->label != NULL && ncs_call_is_pair(c);
        return;
    }
    if (s->held == s->room)
        return; /* more records than the journal has counted: there is no room, and no position */
    if (has_two_buffers(c))
        index_add_call(&on->may_overlap, c);
    s->doubtful |= ncs_failed(c) || ncs_call_count(c) == 0;
    s->grouped |= c->group != 0;
    s->signature[s->held] = made->signature = ncs_call_signature(c);
    s->mark[s->held] = c->label ? ncs_hash_bytes(s->signature[s->held], c->label, strlen(c->label)) : s->signature[s->held];
    s->call[s->held++] = c;
    if (!dropped || !s->cut || s->placed || !c->ordinal)
        return;
    s->base = c->ordinal > s->held ? c->ordinal - (uint32_t)s->held : 0;
    s->placed = true;
}

/* A sequence without an ordinal stands behind all collectives that its rank has made. */
static void place_the_rest(struct ncs_analysis *q)
{
    for (size_t c = 0; q->journal->dropped && c < q->journal->comms; c++)
        for (int i = 0; i < q->journal->comm[c]->members; i++)
            if (q->comm[c].seq[i].cut && !q->comm[c].seq[i].placed)
                q->comm[c].seq[i].base = q->journal->comm[c]->member[i].collectives;
}

static bool is_rare(const struct ncs_call *c)
{
    return !c->number && c->fn != NCS_FN_ncclCommGetAsyncError && (c->comm >= 0 || ncs_is_init(c));
}

static void add_rare(struct ncs_analysis *q, const struct ncs_call *c)
{
    struct ncs_ranks_of_comm *on = c->comm >= 0 && (size_t)c->comm < q->journal->comms ? &q->comm[c->comm] : NULL;
    NCS_PUSH(q->rare, q->rares, q->rare_room, c);
    if (on)
        NCS_PUSH(on->rare, on->rares, on->rare_room, c);
    if (on && c->comm_rank >= 0 && c->comm_rank < q->journal->comm[c->comm]->members)
        index_add_call(&on->seq[c->comm_rank].rare, c);
}

struct ncs_calls ncs_rare_of(const struct ncs_analysis *q, int comm, int comm_rank)
{
    bool member = comm >= 0 && comm_rank >= 0 && comm_rank < q->journal->comm[comm]->members;
    return member ? q->comm[comm].seq[comm_rank].rare : (struct ncs_calls){ 0 };
}

static struct ncs_made *add_made(struct ncs_index *x, const struct ncs_call *c)
{
    uint64_t thread = (uint64_t)(uint32_t)c->rank << 32 | (uint32_t)c->thread;
    uint32_t before = (uint32_t)ncs_map_number(&x->on_comms, thread);
    struct ncs_made made = { .call = c, .rank = c->rank, .thread = c->thread, .before = before };
    if (c->comm >= 0)
        ncs_map_put_number(&x->on_comms, thread, before + 1);
    NCS_PUSH(x->made, x->mades, x->room, made);
    uint32_t nth = (uint32_t)x->mades;
    *(x->first[c->fn] ? &x->made[x->last[c->fn] - 1].next : &x->first[c->fn]) = nth;
    x->last[c->fn] = nth;
    if (ncs_call_rare(c)->rival)
        index_add_call(&x->rivals, c);
    if (c->returned && !c->rc && ncs_call_arg(c, NCS_ARG_MEMORY_OUT) && ncs_call_arg(c, NCS_ARG_BYTES))
        index_add_call(&x->memory, c);
    if (c->comm >= 0 && ncs_failed(c))
        index_add_call(&x->failed, c);
    return &x->made[x->mades - 1];
}

static void index_read_call(struct ncs_analysis *q, struct ncs_call *c)
{
    struct ncs_made *made = add_made(&q->index, c);
    ncs_see_failure(q, c);
    ncs_see_beforehand(q, c);
    if (is_rare(c))
        add_rare(q, c);
    if (c->number && c->comm >= 0 && (size_t)c->comm < q->journal->comms && c->comm_rank >= 0 &&
        c->comm_rank < q->journal->comm[c->comm]->members)
        add_counted(&q->comm[c->comm], c, q->journal->dropped > 0, made);
    if (!c->group || !ncs_failed(c))
        return;
    uint64_t key = ncs_group_key(q, c); /* NCCL drops all calls of a group in which one fails */
    if (!ncs_map_get(&q->spoilt, key))
        ncs_map_put(&q->spoilt, key, c);
}

void ncs_read(struct ncs_analysis *q)
{
    find_contexts(q);
    begin_sequences(q);
    q->failure = ncs_new((size_t)q->ranks * sizeof *q->failure);
    for (struct ncs_call *c = q->journal->oldest; c; c = c->newer)
        index_read_call(q, c);
    place_the_rest(q);
    ncs_group_starts_read(q);
}

void ncs_read_free(struct ncs_analysis *q)
{
    for (size_t i = 0; i < q->journal->comms; i++) {
        for (int r = 0; r < q->journal->comm[i]->members; r++) {
            ncs_free(q->comm[i].seq[r].call);
            ncs_free(q->comm[i].seq[r].signature);
            ncs_free(q->comm[i].seq[r].mark);
            ncs_free(q->comm[i].seq[r].side);
            ncs_free(q->comm[i].seq[r].rare.of);
        }
        ncs_free(q->comm[i].seq);
        ncs_free(q->comm[i].rare);
        ncs_free(q->comm[i].may_overlap.of);
    }
    ncs_free(q->comm);
    ncs_free(q->first_context);
    ncs_free(q->next_context);
    ncs_free(q->index.made);
    ncs_map_free(&q->index.on_comms);
    ncs_free(q->index.failed.of);
    ncs_free(q->index.rivals.of);
    ncs_free(q->index.memory.of);
    ncs_free(q->failure);
    ncs_free(q->rare);
    ncs_free(q->group_start);
    ncs_free(q->prior);
    ncs_map_free(&q->spoilt);
}
