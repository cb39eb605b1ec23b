/* Evidence that distinguishes calls of equal signature and label (diagnose/README.md, rule 8): the lines of the script that
 * make them. They also differ between ranks for good reasons. */
#include "diagnose/analysis.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Bounds of time: ranks of the majority and of the minority that are compared, the distance of two exchanged calls, and
 * the calls of all ranks together where every call is compared. */
enum { SAMPLES = 9, MOST_MINORITY = 64, FAR = 8, MOST_CALLS = 1 << 20 };

/* ---- comparing ---- */

static uint64_t call_sites_line(const struct ncs_sequence *s, size_t i)
{
    struct ncs_place p = s->call[i]->place;
    uint64_t file = p.file ? ncs_hash_bytes(0, p.file, strlen(p.file)) : 0;
    return p.line ? ncs_hash(file, (uint64_t)p.line) : 0;
}

static bool call_sites_same(const struct ncs_sequence *a, const struct ncs_sequence *b)
{
    for (size_t i = 0; i < a->held && i < b->held; i++)
        if (call_sites_line(a, i) != call_sites_line(b, i))
            return false;
    return a->held == b->held;
}

/* A rank of the list with which most ranks of the list agree; -1 = none. */
static int call_sites_find_model(const struct ncs_sequence *seq, const int *rank, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t agree = 0;
        for (size_t k = 0; k < count; k++)
            agree += call_sites_same(&seq[rank[i]], &seq[rank[k]]);
        if (2 * agree > count)
            return rank[i];
    }
    return -1;
}

/* One rank made `shift` calls that the other did not, no later than at `last`. Finds the place *where by the lines:
 * all calls before it agree as they are, and all calls from it on agree if shifted. False = there is no such place,
 * or the lines agree without a shift. */
static bool call_sites_find_shift(const struct ncs_sequence *few, const struct ncs_sequence *many, uint32_t shift, size_t last,
                                  size_t *where)
{
    if (many->held <= shift || last > few->held || last + shift > many->held)
        return false;
    size_t from = many->held - shift < few->held ? many->held - shift : few->held, i = 0;
    while (i < last && call_sites_line(few, i) == call_sites_line(many, i))
        i++;
    if (i == last)
        return false;
    while (from > 0 && call_sites_line(few, from - 1) == call_sites_line(many, from - 1 + shift) &&
           few->mark[from - 1] == many->mark[from - 1 + shift])
        from--;
    *where = i;
    return from <= i;
}

/* Each call of a rank by its mark and its line. The caller frees the keys. */
static struct ncs_keys call_sites_keys(const struct ncs_sequence *s, uint64_t *key)
{
    for (size_t i = 0; i < s->held; i++)
        key[i] = ncs_hash(s->mark[i], call_sites_line(s, i));
    return (struct ncs_keys){ key, s->held };
}

/* As call_sites_find_shift, where the calls are in several places. */
static bool call_sites_find_gaps(const struct ncs_sequence *few, const struct ncs_sequence *many, const struct ncs_sides *s,
                                 struct ncs_gaps *out)
{
    if (few->held + s->shift != many->held)
        return false;
    uint64_t *few_key = ncs_new((few->held + 1) * sizeof *few_key), *many_key = ncs_new((many->held + 1) * sizeof *many_key);
    bool found = ncs_gaps_find(call_sites_keys(few, few_key), call_sites_keys(many, many_key), true, out) && out->at[0] < s->last;
    if (!found) {
        ncs_free(out->at);
        *out = (struct ncs_gaps){ 0 };
    }
    ncs_free(few_key);
    ncs_free(many_key);
    return found;
}

/* ---- calls left out or made in excess ---- */

/* Finds where one rank of the minority differs from the model: in one place, or in several. */
static bool call_sites_find_place(const struct ncs_sequence *minority, const struct ncs_sequence *model,
                                  const struct ncs_sides *s, size_t *where, struct ncs_gaps *gaps)
{
    const struct ncs_sequence *few = s->extra ? model : minority, *many = s->extra ? minority : model;
    *gaps = (struct ncs_gaps){ 0 };
    if (!s->spread && call_sites_find_shift(few, many, s->shift, s->last, where))
        return true;
    if (!call_sites_find_gaps(few, many, s, gaps))
        return false;
    *where = gaps->at[0];
    return true;
}

