/* The arguments that other ranks passed at the place of a call, in the same round of a loop. Groups
 * of one split, pairs of a pipeline and neighbors in a ring run the same line. So they show what a
 * call was meant to be where the ranks that met are too few for a majority. */
#include "diagnose/rules/rule.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

/* Where a record lacks the program's places, parts of one split stand for the place of a collective. */
static bool is_at_place(const struct ncs_journal *j, const struct ncs_call *a, const struct ncs_call *b)
{
    if (a->fn != b->fn || !((a->unsaid | b->unsaid) & NCS_UNSAID_PLACE))
        return a->fn == b->fn && a->place.line == b->place.line && a->place.file == b->place.file;
    if (a->comm < 0 || b->comm < 0 || ncs_call_is_pair(a))
        return false;
    if (a->comm == b->comm)
        return true;
    const struct ncs_comm_info *x = j->comm[a->comm], *y = j->comm[b->comm];
    return x->split && x->split == y->split && x->parent == y->parent;
}

static uint64_t siblings_key_of(const struct ncs_call *c)
{
    return ncs_hash(ncs_hash(1, (uint64_t)c->comm), (uint64_t)c->comm_rank);
}

struct passed { /* a call by a rank that is not among those that met */
    const struct ncs_call *call;
    size_t round; /* how often its rank had been at the place before */
};

struct ncs_sibling_search {
    const struct ncs_analysis *q;
    struct ncs_map met;          /* communicator and rank of those that met -> 1 */
    const struct ncs_call *like; /* a call at the place that was read last; NULL = none */
    struct passed *passed;       /* all at that place */
    size_t count, room;
    struct ncs_map round; /* calls there of those that met -> their rounds + 1 */
};

struct ncs_sibling_search *ncs_siblings_open(const struct ncs_analysis *q, const struct ncs_cause *met)
{
    struct ncs_sibling_search *s = ncs_new(sizeof *s);
    s->q = q;
    for (size_t i = 0; i < met->calls; i++)
        ncs_map_put_number(&s->met, siblings_key_of(met->call[i]), 1);
    return s;
}

void ncs_siblings_close(struct ncs_sibling_search *s)
{
    ncs_map_free(&s->met);
    ncs_map_free(&s->round);
    ncs_free(s->passed);
    ncs_free(s);
}

static size_t count_round(struct ncs_map *rounds, const struct ncs_call *c)
{
    size_t nth = ncs_map_number(rounds, siblings_key_of(c));
    ncs_map_put_number(rounds, siblings_key_of(c), nth + 1);
    return nth;
}

/* Reads all calls of the function and keeps those at the place: the calls that met mostly share one
 * place, so the next question needs no second reading. */
static void look_at_place(struct ncs_sibling_search *s, const struct ncs_call *like)
{
    struct ncs_map rounds = { 0 };
    ncs_map_free(&s->round);
    s->count = 0;
    s->like = like;
    for (const struct ncs_made *m = ncs_first_made(&s->q->index, like->fn); m; m = ncs_next_made(&s->q->index, m)) {
        const struct ncs_call *c = m->call;
        if (!is_at_place(s->q->journal, c, like))
            continue;
        if (ncs_map_get(&s->met, siblings_key_of(c))) {
            ncs_map_put_number(&s->round, ncs_map_key(c), count_round(&rounds, c) + 1);
        } else if (c->number && c->comm >= 0 && c->comm_rank >= 0) {
            struct passed own = { c, count_round(&rounds, c) };
            NCS_PUSH(s->passed, s->count, s->room, own);
        }
    }
    ncs_map_free(&rounds);
}

struct ncs_siblings ncs_siblings_of(struct ncs_sibling_search *s, const struct ncs_call *call, ncs_fact_of *get)
{
    struct ncs_siblings n = { 0 };
    if (!call->place.line || s->q->journal->dropped)
        return n;
    if (!s->like || !is_at_place(s->q->journal, s->like, call))
        look_at_place(s, call);
    size_t round = ncs_map_number(&s->round, ncs_map_key(call)) - 1;
    for (size_t i = 0; i < s->count; i++)
        if (s->passed[i].round == round)
            *(get(s->passed[i].call) == get(call) ? &n.alike : &n.other) += 1;
    return n;
}
