/* Chains, which run along a ring from or to a root, and trees. */
#include <string.h>

#include "base/mem.h"
#include "report/draw_math.h"

enum { HOPS_SHOWN = 8, LEVELS_SHOWN = 4, ALL_RANKS = 16 };

struct tree {
    const struct ncs_seen *seen;
    const struct ncs_draw_style *style;
    struct ncs_str *out;
    int n;
    bool known, rounded;      /* values are known */
    union ncs_partial *below; /* by place: the result of its rank and all below */
};

/* Places count from the root on. */
static int rank_at(const struct tree *t, int place)
{
    int root = t->seen->root > 0 && t->seen->root < t->n ? t->seen->root : 0;
    return (root + place) % t->n;
}

static bool reduces(const struct tree *t)
{
    return ncs_draw_op(t->seen) != NULL;
}

static void draw_tree_begin(struct tree *t)
{
    const struct ncs_seen *s = t->seen;
    int first = rank_at(t, 0);
    t->known = reduces(t) ? ncs_partial_known(s, 0) : ncs_sample_at(&s->rank[first].before, 1, 0) != NULL;
    t->below = ncs_new((size_t)t->n * sizeof *t->below);
    for (int i = 0; t->known && i < t->n; i++)
        t->below[i] = ncs_partial_of(s, reduces(t) ? rank_at(t, i) : first, 0);
}

static void add_partial(struct tree *t, union ncs_partial p)
{
    t->rounded |= ncs_partial_text(t->seen, p, t->out);
}

static void draw_tree_end_line(const struct tree *t, size_t start)
{
    ncs_draw_cut(t->style, t->out, start);
    ncs_str_add(t->out, "\n");
}

static void draw_tree_add_legend(const struct tree *t)
{
    if (t->known)
        ncs_draw_words(t->style, t->out,
                       t->rounded ? "the values are those of the first element, with four digits"
                                  : "the values are those of the first element");
}

/* ---- along the ring ---- */

static void add_hop(struct tree *t, int step, int from, int to, union ncs_partial moving)
{
    const struct ncs_signs *signs = ncs_draw_signs(t->style);
    size_t start = t->out->bytes;
    ncs_str_addf(t->out, "  step %d: ", step);
    ncs_draw_rank(t->seen, from, t->out);
    ncs_str_addf(t->out, " %s%s%s ", signs->joint[3], signs->joint[3], signs->arrow);
    ncs_draw_rank(t->seen, to, t->out);
    if (t->known) {
        ncs_str_add(t->out, "  ");
        add_partial(t, moving);
        if (reduces(t)) {
            union ncs_partial sum = ncs_partial_join(t->seen, moving, ncs_partial_of(t->seen, to, 0));
            ncs_str_add(t->out, ", there with its own ");
            add_partial(t, step == t->n - 1 ? ncs_partial_end(t->seen, sum) : sum);
        }
    }
    draw_tree_end_line(t, start);
}

void ncs_draw_chain(const struct ncs_seen *seen, const struct ncs_draw_style *style, struct ncs_str *out)
{
    struct tree t = { .seen = seen, .style = style, .out = out, .n = seen->nranks };
    draw_tree_begin(&t);
    ncs_draw_words(style, out,
                   reduces(&t) ? "in steps, as NCCL does it in principle: a chain along the ring, up to "
                                 "the root; of a long buffer the chunks follow each other closely"
                               : "in steps, as NCCL does it in principle: a chain along the ring, from "
                                 "the root on; of a long buffer the chunks follow each other closely");
    union ncs_partial moving = t.n > 1 ? t.below[reduces(&t)] : t.below[0];
    for (int step = 1; step < t.n; step++) {
        int from = rank_at(&t, reduces(&t) ? step : step - 1);
        int to = rank_at(&t, (reduces(&t) ? step + 1 : step) % t.n);
        bool shown = style->all || t.n - 1 <= HOPS_SHOWN || step < HOPS_SHOWN - 1 || step == t.n - 1;
        if (shown)
            add_hop(&t, step, from, to, moving);
        else if (step == HOPS_SHOWN - 1)
            ncs_str_addf(out, "  %s\n", ncs_draw_signs(style)->dots);
        if (reduces(&t) && t.known)
            moving = ncs_partial_join(seen, moving, ncs_partial_of(seen, to, 0));
    }
    draw_tree_add_legend(&t);
    ncs_free(t.below);
}

/* ---- trees ---- */

/* The parent in a binary tree whose height at a place is its lowest set bit: place 0 has one child,
 * every other inner place has the two beside it. */
static int parent_of(int place, int n)
{
    int bit = place & -place, parent = (place ^ bit) | bit << 1;
    return parent >= n ? place ^ bit : parent;
}

static int height_of(int place, int n)
{
    int levels = 0;
    for (; place > 0; place = parent_of(place, n))
        levels++;
    return levels;
}

