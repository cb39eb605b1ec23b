/* Merges the ranks' calls: ranks with the same calls are one class; the largest class gives the list, and each further
 * class is aligned with it, as `diff` aligns two files. */
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "reproduce/workload.h"

/* Beyond so many differences two lists are not worth aligning: one is put behind the other. */
#define DIFFERENCES_MOST 3000

/* ---- classes ---- */

struct rank_class {
    uint64_t hash;
    int first; /* its lowest rank, whose calls stand for all */
    int ranks;
    bool merged;
};

static uint64_t tokens_hash(const struct ncs_workload_tokens *t)
{
    uint64_t hash = t->count;
    for (size_t i = 0; i < t->count; i++)
        hash = ncs_hash(hash, t->token[i].key.key);
    return hash;
}

static size_t find_classes(const struct ncs_workload *job, const struct ncs_workload_tokens *of, struct rank_class *class,
                           int *class_of)
{
    struct ncs_map known = { 0 };
    size_t count = 0;
    for (int r = 0; r < job->ranks; r++) {
        uint64_t hash = tokens_hash(&of[r]);
        size_t at = ncs_map_number(&known, hash);
        if (!at) {
            class[count++] = (struct rank_class){ .hash = hash, .first = r };
            at = count;
            ncs_map_put_number(&known, hash, at);
        }
        class[at - 1].ranks++;
        class_of[r] = (int)at - 1;
    }
    ncs_map_free(&known);
    return count;
}

/* The largest class that is not merged yet; of equal ones the first. */
static int next_class(const struct rank_class *class, size_t count)
{
    int best = -1;
    for (size_t i = 0; i < count; i++)
        if (!class[i].merged && (best < 0 || class[i].ranks > class[best].ranks))
            best = (int)i;
    return best;
}

/* ---- alignment (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986) ---- */

struct align {
    const struct ncs_workload *job;
    const struct ncs_workload_tokens *tokens;
    ptrdiff_t **trace; /* after d differences, for each diagonal k = x - y at k + d: the furthest x; -1 = none */
    size_t traces, trace_room;
    size_t *step_of; /* by token: its step; SIZE_MAX = it has none */
};

static bool align_equal(const struct align *a, ptrdiff_t step, ptrdiff_t token)
{
    const struct ncs_step_key *s = &a->job->step[step]->key, *t = &a->tokens->token[token].key;
    bool placed = s->key != s->without_place && t->key != t->without_place;
    return placed ? s->key == t->key : s->without_place == t->without_place;
}

/* Where a path with d differences enters the diagonal: from the one above by a token alone, or from the one below by a step
 * alone, whichever is further. -1 = not at all. */
static ptrdiff_t align_enter(const struct align *a, ptrdiff_t d, ptrdiff_t k, bool *by_token)
{
    ptrdiff_t n = (ptrdiff_t)a->job->steps, m = (ptrdiff_t)a->tokens->count, x = -1;
    const ptrdiff_t *before = a->trace[d - 1];
    *by_token = false;
    if (k - 1 >= 1 - d && before[k - 1 + d - 1] >= 0 && before[k - 1 + d - 1] < n)
        x = before[k - 1 + d - 1] + 1;
    if (k + 1 > d - 1)
        return x;
    ptrdiff_t above = before[k + 1 + d - 1];
    *by_token = above >= 0 && above >= x && above - (k + 1) < m;
    return *by_token ? above : x;
}

static void align_walk_back(struct align *a, ptrdiff_t d, ptrdiff_t x, ptrdiff_t y)
{
    for (; d >= 0; d--) {
        bool by_token = false;
        ptrdiff_t from = d == 0 ? 0 : align_enter(a, d, x - y, &by_token);
        while (x > from) {
            x--, y--;
            a->step_of[y] = (size_t)x;
        }
        if (d > 0)
            by_token ? y-- : x--;
    }
}

/* One more difference on each diagonal. True when both lists have ended. */
static bool align_round(struct align *a, ptrdiff_t d)
{
    ptrdiff_t n = (ptrdiff_t)a->job->steps, m = (ptrdiff_t)a->tokens->count;
    ptrdiff_t *v = ncs_new((size_t)(2 * d + 1) * sizeof *v);
    NCS_PUSH(a->trace, a->traces, a->trace_room, v);
    for (ptrdiff_t k = -d; k <= d; k += 2) {
        bool by_token;
        ptrdiff_t x = d == 0 ? 0 : align_enter(a, d, k, &by_token);
        while (x >= 0 && x < n && x - k < m && align_equal(a, x, x - k))
            x++;
        v[k + d] = x;
        if (x == n && x - k == m)
            return true;
    }
    return false;
}

/* Fills step_of. */
static void align(struct align *a)
{
    ptrdiff_t n = (ptrdiff_t)a->job->steps, m = (ptrdiff_t)a->tokens->count;
    for (ptrdiff_t i = 0; i < m; i++)
        a->step_of[i] = SIZE_MAX;
    for (ptrdiff_t d = 0; d <= DIFFERENCES_MOST && d <= n + m; d++)
        if (align_round(a, d)) {
            align_walk_back(a, d, n, m);
            return;
        }
}

static void align_free(struct align *a)
{
    NCS_FREE_ALL(a->trace, a->traces);
    ncs_free(a->step_of);
}

/* A wait belongs to the calls before it. If the last calls have no step, a wait behind them that looks like a later wait of others
 * must not stand for it: what others call between would come in between. */
