/* Lines of CALL about splits, "ncclCommSplit(parent, color, key, new, rank, nranks)": they have neither a number nor an
 * id, and a rank without a color leaves none. Lines of INIT about shrinks have the number of the next split. So communicators are told apart by what NCCL guarantees: each rank of the
 * parent is once in a part, and the ranks of a part are ordered by key, then by rank in the parent (user guide: comms). */
#include "trace/log.h"

enum {
    PARTS_TRIED = 512, /* parts that a line is compared with */
    PARTS_ALIKE = 8,   /* parts behind the chosen one that are looked at as alternatives */
    PART_NEAR = 64,    /* slots at each side whose order is compared */
    PART_PAIRS = 1 << 16,
};

/* A communicator that was split from another one. */
struct log_part {
    int comm, missing;
    bool shrunk;
    int *key, *from; /* by rank: its key, and its rank in the parent */
};

/* Those of one parent, color and size, in the order of their first lines. */
struct log_parts {
    struct log_part *of;
    size_t count, room;
    size_t whole; /* so many of the first ones lack no rank */
};

/* Splits of one parent are called in one order by all its ranks, and one that all ranks are in has a line of each: only
 * parts between the same two of these can be the same. */
static uint64_t parts_key(struct log *l, const struct log_bound *parent, const struct log_init *i)
{
    uint64_t kind = i->counted ? ncs_log_key(41, i->child) : 37; /* counted: a shrink */
    uint64_t own = ncs_hash(ncs_log_key(kind, (uint64_t)parent->comm), (uint64_t)parent->comm_rank);
    size_t wholes = ncs_map_number(&l->part_turn, own);
    if (i->nranks == l->record->comm[parent->comm].nranks)
        ncs_map_put_number(&l->part_turn, own, wholes + 1);
    return ncs_hash(ncs_hash(ncs_log_key(kind, (uint64_t)parent->comm), ncs_log_key((uint64_t)i->color, (uint64_t)i->nranks)),
                    wholes);
}

static struct log_parts *parts_at(struct log *l, uint64_t key)
{
    size_t at = ncs_map_number(&l->parts_of, key);
    if (!at) {
        struct log_parts fresh = { 0 };
        NCS_PUSH(l->parts, l->part_lists, l->part_room, fresh);
        ncs_map_put_number(&l->parts_of, key, at = l->part_lists);
    }
    return &l->parts[at - 1];
}

static uint64_t part_member_key(int comm, int from)
{
    return ncs_hash(ncs_log_key(13, (uint64_t)comm), (uint64_t)from);
}

static bool part_precedes(const struct log_part *p, int slot, int key, int from)
{
    return p->key[slot] != key ? p->key[slot] < key : p->from[slot] < from;
}

static bool part_fits(const struct log *l, const struct log_part *p, const struct log_init *i, int from)
{
    const struct record_comm *comm = &l->record->comm[p->comm];
    if (!p->missing || comm->rank[i->rank] >= 0 || ncs_map_number(&l->part_member, part_member_key(p->comm, from)))
        return false;
    for (int k = i->rank - 1; k >= 0 && i->rank - k <= PART_NEAR; k--)
        if (comm->rank[k] >= 0) {
            if (!part_precedes(p, k, i->key, from))
                return false;
            break;
        }
    for (int k = i->rank + 1; k < comm->nranks && k - i->rank <= PART_NEAR; k++)
        if (comm->rank[k] >= 0)
            return !part_precedes(p, k, i->key, from);
    return true;
}

/* Two parts fit: it matters unless both turn out to have the same ranks. */
static void note_alike(struct log *l, const struct log_part *a, const struct log_part *b)
{
    int one = a->comm, other = b->comm;
    uint64_t key = ncs_hash(ncs_log_key(17, (uint64_t)one), (uint64_t)other);
    if (l->alikes == PART_PAIRS || ncs_map_number(&l->part_member, key))
        return;
    ncs_map_put_number(&l->part_member, key, 1);
    struct log_alike pair = { one, other, a->shrunk };
    NCS_PUSH(l->alike, l->alikes, l->alike_room, pair);
}

