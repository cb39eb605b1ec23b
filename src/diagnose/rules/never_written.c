/* Memory of a device is used that nothing has written since it was allocated: the values mean nothing. */
#include "diagnose/rules/rule.h"

#include "api/types.h"
#include "base/mem.h"

/* The calls of the notice, by their kinds. */
struct unwritten {
    struct ncs_call *const *reader, *const *owner;
    const struct ncs_call *carrier; /* NULL = none */
    const struct ncs_notice_unwritten *of;
};

static struct unwritten unwritten_of(const struct ncs_notice *n)
{
    const struct ncs_notice_unwritten *of = &n->unwritten;
    size_t both = of->readers + of->owners;
    return (struct unwritten){ n->call, n->call + of->readers, both < n->calls ? n->call[both] : NULL, of };
}

static void format_calls_ranks(struct ncs_str *s, struct ncs_call *const *call, size_t calls)
{
    int *rank = ncs_new(calls * sizeof *rank);
    size_t ranks = 0;
    for (size_t i = 0; i < calls; i++)
        if (ranks == 0 || rank[ranks - 1] != call[i]->rank)
            rank[ranks++] = call[i]->rank;
    ncs_format_ranks(s, rank, ranks);
    ncs_free(rank);
}

static const char *noun_of(const struct unwritten *u)
{
    return u->of->element == 1 ? "byte" : "element";
}

static bool is_like_first(const struct unwritten *u, size_t reader)
{
    const struct ncs_notice_extent *a = &u->of->extent[0], *b = &u->of->extent[reader];
    return a->first == b->first && a->last == b->last && a->more == b->more;
}

static bool are_alike(const struct unwritten *u)
{
    size_t alike = 0;
    while (alike < u->of->readers && is_like_first(u, alike))
        alike++;
    return alike == u->of->readers;
}

static bool is_one_unwritten(const struct unwritten *u)
{
    const struct ncs_notice_extent *e = &u->of->extent[0];
    return e->first == e->last && !e->more && are_alike(u);
}

/* The readers whose elements are those of the first, or the others. Returns their number. */
static size_t format_readers(struct ncs_str *s, const struct unwritten *u, bool like_first)
{
    struct ncs_call **call = ncs_new(u->of->readers * sizeof *call);
    size_t calls = 0;
    for (size_t i = 0; i < u->of->readers; i++)
        if (is_like_first(u, i) == like_first)
            call[calls++] = u->reader[i];
    format_calls_ranks(s, call, calls);
    ncs_free(call);
    return calls;
}

/* "elements 5-8", "byte 3" */
static void format_extent(struct ncs_str *s, const struct unwritten *u)
{
    const struct ncs_notice_extent *e = &u->of->extent[0];
    if (e->first == e->last)
        ncs_str_addf(s, "%s %llu", noun_of(u), (unsigned long long)e->first);
    else
        ncs_str_addf(s, "%ss %llu-%llu", noun_of(u), (unsigned long long)e->first, (unsigned long long)e->last);
    ncs_str_add(s, e->more ? " and others" : "");
}

static void format_copied(struct ncs_str *s, const struct unwritten *u)
{
    size_t readers = format_readers(s, u, true);
    ncs_str_add(s, readers > 1 ? " read " : " reads ");
    format_extent(s, u);
    if (!are_alike(u)) {
        ncs_str_add(s, " and ");
        readers = format_readers(s, u, false);
        ncs_str_addf(s, " %s other %ss", readers > 1 ? "read" : "reads", noun_of(u));
    }
    ncs_format_place(s, u->reader[0]);
}

static void format_reading(const struct ncs_analysis *q, struct ncs_str *s, const struct unwritten *u)
{
    if (u->of->use == NCS_UNWRITTEN_COPIED) {
        format_copied(s, u);
        return;
    }
    ncs_format_use(q, s, u->reader[0]);
    if (u->of->use == NCS_UNWRITTEN_SCALAR) {
        ncs_str_add(s, " takes the factor of ");
        format_calls_ranks(s, u->reader, u->of->readers);
        return;
    }
    ncs_str_add(s, " combines ");
    format_extent(s, u);
    ncs_str_add(s, " of ");
    format_readers(s, u, true);
    if (!are_alike(u)) {
        ncs_str_addf(s, " and other %ss of ", noun_of(u));
        format_readers(s, u, false);
    }
    ncs_str_add(s, " with data that were written");
}

