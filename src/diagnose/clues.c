/* What tells calls of equal signature and label apart: the lines of the script that make them, the
 * allocations that they use, and what the rank did between them. Such clues differ between ranks for good
 * reasons too: they are looked at only when something is wrong, and believed only when shifting or
 * exchanging calls makes all of them agree with those of most others. */
#include "diagnose/inquiry.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define CLUES NCS_CLUE_BETWEEN
enum { SAMPLES = 9, ODDS = 64, FAR = 8, MOST_CALLS = 1 << 20 };

struct clue {
    uint64_t of[CLUES]; /* by clue, from NCS_CLUE_LINE on */
    uint64_t power;     /* of what came between: what its hash is multiplied by as more follows */
};

struct memory {
    uintptr_t base;
    uint64_t bytes, is;
};

struct track { /* of one rank of the communicator */
    bool wanted;
    int comm_rank, rank; /* rank: of the run */
    struct clue *clue; /* by index in its sequence */
    size_t count, held;
    uint64_t between, power;
    struct memory *memory;
    size_t memories, memory_room;
    struct ncs_map made_at; /* line -> allocations there so far */
};

struct records { /* of the journal, by rank of the run */
    const struct ncs_call **call;
    size_t *end;     /* by rank: one past its last; they lie one rank after the other */
};

struct tracks {
    const struct ncs_inquiry *q;
    const struct records *records;
    int comm;
    struct track *of; /* by rank of the communicator */
};

/* ---- reading ---- */

static uint64_t line_of(const struct ncs_call *c)
{
    uint64_t file = c->place.file ? ncs_hash_bytes(0, c->place.file, strlen(c->place.file)) : 0;
    return c->place.line ? ncs_hash(file, (uint64_t)c->place.line) : 0;
}

/* An allocation is recognised on all ranks by where it was made, and by how many were made there before. */
static bool add_memory(struct track *t, const struct ncs_call *c)
{
    const union ncs_arg *made = ncs_call_arg(c, NCS_ARG_MEMORY_OUT);
    const union ncs_arg *bytes = made ? ncs_call_arg(c, NCS_ARG_BYTES) : NULL;
    if (!bytes)
        return false;
    if (!c->returned || c->rc)
        return true;
    uint64_t line = line_of(c);
    size_t before = (size_t)(uintptr_t)ncs_map_get(&t->made_at, line);
    ncs_map_put(&t->made_at, line, (void *)(uintptr_t)(before + 1));
    struct memory m = { (uintptr_t)made->p, bytes->u, ncs_hash(line, before) };
    NCS_PUSH(t->memory, t->memories, t->memory_room, m);
    return true;
}

static uint64_t memory_at(const struct track *t, const void *address)
{
    for (size_t i = t->memories; address && i-- > 0;)
        if ((uintptr_t)address - t->memory[i].base < t->memory[i].bytes)
            return ncs_hash(t->memory[i].is, (uintptr_t)address - t->memory[i].base);
    return 0;
}

/* How often these are made is a matter of time, or of memory that is taken back at some time. */
static bool is_counted_on(const struct ncs_call *c)
{
    return !c->opening && !c->ending && !ncs_fn_info[c->fn].looks &&
           !ncs_call_arg(c, NCS_ARG_MEMORY);
}

static void add_between(struct track *t, const struct ncs_call *c)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u; /* odd: nothing is lost in its powers */
    t->between = t->between * factor + ncs_hash(line_of(c), c->fn);
    t->power *= factor;
}

static void read_call(const struct tracks *all, struct track *t, const struct ncs_call *c)
{
    if (add_memory(t, c))
        return;
    bool here = c->comm == all->comm && c->comm_rank == t->comm_rank && c->number &&
                !ncs_call_is_pair(c) && !ncs_call_is_one_sided(c);
    if (!here) {
        if (is_counted_on(c))
            add_between(t, c);
        return;
    }
    if (t->count == t->held)
        return;
    struct clue *k = &t->clue[t->count++];
    k->of[NCS_CLUE_LINE - 1] = line_of(c);
    k->of[NCS_CLUE_BUFFER - 1] = ncs_hash(memory_at(t, ncs_call_sendbuff(c)),
                                          memory_at(t, ncs_call_recvbuff(c)));
    k->of[NCS_CLUE_BETWEEN - 1] = t->between;
    k->power = t->power;
    t->between = 0;
    t->power = 1;
}