/* The part that the line is about: from the last one of this rank on, as ranks split in one order. NULL = a new one. */
static struct log_part *find_part(struct log *l, struct log_parts *parts, const struct log_init *i, int from, size_t last)
{
    while (parts->whole < parts->count && !parts->of[parts->whole].missing)
        parts->whole++;
    size_t open = parts->count - parts->whole, from_open = last > parts->whole ? last - parts->whole : 0;
    for (size_t n = 0; n < open && n < PARTS_TRIED; n++) {
        size_t at = parts->whole + (from_open + n) % open;
        if (!part_fits(l, &parts->of[at], i, from))
            continue;
        for (size_t m = 1; m <= PARTS_ALIKE && m < parts->count; m++) {
            const struct log_part *other = &parts->of[(at + m) % parts->count];
            if (part_fits(l, other, i, from)) {
                note_alike(l, &parts->of[at], other);
                break;
            }
        }
        return &parts->of[at];
    }
    return NULL;
}

int ncs_log_part(struct log *l, const struct log_init *i, const struct log_bound *parent, bool *fresh)
{
    uint64_t key = parts_key(l, parent, i);
    struct log_parts *parts = parts_at(l, key);
    int from = parent->comm_rank;
    uint64_t turn = ncs_hash(key, (uint64_t)from);
    struct log_part *p = find_part(l, parts, i, from, ncs_map_number(&l->part_turn, turn));
    *fresh = !p;
    if (!p) {
        int comm = ncs_record_add_comm(l->record, i->nranks, NULL, l->err);
        if (comm < 0)
            return -1;
        struct log_part own = { .comm = comm,
                                .missing = i->nranks,
                                .shrunk = i->shrinks,
                                .key = ncs_new((size_t)i->nranks * sizeof *own.key),
                                .from = ncs_new((size_t)i->nranks * sizeof *own.from) };
        NCS_PUSH(parts->of, parts->count, parts->room, own);
        p = &parts->of[parts->count - 1];
    }
    p->missing--;
    p->key[i->rank] = i->key;
    p->from[i->rank] = from;
    ncs_map_put_number(&l->part_member, part_member_key(p->comm, from), 1);
    ncs_map_put_number(&l->part_turn, turn, (size_t)(p - parts->of) + 1);
    return p->comm;
}

/* Parts of which lines are missing may be one. */
static void note_incomplete(struct log *l)
{
    for (size_t n = 0; n < l->part_lists; n++) {
        const struct log_part *before = NULL;
        for (size_t k = 0; k < l->parts[n].count; k++) {
            if (!l->parts[n].of[k].missing)
                continue;
            if (before)
                note_alike(l, before, &l->parts[n].of[k]);
            before = &l->parts[n].of[k];
        }
    }
}

void ncs_log_doubt_parts(struct log *l)
{
    note_incomplete(l);
    for (size_t n = 0; n < l->alikes && !l->record->trace->doubt; n++) {
        const struct record_comm *a = &l->record->comm[l->alike[n].one], *b = &l->record->comm[l->alike[n].other];
        bool same = true;
        for (int k = 0; k < a->nranks && same; k++)
            same = a->rank[k] == b->rank[k];
        if (!same)
            l->record->trace->doubt = ncs_copy_text(l->alike[n].shrunk
                                                        ? "it could also be that other ranks belong together: NCCL's log does "
                                                          "not number the shrinks"
                                                        : "it could also be that other ranks belong together: lines of CALL do "
                                                          "not number the splits (those of INIT do)");
    }
}

void ncs_log_free_parts(struct log *l)
{
    for (size_t n = 0; n < l->part_lists; n++) {
        for (size_t k = 0; k < l->parts[n].count; k++) {
            ncs_free(l->parts[n].of[k].key);
            ncs_free(l->parts[n].of[k].from);
        }
        ncs_free(l->parts[n].of);
    }
    ncs_free(l->parts);
    ncs_free(l->alike);
    ncs_map_free(&l->parts_of);
    ncs_map_free(&l->part_member);
    ncs_map_free(&l->part_turn);
}
