/* Values that a culprit read just before it diverged and that not all ranks have: the receive buffer of a reduce on
 * another rank than the root, data that only this rank received, a result that differs. A program may branch on them. */
#include "diagnose/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

enum { MOST_PLACES = 8 }; /* the first ones of a stretch are looked at */

/* The reads of one place in the program: those of each rank that correspond to one of the culprit's. */
struct reads {
    const struct ncs_analysis *q;
    const struct ncs_finding *f;
    const struct ncs_call *own; /* the culprit's */
    const struct ncs_call **of; /* by rank: its nth read there; NULL = it has read fewer times */
    uint32_t *times;            /* by rank: its reads there in all */
    uint32_t nth;               /* `own` is the culprit's nth read there, from 1 */
    uint32_t earlier;           /* the culprit's reads there before the stretch */
    bool usual;                 /* see has_differed */
};

static bool is_read_at(const struct ncs_call *c, const struct ncs_call *place)
{
    return !ncs_call_failed(c) && ncs_at_same_place(c, place);
}

/* True if ranks that are not to blame read other values than the culprit there before the stretch already, when the
 * culprit did not diverge: then a difference is normal. */
static bool has_differed(const struct reads *r)
{
    const struct ncs_analysis *q = r->q;
    uint64_t *own = ncs_new((r->earlier + 1) * sizeof *own);
    uint32_t *times = ncs_new((size_t)q->ranks * sizeof *times), mine = 0;
    bool differed = false;
    for (size_t i = 0; i < q->priors && mine < r->earlier; i++)
        if (q->prior[i]->rank == r->own->rank && is_read_at(q->prior[i], r->own))
            own[mine++] = ncs_call_rare(q->prior[i])->input;
    for (size_t i = 0; i < q->priors && !differed; i++) {
        const struct ncs_call *c = q->prior[i];
        if (is_read_at(c, r->own) && !ncs_finding_blames(r->f, c->rank) && times[c->rank]++ < mine)
            differed = ncs_call_rare(c)->input != own[times[c->rank] - 1];
    }
    ncs_free(own);
    ncs_free(times);
    return differed;
}

static void find_reads(struct reads *r, uint64_t from)
{
    const struct ncs_analysis *q = r->q;
    r->of = ncs_new((size_t)q->ranks * sizeof *r->of);
    r->times = ncs_new((size_t)q->ranks * sizeof *r->times);
    for (size_t i = 0; i < q->priors && q->prior[i]->id <= r->own->id; i++) {
        bool own = q->prior[i]->rank == r->own->rank && is_read_at(q->prior[i], r->own);
        r->nth += own;
        r->earlier += own && q->prior[i]->id < from;
    }
    for (size_t i = 0; i < q->priors; i++) {
        const struct ncs_call *c = q->prior[i];
        if (is_read_at(c, r->own) && ++r->times[c->rank] == r->nth)
            r->of[c->rank] = c;
    }
    r->usual = has_differed(r);
}

/* ---- where a value comes from ---- */

static size_t bytes_written(const struct ncs_analysis *q, const struct ncs_call *c)
{
    size_t blocks = ncs_call_writes(c, q->journal->comm[c->comm]->nranks);
    if (c->fn == NCS_FN_ncclReduce) /* on other ranks than the root nothing is written, yet the program reads the buffer */
        blocks = 1;
    return blocks * ncs_call_count(c) * ncs_dtype_bytes(ncs_call_dtype(c));
}

static bool covers(const void *from, size_t bytes, const void *at)
{
    return from && (uintptr_t)at >= (uintptr_t)from &&
           (uintptr_t)at - (uintptr_t)from < bytes; /* bytes may be a script's mistake */
}

/* True if the call puts a value at the address that no call of NCCL wrote: a copy, a fill, new memory. */
static bool replaces(const struct ncs_call *c, const void *at)
{
    const union ncs_arg *out = ncs_call_arg(c, NCS_ARG_OUT), *bytes = ncs_call_arg(c, NCS_ARG_BYTES);
    const union ncs_arg *memory = ncs_call_arg(c, NCS_ARG_MEMORY_OUT);
    if (c->fn == NCS_FN_ncsAdd)
        return covers(c->arg[0].p, ncs_call_count(c) * ncs_dtype_bytes(ncs_call_dtype(c)), at);
    if (out)
        return bytes ? covers(out->p, (size_t)bytes->u, at) : out->p <= at;
    return memory && bytes && covers(memory->p, (size_t)bytes->u, at);
}

/* True if the call decides the value that the copy reads on its rank. *writer: the call of NCCL
 * whose receive buffer has that value; NULL = something else has written there. */
