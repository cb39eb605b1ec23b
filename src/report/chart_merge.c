#include "report/chart_merge.h"

#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

struct rows_of {
    size_t first, rows;
};

static uint64_t merge_hash_text(uint64_t hash, const char *text)
{
    return text ? ncs_hash_bytes(hash, text, strlen(text)) : hash;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const char *label_of(const struct ncs_bar *bar)
{
    return bar->call ? bar->call->label : NULL;
}

static uint64_t hash_bar(uint64_t hash, const struct ncs_bar *bar)
{
    hash = ncs_hash(ncs_hash(hash, (uint64_t)bar->begin), (uint64_t)bar->end);
    hash = ncs_hash(hash, (uint64_t)bar->kind << 1 | bar->queued);
    hash = ncs_hash(hash, (uint64_t)ncs_bar_place(bar).line);
    return merge_hash_text(merge_hash_text(hash, bar->text), label_of(bar));
}

static bool is_same_bar(const struct ncs_bar *a, const struct ncs_bar *b)
{
    struct ncs_place x = ncs_bar_place(a), y = ncs_bar_place(b);
    return a->begin == b->begin && a->end == b->end && a->kind == b->kind && a->queued == b->queued && x.line == y.line &&
           is_same_text(x.file, y.file) && is_same_text(a->name, b->name) && is_same_text(a->text, b->text) &&
           is_same_text(label_of(a), label_of(b)) && !a->call == !b->call &&
           (!a->call || (a->call->fn == b->call->fn && a->call->rc == b->call->rc && a->call->comm == b->call->comm));
}

static uint64_t hash_rows(const struct ncs_chart *l, struct rows_of of)
{
    uint64_t hash = of.rows;
    for (size_t i = of.first; i < of.first + of.rows; i++) {
        const struct ncs_chart_row *row = &l->row[i];
        hash = ncs_hash(merge_hash_text(hash, row->name), row->bars);
        for (size_t k = 0; k < row->bars; k++)
            hash = hash_bar(hash, &l->bar[row->bar[k]]);
    }
    return hash;
}

static bool is_same_rows(const struct ncs_chart *l, struct rows_of a, const struct ncs_chart_group *b)
{
    if (a.rows != b->rows)
        return false;
    for (size_t i = 0; i < a.rows; i++) {
        const struct ncs_chart_row *x = &l->row[a.first + i], *y = &l->row[b->first + i];
        if (x->bars != y->bars || !is_same_text(x->name, y->name))
            return false;
        for (size_t k = 0; k < x->bars; k++)
            if (!is_same_bar(&l->bar[x->bar[k]], &l->bar[y->bar[k]]))
                return false;
    }
    return true;
}

/* A mark says something about one rank alone. */
static bool *marked_ranks(const struct ncs_result *r)
{
    bool *marked = ncs_new((size_t)r->ranks * sizeof *marked);
    for (size_t i = 0; i < r->timeline->marks; i++)
        if (r->timeline->mark[i].rank >= 0 && r->timeline->mark[i].rank < r->ranks)
            marked[r->timeline->mark[i].rank] = true;
    return marked;
}

static void add_rank(struct ncs_chart_groups *g, struct ncs_map *known, int rank, struct rows_of of, bool marked)
{
    uint64_t hash = hash_rows(g->chart, of);
    size_t found = marked ? 0 : ncs_map_number(known, hash);
    if (!found || !is_same_rows(g->chart, of, &g->group[found - 1])) {
        struct ncs_chart_group group = { .first = of.first, .rows = of.rows };
        NCS_PUSH(g->group, g->groups, g->room, group);
        found = g->groups;
        if (!marked)
            ncs_map_put_number(known, hash, found);
    }
    struct ncs_chart_group *group = &g->group[found - 1];
    NCS_PUSH(group->rank, group->ranks, group->ranks_room, rank);
    g->of[rank] = found - 1;
}

/* Numbers the bars of the groups, row by row; bars of other ranks get the numbers of those like them. */
static void number_bars(struct ncs_chart_groups *g, const struct rows_of *of)
{
    const struct ncs_chart *l = g->chart;
    g->bar = ncs_new((l->bars + 1) * sizeof *g->bar);
    g->at = ncs_new((l->bars + 1) * sizeof *g->at);
    for (size_t i = 0; i < g->groups; i++)
        for (size_t row = 0; row < g->group[i].rows; row++) {
            const struct ncs_chart_row *like = &l->row[g->group[i].first + row];
            for (size_t k = 0; k < g->group[i].ranks; k++) {
                const struct ncs_chart_row *one = &l->row[of[g->group[i].rank[k]].first + row];
                for (size_t b = 0; b < one->bars; b++)
                    g->at[one->bar[b]] = g->bars + b;
            }
            for (size_t b = 0; b < like->bars; b++)
                g->bar[g->bars++] = like->bar[b];
        }
}

void ncs_chart_merge(const struct ncs_result *r, const struct ncs_chart *l, struct ncs_chart_groups *out)
{
    struct rows_of *of = ncs_new((size_t)l->ranks * sizeof *of);
    struct ncs_map known = { 0 };
    bool *marked = marked_ranks(r);
    *out = (struct ncs_chart_groups){ .chart = l, .of = ncs_new((size_t)l->ranks * sizeof *out->of) };
    for (size_t row = 0; row < l->rows; row++) {
        struct rows_of *mine = &of[l->row[row].rank];
        mine->first = mine->rows ? mine->first : row;
        mine->rows++;
    }
    for (int rank = 0; rank < l->ranks; rank++)
        add_rank(out, &known, rank, of[rank], marked[rank]);
    number_bars(out, of);
    ncs_map_free(&known);
    ncs_free(marked);
    ncs_free(of);
}

void ncs_chart_groups_free(struct ncs_chart_groups *g)
{
    NCS_FREE_EACH(g->group, g->groups, rank);
    ncs_free(g->of);
    ncs_free(g->bar);
    ncs_free(g->at);
}
