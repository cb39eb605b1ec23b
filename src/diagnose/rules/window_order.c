/* A rank registered windows in another order than the others: NCCL pairs them by their order, so
 * each meets the wrong ones. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* The longest distance over which two registrations may be exchanged. */
enum { MOST_BETWEEN = 8 };

struct list { /* of one rank */
    const struct ncs_call **call;
    size_t count, room;
};

/* How registrations of two ranks are recognized as the same, the best way first. */
static bool window_order_same_label(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->label && b->label && strcmp(a->label, b->label) == 0;
}

static bool window_order_same_line(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->place.line && a->place.line == b->place.line && a->place.file == b->place.file;
}

static bool same_size(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->arg[2].u == b->arg[2].u && a->arg[4].i == b->arg[4].i;
}

static const struct {
    bool (*same)(const struct ncs_call *a, const struct ncs_call *b);
    enum ncs_phrase evidence;
} ways[] = {
    { window_order_same_label, NCS_PHRASE_window_order_by_label },
    { window_order_same_line, NCS_PHRASE_window_order_by_line },
    { same_size, NCS_PHRASE_window_order_by_size },
};

/* True if each entry of `a` is like exactly one entry of `b`, the one at its own place: then
 * nothing is exchanged, whatever else the entries share. */
static bool window_order_agree(size_t way, const struct list *a, const struct list *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        for (size_t k = i; k < b->count && k <= i + MOST_BETWEEN; k++)
            if (ways[way].same(a->call[i], b->call[k]) != (i == k))
                return false;
    return a->count > 0 && a->count == b->count;
}

static struct list *find_lists(const struct ncs_analysis *q, int comm)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    struct list *lists = ncs_new((size_t)info->members * sizeof *lists);
    for (size_t i = 0; i < q->comm[comm].rares; i++) {
        const struct ncs_call *c = q->comm[comm].rare[i];
        if (c->fn == NCS_FN_ncclCommWindowRegister && c->comm_rank >= 0 && c->comm_rank < info->members && !ncs_failed(c))
            NCS_PUSH(lists[c->comm_rank].call, lists[c->comm_rank].count, lists[c->comm_rank].room, c);
    }
    return lists;
}

/* True if entry i of `a` is like entry k of `b` and the reverse, and the two entries differ. */
static bool window_order_exchanged(size_t way, const struct list *a, const struct list *b, size_t i, size_t k)
{
    return k < a->count && k < b->count && ways[way].same(a->call[i], b->call[k]) && ways[way].same(a->call[k], b->call[i]) &&
           !ways[way].same(a->call[i], b->call[i]) && !ways[way].same(a->call[i], a->call[k]);
}

/* A way that recognizes all entries at their own places ends the search: weaker ways would only
 * find chance likenesses. */
static bool window_order_find_exchange(const struct list *a, const struct list *b, size_t *way, size_t *i, size_t *k)
{
    for (*way = 0; *way < sizeof ways / sizeof *ways; ++*way) {
        for (*i = 0; *i < a->count && *i < b->count; ++*i)
            for (*k = *i + 1; *k <= *i + MOST_BETWEEN; ++*k)
                if (window_order_exchanged(*way, a, b, *i, *k))
                    return true;
        if (window_order_agree(*way, a, b))
            return false;
    }
    return false;
}

static void window_order_fill(const struct ncs_analysis *q, struct ncs_draft *d, const struct list *unlike,
                              const struct list *model, size_t i, size_t k)
{
    const struct ncs_call *a = unlike->call[i], *b = model->call[i];
    const char *name = ncs_comm_name(q, a->comm);
    d->f.why = ncs_say(window_order_why, ncs_fact_call("a", q->journal, a), ncs_fact_call("b", q->journal, b),
                       ncs_fact_number("first", (int64_t)i + 1), ncs_fact_number("second", (int64_t)k + 1),
                       ncs_fact_number("bytes", (int64_t)a->arg[2].u), ncs_fact_number("others", (int64_t)b->arg[2].u));
    d->f.fix = ncs_say(window_order_fix, ncs_fact_text("comm", name));
    d->f.certainty = NCS_CERTAIN;
    d->f.comm = ncs_copy_text(name);
    d->f.title = ncs_text("windows of communicator %s", name);
    d->order = a->id;
}

/* Compares all ranks with rank 0. If most differ from it, rank 0 is the minority; with two ranks
 * both are named. */
static bool window_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_WINDOWS)
        return false;
    const struct ncs_comm_info *info = q->journal->comm[r->comm];
    struct list *lists = find_lists(q, r->comm);
    size_t way, i, k, unlike = 0;
    int model = 0, first = -1;
    for (int m = 1; m < info->members; m++)
        unlike += window_order_find_exchange(&lists[m], &lists[0], &way, &i, &k);
    if (2 * unlike > (size_t)info->members)
        for (model = 1; window_order_find_exchange(&lists[model], &lists[0], &way, &i, &k) == false;)
            model++;
    for (int m = 0; m < info->members && unlike > 0; m++) {
        bool differs = m != model && window_order_find_exchange(&lists[m], &lists[model], &way, &i, &k);
        bool tied = 2 * unlike == (size_t)info->members;
        if ((differs || tied) && lists[m].count)
            ncs_add_culprit(d, lists[m].call[0]->rank, 0, 0);
        if (!differs || first >= 0)
            continue;
        first = m;
        d->f.evidence = ncs_sentence_of(ways[way].evidence, &(struct ncs_fact){ 0 }, 1);
        window_order_fill(q, d, &lists[m], &lists[model], i, k);
    }
    for (int m = 0; m < info->members; m++)
        ncs_free(lists[m].call);
    ncs_free(lists);
    return first >= 0;
}

const struct ncs_rule ncs_rule_window_order = { .match = window_order_match, .ground = NCS_GROUND_ORDER };
