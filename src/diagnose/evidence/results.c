/* Explains failed expectations by the inputs of the ranks: finds calls that would give the expected results if they had
 * met other calls. Values are computed as double, and only if the input is one value or each element is equal. */
#include "diagnose/analysis.h"

#include <math.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

enum {
    FAR = 8,         /* the greatest distance of two exchanged calls */
    FAILED = 64,     /* witnesses until no more failed ones are added */
    WITNESSES = 96,  /* the same for those that held */
    BACK = 64,       /* calls that are searched for the one that wrote an address */
    ALL_RANKS = 256, /* ranks up to which a minimum, maximum or product is computed */
    ASKED = 4,       /* ranks of each side that are tried for a witness: the others have the same calls */
};

struct witness { /* ranks that expected the same of the same call */
    size_t at;       /* position of the call */
    size_t element;  /* of its output */
    bool held;       /* the result was as expected */
    double got, want;
    int *rank;       /* of the communicator */
    size_t ranks, room;
    bool *is;        /* by rank of the communicator */
};

struct total { /* of what all ranks put into the calls at a position */
    bool known, uniform;
    double sum, most; /* most: sum of the absolute values, the scale of rounding errors */
    int missing;      /* ranks whose input is not known */
};

struct ncs_results {
    const struct ncs_ranks_of_comm *c;
    int nranks;
    struct witness *witness;
    size_t witnesses, room;
    struct total *total; /* by position */
    size_t totals;
};

/* Calls of some ranks that belong to other positions. */
struct guess {
    enum ncs_divergence_how how;
    size_t at, far;
    const int *minority; /* of the communicator, ascending */
    size_t minority_size;
};

static const size_t nowhere = SIZE_MAX;

/* ---- where a call of the minority belongs ---- */

/* The position at which call i of the minority belongs; nowhere = it was made in excess. */
static size_t moved(enum ncs_divergence_how how, size_t at, size_t far, size_t i)
{
    switch (how) {
    case NCS_DIVERGENCE_SWAPPED: return i == at ? at + far : i == at + far ? at : i;
    case NCS_DIVERGENCE_SKIPPED: return i < at ? i : i + far;
    case NCS_DIVERGENCE_EXTRA: return i < at ? i : i < at + far ? nowhere : i - far;
    default: return i;
    }
}

/* The inverse of moved: which call of the minority belongs at position i. */
static size_t moved_back(const struct guess *g, size_t i)
{
    enum ncs_divergence_how back = g->how == NCS_DIVERGENCE_SKIPPED ? NCS_DIVERGENCE_EXTRA
                                : g->how == NCS_DIVERGENCE_EXTRA ? NCS_DIVERGENCE_SKIPPED : g->how;
    return moved(back, g->at, g->far, i);
}

