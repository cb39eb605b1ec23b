#include "reproduce/words.h"

#include <string.h>

#include "base/mem.h"

#define LISTED_MOST 4  /* ranks that a condition names one by one */
#define CHOICES_MOST 4 /* texts by rank with a condition each */

/* ---- conditions ---- */

static int set_count(const bool *has, int ranks, bool value)
{
    int count = 0;
    for (int r = 0; r < ranks; r++)
        count += has[r] == value;
    return count;
}

static int first_of_set(const bool *has, int ranks, bool value)
{
    int r = 0;
    while (r < ranks && has[r] != value)
        r++;
    return r;
}

/* "rank == 1 or rank == 5", or of the ranks that are missing "rank ~= 1 and rank ~= 5". */
static void add_listed(struct ncs_str *out, const bool *has, int ranks, bool value)
{
    const char *between = "";
    for (int r = 0; r < ranks; r++) {
        if (has[r] != value)
            continue;
        ncs_str_addf(out, "%srank %s %d", between, value ? "==" : "~=", r);
        between = value ? " or " : " and ";
    }
}

/* True if the set is all ranks r with r % step == rest. */
static bool is_every(const bool *has, int ranks, int step, int rest)
{
    for (int r = 0; r < ranks; r++)
        if (has[r] != (r % step == rest))
            return false;
    return true;
}

static bool add_every(struct ncs_str *out, const bool *has, int ranks)
{
    int rest = first_of_set(has, ranks, true), second = rest + 1;
    while (second < ranks && !has[second])
        second++;
    int step = second - rest;
    bool pair = step > 2 && set_count(has, ranks, true) == 2; /* of two ranks it says less than their numbers */
    if (second >= ranks || rest >= step || pair || !is_every(has, ranks, step, rest))
        return false;
    ncs_str_addf(out, "rank %% %d == %d", step, rest);
    return true;
}

static bool add_range(struct ncs_str *out, const bool *has, int ranks, int count)
{
    int first = first_of_set(has, ranks, true), last = ranks - 1;
    while (!has[last])
        last--;
    if (last - first + 1 != count)
        return false;
    if (first == 0)
        ncs_str_addf(out, "rank < %d", last + 1);
    else if (last == ranks - 1)
        ncs_str_addf(out, "rank >= %d", first);
    else
        ncs_str_addf(out, "rank >= %d and rank <= %d", first, last);
    return true;
}

static void add_table(struct ncs_str *out, const bool *has, int ranks)
{
    const char *between = "";
    ncs_str_add(out, "({");
    for (int r = 0; r < ranks; r++)
        if (has[r]) {
            ncs_str_addf(out, "%s [%d] = true", between, r);
            between = ",";
        }
    ncs_str_add(out, " })[rank]");
}

void ncs_workload_add_condition(struct ncs_str *out, const bool *has, int ranks)
{
    int count = set_count(has, ranks, true);
    if (count == ranks)
        return;
    if (count == 0)
        ncs_str_add(out, "false");
    else if (count == 1 || ranks - count == 1)
        add_listed(out, has, ranks, count == 1);
    else if (!add_range(out, has, ranks, count) && !add_every(out, has, ranks)) {
        if (count <= LISTED_MOST || ranks - count <= LISTED_MOST)
            add_listed(out, has, ranks, count <= LISTED_MOST);
        else
            add_table(out, has, ranks);
    }
}

/* ---- texts by rank ---- */

struct text_groups {
    int *group; /* by rank: the first rank with the same text; -1 = it has none */
    int *ranks; /* by the first rank of a group: its ranks */
    int groups, largest;
};

static void find_text_groups(struct text_groups *g, const char *const *text, int ranks)
{
    *g = (struct text_groups){ .largest = -1 };
    g->group = ncs_new((size_t)ranks * sizeof *g->group);
    g->ranks = ncs_new((size_t)ranks * sizeof *g->ranks);
    for (int r = 0; r < ranks; r++) {
        int first = text[r] ? 0 : -1;
        while (first >= 0 && (g->group[first] != first || strcmp(text[first], text[r]) != 0) && first < r)
            first++;
        g->group[r] = first;
        g->groups += first == r;
        if (first >= 0)
            g->ranks[first]++;
    }
    for (int r = 0; r < ranks; r++)
        if (g->group[r] == r && (g->largest < 0 || g->ranks[r] > g->ranks[g->largest]))
            g->largest = r;
}

static void free_text_groups(struct text_groups *g)
{
    ncs_free(g->group);
    ncs_free(g->ranks);
}

/* "({ [2] = 5, [7] = 6 })[rank] or 4": a table by rank. The text of most ranks is outside of it. */
static void add_text_table(struct ncs_str *out, const char *const *text, int ranks)
{
    struct text_groups g;
    const char *between = "";
    find_text_groups(&g, text, ranks);
    bool common = g.largest >= 0 && g.ranks[g.largest] > 1;
    ncs_str_add(out, "({");
    for (int r = 0; r < ranks; r++)
        if (text[r] && !(common && g.group[r] == g.largest)) {
            ncs_str_addf(out, "%s [%d] = %s", between, r, text[r]);
            between = ",";
        }
    ncs_str_add(out, " })[rank]");
    if (common)
        ncs_str_addf(out, " or %s", text[g.largest]);
    free_text_groups(&g);
}