static void want(struct tracks *all, int comm_rank)
{
    struct track *t = &all->of[comm_rank];
    int rank = ncs_run_rank(all->q, all->comm, comm_rank);
    if (t->wanted || rank < 0)
        return;
    t->wanted = true;
    t->power = 1;
    t->comm_rank = comm_rank;
    t->held = all->q->comm[all->comm].seq[comm_rank].held;
    t->clue = ncs_new(t->held * sizeof *t->clue);
    t->rank = rank;
}

static bool is_of_rank(const struct ncs_inquiry *q, const struct ncs_made *m)
{
    return m->rank >= 0 && m->rank < q->ranks;
}

/* Sorted once, however many communicators there are to look at. */
static struct records sort_records(const struct ncs_inquiry *q)
{
    struct records all = { .end = ncs_new((size_t)(q->ranks + 1) * sizeof *all.end) };
    size_t *place = ncs_new((size_t)(q->ranks + 1) * sizeof *place), count = 0;
    const struct ncs_made *made = q->index.made, *end = made + q->index.mades;
    for (const struct ncs_made *m = made; m < end; m++)
        if (is_of_rank(q, m))
            all.end[m->rank]++;
    for (int r = 0; r < q->ranks; r++) {
        place[r] = count;
        all.end[r] = count += all.end[r];
    }
    all.call = ncs_new((count + 1) * sizeof *all.call);
    for (const struct ncs_made *m = made; m < end; m++)
        if (is_of_rank(q, m))
            all.call[place[m->rank]++] = m->call;
    ncs_free(place);
    return all;
}

static struct tracks begin(const struct ncs_inquiry *q, const struct records *records, int comm)
{
    struct tracks all = { .q = q, .records = records, .comm = comm };
    all.of = ncs_new((size_t)q->journal->comm[comm]->members * sizeof *all.of);
    return all;
}

static void read_all(struct tracks *all)
{
    const struct records *r = all->records;
    for (int i = 0; i < all->q->journal->comm[all->comm]->members; i++) {
        struct track *t = &all->of[i];
        for (size_t k = t->wanted && t->rank ? r->end[t->rank - 1] : 0; t->wanted && k < r->end[t->rank]; k++)
            read_call(all, t, r->call[k]);
    }
}

static void end(struct tracks *all)
{
    for (int i = 0; i < all->q->journal->comm[all->comm]->members; i++) {
        ncs_free(all->of[i].clue);
        ncs_free(all->of[i].memory);
        ncs_map_free(&all->of[i].made_at);
    }
    ncs_free(all->of);
}

/* ---- comparing ---- */

static uint64_t at(const struct track *t, size_t i, enum ncs_clue clue)
{
    return t->clue[i].of[clue - 1];
}

static bool same(const struct track *a, const struct track *b, enum ncs_clue clue)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (at(a, i, clue) != at(b, i, clue))
            return false;
    return a->count == b->count;
}

/* Of the ranks wanted one with whom most of them agree; -1 = there is none. */
static int find_model(const struct tracks *all, const int *rank, size_t count, enum ncs_clue clue)
{
    for (size_t i = 0; i < count; i++) {
        size_t agree = 0;
        for (size_t k = 0; k < count; k++)
            agree += same(&all->of[rank[i]], &all->of[rank[k]], clue);
        if (2 * agree > count)
            return rank[i];
    }
    return -1;
}

/* What came between is what came there and, without a call in between, at the next ones. */
static bool is_joined(const struct track *few, const struct track *many, size_t i, uint32_t shift)
{
    uint64_t joined = at(many, i, NCS_CLUE_BETWEEN);
    for (size_t k = i + 1; k <= i + shift; k++)
        joined = joined * many->clue[k].power + at(many, k, NCS_CLUE_BETWEEN);
    return at(few, i, NCS_CLUE_BETWEEN) == joined;
}

/* One rank made `shift` calls that the other did not, no later than at `last`: whether the clue tells
 * earlier, where. The calls before have to agree as they stand, and those from there on shifted. */