static bool results_is_minority(const struct guess *g, int rank)
{
    size_t low = 0, high = g ? g->minority_size : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->minority[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return g && low < g->minority_size && g->minority[low] == rank;
}

/* ---- the results that a guess gives ---- */

static const struct ncs_call *call_at(const struct ncs_results *all, int rank, size_t at)
{
    const struct ncs_sequence *s = &all->c->seq[rank];
    return at < s->held ? s->call[at] : NULL;
}

/* The input of the rank at an element; false = not known. */
static bool input_at(const struct ncs_results *all, const struct guess *g, int rank, size_t at,
                     size_t element, double *value)
{
    const struct ncs_call *c = call_at(all, rank, results_is_minority(g, rank) ? moved_back(g, at) : at);
    if (!c || !c->input || (element && !c->uniform))
        return false;
    *value = c->value;
    return true;
}

/* Computed once for each position: a guess changes the inputs of few ranks only. */
static const struct total *total_at(struct ncs_results *all, size_t at)
{
    struct total *t = &all->total[at];
    if (t->known)
        return t;
    *t = (struct total){ .known = true, .uniform = true };
    for (int i = 0; i < all->nranks; i++) {
        const struct ncs_call *c = call_at(all, i, at);
        if (!c || !c->input) {
            t->missing++;
            continue;
        }
        t->uniform &= c->uniform;
        t->sum += c->value;
        t->most += fabs(c->value);
    }
    return t;
}

static bool sum_at(struct ncs_results *all, const struct guess *g, size_t at, size_t element,
                   double *sum)
{
    const struct total *t = total_at(all, at);
    int missing = t->missing;
    if (element && !t->uniform)
        return false;
    *sum = t->sum;
    for (size_t i = 0; g && i < g->minority_size; i++) {
        const struct ncs_call *own = call_at(all, g->minority[i], at);
        double now;
        if (!input_at(all, g, g->minority[i], at, element, &now))
            return false;
        if (own && own->input)
            *sum -= own->value;
        else
            missing--;
        *sum += now;
    }
    return missing == 0;
}

static double combine(int op, double a, double b)
{
    return op == ncclProd ? a * b : op == ncclMin ? fmin(a, b) : fmax(a, b);
}

static bool reduced_at(struct ncs_results *all, const struct guess *g, const struct ncs_call *call,
                       size_t at, size_t element, double *value)
{
    int op = ncs_call_op(call), dtype = ncs_call_dtype(call);
    bool whole = dtype <= ncclUint64;
    if (call->redop || (op == ncclAvg && whole))
        return false;
    if (op == ncclSum || op == ncclAvg) {
        if (!sum_at(all, g, at, element, value))
            return false;
        *value /= op == ncclAvg ? all->nranks : 1;
        return true;
    }
    if (op > ncclAvg || all->nranks > ALL_RANKS || !input_at(all, g, 0, at, element, value))
        return false;
    for (int i = 1; i < all->nranks; i++) {
        double next;
        if (!input_at(all, g, i, at, element, &next))
            return false;
        *value = combine(op, *value, next);
    }
    return true;
}

/* The output that the rank would have at an element, for the calls at a position. */
static bool output_at(struct ncs_results *all, const struct guess *g, int rank, size_t at,
                      size_t element, double *value)
{
    const struct ncs_call *call = call_at(all, rank, at);
    size_t count = call ? ncs_call_count(call) : 0;
    if (!count || at >= all->totals)
        return false;
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    if (!ncs_call_is_collective(call) || info->composed)
        return false;
    if (info->reduces)
        return reduced_at(all, g, call, at, (info->reads == NCS_BLOCKS_ALL ? (size_t)rank * count : 0) + element,
                          value);
    if (info->writes == NCS_BLOCKS_ALL)
        return element / count < (size_t)all->nranks &&
               input_at(all, g, (int)(element / count), at, element % count, value);
    return ncs_call_root(call) >= 0 && ncs_call_root(call) < all->nranks &&
           input_at(all, g, ncs_call_root(call), at, element, value);
}

static bool results_is_near(const struct ncs_results *all, int dtype, double a, double b, double most)
{
    return fabs(a - b) <= ncs_dtype_unit(dtype) * (all->nranks + 1) * (fabs(a) + fabs(b) + most);
}

/* ---- what was not as expected ---- */

static const struct ncs_notice *doubt_of(const struct ncs_analysis *q)
{
    for (size_t i = 0; i < q->notices; i++)
        if (q->notice[i].kind == NCS_NOTICE_DOUBT && q->notice[i].compareds)
            return &q->notice[i];
    return NULL;
}

static size_t output_elements(const struct ncs_call *c, int nranks)
{
    return ncs_call_count(c) * ncs_call_writes(c, nranks);
}

/* The rank's last call before the comparison that wrote to its address; nowhere = none of the last BACK calls did, or
 * the data type differs. Calls are in order of id, so the first step is a binary search. */
static size_t results_writer_of(const struct ncs_sequence *s, int nranks, const struct ncs_compared *u,
                                size_t *element)
{
    size_t low = 0, high = s->held;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->call[middle]->id <= u->order)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i-- > 0 && low - i <= BACK;) {
        uintptr_t base = (uintptr_t)ncs_call_recvbuff(s->call[i]);
        size_t bytes = ncs_dtype_bytes(ncs_call_dtype(s->call[i]));
        uintptr_t off = (uintptr_t)u->address - base;
        if (!base || !bytes || off / bytes >= output_elements(s->call[i], nranks))
            continue;
        *element = off / bytes;
        return off % bytes == 0 && ncs_call_dtype(s->call[i]) == u->dtype ? i : nowhere;
    }
    return nowhere;
}

static void add_witness(struct ncs_results *all, int rank, size_t at, size_t element,
                        const struct ncs_compared *u)
{
    size_t i = 0;
    while (i < all->witnesses &&
           (all->witness[i].at != at || all->witness[i].element != element ||
            all->witness[i].want != u->want || all->witness[i].got != u->got))
        i++;
    if (i == all->witnesses) {
        if (i >= (size_t)(u->held ? WITNESSES : FAILED))
            return;
        struct witness fresh = { .at = at, .element = element, .held = u->held, .got = u->got, .want = u->want };
        fresh.is = ncs_new((size_t)all->nranks * sizeof *fresh.is);
        NCS_PUSH(all->witness, all->witnesses, all->room, fresh);
    }
    struct witness *w = &all->witness[i];
    if (w->is[rank])
        return;
    w->is[rank] = true;
    NCS_PUSH(w->rank, w->ranks, w->room, rank);
}