static bool decides(const struct ncs_analysis *q, const struct ncs_call *c, const struct ncs_call *read,
                    const struct ncs_call **writer)
{
    const void *at = read->arg[1].p;
    bool effective = c->number && c->ordinal && c->comm >= 0;
    *writer = NULL;
    if (effective && covers(ncs_call_recvbuff(c), bytes_written(q, c), at))
        *writer = c;
    return *writer || (!c->number && !c->rc && replaces(c, at));
}

static const struct ncs_call *values_read_writer_of(const struct ncs_analysis *q, const struct ncs_call *read)
{
    const struct ncs_call *writer = NULL;
    for (const struct ncs_call *c = read->older; c; c = c->older)
        if (c->rank == read->rank && decides(q, c, read, &writer))
            break;
    return writer;
}

/* By rank: the writer of its corresponding read, found in one walk over the journal. The caller frees the array. */
static const struct ncs_call **writers_of(const struct reads *r)
{
    const struct ncs_analysis *q = r->q;
    const struct ncs_call **writer = ncs_new((size_t)q->ranks * sizeof *writer), *newest = NULL;
    bool *open = ncs_new((size_t)q->ranks * sizeof *open);
    size_t left = 0;
    for (int rank = 0; rank < q->ranks; rank++) {
        open[rank] = r->of[rank] != NULL;
        left += open[rank];
        if (open[rank] && (!newest || r->of[rank]->id > newest->id))
            newest = r->of[rank];
    }
    for (const struct ncs_call *c = newest; c && left; c = c->older)
        if (c->rank >= 0 && open[c->rank] && c->id < r->of[c->rank]->id && decides(q, c, r->of[c->rank], &writer[c->rank])) {
            open[c->rank] = false;
            left--;
        }
    ncs_free(open);
    return writer;
}

/* ---- what is reported of a place ---- */

static int run_rank(const struct ncs_analysis *q, int comm, int comm_rank)
{
    return comm_rank >= 0 && comm_rank < q->journal->comm[comm]->members ? q->journal->comm[comm]->member[comm_rank].rank : -1;
}

/* True if a rank that is not to blame read the same value: then the value does not make the culprit diverge. */
static bool is_common(const struct reads *r)
{
    for (int rank = 0; rank < r->q->ranks; rank++)
        if (r->of[rank] && !ncs_finding_blames(r->f, rank) && ncs_call_rare(r->own)->input &&
            ncs_call_rare(r->of[rank])->input == ncs_call_rare(r->own)->input)
            return true;
    return false;
}

/* "ranks 0..3 read at line 8 the receive buffer of call 1 on world, Reduce int32 x 4 sum root 0, at line 7; only its
 * root, rank 0, has a result there" */
static char *values_read_format_reduce(const struct reads *r, const struct ncs_call *writer)
{
    const struct ncs_analysis *q = r->q;
    int root = run_rank(q, writer->comm, ncs_call_root(writer)), off = 0;
    if (writer->fn != NCS_FN_ncclReduce || root < 0 || is_common(r))
        return NULL;
    const struct ncs_call **from = writers_of(r);
    int *reader = ncs_new((size_t)q->ranks * sizeof *reader);
    size_t readers = 0;
    for (int rank = 0; rank < q->ranks; rank++)
        if (from[rank] && from[rank]->fn == writer->fn && from[rank]->comm == writer->comm &&
            from[rank]->ordinal == writer->ordinal) {
            reader[readers++] = rank;
            off += rank != root;
        }
    ncs_free(from);
    struct ncs_str s = { 0 };
    if (off) {
        char *what = ncs_describe(writer);
        ncs_format_ranks(&s, reader, readers);
        ncs_str_add(&s, " read");
        ncs_format_place(&s, r->own);
        ncs_str_addf(&s, " the receive buffer of call %u on %s, %s,", (unsigned)writer->number, ncs_comm_name(q, writer->comm),
                     what);
        ncs_format_place(&s, writer);
        ncs_str_addf(&s, "; only its root, rank %d, has a result there", root);
        ncs_free(what);
    }
    ncs_free(reader);
    return off ? ncs_str_take(&s) : NULL;
}

/* Adds the first element that was read, in the data type of the call that wrote it. False = the type is unknown or has
 * no plain format. */
static bool add_value(const struct ncs_call *read, const struct ncs_call *writer, struct ncs_str *s)
{
    union {
        float f32;
        double f64;
        int32_t i32;
        int64_t i64;
    } v;
    memcpy(&v, ncs_call_rare(read)->first, sizeof v);
    switch (writer ? ncs_call_dtype(writer) : -1) {
    case ncclInt32: ncs_str_addf(s, "%" PRId32, v.i32); return true;
    case ncclInt64: ncs_str_addf(s, "%" PRId64, v.i64); return true;
    case ncclFloat32: v.f64 = v.f32; break;
    case ncclFloat64: break;
    default: return false;
    }
    if (isnan(v.f64)) /* its sign differs between machines */
        ncs_str_add(s, "nan");
    else
        ncs_str_addf(s, "%g", v.f64);
    return true;
}

