/* Finds where the ranks of a communicator diverge: the first collective on which they disagree by
 * signature or label, or that some rank never made; and whether shifting or exchanging calls
 * explains it. Communicators are compared one by one. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Also the longest distance over which two calls may be exchanged. */
enum { MAX_SHIFT = NCS_GAP_MOST };

const struct ncs_call *ncs_sequence_at(const struct ncs_sequence *s, uint32_t position)
{
    if (position < s->base || position - s->base >= s->held)
        return NULL;
    return s->call[position - s->base];
}

uint32_t ncs_sequence_end(const struct ncs_sequence *s)
{
    return s->base + (uint32_t)s->held;
}

uint32_t ncs_position(const struct ncs_analysis *q, const struct ncs_call *call)
{
    if (call->comm < 0 || (size_t)call->comm >= q->journal->comms || call->comm_rank < 0 ||
        call->comm_rank >= q->journal->comm[call->comm]->members)
        return UINT32_MAX;
    const struct ncs_sequence *s = &q->comm[call->comm].seq[call->comm_rank];
    size_t low = 0, high = s->held;
    while (low < high) { /* they are in order of their numbers */
        size_t middle = low + (high - low) / 2;
        if (s->call[middle]->number < call->number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->held && s->call[low] == call ? s->base + (uint32_t)low : UINT32_MAX;
}

static bool alignment_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static uint64_t signature_at(const struct ncs_sequence *s, uint32_t position)
{
    return ncs_sequence_at(s, position) ? s->signature[position - s->base] : 0;
}

/* True if both calls exist and are the same, labels included. */
static bool alignment_same_call(const struct ncs_sequence *a, uint32_t at_a, const struct ncs_sequence *b, uint32_t at_b)
{
    return ncs_sequence_at(a, at_a) && ncs_sequence_at(b, at_b) && a->mark[at_a - a->base] == b->mark[at_b - b->base];
}

static bool alignment_same_line(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->place.line == b->place.line && alignment_same_text(a->place.file, b->place.file);
}

/* True if `a` from `from_a` on makes the same calls as `b` from `from_b` on, at least one, as far
 * as both are known. */
static bool runs_alike(const struct ncs_sequence *a, uint32_t from_a, const struct ncs_sequence *b, uint32_t from_b, bool by_line)
{
    uint32_t alike = 0;
    for (;; alike++) {
        const struct ncs_call *x = ncs_sequence_at(a, from_a + alike);
        const struct ncs_call *y = ncs_sequence_at(b, from_b + alike);
        if (!x || !y)
            return alike > 0;
        if (!alignment_same_call(a, from_a + alike, b, from_b + alike) || (by_line && !alignment_same_line(x, y)))
            return false;
    }
}

/* True if the minority made the call at `at` and the one `distance` behind it in the other order,
 * and all else around them agrees. */
static bool is_swap(const struct ncs_sequence *minority, const struct ncs_sequence *model, uint32_t at, uint32_t distance)
{
    if (!alignment_same_call(minority, at, model, at + distance) || !alignment_same_call(minority, at + distance, model, at))
        return false;
    for (uint32_t i = at + 1; i < at + distance; i++)
        if (!alignment_same_call(minority, i, model, i))
            return false;
    uint32_t next = at + distance + 1;
    return !ncs_sequence_at(minority, next) || !ncs_sequence_at(model, next) || runs_alike(minority, next, model, next, false);
}

/* A rank of the minority, and a rank of the majority to compare it with. */
struct pair {
    const struct ncs_sequence *minority, *model;
    bool minority_open, model_open; /* the rank may still make calls (ncs_may_go_on) */
};

/* How many calls remain of one sequence when the other is at its end, compared from these positions
 * on; UINT32_MAX if the shorter one has ended, so that rank will never make them. */
static uint32_t surplus(const struct pair *p, uint32_t from_minority, uint32_t from_model)
{
    int64_t more = ((int64_t)ncs_sequence_end(p->minority) - from_minority) - ((int64_t)ncs_sequence_end(p->model) - from_model);
    if (more == 0 || (more > 0 ? p->model_open : p->minority_open))
        return (uint32_t)(more < 0 ? -more : more);
    return UINT32_MAX;
}

/* The marks from number `at` on; none if the sequence ends before it. */
static struct ncs_keys marks_from(const struct ncs_sequence *s, uint32_t at)
{
    uint32_t end = ncs_sequence_end(s);
    return at < end ? (struct ncs_keys){ s->mark + (at - s->base), end - at } : (struct ncs_keys){ NULL, 0 };
}

/* Explains the divergence at p->at by calls that the minority's rank left out, or made in excess, in several places.
 * whole: only if no call of either side remains. */
static void explain_gaps(const struct pair *pair, bool whole, struct ncs_call_divergence *p)
{
    struct ncs_keys minority = marks_from(pair->minority, p->at), model = marks_from(pair->model, p->at);
    struct ncs_gaps gaps = { 0 };
    bool skipped = !(whole && pair->minority_open) && ncs_gaps_find(minority, model, !pair->minority_open, &gaps);
    bool extra = !skipped && !(whole && pair->model_open) && ncs_gaps_find(model, minority, !pair->model_open, &gaps);
    if (!skipped && !extra)
        return;
    for (size_t i = 0; i < gaps.count; i++)
        gaps.at[i] += p->at;
    p->how = skipped ? NCS_DIVERGENCE_SKIPPED : NCS_DIVERGENCE_EXTRA;
    p->shift = (uint32_t)gaps.count;
    p->other = 0;
    p->gaps = gaps;
}

/* Where the sequences go on behind the calls at `at`: a launch of a graph makes all of its calls, so the launch of another
 * graph of the same lines is one mistake. */
static uint32_t behind_launch(const struct ncs_sequence *minority, const struct ncs_sequence *model, uint32_t at)
{
    const struct ncs_call *own = ncs_sequence_at(minority, at), *other = ncs_sequence_at(model, at), *a, *b;
    do {
        a = ncs_sequence_at(minority, ++at);
        b = ncs_sequence_at(model, at);
    } while (a && b && ncs_call_rare(a)->launched && ncs_call_rare(b)->launched &&
             ncs_call_rare(a)->launched == ncs_call_rare(own)->launched &&
             ncs_call_rare(b)->launched == ncs_call_rare(other)->launched && alignment_same_line(a, b));
    return at;
}

/* Explains the divergence at p->at by exchanging or shifting calls of the minority's rank. All
 * calls behind must then agree, and fewer must remain than if the rank made one wrong call instead
 * of the right one. The explanation with the fewest remaining calls wins; of equals the shortest
 * distance. Calls in several places fit more easily than calls in one place, so they have to explain more. */
static bool explain_shift(const struct pair *pair, struct ncs_call_divergence *p)
{
    const struct ncs_sequence *minority = pair->minority, *model = pair->model;
    uint32_t next = behind_launch(minority, model, p->at), least = UINT32_MAX, furthest = MAX_SHIFT;
    if (runs_alike(minority, next, model, next, false)) {
        least = surplus(pair, next, next);
        /* One call with another argument, at the same line, is a smaller mistake than several
         * calls. */
        if (alignment_same_line(ncs_sequence_at(minority, p->at), ncs_sequence_at(model, p->at)))
            furthest = 1;
    }
    for (uint32_t d = 1; d <= furthest && least; d++) {
        const struct {
            enum ncs_divergence_how how;
            bool fits;
            uint32_t minority, model; /* positions from which on the sequences agree */
        } ways[] = {
            { NCS_DIVERGENCE_SWAPPED, is_swap(minority, model, p->at, d), p->at, p->at },
            { NCS_DIVERGENCE_SKIPPED, runs_alike(minority, p->at, model, p->at + d, false), p->at, p->at + d },
            { NCS_DIVERGENCE_EXTRA, runs_alike(minority, p->at + d, model, p->at, false), p->at + d, p->at },
        };
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            uint32_t left = ways[i].fits ? surplus(pair, ways[i].minority, ways[i].model) : UINT32_MAX;
            if (left >= least)
                continue;
            least = left;
            p->how = ways[i].how;
            p->shift = d;
            p->other = p->how == NCS_DIVERGENCE_SWAPPED ? ncs_sequence_at(model, p->at + d)->number : 0;
        }
    }
    if (least && furthest > 1)
        explain_gaps(pair, least != UINT32_MAX, p);
    return p->how != NCS_DIVERGENCE_NONE;
}

/* The line of the call that the minority left out, where all calls look alike but for their lines;
 * 0 = the lines do not show it. The sequences must agree by line before and behind the omission. */
static int skipped_line(const struct ncs_sequence *minority, const struct ncs_sequence *model)
{
    uint32_t missing = ncs_sequence_end(model) - ncs_sequence_end(minority);
    uint32_t at = minority->base > model->base ? minority->base : model->base;
    while (at < ncs_sequence_end(minority) && alignment_same_line(ncs_sequence_at(minority, at), ncs_sequence_at(model, at)))
        at++;
    if (at >= ncs_sequence_end(minority) || !runs_alike(minority, at, model, at + missing, true))
        return 0;
    return ncs_sequence_at(model, at)->place.line;
}

/* The ranks that made the same call at a position. */
struct camp {
    const struct ncs_call *call; /* NULL = they made none */
    uint64_t mark;               /* with label, or the signature: as divide() was asked */
    int first;                   /* its lowest rank */
    size_t size;
};

struct camps {
    struct camp *camp;
    size_t count, room;
    int *of; /* by rank: its camp; -1 = its record is not held */
};

static size_t camp_of(struct camps *camps, const struct ncs_call *call, uint64_t mark, int rank)
{
    for (size_t i = 0; i < camps->count; i++) {
        const struct ncs_call *c = camps->camp[i].call;
        if (call && c ? mark == camps->camp[i].mark : call == c)
            return i;
    }
    struct camp fresh = { .call = call, .mark = mark, .first = rank };
    NCS_PUSH(camps->camp, camps->count, camps->room, fresh);
    return camps->count - 1;
}

/* Divides the ranks into camps by their calls at the position. A rank whose record there was
 * dropped is in none, as is a rank without a record. */
static void divide(const struct ncs_analysis *q, int comm, uint32_t at, bool by_label, struct camps *out)
{
    const struct ncs_ranks_of_comm *r = &q->comm[comm];
    out->count = 0;
    for (int i = 0; i < q->journal->comm[comm]->nranks; i++) {
        out->of[i] = -1;
        if (at < r->seq[i].base || ncs_is_unrecorded(q, ncs_run_rank(q, comm, i)))
            continue;
        const struct ncs_sequence *s = &r->seq[i];
        const struct ncs_call *c = ncs_sequence_at(s, at);
        uint64_t mark = !c ? 0 : by_label ? s->mark[at - s->base] : s->signature[at - s->base];
        size_t k = camp_of(out, c, mark, i);
        out->of[i] = (int)k;
        out->camp[k].size++;
    }
}

/* The largest camp that made a call; *tied if another one, with or without a call, is as large. */
static size_t alignment_majority(const struct camps *camps, bool *tied, struct ncs_why *why)
{
    size_t best = camps->camp[0].call ? 0 : 1;
    for (size_t i = 0; i < camps->count; i++)
        if (camps->camp[i].call && NCS_AT(why, MAJORITY) && camps->camp[i].size > camps->camp[best].size)
            best = i;
    *tied = false;
    for (size_t i = 0; i < camps->count; i++)
        if (i != best && NCS_BY(why, TIE, camps->camp[i].size >= camps->camp[best].size))
            *tied = true;
    return best;
}

/* A fact that all calls share: ncs_siblings_of() then only asks whether siblings made the call. */
static int64_t at_all(const struct ncs_call *c)
{
    (void)c;
    return 1;
}

/* The camp, of several largest ones, whose call the ranks of sibling groups make in the same round.
 * SIZE_MAX = none of them, or several. */
static size_t alignment_by_siblings(const struct ncs_analysis *q, const struct camps *camps, size_t largest, struct ncs_why *why)
{
    enum { MOST_COMMS = 64 }; /* each search reads the whole journal */
    size_t meant = SIZE_MAX, called = 0;
    const struct ncs_call **call = ncs_new((camps->count + 1) * sizeof *call);
    for (size_t i = 0; i < camps->count; i++)
        if (camps->camp[i].call)
            call[called++] = camps->camp[i].call;
    struct ncs_cause met = { .call = call, .calls = called };
    bool several = q->journal->comms > MOST_COMMS;
    struct ncs_sibling_search *search = ncs_siblings_open(q, &met);
    for (size_t i = 0; i < camps->count && !several; i++) {
        const struct ncs_call *own = camps->camp[i].size < largest ? NULL : camps->camp[i].call;
        if (!own || !NCS_BY(why, SIBLINGS, ncs_siblings_of(search, own, at_all).alike > 0))
            continue;
        several = meant != SIZE_MAX;
        meant = i;
    }
    ncs_siblings_close(search);
    ncs_free(call);
    return several ? SIZE_MAX : meant;
}

/* Sets the list of the ranks outside of camp `best`; all: of every rank whose record is held. */
static void set_minority(struct ncs_call_divergence *p, const struct camps *camps, int nranks, size_t best, bool all)
{
    size_t room = 0;
    p->minority_size = 0;
    for (int i = 0; i < nranks; i++)
        if (camps->of[i] >= 0 && (all || camps->of[i] != (int)best))
            NCS_PUSH(p->minority, p->minority_size, room, i);
}

/* All ranks that went on made the same call, and the rest made none. Whether the rest left calls
 * out or the others made too many cannot be seen here: ncs_is_divergence() decides by who waits. */
static void part_by_number(const struct ncs_ranks_of_comm *r, int nranks, const struct camps *camps,
                           struct ncs_call_divergence *p)
{
    size_t went = camps->camp[0].call ? 0 : 1;
    p->how = NCS_DIVERGENCE_FEWER;
    p->number = camps->camp[went].call->number;
    set_minority(p, camps, nranks, went, false);
    p->model = camps->camp[went].first;
    const struct ncs_sequence *minority = &r->seq[p->minority[0]], *model = &r->seq[p->model];
    p->shift = ncs_sequence_end(model) - ncs_sequence_end(minority);
    p->skipped_line = skipped_line(minority, model);
}

/* A hash of the rank's next calls and of how many calls it made. */
static uint64_t way_on(const struct ncs_sequence *s, uint32_t at)
{
    uint64_t hash = ncs_hash(0, ncs_sequence_end(s));
    for (uint32_t i = 1; i <= MAX_SHIFT; i++) {
        hash = ncs_hash(hash, signature_at(s, at + i));
    }
    return hash;
}

/* A rank of the camp that goes on as most of the camp do: another one may have a mistake of its own
 * further on. Of several the one with the longest sequence, because it shows most. */
static int alignment_find_model(const struct ncs_ranks_of_comm *r, int nranks, const struct camps *camps, size_t best,
                                uint32_t at)
{
    int model = camps->camp[best].first;
    size_t most = 0;
    struct ncs_map votes = { 0 };
    for (int i = 0; i < nranks; i++) {
        if (camps->of[i] != (int)best)
            continue;
        uint64_t way = way_on(&r->seq[i], at);
        size_t n = (size_t)(uintptr_t)ncs_map_get(&votes, way) + 1;
        ncs_map_put(&votes, way, (void *)(uintptr_t)n);
        most = n > most ? n : most;
    }
    bool found = false;
    for (int i = 0; i < nranks; i++) {
        if (camps->of[i] != (int)best || (size_t)(uintptr_t)ncs_map_get(&votes, way_on(&r->seq[i], at)) < most)
            continue;
        if (!found || ncs_sequence_end(&r->seq[i]) > ncs_sequence_end(&r->seq[model]))
            model = i;
        found = true;
    }
    ncs_map_free(&votes);
    return model;
}

/* Some ranks made different calls (diagnose/README.md, rules 6 and 7). False = no divergence here. */
static bool part_by_kind(const struct ncs_analysis *q, int comm, const struct camps *camps, bool by_label,
                         struct ncs_call_divergence *p)
{
    const struct ncs_ranks_of_comm *r = &q->comm[comm];
    int nranks = q->journal->comm[comm]->nranks;
    bool tied;
    struct ncs_why why, by_siblings;
    size_t best = alignment_majority(camps, &tied, &why);
    size_t meant = tied && !by_label ? alignment_by_siblings(q, camps, camps->camp[best].size, &by_siblings) : SIZE_MAX;
    if (meant != SIZE_MAX) {
        why = by_siblings;
        best = meant;
        tied = false;
    }
    struct ncs_call_divergence found = { .at = p->at, .why = why, .by_label = by_label, .tied = tied };
    found.model = alignment_find_model(r, nranks, camps, best, p->at);
    found.number = camps->camp[best].call->number;
    struct pair pair = { .model = &r->seq[found.model], .model_open = ncs_may_go_on(q, ncs_run_rank(q, comm, found.model)) };
    bool shifted = true, first = true;
    for (int i = 0; i < nranks && shifted; i++) {
        if (camps->of[i] < 0 || camps->of[i] == (int)best)
            continue;
        struct ncs_call_divergence one = { .at = p->at };
        pair.minority = &r->seq[i];
        pair.minority_open = ncs_may_go_on(q, ncs_run_rank(q, comm, i));
        shifted = explain_shift(&pair, &one) &&
                  (first || (one.how == found.how && one.shift == found.shift && ncs_gaps_same(&one.gaps, &found.gaps)));
        struct ncs_gaps kept = first ? one.gaps : found.gaps;
        if (shifted) {
            found.how = one.how;
            found.shift = one.shift;
            found.other = one.other;
        }
        if (!first)
            ncs_free(one.gaps.at);
        found.gaps = kept;
        first = false;
    }
    if (!shifted) {
        ncs_free(found.gaps.at);
        found.gaps = (struct ncs_gaps){ 0 };
        if (by_label)
            return false;
        found.how = NCS_DIVERGENCE_DIFFER;
        found.shift = found.other = 0;
    }
    *p = found;
    /* Two sides of equal size (diagnose/README.md, rule 7). An exchange between them has no wrong side. */
    bool all = tied && p->how != NCS_DIVERGENCE_SKIPPED && p->how != NCS_DIVERGENCE_EXTRA;
    if (NCS_BY(&p->why, FEWER_CALLS, tied && p->how == NCS_DIVERGENCE_EXTRA)) {
        int extra = -1;
        for (int i = 0; i < nranks && extra < 0; i++)
            if (camps->of[i] >= 0 && camps->of[i] != (int)best)
                extra = i;
        p->how = NCS_DIVERGENCE_SKIPPED;
        p->number = ncs_sequence_at(&r->seq[extra], p->at)->number;
        size_t other = (size_t)camps->of[extra];
        set_minority(p, camps, nranks, other, false);
        p->model = extra;
        return true;
    }
    set_minority(p, camps, nranks, best, all);
    return true;
}

/* How many camps made a call. */
static size_t alignment_calls_of(const struct camps *camps)
{
    size_t calls = 0;
    for (size_t i = 0; i < camps->count; i++)
        calls += camps->camp[i].call != NULL;
    return calls;
}

/* Finds the first divergence at p->at or later. Signatures are compared before labels: a different
 * call is a stronger difference than a different label. */
static void alignment_part(const struct ncs_analysis *q, int comm, uint32_t end, struct ncs_call_divergence *p)
{
    const struct ncs_ranks_of_comm *r = &q->comm[comm];
    int nranks = q->journal->comm[comm]->nranks;
    struct camps camps = { .of = ncs_new((size_t)nranks * sizeof *camps.of) };
    for (; p->at < end; p->at++) {
        divide(q, comm, p->at, true, &camps);
        if (camps.count < 2)
            continue;
        divide(q, comm, p->at, false, &camps);
        if (alignment_calls_of(&camps) > 1 && part_by_kind(q, comm, &camps, false, p))
            break;
        if (alignment_calls_of(&camps) != 1)
            continue;
        divide(q, comm, p->at, true, &camps);
        if (alignment_calls_of(&camps) > 1 && part_by_kind(q, comm, &camps, true, p))
            break;
        divide(q, comm, p->at, false, &camps);
        if (camps.count == 2) {
            part_by_number(r, nranks, &camps, p);
            break;
        }
    }
    ncs_free(camps.camp);
    ncs_free(camps.of);
}

bool ncs_is_unrecorded(const struct ncs_analysis *q, int rank)
{
    int context = ncs_first_context(q, rank);
    return context >= 0 && q->snap->context[context].state == NCS_CONTEXT_ENDED &&
           q->snap->context[context].ending == NCS_END_MISSING;
}

bool ncs_may_go_on(const struct ncs_analysis *q, int rank)
{
    return rank < 0 || !q->snap->contexts || q->open[rank];
}

void ncs_align(struct ncs_analysis *q)
{
    q->open = ncs_new((size_t)q->ranks * sizeof *q->open);
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        bool lives = c->state != NCS_CONTEXT_ENDED || c->ending == NCS_END_SILENT;
        if (c->rank >= 0 && c->rank < q->ranks && lives && !(c->call && c->call->ending))
            q->open[c->rank] = true;
    }
    for (size_t c = 0; c < q->journal->comms; c++) {
        const struct ncs_comm_info *info = q->journal->comm[c];
        struct ncs_ranks_of_comm *r = &q->comm[c];
        uint32_t start = UINT32_MAX, end = 0;
        for (int i = 0; i < info->nranks; i++) {
            if (r->seq[i].base < start)
                start = r->seq[i].base;
            if (ncs_sequence_end(&r->seq[i]) > end)
                end = ncs_sequence_end(&r->seq[i]);
        }
        r->divergence.at = start;
        alignment_part(q, (int)c, end, &r->divergence);
        if (r->divergence.how != NCS_DIVERGENCE_DIFFER)
            continue;
        r->later.at = r->divergence.at + 1; /* only this call differs, and the sequences stay aligned */
        alignment_part(q, (int)c, end, &r->later);
    }
}
