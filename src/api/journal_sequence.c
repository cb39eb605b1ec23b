/* Numbers the calls of each rank on each communicator: all of them, and those of each sequence in which NCCL
 * keeps an order. */
#include "api/journal_private.h"
#include "base/hash.h"
#include "base/mem.h"

static struct ncs_member *member_of(const struct ncs_journal *j, const struct ncs_call *call)
{
    return &j->comm[call->comm]->member[call->comm_rank];
}

static struct ncs_call **place_in_line(const struct ncs_member *m, uint32_t number)
{
    return &m->line[number & (m->line_room - 1)];
}

/* Keeps a table of records by number, a power of two in size: a record is found without a walk
 * while few old ones are held beyond their time. */
static void line_up(struct ncs_member *m, struct ncs_call *call)
{
    if (++m->in_line > m->line_room) {
        ncs_free(m->line);
        m->line_room = m->line_room ? 2 * m->line_room : 4;
        m->line = ncs_new(m->line_room * sizeof *m->line);
        for (struct ncs_call *c = m->first; c; c = c->next_counted)
            *place_in_line(m, c->number) = c;
    }
    *place_in_line(m, call->number) = call;
}

/* True if call `id` of another thread is newer than anything that the running thread can know of. */
static bool journal_is_rival(const struct ncs_call *call, uint64_t id, int thread)
{
    return id > ncs_local->heard && thread != call->thread;
}

/* Notes a race: several threads of a rank used one communicator, or one stream,
 * and nothing but the schedule decided whose call came first. */
static void journal_find_rival(struct ncs_journal *j, const struct ncs_member *m, struct ncs_call *call)
{
    if (!ncs_local || !ncs_local->journals_waits)
        return;
    uint64_t key = ncs_hash(ncs_hash((uint64_t)call->rank, (uint64_t)m->device), (uint64_t)(uintptr_t)ncs_call_stream(call));
    if (ncs_call_stream(call) == cudaStreamPerThread) /* this handle means a different stream on each thread */
        key = ncs_hash(key, (uint64_t)call->thread);
    uint64_t last = ncs_map_number(&j->own->on_stream, key); /* id, thread */
    if (m->last && m->last->rank == call->rank && journal_is_rival(call, m->last->id, m->last->thread))
        ncs_call_add_rare(call)->rival = m->last->id;
    else if (journal_is_rival(call, last >> 16, (int)(uint16_t)last))
        ncs_call_add_rare(call)->rival = last >> 16;
    ncs_map_put_number(&j->own->on_stream, key, call->id << 16 | (uint16_t)call->thread);
}

/* NCCL keeps one order for a rank's collectives and one for the traffic with each peer in each
 * direction: an additional send does not move the collectives. */
enum sequence { NONE, COLLECTIVES, ONE_SIDED, PAIRS };

static uint64_t sequence_of_pairs(int peer, bool receives)
{
    return PAIRS + 2 * (uint64_t)(uint32_t)peer + receives;
}

uint32_t ncs_member_pairs(const struct ncs_member *m, int peer, bool receives)
{
    return (uint32_t)ncs_map_number(&m->pairs, sequence_of_pairs(peer, receives));
}

static uint64_t sequence_of(const struct ncs_call *call)
{
    if (ncs_call_is_one_sided(call))
        return ONE_SIDED;
    if (!ncs_call_is_pair(call))
        return ncs_call_count(call) > 0 ? COLLECTIVES : NONE;
    return sequence_of_pairs(ncs_call_peer(call), call->fn == NCS_FN_ncclRecv);
}

/* Changes the length by 1 or -1; returns the new length. */
static uint32_t lengthen(struct ncs_member *m, uint64_t sequence, int by)
{
    switch (sequence) {
    case NONE: return 0;
    case COLLECTIVES: return m->collectives += (uint32_t)by;
    case ONE_SIDED: return m->one_sided += (uint32_t)by;
    }
    size_t length = ncs_map_number(&m->pairs, sequence) + (size_t)by;
    if (length)
        ncs_map_put_number(&m->pairs, sequence, length);
    else
        ncs_map_remove(&m->pairs, sequence);
    return (uint32_t)length;
}

void ncs_journal_count_call(struct ncs_journal *j, struct ncs_call *call)
{
    struct ncs_member *m = member_of(j, call);

    journal_find_rival(j, m, call);
    call->number = ++m->calls;
    call->ordinal = lengthen(m, sequence_of(call), 1);
    if (m->last)
        m->last->next_counted = call;
    else
        m->first = call;
    m->last = call;
    line_up(m, call);
}

void ncs_journal_reject(struct ncs_journal *j, struct ncs_call *call)
{
    uint64_t sequence = sequence_of(call);

    if (call->ordinal == 0)
        return;
    lengthen(member_of(j, call), sequence, -1);
    call->ordinal = 0;
    for (struct ncs_call *c = call->next_counted; c; c = c->next_counted)
        if (c->ordinal && sequence_of(c) == sequence)
            c->ordinal--;
}

/* NCCL drops the calls queued in a group that fails (measured on 2.28.9). A call on a handle that is
 * no communicator had no number to lose. */
void ncs_journal_reject_queued(struct ncs_journal *j, struct ncs_call *call)
{
    if (call->number && call->comm >= 0 && !ncs_call_is_immediate(call, j->comm[call->comm]->nranks))
        ncs_journal_reject(j, call);
}

void ncs_journal_uncount_call(struct ncs_journal *j, struct ncs_call *call)
{
    struct ncs_member *m = member_of(j, call);
    struct ncs_call **place = place_in_line(m, call->number), *before = NULL;

    for (struct ncs_call *c = m->first; c != call; c = c->next_counted)
        before = c;
    if (before)
        before->next_counted = call->next_counted;
    else
        m->first = call->next_counted;
    if (m->last == call)
        m->last = before;
    if (*place == call)
        *place = NULL;
    m->in_line--;
}

void ncs_journal_unnumber(struct ncs_journal *j, struct ncs_call *call)
{
    struct ncs_member *m = member_of(j, call);

    ncs_journal_reject(j, call);
    ncs_journal_uncount_call(j, call);
    for (struct ncs_call *c = call->next_counted; c; c = c->next_counted) {
        if (*place_in_line(m, c->number) == c)
            *place_in_line(m, c->number) = NULL;
        c->number--;
        *place_in_line(m, c->number) = c;
    }
    m->calls--;
    call->number = 0;
    call->next_counted = NULL;
}

struct ncs_call *ncs_journal_find_numbered(const struct ncs_journal *j, int comm, int comm_rank, uint32_t number)
{
    const struct ncs_member *m;
    struct ncs_call *call;

    if (comm < 0 || (size_t)comm >= j->comms || comm_rank < 0 || comm_rank >= j->comm[comm]->members)
        return NULL;
    m = &j->comm[comm]->member[comm_rank];
    if (!m->last || number > m->last->number)
        return NULL;
    call = *place_in_line(m, number);
    if (call && call->number == number)
        return call;
    for (call = m->first; call && call->number < number;)
        call = call->next_counted;
    return call && call->number == number ? call : NULL;
}
