/* Leaves out parts of a workload: halves first, then smaller and smaller pieces, as delta debugging does (Zeller and
 * Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). */
#include "reproduce/shrink.h"

#include <string.h>

#include "base/mem.h"

struct shrinking {
    const struct ncs_shrink *how;
    struct ncs_workload *smallest;
    int *rank; /* by rank of the smallest: its number at first */
    size_t trials;
    bool stopped;
};

/* The old numbers of the ranks that are kept; the caller frees the list. */
static int *numbers_of(const struct shrinking *s, const bool *ranks)
{
    int *number = ncs_new((size_t)s->smallest->ranks * sizeof *number), count = 0;
    for (int r = 0; r < s->smallest->ranks; r++)
        if (ranks[r])
            number[count++] = s->rank[r];
    return number;
}

/* Takes the candidate over if it keeps what counts. */
static bool try_workload(struct shrinking *s, struct ncs_workload *candidate, int *number)
{
    bool keeps = candidate->steps > 0 && candidate->ranks > 0 && s->how->keeps(s->how->arg, candidate, number);
    s->trials++;
    if (keeps) {
        ncs_workload_free(s->smallest);
        *s->smallest = *candidate;
        ncs_free(s->rank);
        s->rank = number;
    } else {
        ncs_workload_free(candidate);
        ncs_free(number);
    }
    s->stopped = s->how->goes_on && !s->how->goes_on(s->how->arg, s->smallest, s->trials);
    return keeps;
}

/* Tries the workload without the ranks, or without the steps, from .. from + count - 1. */
static bool try_without(struct shrinking *s, bool of_ranks, size_t from, size_t count)
{
    struct ncs_workload candidate;
    bool *ranks = ncs_workload_all((size_t)s->smallest->ranks), *steps = ncs_workload_all(s->smallest->steps);
    memset((of_ranks ? ranks : steps) + from, false, count);
    ncs_workload_subset(s->smallest, ranks, steps, &candidate);
    int *number = numbers_of(s, ranks);
    ncs_free(ranks);
    ncs_free(steps);
    return try_workload(s, &candidate, number);
}

static size_t parts_of(const struct shrinking *s, bool of_ranks)
{
    return of_ranks ? (size_t)s->smallest->ranks : s->smallest->steps;
}

/* From the end on: what comes last depends on what comes before. True if anything was left out. */
static bool shrink_parts(struct shrinking *s, bool of_ranks)
{
    bool any = false;
    for (size_t piece = parts_of(s, of_ranks) / 2 ? parts_of(s, of_ranks) / 2 : 1;; piece = piece / 2) {
        for (size_t end = parts_of(s, of_ranks); end > 0 && !s->stopped;) {
            size_t count = piece < end ? piece : end, before = parts_of(s, of_ranks);
            bool left_out = count < before && try_without(s, of_ranks, end - count, count);
            any |= left_out;
            end -= count;
            if (end > parts_of(s, of_ranks))
                end = parts_of(s, of_ranks);
        }
        if (piece <= 1 || s->stopped)
            return any;
    }
}

static void shrink_counts(struct shrinking *s)
{
    struct ncs_workload candidate;
    bool *ranks = ncs_workload_all((size_t)s->smallest->ranks);
    ncs_workload_least_counts(s->smallest, &candidate);
    try_workload(s, &candidate, numbers_of(s, ranks));
    ncs_free(ranks);
}

bool ncs_workload_shrink(struct ncs_workload *workload, const struct ncs_shrink *how)
{
    struct shrinking s = { .how = how, .smallest = workload };
    s.rank = ncs_new((size_t)workload->ranks * sizeof *s.rank);
    for (int r = 0; r < workload->ranks; r++)
        s.rank[r] = r;
    size_t half = (size_t)workload->ranks / 2;
    bool stands = (half > 0 && try_without(&s, true, (size_t)workload->ranks - half, half)) || how->stands(how->arg, workload);
    bool any = stands;
    while (any && !s.stopped) {
        any = shrink_parts(&s, true);
        any = !s.stopped && shrink_parts(&s, false) && !s.stopped;
    }
    if (stands && !s.stopped)
        shrink_counts(&s);
    ncs_free(s.rank);
    return stands;
}

static bool is_statement(const struct ncs_workload_step *step)
{
    return step->kind == NCS_STEP_CALL || step->kind == NCS_STEP_TEXT;
}

size_t ncs_workload_statements(const struct ncs_workload *workload)
{
    size_t statements = 0;
    for (size_t i = 0; i < workload->steps; i++)
        statements += is_statement(workload->step[i]);
    return statements;
}
