/* Parts of a split that have different sizes: a rank that is missed in the larger part may have
 * given the wrong color. */
#include "diagnose/rules/rule.h"

#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

/* Ineffective splits are not counted: a failed one makes no part. */
const struct ncs_call **ncs_split_calls(const struct ncs_analysis *q, int parent, uint32_t nth)
{
    const struct ncs_comm_info *info = q->journal->comm[parent];
    const struct ncs_call **call = ncs_new((size_t)info->members * sizeof *call);
    uint32_t *made = ncs_new((size_t)info->members * sizeof *made);
    for (size_t i = 0; i < q->comm[parent].rares; i++) {
        const struct ncs_call *c = q->comm[parent].rare[i], *cause;
        enum ncs_reason reason;
        if (c->fn == NCS_FN_ncclCommSplit && c->returned && c->comm_rank < info->members &&
            !ncs_ineffective(q, c, &reason, &cause) && ++made[c->comm_rank] == nth)
            call[c->comm_rank] = c;
    }
    ncs_free(made);
    return call;
}

static int color_of(const struct ncs_call *c)
{
    return (int)c->arg[1].i;
}

/* True if the colors of all ranks are known and some part is smaller than the one of this color. */
static bool is_uneven(const struct ncs_call *const *call, int count, int color)
{
    struct ncs_map size = { 0 }; /* color -> how many gave it */
    size_t own = 0, least = SIZE_MAX;
    for (int i = 0; i < count && call[i]; i++) {
        uint64_t key = (uint32_t)color_of(call[i]);
        ncs_map_put(&size, key, (void *)((uintptr_t)ncs_map_get(&size, key) + 1));
    }
    bool whole = true;
    for (int i = 0; i < count && whole; i++) {
        whole = call[i] != NULL;
        if (!whole || color_of(call[i]) == NCCL_SPLIT_NOCOLOR)
            continue;
        size_t n = (uintptr_t)ncs_map_get(&size, (uint32_t)color_of(call[i]));
        least = n < least ? n : least;
        own = color_of(call[i]) == color ? n : own;
    }
    ncs_map_free(&size);
    return whole && least < own;
}

static bool uneven_split_is_shown(const int *shown, int count, int color)
{
    for (int i = 0; i < count; i++)
        if (shown[i] == color)
            return true;
    return false;
}

struct ncs_sentence *ncs_say_colors(const struct ncs_call *const *call, int count)
{
    enum { MOST = 4 };
    struct ncs_sentence *all = NULL;
    int *ranks = ncs_new((size_t)count * sizeof *ranks), shown[MOST], shown_count = 0;
    for (int i = 0; i < count; i++) {
        int color = color_of(call[i]);
        size_t n = 0;
        if (uneven_split_is_shown(shown, shown_count, color))
            continue;
        if (shown_count == MOST) {
            all = ncs_say(colors_more, ncs_fact_sentence("before", all));
            break;
        }
        shown[shown_count++] = color;
        for (int k = i; k < count; k++)
            if (color_of(call[k]) == color)
                ranks[n++] = call[k]->rank;
        all = ncs_say(colors, ncs_fact_sentence("before", all), ncs_fact_ranks("who", ranks, n),
                      ncs_fact_is("none", color == NCCL_SPLIT_NOCOLOR), ncs_fact_number("color", color));
    }
    ncs_free(ranks);
    return all;
}

/* True if the next step of the cycle is a rank that never made the call of unmet wait i. */
static bool misses(const struct ncs_analysis *q, const struct ncs_cause *r, size_t i)
{
    int at = ncs_node_unmet(q, r->path[i]);
    const struct ncs_absent *a = at >= 0 ? ncs_link(&q->unmet[at], q, r->path[(i + 1) % r->length]) : NULL;
    return a && a->reason == NCS_ABSENT_ELSEWHERE;
}

/* The communicator on which a rank is missed; -1 = none that a split made. */
static int missed_on(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    if (r->kind == NCS_CAUSE_ABSENT && r->absents && r->absent[0]->reason >= NCS_ABSENT_DESTROYED)
        return r->unmet->comm;
    for (size_t i = 0; i < r->length && r->kind == NCS_CAUSE_CYCLE; i++)
        if (misses(q, r, i) && q->unmet[ncs_node_unmet(q, r->path[i])].comm >= 0 &&
            q->journal->comm[q->unmet[ncs_node_unmet(q, r->path[i])].comm]->split)
            return q->unmet[ncs_node_unmet(q, r->path[i])].comm;
    return -1;
}

/* Equal parts are no evidence: then a wrong color would have to be exchanged between two ranks. */
void ncs_add_colors(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    int comm = missed_on(q, r);
    const struct ncs_comm_info *info = comm >= 0 ? q->journal->comm[comm] : NULL;
    if (!info || !info->split || info->parent < 0 || !d->f.why || !d->f.fix)
        return;
    int count = q->journal->comm[info->parent]->nranks;
    const struct ncs_call **call = ncs_split_calls(q, info->parent, info->split);
    if (is_uneven(call, count, info->color)) {
        const struct ncs_call *own = NULL;
        for (int i = 0; i < count && !own; i++)
            own = color_of(call[i]) == info->color ? call[i] : NULL;
        d->f.why = ncs_say(uneven_split_why, ncs_fact_sentence("why", d->f.why), ncs_fact_text("part", info->name),
                           ncs_fact_number("color", info->color), ncs_fact_text("parent", ncs_comm_name(q, info->parent)),
                           ncs_fact_call("call", q->journal, own), ncs_fact_sentence("colors", ncs_say_colors(call, count)));
        d->f.fix = ncs_say(uneven_split_fix, ncs_fact_sentence("fix", d->f.fix), ncs_fact_text("part", info->name),
                           ncs_fact_call("call", q->journal, own));
    }
    ncs_free(call);
}
