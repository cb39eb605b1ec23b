/* Evidence from data, for calls that look alike. Most ranks contribute equal values to each call, or values that differ
 * by a constant of the rank (a sum or a factor). If the minority does so only with its calls shifted or exchanged,
 * they were left out, made in excess or exchanged there. */
#include "diagnose/analysis.h"

#include <math.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

/* Bounds of time as in call_sites.c. AT_START: calls that have to support a shift which begins at the first call. */
enum { SAMPLES = 9, MOST_MINORITY = 64, FAR = 8, AT_START = 3 };

enum how { SAME, OFFSET, FACTOR, HOWS };

struct relation { /* of one rank's inputs to another's */
    enum how how;
    double by;
};

enum answer { UNKNOWN, YES, NO };

static bool values_is_near(int dtype, double a, double b)
{
    size_t bytes = ncs_dtype_bytes(dtype); /* wider types can afford more slack for accumulated rounding */
    double slack = bytes > 1 ? (double)(bytes * bytes) * ncs_dtype_unit(dtype) : 0;
    double most = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return bytes && fabs(a - b) <= slack * most;
}

static enum answer values_agree(const struct relation *r, const struct ncs_call *a, const struct ncs_call *b)
{
    if (!a || !b || !a->input || !b->input)
        return UNKNOWN;
    if (r->how == SAME)
        return a->input == b->input ? YES : NO;
    if (r->how == FACTOR && (a->value == 0 || b->value == 0))
        return a->value == b->value ? UNKNOWN : NO;
    double want = r->how == OFFSET ? b->value + r->by : b->value * r->by;
    return values_is_near(ncs_call_dtype(a), a->value, want) ? YES : NO;
}

static struct relation relate(enum how how, const struct ncs_call *a, const struct ncs_call *b)
{
    struct relation r = { how, how == OFFSET ? a->value - b->value : 1 };
    if (how == FACTOR && b->value != 0)
        r.by = a->value / b->value;
    return r;
}

static const struct ncs_call *values_at(const struct ncs_sequence *s, size_t i)
{
    return i < s->held ? s->call[i] : NULL;
}

/* ---- calls without a shift ---- */

/* Finds the relation that holds for each pair of calls of the two ranks. False = there is none, or too few inputs are
 * known: any two values have some difference, so OFFSET and FACTOR need two pairs. */
static bool find_relation(enum how how, const struct ncs_sequence *a, const struct ncs_sequence *b,
                          struct relation *r)
{
    size_t known = 0;
    for (size_t i = 0; i < a->held && i < b->held; i++) {
        const struct ncs_call *x = a->call[i], *y = b->call[i];
        if (!known && x->input && y->input && (how != FACTOR || (x->value != 0 && y->value != 0)))
            *r = relate(how, x, y);
        enum answer is = known || (x->input && y->input) ? values_agree(r, x, y) : UNKNOWN;
        if (is == NO)
            return false;
        known += is == YES;
    }
    return known > (how != SAME);
}

/* A rank of the list with which most ranks of the list agree; -1 = none. */
static int values_find_model(const struct ncs_ranks_of_comm *c, enum how how, const int *rank, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t others = 0;
        for (size_t k = 0; k < count; k++) {
            struct relation r = { how, 0 };
            others += k != i && find_relation(how, &c->seq[rank[i]], &c->seq[rank[k]], &r);
        }
        if (2 * (others + 1) > count)
            return rank[i];
    }
    return -1;
}

/* ---- calls left out or made in excess ---- */

struct span { /* any of the calls from `first` to `where` may be the one */
    size_t first, where;
    bool from_start; /* no known call before them confirms the relation */
};

struct two { /* one made `shift` calls that the other did not, no later than at `last` */
    const struct ncs_sequence *few, *many;
    uint32_t shift;
    size_t last;
};

/* True if a shift explains the difference: all calls before some place agree as they are, all calls from there on agree
 * shifted, and at least `enough` of these would not agree without the shift. */
static bool fits_shift(const struct two *t, const struct relation *r, size_t enough, struct span *out)
{
    size_t from = t->few->held, i = 0, before = 0, behind = 0;
    if (t->many->held - t->shift < from)
        from = t->many->held - t->shift;
    size_t end = from;
    for (enum answer is;
         i < t->few->held && (is = values_agree(r, values_at(t->few, i), values_at(t->many, i))) != NO; i++)
        before += is == YES;
    if (i == t->few->held || i > t->last)
        return false;
    while (from > 0 && values_agree(r, values_at(t->few, from - 1), values_at(t->many, from - 1 + t->shift)) != NO &&
           t->few->mark[from - 1] == t->many->mark[from - 1 + t->shift])
        from--;
    for (size_t k = i; k < end; k++)
        behind += values_agree(r, values_at(t->few, k), values_at(t->many, k + t->shift)) == YES &&
                  values_agree(r, values_at(t->few, k), values_at(t->many, k)) == NO;
    *out = (struct span){ from, i, before == 0 };
    /* First inputs may differ between ranks for good reasons, and results become later inputs: a shift from the start
     * needs more support. */
    return from <= i && behind >= (before ? enough : AT_START);
}

