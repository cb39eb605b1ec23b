#include "reproduce/fold.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define PERIOD_MOST 256   /* steps of a loop's body */
#define EXCEPTIONS_MOST 3 /* of a loop */

struct folding {
    const struct ncs_workload *job;
    char *const *statement;
    struct ncs_folded *out;
    struct ncs_map set_of; /* hash of a set -> its index + 1 */
};

/* ---- sets ---- */

static size_t fold_set(struct folding *f, const struct ncs_workload_step *step)
{
    uint64_t hash = 1;
    int ranks = f->job->ranks;
    for (int r = 0; r < ranks; r++)
        hash = ncs_hash(hash, step->of[r] != NULL);
    size_t known = ncs_map_number(&f->set_of, hash);
    if (known)
        return known - 1;
    bool *set = ncs_new((size_t)ranks * sizeof *set);
    for (int r = 0; r < ranks; r++)
        set[r] = step->of[r] != NULL;
    NCS_PUSH(f->out->set, f->out->sets, f->out->set_room, set);
    ncs_map_put_number(&f->set_of, hash, f->out->sets);
    return f->out->sets - 1;
}

/* ---- equal items ---- */

/* Equal but for the ranks that make them. */
static bool fold_alike(const struct folding *f, const struct ncs_fold *a, const struct ncs_fold *b)
{
    if (a->kind != b->kind || a->items != b->items || a->times != b->times)
        return false;
    if (a->kind != NCS_FOLD_LOOP && strcmp(f->statement[a->step], f->statement[b->step]) != 0)
        return false;
    for (size_t i = 0; i < a->items; i++)
        if (!fold_alike(f, &a->item[i], &b->item[i]) || a->item[i].set != b->item[i].set)
            return false;
    return true;
}

static void fold_free_item(struct ncs_fold *item)
{
    for (size_t i = 0; i < item->items; i++)
        fold_free_item(&item->item[i]);
    ncs_free(item->item);
    ncs_free(item->exception);
}

/* ---- loops ---- */

/* The set that a step of the body has in most of the iterations that are looked at. */
static size_t usual_set(const struct ncs_fold *item, size_t period, size_t times, size_t at)
{
    size_t first = item[at].set, firsts = 0, other = first;
    for (size_t t = 0; t < times; t++) {
        bool same = item[t * period + at].set == first;
        firsts += same;
        other = same ? other : item[t * period + at].set;
    }
    return 2 * firsts >= times ? first : other;
}

static size_t count_exceptions(const struct ncs_fold *item, size_t period, size_t times)
{
    size_t count = 0;
    for (size_t at = 0; at < period && count <= EXCEPTIONS_MOST; at++) {
        size_t usual = usual_set(item, period, times, at);
        for (size_t t = 0; t < times; t++)
            count += item[t * period + at].set != usual;
    }
    return count;
}

/* How often the first `period` items are repeated, themselves included. */
static size_t repetitions(const struct folding *f, const struct ncs_fold *item, size_t items, size_t period)
{
    size_t times = 1;
    while ((times + 1) * period <= items) {
        for (size_t i = 0; i < period; i++)
            if (!fold_alike(f, &item[i], &item[times * period + i]))
                return times;
        times++;
    }
    return times;
}