/* True if the call is close enough to one with a failed result to be exchanged with it. */
static bool is_near_failed(const struct ncs_results *all, size_t at)
{
    for (size_t i = 0; i < all->witnesses; i++)
        if (!all->witness[i].held && at + FAR >= all->witness[i].at && at <= all->witness[i].at + FAR)
            return true;
    return false;
}

/* Adds a comparison as a witness, if the value that was read is the result of the call by its inputs. Otherwise
 * something else has changed the value later, and the comparison says nothing about the call. */
static void read_unexpected(struct ncs_results *all, int rank, const struct ncs_compared *u)
{
    size_t element = 0, at = results_writer_of(&all->c->seq[rank], all->nranks, u, &element);
    double value;
    if (at == nowhere || !output_at(all, NULL, rank, at, element, &value))
        return;
    double most = all->total[at].known ? all->total[at].most : 0;
    if (u->held && !is_near_failed(all, at))
        return;
    if (results_is_near(all, u->dtype, value, u->got, most) &&
        (u->held || !results_is_near(all, u->dtype, u->got, u->want, most)))
        add_witness(all, rank, at, element, u);
}

struct ncs_results *ncs_results_open(const struct ncs_analysis *q, int comm)
{
    const struct ncs_notice *doubt = doubt_of(q);
    const struct ncs_comm_info *info = q->journal->comm[comm];
    if (!doubt)
        return NULL;
    struct ncs_results *all = ncs_new(sizeof *all);
    all->c = &q->comm[comm];
    all->nranks = info->nranks;
    for (int i = 0; i < info->nranks; i++)
        if (all->c->seq[i].held > all->totals)
            all->totals = all->c->seq[i].held;
    all->total = ncs_new((all->totals + 1) * sizeof *all->total);
    int *of_run = ncs_new((size_t)(q->ranks + 1) * sizeof *of_run); /* from 1; 0 = not in it */
    for (int i = 0; i < info->nranks; i++) {
        int rank = ncs_run_rank(q, comm, i);
        if (rank >= 0 && rank < q->ranks)
            of_run[rank] = i + 1;
    }
    for (size_t i = 0; i < doubt->compareds; i++) {
        const struct ncs_compared *u = &doubt->compared[i];
        if (u->rank >= 0 && u->rank < q->ranks && of_run[u->rank])
            read_unexpected(all, of_run[u->rank] - 1, u);
    }
    ncs_free(of_run);
    if (all->witnesses)
        return all;
    ncs_results_close(all);
    return NULL;
}

void ncs_results_close(struct ncs_results *all)
{
    for (size_t i = 0; all && i < all->witnesses; i++) {
        ncs_free(all->witness[i].rank);
        ncs_free(all->witness[i].is);
    }
    if (!all)
        return;
    ncs_free(all->witness);
    ncs_free(all->total);
    ncs_free(all);
}

/* ---- trying ---- */

enum trial { UNTESTED, FITS, FAILS };

static enum trial ask(struct ncs_results *all, const struct guess *g, const struct witness *w, int rank)
{
    size_t at = results_is_minority(g, rank) ? moved(g->how, g->at, g->far, w->at) : w->at;
    double value;
    if (at == nowhere || !output_at(all, g, rank, at, w->element, &value))
        return UNTESTED;
    const struct ncs_call *call = call_at(all, rank, at);
    return results_is_near(all, ncs_call_dtype(call), value, w->want,
                           all->total[at].known ? all->total[at].most : 0) ? FITS : FAILS;
}

/* The number of failed witnesses that the guess explains; -1 = it contradicts a witness, also one that held. */
static int try_guess(struct ncs_results *all, const struct guess *g)
{
    int fits = 0;
    for (size_t i = 0; i < all->witnesses; i++) {
        const struct witness *w = &all->witness[i];
        size_t asked[2] = { 0 };
        bool fitted = false;
        for (size_t k = 0; k < w->ranks && asked[0] < ASKED; k++) {
            if (asked[results_is_minority(g, w->rank[k])]++ >= ASKED)
                continue;
            enum trial t = ask(all, g, w, w->rank[k]);
            if (t == FAILS)
                return -1;
            fitted |= t == FITS && !w->held;
        }
        fits += fitted;
        for (size_t k = 0; k < g->minority_size && k < ASKED; k++)
            if (w->is[g->minority[k]] && ask(all, g, w, g->minority[k]) == FAILS)
                return -1;
    }
    return fits;
}