static int count_below(int place, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int p = i; p > 0;) {
            p = parent_of(p, n);
            if (p != place)
                continue;
            count++;
            break;
        }
    return count;
}

static bool is_last(int place, int parent, int n)
{
    for (int i = place + 1; i < n; i++)
        if (parent_of(i, n) == parent)
            return false;
    return true;
}

/* Joins each place with all places below it, the deepest first. */
static int join_up(struct tree *t)
{
    int deepest = 0;
    for (int i = 1; i < t->n; i++)
        deepest = height_of(i, t->n) > deepest ? height_of(i, t->n) : deepest;
    for (int level = deepest; t->known && reduces(t) && level > 0; level--)
        for (int i = 1; i < t->n; i++)
            if (height_of(i, t->n) == level) {
                int parent = parent_of(i, t->n);
                t->below[parent] = ncs_partial_join(t->seen, t->below[parent], t->below[i]);
            }
    if (t->known && reduces(t))
        t->below[0] = ncs_partial_end(t->seen, t->below[0]);
    return deepest;
}

static void draw_tree_add_node(struct tree *t, int place, const char *indent, int level)
{
    const struct ncs_signs *signs = ncs_draw_signs(t->style);
    int parent = place ? parent_of(place, t->n) : 0;
    bool last = place == 0 || is_last(place, parent, t->n);
    size_t start = t->out->bytes;
    struct ncs_str deeper = { 0 };
    ncs_str_addf(t->out, "  %s", indent);
    if (place)
        ncs_str_addf(t->out, "%s%s ", signs->joint[last ? 6 : 14], signs->joint[3]);
    ncs_draw_rank(t->seen, rank_at(t, place), t->out);
    if (t->known && reduces(t)) {
        ncs_str_add(t->out, "  ");
        add_partial(t, ncs_partial_of(t->seen, rank_at(t, place), 0));
        if (count_below(place, t->n)) {
            ncs_str_add(t->out, ", with all below ");
            add_partial(t, t->below[place]);
        }
    } else if (place) {
        ncs_str_addf(t->out, "  in step %d", level);
    } else if (t->known) {
        ncs_str_add(t->out, "  ");
        add_partial(t, t->below[0]);
    }
    draw_tree_end_line(t, start);
    ncs_str_addf(&deeper, "%s%s", indent, place == 0 ? "" : last ? "   " : signs->joint[12]);
    if (place && !last)
        ncs_str_add(&deeper, "  ");
    bool cut = !t->style->all && t->n > ALL_RANKS && level >= LEVELS_SHOWN;
    int below = cut ? count_below(place, t->n) : 0;
    if (below)
        ncs_str_addf(t->out, "  %s%s%s %s %d below it\n", deeper.text, signs->joint[6], signs->joint[3], signs->dots, below);
    for (int i = 1; i < t->n && !cut; i++)
        if (parent_of(i, t->n) == place)
            draw_tree_add_node(t, i, deeper.text, level + 1);
    ncs_str_free(&deeper);
}

static void draw_tree_add_words(const struct tree *t, int deepest)
{
    bool all = !ncs_fn_info[t->seen->fn].rooted;
    struct ncs_str text = { 0 };
    if (all)
        ncs_str_add(&text, "as a tree, as NCCL's does it in principle (it has two, for half of the "
                           "buffer each): ");
    else
        ncs_str_add(&text, "as a tree would do it; NCCL itself takes its ring for this: ");
    if (reduces(t))
        ncs_str_addf(&text, "up, each rank joins what comes from below, in %d step%s", deepest, deepest == 1 ? "" : "s");
    if (all)
        ncs_str_add(&text, "; then down, the result goes the same way back");
    if (!reduces(t))
        ncs_str_addf(&text, "down, each rank hands on what it gets, in %d step%s", deepest, deepest == 1 ? "" : "s");
    ncs_draw_words(t->style, t->out, text.text);
    ncs_str_free(&text);
}

void ncs_draw_tree(const struct ncs_seen *seen, const struct ncs_draw_style *style, struct ncs_str *out)
{
    struct tree t = { .seen = seen, .style = style, .out = out, .n = seen->nranks };
    if (!seen->over || seen->count == 0)
        return;
    const struct ncs_fn_info *info = &ncs_fn_info[seen->fn];
    bool whole = info->reads != NCS_BLOCKS_ALL && info->writes != NCS_BLOCKS_ALL;
    if (info->composed || info->pair || info->one_sided || !whole) {
        ncs_draw_words(style, out, "no tree for this; --draw=steps draws the ring, where there is one");
        return;
    }
    draw_tree_begin(&t);
    draw_tree_add_words(&t, join_up(&t));
    draw_tree_add_node(&t, 0, "", 0);
    draw_tree_add_legend(&t);
    ncs_free(t.below);
}