/* As few iterations as make the exceptions few enough. */
static size_t bounded(const struct ncs_fold *item, size_t period, size_t times)
{
    if (count_exceptions(item, period, times) <= EXCEPTIONS_MOST)
        return times;
    size_t low = 1, high = times;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (count_exceptions(item, period, middle) <= EXCEPTIONS_MOST)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void find_loop(const struct folding *f, const struct ncs_fold *item, size_t items, size_t *period, size_t *times)
{
    size_t saved = 1;
    for (size_t p = 1; p <= PERIOD_MOST && 2 * p <= items; p++) {
        size_t t = repetitions(f, item, items, p);
        t = t > 1 ? bounded(item, p, t) : t;
        if ((t - 1) * p > saved) {
            saved = (t - 1) * p;
            *period = p;
            *times = t;
        }
    }
}

/* Moves the first iteration into the loop; what the others have besides is kept as exceptions. */
static struct ncs_fold make_loop(struct ncs_fold *item, size_t period, size_t times)
{
    struct ncs_fold loop = { .kind = NCS_FOLD_LOOP, .times = times, .items = period };
    loop.item = ncs_new(period * sizeof *loop.item);
    for (size_t at = 0; at < period; at++) {
        struct ncs_fold *body = &loop.item[at];
        size_t usual = usual_set(item, period, times, at), room = 0;
        *body = item[at];
        for (size_t t = 0; t < times; t++) {
            struct ncs_fold_exception e = { t + 1, item[t * period + at].set };
            if (e.set != usual)
                NCS_PUSH(body->exception, body->exceptions, room, e);
            if (t > 0)
                fold_free_item(&item[t * period + at]);
        }
        body->set = usual;
        loop.named |= body->exceptions > 0;
    }
    return loop;
}

static void fold_list(struct folding *f, struct ncs_fold **list, size_t *count)
{
    struct ncs_fold *item = *list, *out = NULL;
    size_t items = *count, outs = 0, room = 0;
    for (size_t i = 0; i < items;) {
        size_t period = 1, times = 1;
        find_loop(f, &item[i], items - i, &period, &times);
        if (times == 1) {
            NCS_PUSH(out, outs, room, item[i]);
            i++;
            continue;
        }
        struct ncs_fold loop = make_loop(&item[i], period, times);
        if (!loop.named)
            fold_list(f, &loop.item, &loop.items);
        NCS_PUSH(out, outs, room, loop);
        i += period * times;
    }
    ncs_free(item);
    *list = out;
    *count = outs;
}

/* ---- groups ---- */

static bool same_ranks(const struct ncs_workload *job, size_t a, size_t b)
{
    for (int r = 0; r < job->ranks; r++)
        if (!job->step[a]->of[r] != !job->step[b]->of[r])
            return false;
    return true;
}

static bool is_part(const struct ncs_workload *job, size_t step, size_t of)
{
    for (int r = 0; r < job->ranks; r++)
        if (job->step[step]->of[r] && !job->step[of]->of[r])
            return false;
    return true;
}

/* A failed call stands in no nccl.group, which would raise its error. */
static bool is_signal(const struct ncs_workload *job, size_t step)
{
    const struct ncs_workload_call *c = ncs_workload_any_call(job, job->step[step]);
    return job->step[step]->kind == NCS_STEP_TEXT && c && c->partner >= 0;
}

/* The end of the group that begins at the step, if every rank that begins it ends it there, and no other rank makes a step in
 * between; 0 = there is none. */
static size_t end_of_group(const struct ncs_workload *job, size_t begin)
{
    for (size_t i = begin + 1; i < job->steps; i++) {
        if (job->step[i]->kind == NCS_STEP_GROUP_END && same_ranks(job, begin, i))
            return i;
        if ((job->step[i]->kind != NCS_STEP_CALL && !is_signal(job, i)) || !is_part(job, i, begin))
            return 0;
    }
    return 0;
}

static struct ncs_fold fold_group(struct folding *f, size_t begin, size_t end)
{
    struct ncs_fold group = { .kind = NCS_FOLD_GROUP, .step = begin, .set = fold_set(f, f->job->step[begin]) };
    size_t room = 0;
    for (size_t i = begin + 1; i < end; i++) {
        struct ncs_fold item = { .kind = NCS_FOLD_STEP, .step = i, .set = fold_set(f, f->job->step[i]) };
        NCS_PUSH(group.item, group.items, room, item);
    }
    return group;
}

void ncs_workload_fold(const struct ncs_workload *job, char *const *statements, struct ncs_folded *out)
{
    struct folding f = { .job = job, .statement = statements, .out = out };
    size_t room = 0;
    *out = (struct ncs_folded){ 0 };
    for (size_t i = 0; i < job->steps; i++) {
        size_t end = job->step[i]->kind == NCS_STEP_GROUP ? end_of_group(job, i) : 0;
        struct ncs_fold item = { .kind = NCS_FOLD_STEP, .step = i, .set = fold_set(&f, job->step[i]) };
        if (end)
            item = fold_group(&f, i, end);
        i = end ? end : i;
        NCS_PUSH(out->item, out->items, room, item);
    }
    fold_list(&f, &out->item, &out->items);
    ncs_map_free(&f.set_of);
}

void ncs_folded_free(struct ncs_folded *f)
{
    for (size_t i = 0; i < f->items; i++)
        fold_free_item(&f->item[i]);
    ncs_free(f->item);
    NCS_FREE_ALL(f->set, f->sets);
}