static bool find_shift(const struct tracks *all, int few_rank, int many_rank, uint32_t shift, size_t last,
                       enum ncs_clue clue, size_t *where)
{
    const struct track *few = &all->of[few_rank], *many = &all->of[many_rank];
    const struct ncs_sequence *fs = &all->q->comm[all->comm].seq[few_rank];
    const struct ncs_sequence *ms = &all->q->comm[all->comm].seq[many_rank];
    if (many->count <= shift || last > few->count || last + shift > many->count)
        return false;
    size_t from = many->count - shift < few->count ? many->count - shift : few->count, i = 0;
    while (i < last && at(few, i, clue) == at(many, i, clue))
        i++;
    if (i == last)
        return false;
    while (from > 0 && at(few, from - 1, clue) == at(many, from - 1 + shift, clue) &&
           fs->mark[from - 1] == ms->mark[from - 1 + shift])
        from--;
    *where = i;
    if (clue == NCS_CLUE_BETWEEN)
        return from <= i + 1 && fs->mark[i] == ms->mark[i + shift] && is_joined(few, many, i, shift);
    return from <= i;
}

/* ---- calls left out or made in excess ---- */

static bool locate(const struct tracks *all, const struct ncs_sides *s, enum ncs_clue clue,
                   struct ncs_parting *out)
{
    size_t samples = s->others < SAMPLES ? s->others : SAMPLES, where = 0;
    int model = find_model(all, s->other, samples, clue);
    if (model < 0)
        return false;
    for (size_t i = 0; i < s->odds && i < ODDS; i++) {
        size_t here;
        int odd = s->odd[i];
        if (!find_shift(all, s->extra ? model : odd, s->extra ? odd : model, s->shift, s->last, clue,
                        &here) ||
            (i && here != where))
            return false;
        where = here;
    }
    const struct ncs_sequence *m = &all->q->comm[all->comm].seq[model];
    *out = (struct ncs_parting){ .how = s->extra ? NCS_PARTING_EXTRA : NCS_PARTING_SKIPPED,
                                 .at = (uint32_t)where, .number = m->call[where]->number,
                                 .shift = s->shift, .model = model, .clue = clue };
    out->odds = s->odds;
    out->odd = ncs_new(s->odds * sizeof *out->odd);
    memcpy(out->odd, s->odd, s->odds * sizeof *out->odd);
    return true;
}

static void locate_by_any(struct ncs_inquiry *q, const struct records *records, int comm, const struct ncs_sides *s,
                          struct ncs_parting *out)
{
    struct tracks all = begin(q, records, comm);
    for (size_t i = 0; i < s->others && i < SAMPLES; i++)
        want(&all, s->other[i]);
    for (size_t i = 0; i < s->odds && i < ODDS; i++)
        want(&all, s->odd[i]);
    read_all(&all);
    for (enum ncs_clue clue = NCS_CLUE_LINE; clue <= CLUES && out->how == NCS_PARTING_NONE; clue++)
        locate(&all, s, clue, out);
    end(&all);
    if (out->how == NCS_PARTING_NONE)
        ncs_trace_shift(q, comm, s, out);
}

/* Who has made none at the parting, and who went on. The smaller side is odd; of equal ones those who
 * made fewer. */