static void call_sites_locate(const struct ncs_ranks_of_comm *of, const struct ncs_sides *s, struct ncs_call_divergence *out)
{
    size_t samples = s->others < SAMPLES ? s->others : SAMPLES, where = 0;
    int model = call_sites_find_model(of->seq, s->other, samples);
    struct ncs_gaps gaps = { 0 };
    struct ncs_why why = { 0 };
    bool fits = model >= 0;
    for (size_t i = 0; i < s->minority_size && i < MOST_MINORITY && fits; i++) {
        size_t here;
        struct ncs_gaps own;
        fits = NCS_BY(&why, LINES, call_sites_find_place(&of->seq[s->minority[i]], &of->seq[model], s, &here, &own));
        fits = fits && (!i || (here == where && ncs_gaps_same(&own, &gaps)));
        where = fits ? here : where;
        if (!i)
            gaps = own;
        else
            ncs_free(own.at);
    }
    if (!fits) {
        ncs_free(gaps.at);
        return;
    }
    *out = (struct ncs_call_divergence){ .how = s->extra ? NCS_DIVERGENCE_EXTRA : NCS_DIVERGENCE_SKIPPED,
                                         .at = (uint32_t)where,
                                         .number = of->seq[model].call[where]->number,
                                         .shift = s->shift,
                                         .model = model,
                                         .by_line = true,
                                         .gaps = gaps,
                                         .why = why };
    out->minority_size = s->minority_size;
    out->minority = ncs_new(s->minority_size * sizeof *out->minority);
    memcpy(out->minority, s->minority, s->minority_size * sizeof *out->minority);
}

/* Divides the ranks into those without a call at the divergence and those that went on. The smaller side is the
 * minority; if both are equal, the side with fewer calls. The caller frees both lists. */
static void find_sides(const struct ncs_analysis *q, int comm, struct ncs_sides *s)
{
    const struct ncs_ranks_of_comm *r = &q->comm[comm];
    const struct ncs_call_divergence *p = &r->divergence;
    int nranks = q->journal->comm[comm]->nranks;
    int *few = ncs_new((size_t)nranks * sizeof *few), *many = ncs_new((size_t)nranks * sizeof *many);
    size_t fews = 0, manys = 0;
    for (int i = 0; i < nranks; i++)
        if (ncs_is_unrecorded(q, ncs_run_rank(q, comm, i)))
            continue;
        else if (ncs_sequence_at(&r->seq[i], p->at))
            many[manys++] = i;
        else
            few[fews++] = i;
    s->extra = fews > manys;
    s->minority = s->extra ? many : few;
    s->minority_size = s->extra ? manys : fews;
    s->other = s->extra ? few : many;
    s->others = s->extra ? fews : manys;
    s->shift = p->shift;
    s->last = p->at;
}

static bool is_whole(const struct ncs_ranks_of_comm *r, int nranks)
{
    for (int i = 0; i < nranks; i++)
        if (r->seq[i].cut)
            return false;
    return true;
}

/* ---- calls exchanged ---- */

/* True if the two ranks differ only in pairs of calls, all *far apart, that have changed places. *where is the first
 * call of the first pair. A call with a label is no part of a pair: the program tells it from others. */
