/* Groups that threads start: in which round of the program, and with how many calls. A rule compares the rounds, to find
 * a group that was not ended. */
#include "diagnose/analysis.h"

#include "base/hash.h"
#include "base/mem.h"

static uint64_t thread_key(const struct ncs_call *c)
{
    return ncs_hash(ncs_hash(1, (uint64_t)(int64_t)c->rank), (uint64_t)(int64_t)c->thread);
}

static uint64_t group_starts_place_key(const struct ncs_call *c)
{
    return ncs_hash(ncs_hash(thread_key(c), (uint64_t)c->place.line), ncs_map_key(c->place.file));
}

struct reading {
    struct ncs_map open;  /* thread -> its group that is not ended yet, index + 1 */
    struct ncs_map round; /* thread and place -> groups that it has started there */
};

static void read_start(struct ncs_analysis *q, struct reading *r, const struct ncs_call *c)
{
    size_t round = ncs_map_number(&r->round, group_starts_place_key(c));
    struct ncs_group_start start = { .call = c, .round = round };
    ncs_map_put_number(&r->round, group_starts_place_key(c), round + 1);
    NCS_PUSH(q->group_start, q->group_starts, q->group_start_room, start);
    ncs_map_put_number(&r->open, thread_key(c), q->group_starts);
}

void ncs_group_starts_read(struct ncs_analysis *q)
{
    struct reading r = { 0 };
    const struct ncs_made *first = ncs_first_made(&q->index, NCS_FN_ncclGroupStart);
    for (const struct ncs_call *c = first ? first->call : NULL; c; c = c->newer) {
        bool ends = c->fn == NCS_FN_ncclGroupEnd;
        size_t open = r.open.count && (ends || c->number) ? ncs_map_number(&r.open, thread_key(c)) : 0;
        if (c->fn == NCS_FN_ncclGroupStart)
            read_start(q, &r, c);
        if (!open)
            continue;
        q->group_start[open - 1].calls += !ends;
        q->group_start[open - 1].ended = ends;
        if (ends)
            ncs_map_put_number(&r.open, thread_key(c), 0);
    }
    ncs_map_free(&r.open);
    ncs_map_free(&r.round);
}
