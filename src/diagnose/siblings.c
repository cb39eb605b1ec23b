/* What other ranks passed at the place of a call, in the same round: groups of one split, pairs of a pipeline and
 * the ranks of a ring run the same line, so that they show what a call was meant to be where the ranks that met
 * are too few to show it. */
#include "diagnose/rule.h"

#include "base/hash.h"
#include "base/map.h"

static bool is_at_place(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->place.line == b->place.line && a->place.file == b->place.file;
}

static uint64_t key_of(const struct ncs_call *c)
{
    return ncs_hash(ncs_hash(1, (uint64_t)c->comm), (uint64_t)c->comm_rank);
}

/* How often its rank had been at the place before. */
static size_t round_of(const struct ncs_call *call)
{
    size_t round = 0;
    for (const struct ncs_call *c = call->older; c; c = c->older)
        round += is_at_place(c, call) && c->comm == call->comm && c->comm_rank == call->comm_rank;
    return round;
}

static bool is_one_of(const struct ncs_call *c, const struct ncs_root *met)
{
    for (size_t i = 0; i < met->calls; i++)
        if (c->comm == met->call[i]->comm && c->comm_rank == met->call[i]->comm_rank)
            return true;
    return false;
}

struct ncs_siblings ncs_siblings_of(const struct ncs_inquiry *q, const struct ncs_root *met, const struct ncs_call *call,
                                    ncs_fact_of *get)
{
    struct ncs_siblings s = { 0 };
    struct ncs_map rounds = { 0 };
    size_t round = round_of(call);
    if (!call->place.line || q->journal->dropped)
        return s;
    for (const struct ncs_call *c = q->journal->oldest; c; c = c->newer) {
        if (!c->number || c->comm < 0 || c->comm_rank < 0 || !is_at_place(c, call) || is_one_of(c, met))
            continue;
        size_t nth = ncs_map_number(&rounds, key_of(c));
        ncs_map_put_number(&rounds, key_of(c), nth + 1);
        if (nth == round)
            *(get(c) == get(call) ? &s.alike : &s.other) += 1;
    }
    ncs_map_free(&rounds);
    return s;
}