/* "rank 2 read 0 at line 8, where ranks 0, 1, 3 read 4", if these agree. */
static char *values_read_format_other(const struct reads *r, const struct ncs_call *writer)
{
    const struct ncs_analysis *q = r->q;
    const struct ncs_call *model = NULL;
    int *other = ncs_new((size_t)q->ranks * sizeof *other);
    size_t others = 0;
    bool agree = ncs_call_rare(r->own)->input && !r->usual;
    for (int rank = 0; rank < q->ranks && agree; rank++) {
        const struct ncs_call *c = !ncs_finding_blames(r->f, rank) ? r->of[rank] : NULL;
        if (!c)
            continue;
        agree = ncs_call_rare(c)->input && (!model || ncs_call_rare(c)->input == ncs_call_rare(model)->input);
        model = c;
        other[others++] = rank;
    }
    struct ncs_str s = { 0 }, mine = { 0 }, theirs = { 0 };
    agree = agree && model && ncs_call_rare(model)->input != ncs_call_rare(r->own)->input;
    if (agree) {
        const struct ncs_call *typed = writer ? writer : values_read_writer_of(q, model);
        bool shown = add_value(r->own, typed, &mine) && add_value(model, typed, &theirs) && strcmp(mine.text, theirs.text) != 0;
        ncs_format_ranks(&s, &r->own->rank, 1);
        ncs_str_addf(&s, " read %s", shown ? mine.text : "other values");
        ncs_format_place(&s, r->own);
        ncs_str_add(&s, shown ? ", where " : " than ");
        ncs_format_ranks(&s, other, others);
        ncs_str_addf(&s, "%s%s", shown ? " read " : " did", shown ? theirs.text : "");
    }
    ncs_str_free(&mine);
    ncs_str_free(&theirs);
    ncs_free(other);
    return agree ? ncs_str_take(&s) : NULL;
}

/* "rank 2 read at line 8 what it had received from rank 0 at line 7; no other rank has read there" */
static char *values_read_format_received(const struct reads *r, const struct ncs_call *writer)
{
    const struct ncs_analysis *q = r->q;
    int peer = writer->fn == NCS_FN_ncclRecv ? run_rank(q, writer->comm, ncs_call_peer(writer)) : -1;
    if (peer < 0 || r->earlier)
        return NULL;
    for (int rank = 0; rank < q->ranks; rank++)
        if (rank != r->own->rank && r->times[rank])
            return NULL;
    struct ncs_str s = { 0 };
    ncs_format_ranks(&s, &r->own->rank, 1);
    ncs_str_add(&s, " read");
    ncs_format_place(&s, r->own);
    ncs_str_addf(&s, " what it had received from rank %d", peer);
    ncs_format_place(&s, writer);
    ncs_str_add(&s, "; no other rank has read there");
    return ncs_str_take(&s);
}

static char *values_read_format_place(struct reads *r, uint64_t from)
{
    const struct ncs_call *writer = values_read_writer_of(r->q, r->own);
    find_reads(r, from);
    char *text = writer ? values_read_format_reduce(r, writer) : NULL;
    if (!text)
        text = values_read_format_other(r, writer);
    if (!text && writer)
        text = values_read_format_received(r, writer);
    ncs_free(r->of);
    ncs_free(r->times);
    return text;
}

static bool is_read_before(const struct ncs_call *const *read, size_t reads, const struct ncs_call *c)
{
    for (size_t i = 0; i < reads; i++)
        if (is_read_at(read[i], c))
            return true;
    return false;
}

/* Looks at the first read of each place: the next one may belong to the round in which the call was left out. The last
 * place comes first, as it is the closest to the divergence. */
char *ncs_format_read(const struct ncs_analysis *q, const struct ncs_finding *f, const struct ncs_stretch *stretch,
                      const struct ncs_call **read)
{
    const struct ncs_call *first[MOST_PLACES];
    size_t places = 0;
    char *text = NULL;
    if (q->journal->dropped) /* which reads correspond is not known */
        return NULL;
    for (size_t i = 0; i < q->priors && places < MOST_PLACES; i++) {
        const struct ncs_call *c = q->prior[i];
        if (ncs_in_stretch(stretch, c->rank, c->thread, c->id, c->place) && is_read_at(c, c) && !is_read_before(first, places, c))
            first[places++] = c;
    }
    while (!text && places > 0) {
        struct reads r = { .q = q, .f = f, .own = first[--places] };
        text = values_read_format_place(&r, stretch->from);
        *read = r.own;
    }
    return text;
}
