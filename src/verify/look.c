/* Samples inputs and outputs when an operation is over, and notes the missing ranks of operations that never end. */
#include "verify/look.h"

#include <string.h>

#include "api/meeting.h"
#include "api/types.h"
#include "base/mem.h"
#include "base/str.h"
#include "verify/pattern.h"

enum {
    EACH = 8,         /* most elements kept of a part, */
    EACH_OF_ALL = 256 /* and of one part of every rank together */
};
#define BYTES ((size_t)32 << 20) /* of all samples, about */

struct ncs_seen *ncs_seen_new(int ranks)
{
    struct ncs_seen *seen = ncs_new(sizeof *seen + (size_t)ranks * sizeof *seen->rank);

    seen->ranks = seen->nranks = ranks;
    seen->dtype = seen->op = seen->root = seen->src = seen->dst = -1;
    for (int i = 0; i < ranks; i++)
        seen->rank[i].rank = -1;
    return seen;
}

void ncs_seen_free(struct ncs_seen *seen)
{
    if (!seen)
        return;
    for (int i = 0; i < seen->ranks; i++) {
        struct ncs_seen_rank *r = &seen->rank[i];
        struct ncs_sample *samples[] = { &r->before, &r->after };
        for (size_t k = 0; k < 2; k++) {
            ncs_free(samples[k]->bytes);
            ncs_free(samples[k]->wrong);
        }
        ncs_free(r->call);
    }
    ncs_free(seen->comm);
    ncs_free(seen->call);
    ncs_free(seen);
}

/* ---- samples ---- */

/* The index of the element among the kept ones; SIZE_MAX: it is not kept. */
static size_t look_place_of(const struct ncs_sample *s, uint64_t element)
{
    if (element >= s->count || element % s->part >= s->each)
        return SIZE_MAX;
    return (size_t)(element / s->part * s->each + element % s->part);
}

const void *ncs_sample_at(const struct ncs_sample *s, size_t bytes, uint64_t element)
{
    size_t place = s->bytes ? look_place_of(s, element) : SIZE_MAX;

    return place == SIZE_MAX ? NULL : s->bytes + place * bytes;
}

bool ncs_sample_is_wrong(const struct ncs_sample *s, uint64_t element)
{
    size_t place = s->wrong ? look_place_of(s, element) : SIZE_MAX;

    return place != SIZE_MAX && s->wrong[place];
}

static size_t places(const struct ncs_sample *s)
{
    size_t whole = (size_t)(s->count / s->part), rest = (size_t)(s->count % s->part);

    return whole * (size_t)s->each + (rest < s->each ? rest : (size_t)s->each);
}

static void shape(struct ncs_sample *s, size_t count, size_t part, int nranks)
{
    size_t each = nranks > EACH_OF_ALL ? 1 : (size_t)(EACH_OF_ALL / nranks);

    each = each < EACH ? each : EACH;
    *s = (struct ncs_sample){ .count = count, .part = part ? part : 1 };
    s->each = s->part < each ? s->part : each;
}

static void look_take_call(struct ncs_look *l, struct ncs_sample *s, const unsigned char *from, size_t bytes)
{
    size_t kept = places(s);

    if (!from || kept == 0 || l->held + kept * bytes > BYTES)
        return;
    l->held += kept * bytes;
    s->bytes = ncs_new(kept * bytes);
    for (size_t at = 0, place = 0; at < s->count; at += (size_t)s->part) {
        size_t n = s->count - at < s->each ? (size_t)(s->count - at) : (size_t)s->each;
        memcpy(s->bytes + place * bytes, from + at * bytes, n * bytes);
        place += n;
    }
}

static bool is_wrong(const struct ncs_operation *op, int share, const struct ncs_looked *how, size_t element, const void *got)
{
    size_t bytes = ncs_dtype_bytes(op->dtype), run, where;

    if (!ncs_is_reduction(op))
        return memcmp(got, ncs_moved_at(op, share, bytes, element, &run), bytes) != 0;
    size_t offset = op->movement->parts_in ? (size_t)share * op->count : 0;
    struct ncs_terms terms = ncs_terms_of(op, offset);
    ncs_expect(&terms, how->arithmetic, element, 1, how->scratch);
    return ncs_differ(how->scratch, got, &where) > 0;
}

static void look_mark(struct ncs_sample *s, const struct ncs_operation *op, int share, const struct ncs_looked *how)
{
    size_t bytes = ncs_dtype_bytes(op->dtype), place = 0;

    s->wrong = ncs_new(places(s) * sizeof *s->wrong);
    for (size_t at = 0; at < s->count; at += (size_t)s->part)
        for (size_t i = at; i < s->count && i < at + s->each; i++, place++)
            s->wrong[place] = is_wrong(op, share, how, i, s->bytes + place * bytes);
}