/* Tries the relations of the first calls, then of the last ones, until one lets a shift
 * explain the rest. */
static bool values_find_shift(const struct two *t, enum how how, size_t enough, struct span *out)
{
    size_t end = t->many->held - t->shift < t->few->held ? t->many->held - t->shift : t->few->held;
    struct relation r = { how, 1 };
    for (size_t i = 0; i < end; i++)
        if (t->few->call[i]->input && t->many->call[i]->input) {
            r = relate(how, t->few->call[i], t->many->call[i]);
            break;
        }
    if (fits_shift(t, &r, enough, out))
        return true;
    for (size_t i = end; i-- > 0 && how != SAME;)
        if (t->few->call[i]->input && t->many->call[i + t->shift]->input) {
            r = relate(how, t->few->call[i], t->many->call[i + t->shift]);
            return fits_shift(t, &r, enough, out);
        }
    return false;
}

static struct two sides_of(const struct ncs_ranks_of_comm *c, const struct ncs_sides *s, int minority, int model)
{
    const struct ncs_sequence *o = &c->seq[minority], *m = &c->seq[model];
    return (struct two){ s->extra ? m : o, s->extra ? o : m, s->shift, s->last };
}

/* True if one shift at one place explains all ranks of the minority. */
static bool values_locate(const struct ncs_ranks_of_comm *c, const struct ncs_sides *s, enum how how, int model,
                          struct span *out)
{
    size_t enough = how == SAME ? 1 : s->others > 1 ? 2 : 3;
    for (size_t i = 0; i < s->minority_size && i < MOST_MINORITY; i++) {
        struct two t = sides_of(c, s, s->minority[i], model);
        struct span one;
        if (t.many->held <= t.shift || !values_find_shift(&t, how, enough, &one) ||
            (i && one.where != out->where))
            return false;
        if (i && one.first < out->first)
            one.first = out->first;
        one.from_start |= i && out->from_start;
        *out = one;
    }
    return s->minority_size > 0;
}

/* True if a rank of the minority agrees with the model without any shift. */
static bool is_even_so(const struct ncs_ranks_of_comm *c, const struct ncs_sides *s, enum how how, int model)
{
    for (size_t i = 0; i < s->minority_size && i < MOST_MINORITY; i++) {
        struct relation r = { how, 0 };
        if (find_relation(how, &c->seq[s->minority[i]], &c->seq[model], &r))
            return true;
    }
    return false;
}

/* Tries all relations. Two of them that find different places leave the place unknown; equal values (SAME) are the
 * strongest evidence and win, unless the shift begins at the first call. */
static bool locate_by_inputs(const struct ncs_ranks_of_comm *c, const struct ncs_sides *s, int *model,
                             struct span *out)
{
    size_t samples = s->others < SAMPLES ? s->others : SAMPLES;
    bool found = false;
    for (enum how how = SAME; how < HOWS; how++) {
        int m = values_find_model(c, how, s->other, samples);
        struct span one;
        if (m < 0)
            continue;
        if (is_even_so(c, s, how, m))
            return false;
        if (!values_locate(c, s, how, m, &one))
            continue;
        if (found && (one.where != out->where || one.first != out->first))
            return false;
        *out = one;
        *model = m;
        found = true;
        if (how == SAME && !one.from_start)
            return true;
    }
    return found;
}

static void fill_shift(const struct ncs_ranks_of_comm *c, const struct ncs_sides *s, int model,
                       const struct span *span, enum ncs_evidence evidence, struct ncs_call_divergence *out)
{
    const struct ncs_sequence *m = &c->seq[model];
    *out = (struct ncs_call_divergence){ .how = s->extra ? NCS_DIVERGENCE_EXTRA : NCS_DIVERGENCE_SKIPPED,
                                 .at = (uint32_t)span->where, .number = m->call[span->where]->number,
                                 .shift = s->shift, .model = model, .evidence = evidence };
    if (span->first < span->where)
        out->earliest = m->call[span->first]->number;
    out->minority_size = s->minority_size;
    out->minority = ncs_new(s->minority_size * sizeof *out->minority);
    memcpy(out->minority, s->minority, s->minority_size * sizeof *out->minority);
}

/* Finds the one place, or the row of adjacent places, at which a shift explains the most failed results. */
static bool locate_by_results(const struct ncs_ranks_of_comm *c, const struct ncs_sides *s,
                              struct ncs_results *results, struct span *out)
{
    const struct ncs_sequence *m = &c->seq[s->other[0]];
    int most = NCS_ENOUGH_RESULTS;
    bool alike = false, apart = false;
    for (size_t i = 0; results && i <= s->last && i < m->held; i++) {
        struct span here = { i, i, false };
        struct ncs_call_divergence p;
        fill_shift(c, s, s->other[0], &here, NCS_EVIDENCE_RESULT, &p);
        int fits = ncs_try_divergence(results, &p);
        ncs_free(p.minority);
        if (fits < most)
            continue;
        apart = fits == most && alike && (apart || out->where + 1 != i);
        if (fits > most || !alike)
            *out = here;
        out->where = i;
        alike = true;
        most = fits;
    }
    return alike && !apart;
}

