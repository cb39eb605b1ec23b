/* Evidence that distinguishes calls of equal signature and label (diagnose/README.md, rule 8): the lines of the script
 * that make them, the allocations that they use, and the rank's actions between them. It also differs between ranks for
 * good reasons. */
#include "diagnose/evidence/tracks.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Bounds of time: ranks of the majority and of the minority that are compared, the distance of two exchanged calls, and
 * the calls of all ranks together where every call is compared. */
enum { SAMPLES = 9, MOST_MINORITY = 64, FAR = 8, MOST_CALLS = 1 << 20 };

/* ---- comparing ---- */

static uint64_t call_sites_at(const struct ncs_track *t, size_t i, enum ncs_evidence evidence)
{
    return t->evidence[i].of[evidence - 1];
}

static bool call_sites_same(const struct ncs_track *a, const struct ncs_track *b, enum ncs_evidence evidence)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (call_sites_at(a, i, evidence) != call_sites_at(b, i, evidence))
            return false;
    return a->count == b->count;
}

/* A rank of the list with which most ranks of the list agree; -1 = none. */
static int call_sites_find_model(const struct ncs_tracks *all, const int *rank, size_t count,
                                 enum ncs_evidence evidence)
{
    for (size_t i = 0; i < count; i++) {
        size_t agree = 0;
        for (size_t k = 0; k < count; k++)
            agree += call_sites_same(&all->of[rank[i]], &all->of[rank[k]], evidence);
        if (2 * agree > count)
            return rank[i];
    }
    return -1;
}

/* True if the actions before the call of `few` are those of `many` before this call and the next
 * `shift` calls together. */
static bool is_joined(const struct ncs_track *few, const struct ncs_track *many, size_t i, uint32_t shift)
{
    uint64_t joined = call_sites_at(many, i, NCS_EVIDENCE_BETWEEN);
    for (size_t k = i + 1; k <= i + shift; k++)
        joined = joined * many->evidence[k].power + call_sites_at(many, k, NCS_EVIDENCE_BETWEEN);
    return call_sites_at(few, i, NCS_EVIDENCE_BETWEEN) == joined;
}

/* One rank made `shift` calls that the other did not, no later than at `last`. Finds the place *where by the evidence:
 * all calls before it agree as they are, and all calls from it on agree if shifted. False = there is no such place,
 * or the evidence agrees without a shift. */
static bool call_sites_find_shift(const struct ncs_tracks *all, int few_rank, int many_rank, uint32_t shift,
                                  size_t last, enum ncs_evidence evidence, size_t *where)
{
    const struct ncs_track *few = &all->of[few_rank], *many = &all->of[many_rank];
    const struct ncs_sequence *fs = &all->q->comm[all->comm].seq[few_rank];
    const struct ncs_sequence *ms = &all->q->comm[all->comm].seq[many_rank];
    if (many->count <= shift || last > few->count || last + shift > many->count)
        return false;
    size_t from = many->count - shift < few->count ? many->count - shift : few->count, i = 0;
    while (i < last && call_sites_at(few, i, evidence) == call_sites_at(many, i, evidence))
        i++;
    if (i == last)
        return false;
    while (from > 0 && call_sites_at(few, from - 1, evidence) == call_sites_at(many, from - 1 + shift, evidence) &&
           fs->mark[from - 1] == ms->mark[from - 1 + shift])
        from--;
    *where = i;
    if (evidence == NCS_EVIDENCE_BETWEEN)
        return from <= i + 1 && fs->mark[i] == ms->mark[i + shift] && is_joined(few, many, i, shift);
    return from <= i;
}

/* What the calls of a rank are compared by: their marks, and the evidence. The caller frees the keys. */
static struct ncs_keys call_sites_keys(const struct ncs_tracks *all, int rank, enum ncs_evidence evidence, uint64_t *key)
{
    const struct ncs_track *t = &all->of[rank];
    const struct ncs_sequence *s = &all->q->comm[all->comm].seq[rank];
    for (size_t i = 0; i < t->count; i++)
        key[i] = ncs_hash(s->mark[i], call_sites_at(t, i, evidence));
    return (struct ncs_keys){ key, t->count };
}

/* As call_sites_find_shift, where the calls are in several places. What happens between calls is no evidence then: each
 * place would change what comes before the next call. */