/* ---- operations ---- */

static void look_describe(struct ncs_seen *seen, const struct ncs_look *l, const struct ncs_call *call)
{
    const struct ncs_comm_info *comm = l->journal->comm[call->comm];
    struct ncs_str words = { 0 };

    ncs_call_describe(call, &words);
    seen->comm = ncs_copy_text(comm->name ? comm->name : "?");
    seen->comm_number = call->comm;
    seen->number = call->number;
    seen->ordinal = call->ordinal;
    seen->fn = call->fn == NCS_FN_ncclRecv ? NCS_FN_ncclSend : call->fn;
    seen->call = ncs_str_take(&words);
    seen->dtype = ncs_call_dtype(call);
    seen->op = ncs_call_op(call);
    seen->root = ncs_call_root(call);
    seen->count = ncs_call_count(call);
    seen->scaled = call->redop != NULL;
    seen->nranks = comm->nranks;
    seen->signature = ncs_call_signature(call);
    seen->shared = ncs_comm_is_shared(comm);
    for (int i = 0; i < seen->ranks; i++) {
        int rank = seen->src < 0 ? i : i == 0 ? seen->src : seen->dst;
        if (rank < 0 || rank >= comm->members)
            continue;
        seen->rank[i].rank = seen->shared ? rank : comm->member[rank].rank;
        seen->rank[i].number = comm->member[rank].calls;
    }
}

static struct ncs_seen *look_add(struct ncs_look *l, const struct ncs_call *call, int src, int dst)
{
    int nranks = l->journal->comm[call->comm]->nranks;

    if (l->count >= l->most || l->held >= BYTES) {
        l->more++;
        return NULL;
    }
    struct ncs_seen *seen = ncs_seen_new(src < 0 ? nranks : 2);
    seen->src = src;
    seen->dst = dst;
    look_describe(seen, l, call);
    l->held += sizeof *seen + (size_t)seen->ranks * sizeof *seen->rank;
    NCS_PUSH(l->seen, l->count, l->room, seen);
    return seen;
}

/* True if b begins `elements` elements after the beginning of a. */
static bool look_is_at(const void *a, const void *b, size_t elements, size_t bytes)
{
    return a && (uintptr_t)a + elements * bytes == (uintptr_t)b;
}

static bool look_is_in_place(const struct ncs_call *call)
{
    const struct ncs_movement *m = ncs_movement_of(call->fn);
    const void *send = ncs_call_sendbuff(call), *recv = ncs_call_recvbuff(call);
    size_t bytes = ncs_dtype_bytes(ncs_call_dtype(call));
    size_t mine = (size_t)call->comm_rank * ncs_call_count(call);
    bool root = ncs_call_root(call) == call->comm_rank;

    if (m->kind != NCS_MOVE_COLLECTIVE || (m->parts_in && m->parts_out) || ((m->from_root || m->to_root) && !root))
        return false;
    return m->parts_out ? look_is_at(recv, send, mine, bytes) : look_is_at(send, recv, m->parts_in ? mine : 0, bytes);
}

static void look_note(struct ncs_seen *seen, int i, const struct ncs_call *call, enum ncs_presence presence)
{
    struct ncs_seen_rank *r = &seen->rank[i];
    struct ncs_str words = { 0 };

    r->presence = presence;
    r->rank = seen->shared ? call->comm_rank : call->rank;
    r->number = call->number;
    r->line = call->place.line;
    r->in_place = look_is_in_place(call);
    r->before.count = ncs_call_count(call) * ncs_call_reads(call, seen->nranks);
    if (call->fn != NCS_FN_ncclPutSignal)
        r->after.count = ncs_call_count(call) * ncs_call_writes(call, seen->nranks);
    if (seen->src >= 0 || r->call || ncs_call_signature(call) == seen->signature)
        return;
    ncs_call_describe(call, &words);
    r->call = ncs_str_take(&words);
}

/* The length of a part in elements: one rank's block, or, for a buffer without blocks, a ring's share of it. */
static size_t look_part_of(const struct ncs_operation *op, size_t count)
{
    size_t n = (size_t)op->shares;

    if (count != op->count || op->key.src >= 0)
        return op->count;
    bool whole = op->movement->kind == NCS_MOVE_COLLECTIVE && !op->movement->parts_in && !op->movement->parts_out;
    return whole ? (count + n - 1) / n : count;
}

