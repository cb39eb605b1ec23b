/* Finds a common start after calls have been overwritten. Each recorded call has its position in its sequence: the
 * collectives of a communicator, or what one rank sends to another. The ranks are compared from the first position of a
 * sequence on that all of its recordings still have. */
#include "base/hash.h"
#include "trace/recording_play.h"

/* A sequence of a communicator. The order of appearance names the communicator in both plays: numbers are used again. */
static uint64_t key_of_sequence(const struct ncs_comm_info *info, int src, int dst)
{
    uint64_t key = ncs_hash(ncs_hash(info->serial, (uint64_t)(src + 1)), (uint64_t)(dst + 1));
    return key ? key : 1;
}

static uint64_t key_of_part(uint64_t sequence, int comm_rank)
{
    uint64_t key = ncs_hash(sequence, (uint64_t)comm_rank + 7);
    return key ? key : 1;
}

static bool position_is_known(const struct recorded_call *c)
{
    return ncs_fn_info[c->fn].counted && c->raw.ordinal > 0 && !ncs_fn_info[c->fn].one_sided;
}

static uint64_t sequence_of_call(const struct ncs_journal *j, const struct recorded_call *c, int comm, int comm_rank)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    if (!info->pair)
        return key_of_sequence(j->comm[comm], -1, -1);
    int peer = (int)c->raw.arg[info->at[NCS_ARG_PEER] - 1];
    bool receives = c->fn == NCS_FN_ncclRecv;
    return key_of_sequence(j->comm[comm], receives ? peer : comm_rank, receives ? comm_rank : peer);
}

static void start_at_least(struct alignment *a, uint64_t sequence, size_t position)
{
    if (ncs_map_number(&a->start, sequence) < position)
        ncs_map_put_number(&a->start, sequence, position);
}

void ncs_alignment_note(struct alignment *a, const struct ncs_journal *j, const struct recorded_file *f,
                        const struct recorded_call *c, const struct ncs_call *call)
{
    if (!position_is_known(c) || call->comm < 0)
        return;
    uint64_t sequence = sequence_of_call(j, c, call->comm, call->comm_rank);
    uint64_t part = key_of_part(sequence, 2 * call->comm_rank + (c->fn == NCS_FN_ncclRecv));
    if (ncs_map_number(&a->held, part))
        return;
    ncs_map_put_number(&a->held, part, 1);
    if (f->cut)
        start_at_least(a, sequence, c->raw.ordinal);
}

/* ---- sequences without a call ---- */

static uint32_t pair_length(const struct recorded_file *f, int comm, int peer, bool receives)
{
    uint64_t key = ncs_recording_pair_key((uint32_t)comm, f->comm[comm].generation, peer, receives);
    for (int i = 0; i < 64 && f->pairs > 0; i++) {
        const struct ncs_recording_pair *pair = &f->pair[(key / 2 + (uint64_t)i) % (uint64_t)f->pairs];
        if (pair->key == key)
            return (uint32_t)pair->length;
    }
    return 0;
}

/* A sequence that the rank has left `length` calls ago, all of them overwritten. */
static void close_part(struct alignment *a, uint64_t sequence, int part, uint32_t length)
{
    if (length && !ncs_map_number(&a->held, key_of_part(sequence, part)))
        start_at_least(a, sequence, (size_t)length + 1);
}

static void close_comm(struct alignment *a, const struct ncs_journal *j, const struct recorded_file *f, int file, int at)
{
    int comm, rank;
    if (!f->comm[at].calls || !ncs_journal_find(j, ncs_recorded_pointer(file, f->comm[at].handle), &comm, &rank))
        return;
    const struct ncs_comm_info *info = j->comm[comm];
    close_part(a, key_of_sequence(info, -1, -1), 2 * rank, f->comm[at].collectives);
    for (int peer = 0; peer < info->nranks && f->comm[at].calls > f->comm[at].collectives; peer++) {
        close_part(a, key_of_sequence(info, rank, peer), 2 * rank, pair_length(f, at, peer, false));
        close_part(a, key_of_sequence(info, peer, rank), 2 * rank + 1, pair_length(f, at, peer, true));
    }
}

void ncs_alignment_close(struct alignment *a, const struct ncs_journal *j, const struct recording *r)
{
    for (size_t i = 0; i < r->files; i++)
        for (int k = 0; k < r->file[i].comms && r->file[i].cut && !r->file[i].left_out; k++)
            close_comm(a, j, &r->file[i], (int)i, k);
}

/* ---- the second play ---- */

bool ncs_alignment_apply(const struct alignment *a, const struct ncs_journal *j, const struct recorded_call *c)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    int comm, rank;
    if (!position_is_known(c) ||
        !ncs_journal_find(j, ncs_recorded_pointer(c->file, c->raw.arg[info->at[NCS_ARG_COMM] - 1]), &comm, &rank))
        return true;
    if (c->raw.ordinal < ncs_map_number(&a->start, sequence_of_call(j, c, comm, rank)))
        return false;
    struct ncs_member *m = &j->comm[comm]->member[rank];
    if (!m->first && c->raw.number > m->calls) /* the diagnosis takes held calls to be numbered without a hole */
        m->calls = c->raw.number - 1;
    if (!info->pair && m->collectives == 0)
        m->collectives = c->raw.ordinal - 1;
    return true;
}

void ncs_alignment_finish(const struct ncs_journal *j, const struct recording *r)
{
    for (size_t i = 0; i < r->files; i++)
        for (int k = 0; k < r->file[i].comms && !r->file[i].left_out; k++) {
            int comm, rank;
            const struct ncs_recording_comm *counts = &r->file[i].comm[k];
            if (!counts->calls || !ncs_journal_find(j, ncs_recorded_pointer((int)i, counts->handle), &comm, &rank))
                continue;
            struct ncs_member *m = &j->comm[comm]->member[rank];
            if (m->first)
                continue;
            m->calls = counts->calls > m->calls ? counts->calls : m->calls;
            m->collectives = counts->collectives > m->collectives ? counts->collectives : m->collectives;
        }
}

void ncs_alignment_free(struct alignment *a)
{
    ncs_map_free(&a->start);
    ncs_map_free(&a->held);
}