static void align_last_waits(struct align *a)
{
    const struct ncs_workload_token *token = a->tokens->token;
    size_t last = a->tokens->count, count = last;
    while (last > 0 && (a->step_of[last - 1] == SIZE_MAX || token[last - 1].kind == NCS_STEP_SYNC))
        last--;
    size_t next = last ? a->step_of[last - 1] + 1 : 0, alone = last;
    while (alone < count && (token[alone].kind == NCS_STEP_SYNC || a->step_of[alone] != SIZE_MAX))
        next = a->step_of[alone] == SIZE_MAX ? next : a->step_of[alone] + 1, alone++;
    for (size_t i = alone; i < count; i++)
        if (a->step_of[i] != SIZE_MAX && a->step_of[i] != next)
            a->step_of[i] = SIZE_MAX;
}

/* ---- the list ---- */

static const char *place_of_step(const struct ncs_workload *job, const struct ncs_workload_step *step)
{
    const char *place = NULL;
    for (int r = 0; r < job->ranks && !place; r++)
        place = step->of[r] ? step->of[r]->place : NULL;
    return place;
}

/* A call whose place is unknown gets that of the others in its step. */
static void merge_token(struct ncs_workload_step *step, struct ncs_workload *job, const struct ncs_workload_tokens *of,
                        const int *class_of, int class, size_t token)
{
    const char *place = place_of_step(job, step);
    for (int r = 0; r < job->ranks; r++) {
        if (class_of[r] != class)
            continue;
        struct ncs_workload_call call = *of[r].token[token].call;
        call.place = call.place ? call.place : place;
        step->of[r] = ncs_workload_intern(job, &call);
    }
}

/* Tokens without a step become steps, before the step of the next token that has one. At the end of the list they come behind a
 * statement in which other ranks wait: what these would do next is what this rank does. */
static bool merge_class(struct ncs_workload *job, const struct ncs_workload_tokens *of, const int *class_of, int class, int first,
                        bool behind)
{
    bool choice = false;
    const struct ncs_workload_tokens *tokens = &of[first];
    struct align a = { .job = job, .tokens = tokens, .step_of = ncs_new((tokens->count + 1) * sizeof *a.step_of) };
    struct ncs_workload_step **list = NULL;
    size_t count = 0, room = 0, next = 0;
    align(&a);
    align_last_waits(&a);
    size_t matched = tokens->count; /* behind the last token that has a step */
    while (matched > 0 && a.step_of[matched - 1] == SIZE_MAX)
        matched--;
    for (size_t i = 0; i < tokens->count; i++) {
        struct ncs_workload_step *step;
        if (a.step_of[i] == SIZE_MAX) {
            bool is_tail = next < job->steps && i >= matched, host = is_tail && job->step[next]->kind == NCS_STEP_TEXT;
            choice |= is_tail && !host;
            while (is_tail && (host || behind) && next < job->steps)
                NCS_PUSH(list, count, room, job->step[next++]);
            step = ncs_workload_new_step(job, tokens->token[i].kind, tokens->token[i].key);
            NCS_PUSH(list, count, room, step);
        } else {
            while (next <= a.step_of[i])
                NCS_PUSH(list, count, room, job->step[next++]);
            step = list[count - 1];
        }
        merge_token(step, job, of, class_of, class, i);
    }
    while (next < job->steps)
        NCS_PUSH(list, count, room, job->step[next++]);
    ncs_free(job->step);
    job->step = list;
    job->steps = count;
    job->step_room = room;
    align_free(&a);
    return choice;
}

/* ---- one place, several communicators ---- */

/* True if no rank that makes step `b` makes one of the steps from `a` on: it can make `b` in the place of `a`. */
static bool can_join(const struct ncs_workload *job, size_t a, size_t b)
{
    const struct ncs_workload_call *x = ncs_workload_any_call(job, job->step[a]), *y = ncs_workload_any_call(job, job->step[b]);
    if (job->step[a]->kind != NCS_STEP_CALL || job->step[b]->kind != NCS_STEP_CALL || !x || !y || !x->place ||
        x->place != y->place || x->fn != y->fn || x->dtype < 0)
        return false;
    for (int r = 0; r < job->ranks; r++)
        for (size_t i = a; job->step[b]->of[r] && i < b; i++)
            if (job->step[i]->of[r])
                return false;
    return true;
}

#define JOIN_WITHIN 8 /* steps */

/* Ranks that call at one place at about the same time make one step, although their communicators differ: that one of them
 * takes the wrong communicator must stay visible. */
static void join_places(struct ncs_workload *job)
{
    for (size_t a = 0; a < job->steps; a++)
        for (size_t b = a + 1; b < job->steps && b <= a + JOIN_WITHIN;) {
            if (!can_join(job, a, b)) {
                b++;
                continue;
            }
            for (int r = 0; r < job->ranks; r++)
                if (job->step[b]->of[r])
                    job->step[a]->of[r] = job->step[b]->of[r];
            ncs_workload_free_step(job->step[b]);
            memmove(&job->step[b], &job->step[b + 1], (--job->steps - b) * sizeof *job->step);
        }
}

bool ncs_workload_merge(struct ncs_workload *job, const struct ncs_workload_tokens *of, bool behind)
{
    bool choice = false;
    struct rank_class *class = ncs_new((size_t)job->ranks * sizeof *class);
    int *class_of = ncs_new((size_t)job->ranks * sizeof *class_of);
    size_t classes = find_classes(job, of, class, class_of);
    for (int i; (i = next_class(class, classes)) >= 0; class[i].merged = true)
        choice |= merge_class(job, of, class_of, i, class[i].first, behind);
    join_places(job);
    ncs_free(class_of);
    ncs_free(class);
    return choice;
}