static bool call_sites_find_gaps(const struct ncs_tracks *all, int few_rank, int many_rank, const struct ncs_sides *s,
                                 enum ncs_evidence evidence, struct ncs_gaps *out)
{
    size_t fews = all->of[few_rank].count, manys = all->of[many_rank].count;
    if (evidence == NCS_EVIDENCE_BETWEEN || fews + s->shift != manys)
        return false;
    uint64_t *few_key = ncs_new((fews + 1) * sizeof *few_key), *many_key = ncs_new((manys + 1) * sizeof *many_key);
    struct ncs_keys few = call_sites_keys(all, few_rank, evidence, few_key);
    struct ncs_keys many = call_sites_keys(all, many_rank, evidence, many_key);
    bool found = ncs_gaps_find(few, many, true, out) && out->at[0] < s->last;
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
static bool call_sites_find_place(const struct ncs_tracks *all, int minority, int model, const struct ncs_sides *s,
                                  enum ncs_evidence evidence, size_t *where, struct ncs_gaps *gaps)
{
    int few = s->extra ? model : minority, many = s->extra ? minority : model;
    *gaps = (struct ncs_gaps){ 0 };
    if (!s->spread && call_sites_find_shift(all, few, many, s->shift, s->last, evidence, where))
        return true;
    if (!call_sites_find_gaps(all, few, many, s, evidence, gaps))
        return false;
    *where = gaps->at[0];
    return true;
}

static bool call_sites_locate(const struct ncs_tracks *all, const struct ncs_sides *s, enum ncs_evidence evidence,
                              struct ncs_call_divergence *out)
{
    size_t samples = s->others < SAMPLES ? s->others : SAMPLES, where = 0;
    int model = call_sites_find_model(all, s->other, samples, evidence);
    struct ncs_gaps gaps = { 0 };
    bool fits = model >= 0;
    for (size_t i = 0; i < s->minority_size && i < MOST_MINORITY && fits; i++) {
        size_t here;
        struct ncs_gaps own;
        fits = call_sites_find_place(all, s->minority[i], model, s, evidence, &here, &own) &&
               (!i || (here == where && ncs_gaps_same(&own, &gaps)));
        where = fits ? here : where;
        if (!i)
            gaps = own;
        else
            ncs_free(own.at);
    }
    if (!fits) {
        ncs_free(gaps.at);
        return false;
    }
    const struct ncs_sequence *m = &all->q->comm[all->comm].seq[model];
    *out = (struct ncs_call_divergence){ .how = s->extra ? NCS_DIVERGENCE_EXTRA : NCS_DIVERGENCE_SKIPPED,
                                 .at = (uint32_t)where, .number = m->call[where]->number,
                                 .shift = s->shift, .model = model, .evidence = evidence, .gaps = gaps };
    out->minority_size = s->minority_size;
    out->minority = ncs_new(s->minority_size * sizeof *out->minority);
    memcpy(out->minority, s->minority, s->minority_size * sizeof *out->minority);
    return true;
}

static void locate_by_any(struct ncs_analysis *q, struct ncs_records *records, int comm, const struct ncs_sides *s,
                          struct ncs_call_divergence *out)
{
    struct ncs_tracks all = ncs_tracks_open(q, records, comm);
    for (size_t i = 0; i < s->others && i < SAMPLES; i++)
        ncs_tracks_want(&all, s->other[i]);
    for (size_t i = 0; i < s->minority_size && i < MOST_MINORITY; i++)
        ncs_tracks_want(&all, s->minority[i]);
    ncs_tracks_read(&all);
    for (enum ncs_evidence evidence = NCS_EVIDENCE_LINE; evidence <= NCS_TRACK_KINDS && out->how == NCS_DIVERGENCE_NONE; evidence++)
        call_sites_locate(&all, s, evidence, out);
    ncs_tracks_close(&all);
    if (out->how == NCS_DIVERGENCE_NONE && !s->spread)
        ncs_trace_shift(q, comm, s, out);
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
        if (r->seq[i].base)
            return false;
    return true;
}

/* ---- calls exchanged ---- */

/* True if the two ranks differ only in pairs of calls, all *far apart, that have changed places. *where is the first
 * call of the first pair. A call with a label is no part of a pair: the program tells it from others. */
static bool call_sites_find_swaps(const struct ncs_tracks *all, int minority, int model, enum ncs_evidence evidence,
                                  size_t *where, uint32_t *far)
{
    const struct ncs_track *a = &all->of[minority], *b = &all->of[model];
    bool *done = ncs_new(a->count * sizeof *done), fits = a->count == b->count;
    *far = 0;
    for (size_t i = 0; i < a->count && fits; i++) {
        if (done[i] || call_sites_at(a, i, evidence) == call_sites_at(b, i, evidence))
            continue;
        size_t k = i + 1;
        while (k < a->count && k <= i + FAR &&
               (done[k] || call_sites_at(a, i, evidence) != call_sites_at(b, k, evidence) ||
                call_sites_at(a, k, evidence) != call_sites_at(b, i, evidence)))
            k++;
        fits = k < a->count && k <= i + FAR && (!*far || k - i == *far) &&
               !all->q->comm[all->comm].seq[minority].call[i]->label;
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

static bool locate_swap(const struct ncs_tracks *all, int nranks, enum ncs_evidence evidence, struct ncs_call_divergence *p)
{
    int *rank = ncs_new((size_t)nranks * sizeof *rank), *minority = ncs_new((size_t)nranks * sizeof *minority);
    size_t minority_size = 0, first = 0, where = 0;
    uint32_t shift = 0, far;
    for (int i = 0; i < nranks; i++)
        rank[i] = i;
    int model = call_sites_find_model(all, rank, (size_t)nranks, evidence);
    bool tied = model < 0 && nranks == 2, fits = model >= 0 || tied;
    model = tied ? 0 : model;
    for (int i = 0; i < nranks && fits; i++) {
        if (call_sites_same(&all->of[i], &all->of[model], evidence))
            continue;
        fits = call_sites_find_swaps(all, i, model, evidence, &where, &far) &&
               (!minority_size || (where == first && far == shift));
        minority[minority_size++] = i;
        first = where;
        shift = far;
    }
    ncs_free(rank);
    struct ncs_call_divergence found = { .at = (uint32_t)first, .shift = shift, .evidence = evidence, .tied = tied,
                                 .model = model, .minority = minority, .minority_size = minority_size };
    return ncs_make_exchange(fits && minority_size ? &all->q->comm[all->comm].seq[model] : NULL, &found, p);
}

/* For a run that did not hang but has wrong data: finds calls of equal signature that a rank exchanged. */
static void locate_exchange(struct ncs_analysis *q, struct ncs_records *records, int comm)
{
    struct ncs_ranks_of_comm *r = &q->comm[comm];
    int nranks = q->journal->comm[comm]->nranks;
    if (nranks < 2 || r->divergence.how != NCS_DIVERGENCE_NONE || r->seq[0].held < 2 ||
        (size_t)nranks * r->seq[0].held > MOST_CALLS)
        return;
    struct ncs_tracks all = ncs_tracks_open(q, records, comm);
    bool known = true;
    for (int i = 0; i < nranks; i++) {
        ncs_tracks_want(&all, i);
        known = known && all.of[i].wanted;
    }
    ncs_tracks_read(&all);
    for (enum ncs_evidence evidence = NCS_EVIDENCE_LINE; evidence <= NCS_EVIDENCE_BUFFER && known; evidence++)
        if (locate_swap(&all, nranks, evidence, &r->divergence))
            break;
    ncs_tracks_close(&all);
    if (known && r->divergence.how == NCS_DIVERGENCE_NONE)
        ncs_trace_exchange(q, comm, &r->divergence);
}

/* A shift shows where a signature differs, but the call that was left out or made in excess may come earlier, among
 * calls of equal signature. The evidence may find it there. */
static void locate_earlier(struct ncs_analysis *q, struct ncs_records *records, int comm)
{
    struct ncs_ranks_of_comm *r = &q->comm[comm];
    struct ncs_call_divergence *p = &r->divergence, found = { 0 };
    int nranks = q->journal->comm[comm]->nranks;
    struct ncs_sides s = { .minority = p->minority, .minority_size = p->minority_size, .extra = p->how == NCS_DIVERGENCE_EXTRA,
                       .shift = p->shift, .last = p->at, .spread = p->gaps.count > 0 };
    s.other = ncs_new((size_t)nranks * sizeof *s.other);
    size_t next = 0;
    for (int i = 0; i < nranks; i++)
        if (next < p->minority_size && p->minority[next] == i)
            next++;
        else if (!ncs_is_unrecorded(q, ncs_run_rank(q, comm, i)))
            s.other[s.others++] = i;
    locate_by_any(q, records, comm, &s, &found);
    ncs_free(s.other);
    if (found.how == NCS_DIVERGENCE_NONE)
        return;
    ncs_free(p->minority);
    ncs_free(p->gaps.at);
    *p = found;
}

void ncs_find_evidence(struct ncs_analysis *q)
{
    bool doubt = false;
    for (size_t i = 0; i < q->notices; i++)
        doubt |= q->notice[i].kind == NCS_NOTICE_DOUBT;
    if (q->journal->dropped || (!q->hung && !doubt))
        return;
    struct ncs_records records = { 0 };
    for (size_t c = 0; c < q->journal->comms; c++) {
        struct ncs_ranks_of_comm *r = &q->comm[c];
        int nranks = q->journal->comm[c]->nranks;
        if (!is_whole(r, nranks))
            continue;
        if (q->hung && r->divergence.how == NCS_DIVERGENCE_FEWER) {
            struct ncs_sides s = { 0 };
            find_sides(q, (int)c, &s);
            if (s.minority_size)
                locate_by_any(q, &records, (int)c, &s, &r->by_evidence);
            ncs_free(s.minority);
            ncs_free(s.other);
        } else if (q->hung && !r->divergence.tied && !r->divergence.by_label &&
                   (r->divergence.how == NCS_DIVERGENCE_SKIPPED || r->divergence.how == NCS_DIVERGENCE_EXTRA)) {
            locate_earlier(q, &records, (int)c);
        } else if (!q->hung && doubt) {
            locate_exchange(q, &records, (int)c);
        }
    }
    ncs_records_free(&records);
}