bool ncs_trace_shift(const struct ncs_analysis *q, int comm, const struct ncs_sides *s,
                     struct ncs_call_divergence *out)
{
    const struct ncs_ranks_of_comm *c = &q->comm[comm];
    struct ncs_results *results = ncs_results_open(q, comm);
    struct span span = { 0 };
    int model = s->others ? s->other[0] : -1;
    bool found = model >= 0 && locate_by_inputs(c, s, &model, &span);
    if (found)
        fill_shift(c, s, model, &span, NCS_EVIDENCE_INPUT, out);
    if (found && results && ncs_try_divergence(results, out) < 0) {
        ncs_free(out->minority);
        *out = (struct ncs_call_divergence){ 0 };
        found = false;
    }
    if (!found && model >= 0 && locate_by_results(c, s, results, &span)) {
        fill_shift(c, s, s->other[0], &span, NCS_EVIDENCE_RESULT, out);
        found = true;
    }
    ncs_results_close(results);
    return found;
}

/* ---- calls exchanged ---- */

/* True if the two ranks differ only in pairs of calls, all *far apart, that have changed places. *where is the first
 * call of the first pair. */
static bool values_find_swaps(const struct ncs_sequence *a, const struct ncs_sequence *b,
                              const struct relation *r, size_t *where, uint32_t *far)
{
    bool *done = ncs_new((a->held + 1) * sizeof *done), fits = true;
    *far = 0;
    for (size_t i = 0; i < a->held && fits; i++) {
        if (done[i] || values_agree(r, a->call[i], b->call[i]) != NO)
            continue;
        size_t k = i + 1, end = i + FAR < a->held ? i + FAR + 1 : a->held;
        while (k < end && (done[k] || values_agree(r, a->call[i], b->call[k]) != YES ||
                           values_agree(r, a->call[k], b->call[i]) != YES))
            k++;
        fits = k < end && (!*far || k - i == *far) && !a->call[i]->label;
        if (!fits)
            break;
        if (!*far)
            *where = i;
        *far = (uint32_t)(k - i);
        done[k] = true;
    }
    ncs_free(done);
    return fits && *far;
}

static bool values_find_exchange(enum how how, const struct ncs_sequence *a, const struct ncs_sequence *b,
                                 size_t *where, uint32_t *far)
{
    for (size_t k = 0; k <= FAR && k < b->held; k++) {
        if (!a->call[0]->input || !b->call[k]->input)
            continue;
        struct relation r = relate(how, a->call[0], b->call[k]);
        if (values_find_swaps(a, b, &r, where, far))
            return true;
        if (how == SAME)
            return false;
    }
    return false;
}

/* By inputs alone. */
static bool exchange_by_inputs(const struct ncs_ranks_of_comm *c, int nranks, enum how how,
                               struct ncs_call_divergence *p)
{
    int *rank = ncs_new((size_t)nranks * sizeof *rank), *minority = ncs_new((size_t)nranks * sizeof *minority);
    size_t minority_size = 0, first = 0, where = 0;
    uint32_t shift = 0, far = 0;
    for (int i = 0; i < nranks; i++)
        rank[i] = i;
    int model = values_find_model(c, how, rank, (size_t)nranks);
    bool tied = model < 0 && nranks == 2 && how == SAME, fits = model >= 0 || tied;
    model = tied ? 0 : model;
    for (int i = 0; i < nranks && fits; i++) {
        struct relation r = { how, 0 };
        if (i == model || find_relation(how, &c->seq[i], &c->seq[model], &r))
            continue;
        fits = values_find_exchange(how, &c->seq[i], &c->seq[model], &where, &far) &&
               (!minority_size || (where == first && far == shift));
        minority[minority_size++] = i;
        first = where;
        shift = far;
    }
    ncs_free(rank);
    struct ncs_call_divergence found = { .at = (uint32_t)first, .shift = shift, .evidence = NCS_EVIDENCE_INPUT, .tied = tied,
                                 .model = model, .minority = minority, .minority_size = minority_size };
    return ncs_make_exchange(fits && minority_size ? &c->seq[model] : NULL, &found, p);
}

bool ncs_trace_exchange(const struct ncs_analysis *q, int comm, struct ncs_call_divergence *out)
{
    const struct ncs_ranks_of_comm *c = &q->comm[comm];
    int nranks = q->journal->comm[comm]->nranks;
    for (int i = 1; i < nranks; i++)
        if (c->seq[i].held != c->seq[0].held)
            return false;
    struct ncs_results *results = ncs_results_open(q, comm);
    bool found = results && ncs_search_divergences(results, out);
    for (enum how how = SAME; how < HOWS && !found; how++) {
        if (!exchange_by_inputs(c, nranks, how, out))
            continue;
        found = results ? ncs_try_divergence(results, out) > 0 : how == SAME;
        if (!found) {
            ncs_free(out->minority);
            *out = (struct ncs_call_divergence){ 0 };
        }
    }
    ncs_results_close(results);
    return found;
}