static bool call_sites_find_swaps(const struct ncs_sequence *a, const struct ncs_sequence *b, size_t *where, uint32_t *far)
{
    bool *done = ncs_new(a->held * sizeof *done), fits = a->held == b->held;
    *far = 0;
    for (size_t i = 0; i < a->held && fits; i++) {
        if (done[i] || call_sites_line(a, i) == call_sites_line(b, i))
            continue;
        size_t k = i + 1;
        while (k < a->held && k <= i + FAR &&
               (done[k] || call_sites_line(a, i) != call_sites_line(b, k) || call_sites_line(a, k) != call_sites_line(b, i)))
            k++;
        fits = k < a->held && k <= i + FAR && (!*far || k - i == *far) && !a->call[i]->label;
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

/* For a run that did not hang but has wrong data: finds calls of equal signature that a rank exchanged. */
static void locate_exchange(struct ncs_ranks_of_comm *of, int nranks)
{
    if (nranks < 2 || of->divergence.how != NCS_DIVERGENCE_NONE || of->seq[0].held < 2 ||
        (size_t)nranks * of->seq[0].held > MOST_CALLS)
        return;
    int *rank = ncs_new((size_t)nranks * sizeof *rank), *minority = ncs_new((size_t)nranks * sizeof *minority);
    size_t minority_size = 0, first = 0, where = 0;
    uint32_t shift = 0, far;
    struct ncs_why why = { 0 };
    for (int i = 0; i < nranks; i++)
        rank[i] = i;
    int model = call_sites_find_model(of->seq, rank, (size_t)nranks);
    bool tied = model < 0 && nranks == 2, fits = model >= 0 || tied;
    model = tied ? 0 : model;
    for (int i = 0; i < nranks && fits; i++) {
        if (call_sites_same(&of->seq[i], &of->seq[model]))
            continue;
        fits = NCS_BY(&why, EXCHANGED, call_sites_find_swaps(&of->seq[i], &of->seq[model], &where, &far));
        fits = fits && (!minority_size || (where == first && far == shift));
        minority[minority_size++] = i;
        first = where;
        shift = far;
    }
    ncs_free(rank);
    if (!fits || !minority_size) {
        ncs_free(minority);
        return;
    }
    if (tied) {
        minority_size = 2;
        minority[0] = 0;
        minority[1] = 1;
    }
    of->divergence = (struct ncs_call_divergence){ .how = NCS_DIVERGENCE_SWAPPED,
                                                   .at = (uint32_t)first,
                                                   .number = of->seq[model].call[first]->number,
                                                   .other = of->seq[model].call[first + shift]->number,
                                                   .shift = shift,
                                                   .why = why,
                                                   .by_line = true,
                                                   .tied = tied,
                                                   .model = model,
                                                   .minority = minority,
                                                   .minority_size = minority_size };
}

/* A shift shows where a signature differs, but the call that was left out or made in excess may come earlier, among
 * calls of equal signature. Their lines may show it there. */
static void locate_earlier(struct ncs_analysis *q, int comm)
{
    struct ncs_ranks_of_comm *r = &q->comm[comm];
    struct ncs_call_divergence *p = &r->divergence, found = { 0 };
    int nranks = q->journal->comm[comm]->nranks;
    struct ncs_sides s = { .minority = p->minority,
                           .minority_size = p->minority_size,
                           .extra = p->how == NCS_DIVERGENCE_EXTRA,
                           .shift = p->shift,
                           .last = p->at,
                           .spread = p->gaps.count > 0 };
    s.other = ncs_new((size_t)nranks * sizeof *s.other);
    size_t next = 0;
    for (int i = 0; i < nranks; i++)
        if (next < p->minority_size && p->minority[next] == i)
            next++;
        else if (!ncs_is_unrecorded(q, ncs_run_rank(q, comm, i)))
            s.other[s.others++] = i;
    call_sites_locate(r, &s, &found);
    ncs_free(s.other);
    if (found.how == NCS_DIVERGENCE_NONE)
        return;
    ncs_free(p->minority);
    ncs_free(p->gaps.at);
    *p = found;
}

void ncs_find_by_lines(struct ncs_analysis *q)
{
    bool doubt = false;
    for (size_t i = 0; i < q->notices; i++)
        doubt |= q->notice[i].kind == NCS_NOTICE_DOUBT;
    if (q->journal->dropped || (!q->hung && !doubt))
        return;
    for (size_t c = 0; c < q->journal->comms; c++) {
        struct ncs_ranks_of_comm *r = &q->comm[c];
        int nranks = q->journal->comm[c]->nranks;
        if (!is_whole(r, nranks))
            continue;
        if (q->hung && r->divergence.how == NCS_DIVERGENCE_FEWER) {
            struct ncs_sides s = { 0 };
            find_sides(q, (int)c, &s);
            if (s.minority_size)
                call_sites_locate(r, &s, &r->by_line);
            ncs_free(s.minority);
            ncs_free(s.other);
        } else if (q->hung && !r->divergence.tied && !r->divergence.by_label &&
                   (r->divergence.how == NCS_DIVERGENCE_SKIPPED || r->divergence.how == NCS_DIVERGENCE_EXTRA)) {
            locate_earlier(q, (int)c);
        } else if (!q->hung && doubt) {
            locate_exchange(r, nranks);
        }
    }
}