static void part_sides(const struct ncs_ranks_of_comm *r, int nranks, struct ncs_sides *s)
{
    const struct ncs_parting *p = &r->parting;
    int *few = ncs_new((size_t)nranks * sizeof *few), *many = ncs_new((size_t)nranks * sizeof *many);
    size_t fews = 0, manys = 0;
    for (int i = 0; i < nranks; i++)
        if (ncs_sequence_at(&r->seq[i], p->at))
            many[manys++] = i;
        else
            few[fews++] = i;
    s->extra = fews > manys;
    s->odd = s->extra ? many : few;
    s->odds = s->extra ? manys : fews;
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

/* Every difference between the two is two calls, `*far` apart, that have changed places; *where is the
 * first. */
static bool find_swaps(const struct tracks *all, int odd, int model, enum ncs_clue clue, size_t *where,
                       uint32_t *far)
{
    const struct track *a = &all->of[odd], *b = &all->of[model];
    bool *done = ncs_new(a->count * sizeof *done), fits = a->count == b->count;
    *far = 0;
    for (size_t i = 0; i < a->count && fits; i++) {
        if (done[i] || at(a, i, clue) == at(b, i, clue))
            continue;
        size_t k = i + 1;
        while (k < a->count && k <= i + FAR &&
               (done[k] || at(a, i, clue) != at(b, k, clue) || at(a, k, clue) != at(b, i, clue)))
            k++;
        fits = k < a->count && k <= i + FAR && (!*far || k - i == *far) &&
               !all->q->comm[all->comm].seq[odd].call[i]->label;
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

static bool locate_swap(const struct tracks *all, int nranks, enum ncs_clue clue, struct ncs_parting *p)
{
    int *rank = ncs_new((size_t)nranks * sizeof *rank), *odd = ncs_new((size_t)nranks * sizeof *odd);
    size_t odds = 0, first = 0, where = 0;
    uint32_t shift = 0, far;
    for (int i = 0; i < nranks; i++)
        rank[i] = i;
    int model = find_model(all, rank, (size_t)nranks, clue);
    bool even = model < 0 && nranks == 2, fits = model >= 0 || even;
    model = even ? 0 : model;
    for (int i = 0; i < nranks && fits; i++) {
        if (same(&all->of[i], &all->of[model], clue))
            continue;
        fits = find_swaps(all, i, model, clue, &where, &far) && (!odds || (where == first && far == shift));
        odd[odds++] = i;
        first = where;
        shift = far;
    }
    ncs_free(rank);
    struct ncs_parting found = { .at = (uint32_t)first, .shift = shift, .clue = clue, .even = even,
                                 .model = model, .odd = odd, .odds = odds };
    return ncs_make_exchange(fits && odds ? &all->q->comm[all->comm].seq[model] : NULL, &found, p);
}

/* Nothing hangs, but data is wrong: are calls of equal signature exchanged? */
static void locate_exchange(struct ncs_inquiry *q, const struct records *records, int comm)
{
    struct ncs_ranks_of_comm *r = &q->comm[comm];
    int nranks = q->journal->comm[comm]->nranks;
    if (nranks < 2 || r->parting.how != NCS_PARTING_NONE || r->seq[0].held < 2 ||
        (size_t)nranks * r->seq[0].held > MOST_CALLS)
        return;
    struct tracks all = begin(q, records, comm);
    bool known = true;
    for (int i = 0; i < nranks; i++) {
        want(&all, i);
        known = known && all.of[i].wanted;
    }
    read_all(&all);
    for (enum ncs_clue clue = NCS_CLUE_LINE; clue <= NCS_CLUE_BUFFER && known; clue++)
        if (locate_swap(&all, nranks, clue, &r->parting))
            break;
    end(&all);
    if (known && r->parting.how == NCS_PARTING_NONE)
        ncs_trace_exchange(q, comm, &r->parting);
}

/* The calls left out or made in excess show where a signature differs, but may have come before, among
 * calls that look the same. */
static void locate_earlier(struct ncs_inquiry *q, const struct records *records, int comm)
{
    struct ncs_ranks_of_comm *r = &q->comm[comm];
    struct ncs_parting *p = &r->parting, found = { 0 };
    int nranks = q->journal->comm[comm]->nranks;
    struct ncs_sides s = { .odd = p->odd, .odds = p->odds, .extra = p->how == NCS_PARTING_EXTRA,
                       .shift = p->shift, .last = p->at };
    s.other = ncs_new((size_t)nranks * sizeof *s.other);
    size_t next = 0;
    for (int i = 0; i < nranks; i++)
        if (next < p->odds && p->odd[next] == i)
            next++;
        else
            s.other[s.others++] = i;
    locate_by_any(q, records, comm, &s, &found);
    ncs_free(s.other);
    if (found.how == NCS_PARTING_NONE)
        return;
    ncs_free(p->odd);
    *p = found;
}

void ncs_find_clues(struct ncs_inquiry *q)
{
    bool doubt = false;
    for (size_t i = 0; i < q->notices; i++)
        doubt |= q->notice[i].kind == NCS_NOTICE_DOUBT;
    if (q->journal->dropped || (!q->hung && !doubt))
        return;
    struct records records = sort_records(q);
    for (size_t c = 0; c < q->journal->comms; c++) {
        struct ncs_ranks_of_comm *r = &q->comm[c];
        int nranks = q->journal->comm[c]->nranks;
        if (!is_whole(r, nranks))
            continue;
        if (q->hung && r->parting.how == NCS_PARTING_FEWER) {
            struct ncs_sides s;
            part_sides(r, nranks, &s);
            if (s.odds)
                locate_by_any(q, &records, (int)c, &s, &r->clued);
            ncs_free(s.odd);
            ncs_free(s.other);
        } else if (q->hung && !r->parting.even && !r->parting.by_label &&
                   (r->parting.how == NCS_PARTING_SKIPPED || r->parting.how == NCS_PARTING_EXTRA)) {
            locate_earlier(q, &records, (int)c);
        } else if (!q->hung && doubt) {
            locate_exchange(q, &records, (int)c);
        }
    }
    ncs_free(records.call);
    ncs_free(records.end);
}

/* ---- words ---- */

static void say_change(struct ncs_str *s, enum ncs_parting_how how, unsigned first, unsigned other,
                       unsigned shift)
{
    const char *what = how == NCS_PARTING_SKIPPED ? "put in" : "taken out";
    if (how == NCS_PARTING_SWAPPED)
        ncs_str_addf(s, "calls %u and %u exchanged on ", first, other);
    else if (shift == 1)
        ncs_str_addf(s, "call %u %s on ", first, what);
    else
        ncs_str_addf(s, "calls %u to %u %s on ", first, first + shift - 1, what);
}

/* "they would have come out with calls 2 and 3 exchanged on rank 3" */
static void say_results(const struct ncs_inquiry *q, int comm, const struct ncs_parting *p,
                        struct ncs_str *s)
{
    const struct ncs_rival *rival = &p->rival;
    ncs_str_add(s, "they would have come out with ");
    say_change(s, p->how, p->number, p->other, p->shift);
    if (rival->how) {
        ncs_str_addf(s, "rank %d, and as well with ", ncs_run_rank(q, comm, p->odd[0]));
        say_change(s, rival->how, rival->number, rival->other, rival->shift);
        ncs_str_addf(s, "rank %d", ncs_run_rank(q, comm, rival->odd));
    } else if (p->even) {
        ncs_str_add(s, "one of the two ranks");
    } else {
        ncs_say_odd(q, s, comm, p);
    }
    if (p->earliest)
        ncs_str_addf(s, ", as with any of calls %u to %u", (unsigned)p->earliest, (unsigned)p->number);
}

void ncs_say_clue(const struct ncs_inquiry *q, int comm, const struct ncs_parting *p, struct ncs_str *s)
{
    static const char *const by[] = {
        [NCS_CLUE_LINE] = "by script lines: ", [NCS_CLUE_BUFFER] = "by buffers: ",
        [NCS_CLUE_BETWEEN] = "by what comes between the calls: ",
        [NCS_CLUE_INPUT] = "by the data that is put in: ",
        [NCS_CLUE_RESULT] = "by the results that were expected: ",
    };
    bool skipped = p->how == NCS_PARTING_SKIPPED;
    ncs_str_add(s, by[p->clue]);
    if (p->clue == NCS_CLUE_RESULT) {
        say_results(q, comm, p, s);
        return;
    }
    if (p->how == NCS_PARTING_SWAPPED) {
        ncs_str_addf(s, "with calls %u and %u exchanged ", (unsigned)p->number, (unsigned)p->other);
        if (p->even) {
            ncs_str_add(s, "the two ranks agree");
            return;
        }
        ncs_say_odd(q, s, comm, p);
        ncs_str_add(s, p->odds == 1 ? " agrees with the others" : " agree with the others");
        return;
    }
    ncs_str_addf(s, "from call %u on ", (unsigned)p->number);
    ncs_say_odd(q, s, comm, p);
    ncs_str_addf(s, " agree%s with what the others do %u call%s %s", p->odds == 1 ? "s" : "",
                 (unsigned)p->shift, p->shift == 1 ? "" : "s", skipped ? "later" : "earlier");
    if (p->earliest)
        ncs_str_addf(s, "; calls %u to %u are alike, and any of them may be the one",
                     (unsigned)p->earliest, (unsigned)p->number);
}