static size_t input_elements(const struct ncs_operation *op, int share)
{
    return op->count * ncs_call_reads(op->share[share].call, op->shares);
}

static void sample(struct ncs_look *l, struct ncs_seen *seen, const struct ncs_operation *op, int share,
                   const struct ncs_looked *how)
{
    const struct ncs_share *s = &op->share[share];
    size_t bytes = ncs_dtype_bytes(op->dtype), in = input_elements(op, share);
    size_t out = s->outputs;
    struct ncs_seen_rank *to = &seen->rank[op->movement->kind == NCS_MOVE_PUT ? 1 : share];

    shape(&seen->rank[share].before, in, look_part_of(op, in), seen->nranks);
    shape(&to->after, out, look_part_of(op, out), seen->nranks);
    if (op->unfit)
        return;
    memcpy(seen->rank[share].scalar, s->scalar, sizeof s->scalar);
    look_take_call(l, &seen->rank[share].before, s->input, bytes);
    look_take_call(l, &to->after, out && !how->gone ? s->output : NULL, bytes);
    to->wrongs = how->differ;
    to->unchecked = !how->checked && out > 0;
    if (how->differ && to->after.bytes)
        look_mark(&to->after, op, share, how);
}

void ncs_look_at(struct ncs_look *l, struct ncs_operation *op, int share, const struct ncs_looked *how)
{
    const struct ncs_call *call = op->share[share].call;

    if (l->most == 0 || !call || op->overlooked)
        return;
    int dst = op->movement->kind == NCS_MOVE_PUT ? ncs_call_peer(call) : op->key.dst;
    if (!op->seen && !(op->seen = look_add(l, call, op->key.src, op->key.src < 0 ? -1 : dst))) {
        op->overlooked = true;
        return;
    }
    struct ncs_seen *seen = op->seen;
    seen->unfit = op->unfit ? ncs_unverified_text(op->unfit) : NULL;
    if (ncs_call_dtype(call) != op->dtype)
        seen->unfit = "the types differ";
    look_note(seen, share, call, op->share[share].done ? NCS_OVER : NCS_PRESENT);
    if (op->movement->kind == NCS_MOVE_PUT)
        seen->rank[1].presence = NCS_OVER;
    if (!seen->unfit)
        sample(l, seen, op, share, how);
}

void ncs_look_over(struct ncs_operation *op)
{
    if (op->seen)
        op->seen->over = true;
}

/* ---- unfinished operations ---- */

static struct ncs_seen *look_find(const struct ncs_look *l, const struct ncs_call *call, int src, int dst)
{
    for (size_t i = 0; i < l->count; i++) {
        struct ncs_seen *s = l->seen[i];
        if (s->over || s->comm_number != call->comm || s->src != src || s->dst != dst)
            continue;
        if (src < 0 ? s->ordinal == call->ordinal : s->rank[call->fn == NCS_FN_ncclRecv].presence == NCS_ABSENT)
            return s;
    }
    return NULL;
}

void ncs_look_unfinished(struct ncs_look *l, const struct ncs_call *call, bool present)
{
    bool pair = ncs_call_is_pair(call), sends = call->fn == NCS_FN_ncclSend;
    int src = -1, dst = -1;

    if (l->most == 0 || call->comm < 0 || ncs_movement_of(call->fn)->kind == NCS_MOVE_NONE ||
        ncs_movement_of(call->fn)->kind == NCS_MOVE_PUT || !call->ordinal)
        return;
    if (pair) {
        src = sends ? call->comm_rank : ncs_call_peer(call);
        dst = sends ? ncs_call_peer(call) : call->comm_rank;
    }
    struct ncs_seen *seen = look_find(l, call, src, dst);
    size_t most = l->most;
    l->most = SIZE_MAX; /* the operations in which a run stopped are always kept */
    bool known = seen != NULL;
    if (!known)
        seen = look_add(l, call, src, dst);
    if (seen && !known)
        seen->passing = true;
    l->most = most;
    int i = pair ? !sends : call->comm_rank;
    if (seen && i >= 0 && i < seen->ranks && seen->rank[i].presence != NCS_OVER)
        look_note(seen, i, call, present ? NCS_PRESENT : NCS_CALLED);
}

void ncs_look_forget_passing(struct ncs_look *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->seen[i]->passing)
            ncs_seen_free(l->seen[i]);
        else
            l->seen[kept++] = l->seen[i];
    l->count = kept;
}

void ncs_look_free(struct ncs_look *l)
{
    for (size_t i = 0; i < l->count; i++)
        ncs_seen_free(l->seen[i]);
    ncs_free(l->seen);
}