static void add_text_choices(struct ncs_str *out, const struct text_groups *g, const char *const *text, int ranks)
{
    bool *has = ncs_new((size_t)ranks * sizeof *has);
    for (int first = 0; first < ranks; first++) {
        if (g->group[first] != first || first == g->largest)
            continue;
        for (int r = 0; r < ranks; r++)
            has[r] = g->group[r] == first;
        bool several = g->ranks[first] > 1;
        ncs_str_add(out, several ? "(" : "");
        ncs_workload_add_condition(out, has, ranks);
        ncs_str_addf(out, "%s and %s or ", several ? ")" : "", text[first]);
    }
    ncs_str_add(out, text[g->largest]);
    ncs_free(has);
}

void ncs_workload_add_texts(struct ncs_str *out, const char *const *text, int ranks)
{
    struct text_groups g;
    find_text_groups(&g, text, ranks);
    if (g.largest >= 0 && g.groups <= CHOICES_MOST)
        add_text_choices(out, &g, text, ranks);
    else if (g.largest >= 0)
        add_text_table(out, text, ranks);
    free_text_groups(&g);
}

/* ---- values ---- */

/* The rank of the set that comes first; -1 = the set is empty. */
static int first_with_value(const struct ncs_workload_values *v)
{
    int r = first_of_set(v->has, v->ranks, true);
    return r < v->ranks ? r : -1;
}

static bool add_constant(struct ncs_str *out, const struct ncs_workload_values *v, int first)
{
    for (int r = 0; r < v->ranks; r++)
        if (v->has[r] && v->value[r] != v->value[first])
            return false;
    ncs_str_addf(out, "%ld", v->value[first]);
    return true;
}

static long rank_distance(const struct ncs_workload_values *v, int r)
{
    long size = v->size[r] > 0 ? v->size[r] : 1, d = v->value[r] - v->own[r];
    return ((d % size) + size) % size;
}

static bool add_neighbour(struct ncs_str *out, const struct ncs_workload_values *v, int first)
{
    bool wraps = false;
    long d = v->own ? rank_distance(v, first) : 0, size = v->own ? v->size[first] : 0;
    for (int r = 0; v->own && r < v->ranks; r++) {
        if (!v->has[r])
            continue;
        if (rank_distance(v, r) != d || v->size[r] != size)
            return false;
        wraps |= v->value[r] - v->own[r] != (2 * d <= size ? d : d - size);
    }
    if (!v->own)
        return false;
    long shown = 2 * d <= size ? d : d - size;
    const char *sign = shown < 0 ? "-" : "+";
    if (wraps)
        ncs_str_addf(out, "(%s %s %ld) %% %s", v->rank, sign, shown < 0 ? -shown : shown, v->nranks);
    else
        ncs_str_addf(out, "%s %s %ld", v->rank, sign, shown < 0 ? -shown : shown);
    return true;
}

/* Two values, of which few ranks have one. */
static bool add_choice(struct ncs_str *out, const struct ncs_workload_values *v, int first)
{
    int second = -1, ones = 0, others = 0;
    for (int r = 0; r < v->ranks; r++) {
        if (!v->has[r])
            continue;
        if (v->value[r] == v->value[first])
            ones++;
        else if (second < 0 || v->value[r] == v->value[second])
            second = r, others++;
        else
            return false;
    }
    if (ones > LISTED_MOST && others > LISTED_MOST)
        return false;
    int few = ones <= others ? first : second, many = few == first ? second : first;
    bool *has = ncs_new((size_t)v->ranks * sizeof *has);
    for (int r = 0; r < v->ranks; r++)
        has[r] = v->has[r] && v->value[r] == v->value[few];
    bool several = (few == first ? ones : others) > 1;
    ncs_str_add(out, several ? "(" : "");
    ncs_workload_add_condition(out, has, v->ranks);
    ncs_str_addf(out, "%s and %ld or %ld", several ? ")" : "", v->value[few], v->value[many]);
    ncs_free(has);
    return true;
}

void ncs_workload_add_values(struct ncs_str *out, const struct ncs_workload_values *v)
{
    int first = first_with_value(v);
    if (first < 0 || add_constant(out, v, first) || add_neighbour(out, v, first) || add_choice(out, v, first))
        return;
    char **text = ncs_new((size_t)v->ranks * sizeof *text);
    for (int r = 0; r < v->ranks; r++)
        if (v->has[r]) {
            struct ncs_str own = { 0 };
            ncs_str_addf(&own, "%ld", v->value[r]);
            text[r] = ncs_str_take(&own);
        }
    add_text_table(out, (const char *const *)text, v->ranks);
    NCS_FREE_ALL(text, v->ranks);
}