int ncs_try_divergence(struct ncs_results *all, const struct ncs_call_divergence *p)
{
    struct guess g = { p->how, p->at, p->shift, p->minority, p->minority_size };
    if (!p->tied)
        return try_guess(all, &g);
    g.minority_size = 1; /* with two ranks an exchange on either gives the same results */
    return try_guess(all, &g);
}

/* ---- searching ---- */

struct best {
    struct guess g, other; /* other: the last guess that is as good */
    int rank, second;      /* the ranks whose calls g and other move */
    int fits;
    size_t alike;          /* guesses that explain as many results */
};

static void results_try_one(struct ncs_results *all, enum ncs_divergence_how how, size_t at, size_t far, int rank,
                            struct best *b)
{
    struct guess g = { how, at, far, &rank, 1 };
    if (at + far >= all->c->seq[rank].held)
        return;
    int fits = try_guess(all, &g);
    if (fits < NCS_ENOUGH_RESULTS || fits < b->fits)
        return;
    if (fits > b->fits) {
        g.minority = NULL;
        *b = (struct best){ .g = g, .rank = rank, .second = -1, .fits = fits, .alike = 1 };
        return;
    }
    g.minority = NULL;
    b->other = g;
    b->second = rank;
    b->alike++;
}

static uint32_t other_of(const struct ncs_sequence *s, const struct guess *g)
{
    return g->how == NCS_DIVERGENCE_SWAPPED ? s->call[g->at + g->far]->number : 0;
}

/* Two guesses explain as much. The same exchange on either of two ranks is a tie; else the second is an alternative. */
static void fill_second(const struct ncs_results *all, const struct best *b, struct ncs_call_divergence *out)
{
    const struct guess *x = &b->g, *y = &b->other;
    const struct ncs_sequence *m = &all->c->seq[out->model];
    out->tied = all->nranks == 2 && x->how == NCS_DIVERGENCE_SWAPPED && y->how == x->how &&
                x->at == y->at && x->far == y->far;
    if (!out->tied)
        out->alternative = (struct ncs_divergence_alternative){ y->how, b->second, m->call[y->at]->number, other_of(m, y),
                                         (uint32_t)y->far };
    if (b->second == b->rank)
        return;
    out->minority[1] = b->second; /* ranks are tried in ascending order */
    out->minority_size = 2;
    out->model = b->rank;
}

static void results_fill(const struct ncs_results *all, const struct best *b, struct ncs_call_divergence *out)
{
    int model = b->rank == 0;
    const struct ncs_sequence *m = &all->c->seq[model];
    *out = (struct ncs_call_divergence){ .how = b->g.how, .at = (uint32_t)b->g.at, .shift = (uint32_t)b->g.far,
                                 .number = m->call[b->g.at]->number, .model = model,
                                 .other = other_of(m, &b->g), .evidence = NCS_EVIDENCE_RESULT, .minority_size = 1 };
    out->minority = ncs_new(2 * sizeof *out->minority);
    out->minority[0] = b->rank;
    if (b->alike > 1)
        fill_second(all, b, out);
}

bool ncs_search_divergences(struct ncs_results *all, struct ncs_call_divergence *out)
{
    size_t first = all->witness[0].at; /* witness 0 failed, but a later one may have an earlier position */
    struct best best = { .fits = 0 };
    for (size_t i = 1; i < all->witnesses; i++)
        if (!all->witness[i].held && all->witness[i].at < first)
            first = all->witness[i].at;
    for (int r = 0; r < all->nranks; r++) {
        for (size_t far = 1; far <= FAR; far++) {
            results_try_one(all, NCS_DIVERGENCE_SWAPPED, first, far, r, &best);
            if (far <= first)
                results_try_one(all, NCS_DIVERGENCE_SWAPPED, first - far, far, r, &best);
        }
        for (size_t back = 0; back <= FAR && back <= first; back++) {
            results_try_one(all, NCS_DIVERGENCE_SKIPPED, first - back, 1, r, &best);
            results_try_one(all, NCS_DIVERGENCE_EXTRA, first - back, 1, r, &best);
        }
    }
    if (!best.fits || best.alike > 2)
        return false;
    results_fill(all, &best, out);
    return true;
}
