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

/* The readers whose elements are those of the first, or the others. */
static struct ncs_fact fact_readers(const char *name, const struct unwritten *u, bool like_first)
{
    struct ncs_call **call = ncs_new(u->of->readers * sizeof *call);
    size_t calls = 0;
    for (size_t i = 0; i < u->of->readers; i++)
        if (is_like_first(u, i) == like_first)
            call[calls++] = u->reader[i];
    struct ncs_fact fact = ncs_fact_makers(name, call, calls);
    ncs_free(call);
    return fact;
}

/* "elements 5-8", "byte 3" */
static struct ncs_sentence *say_extent(const struct unwritten *u)
{
    const struct ncs_notice_extent *e = &u->of->extent[0];
    return ncs_say(never_written_extent, ncs_fact_is("bytes", u->of->element == 1), ncs_fact_number("first", (int64_t)e->first),
                   ncs_fact_number("last", e->last == e->first ? 0 : (int64_t)e->last), ncs_fact_is("more", e->more));
}

static struct ncs_sentence *say_reading(const struct ncs_analysis *q, const struct unwritten *u)
{
    enum ncs_unwritten_use use = u->of->use;
    return ncs_say(never_written_reading, ncs_fact_is("copied", use == NCS_UNWRITTEN_COPIED),
                   ncs_fact_is("scalar", use == NCS_UNWRITTEN_SCALAR), ncs_fact_is("combined", use == NCS_UNWRITTEN_COMBINED),
                   fact_readers("who", u, true), fact_readers("others", u, false),
                   ncs_fact_makers("all", u->reader, u->of->readers), ncs_fact_sentence("extent", say_extent(u)),
                   ncs_fact_is("bytes", u->of->element == 1), ncs_fact_call("reader", q->journal, u->reader[0]),
                   ncs_fact_sentence("use", ncs_say_use(q, u->reader[0])));
}

static struct ncs_sentence *say_origin(const struct ncs_analysis *q, const struct unwritten *u)
{
    bool scalar = u->of->use == NCS_UNWRITTEN_SCALAR, one = scalar || is_one_unwritten(u);
    return ncs_say(never_written_origin, ncs_fact_sentence("carrier", u->carrier ? ncs_say_use(q, u->carrier) : NULL),
                   ncs_fact_is("scalar", scalar), ncs_fact_number("elements", one ? 1 : 2),
                   ncs_fact_is("bytes", u->of->element == 1), ncs_fact_makers("owners", u->owner, u->of->owners),
                   ncs_fact_call("owner", q->journal, u->owner[0]));
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
    const struct ncs_call *reader = u.reader[0], *first = u.carrier ? u.carrier : reader;
    d->f.why = ncs_say(never_written_why, ncs_fact_sentence("reading", say_reading(q, &u)),
                       ncs_fact_sentence("origin", say_origin(q, &u)));
    d->f.fix = ncs_say(never_written_fix, ncs_fact_makers("owners", u.owner, u.of->owners),
                       ncs_fact_call("first", q->journal, first), ncs_fact_is("copied", u.of->use == NCS_UNWRITTEN_COPIED),
                       ncs_fact_is("combined", u.of->use == NCS_UNWRITTEN_COMBINED));
    d->f.evidence = ncs_say(never_written_evidence);
    d->f.certainty = NCS_UNDEFINED;
    ncs_set_call(q, d, reader);
    if (u.of->use == NCS_UNWRITTEN_COPIED) {
        ncs_free(d->f.title);
        d->f.title = ncs_sentence_take(ncs_say(never_written_title, ncs_fact_call("reader", q->journal, reader)));
    }
    for (size_t i = 0; i < u.of->owners; i++)
        ncs_add_culprit(d, u.owner[i]->rank, reader->rank == u.owner[i]->rank ? reader->number : 0, reader->place.line);
    return true;
}

const struct ncs_rule ncs_rule_never_written = { .match = never_written_match, .ground = NCS_GROUND_NOTICED, .by_title = true };