static void format_origin(const struct ncs_analysis *q, struct ncs_str *s, const struct unwritten *u)
{
    bool scalar = u->of->use == NCS_UNWRITTEN_SCALAR, one = scalar || is_one_unwritten(u);
    if (!u->carrier) {
        if (scalar)
            ncs_str_add(s, " from memory that nothing has written since its allocation");
        else
            ncs_str_addf(s, ": nothing has written %s %s%s since %s allocation", one ? "this" : "these", noun_of(u),
                         one ? "" : "s", one ? "its" : "their");
        ncs_format_place(s, u->owner[0]);
        return;
    }
    ncs_str_add(s, ": ");
    ncs_format_use(q, s, u->carrier);
    ncs_str_addf(s, " took %s from memory of ", one ? "it" : "them");
    format_calls_ranks(s, u->owner, u->of->owners);
    ncs_str_add(s, " that nothing has written since its allocation");
    ncs_format_place(s, u->owner[0]);
}

static char *fix_of(const struct unwritten *u)
{
    struct ncs_str s = { 0 };
    ncs_str_add(&s, "write the memory of ");
    format_calls_ranks(&s, u->owner, u->of->owners);
    const struct ncs_call *first = u->carrier ? u->carrier : u->reader[0];
    if (first->place.line)
        ncs_str_addf(&s, " before line %d", first->place.line);
    ncs_str_add(&s, u->of->use == NCS_UNWRITTEN_COPIED     ? ", or read only what is written"
                    : u->of->use == NCS_UNWRITTEN_COMBINED ? ", or give a count that leaves it out"
                                                           : "");
    return ncs_str_take(&s);
}

static bool is_off_root(const struct ncs_hazard *h, const struct ncs_call *reader)
{
    bool there = false;
    for (size_t i = 0; i < h->ats && !there; i++)
        there = h->at[i].rank == reader->rank;
    return there && h->kind == NCS_HAZARD_OFF_ROOT && ncs_at_same_place(h->later, reader);
}

/* True if all readers took it for the result of a call that has one on its root alone: result-off-root says more. */
static bool are_off_root(const struct ncs_analysis *q, const struct unwritten *u)
{
    size_t off = 0;
    for (size_t i = 0; i < u->of->readers; i++) {
        bool found = false;
        for (size_t k = 0; k < q->notices && !found; k++)
            found = q->notice[k].kind == NCS_NOTICE_HAZARD && is_off_root(q->notice[k].hazard, u->reader[i]);
        off += found;
    }
    return off == u->of->readers;
}

static bool never_written_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_UNWRITTEN || r->notice->unwritten.owners == 0)
        return false;
    struct unwritten u = unwritten_of(r->notice);
    if (are_off_root(q, &u))
        return false;
    const struct ncs_call *reader = u.reader[0];
    struct ncs_str s = { 0 };
    format_reading(q, &s, &u);
    format_origin(q, &s, &u);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(fix_of(&u));
    d->f.evidence = ncs_plain(ncs_copy_text("by all writes to the memory since it was allocated"));
    d->f.certainty = NCS_UNDEFINED;
    ncs_set_call(q, d, reader);
    if (u.of->use == NCS_UNWRITTEN_COPIED) {
        ncs_str_add(&s, "memory that nothing has written, read");
        ncs_format_place(&s, reader);
        ncs_free(d->f.title);
        d->f.title = ncs_str_take(&s);
    }
    for (size_t i = 0; i < u.of->owners; i++)
        ncs_add_culprit(d, u.owner[i]->rank, reader->rank == u.owner[i]->rank ? reader->number : 0, reader->place.line);
    return true;
}

const struct ncs_rule ncs_rule_never_written = { .match = never_written_match, .ground = NCS_GROUND_NOTICED, .by_title = true };
