/* Calls that met and disagree in one argument (diagnose/README.md, rules 7 and 10). */
#include "diagnose/rules/rule.h"

#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

static int64_t disagreement_kind_of(const struct ncs_call *c)
{
    return ncs_fn_info[c->fn].same;
}

static int64_t root_of(const struct ncs_call *c)
{
    return ncs_call_root(c);
}

static int64_t dtype_of(const struct ncs_call *c)
{
    return ncs_call_dtype(c);
}

static int64_t count_of(const struct ncs_call *c)
{
    return (int64_t)ncs_call_count(c);
}

int64_t ncs_op_of(const struct ncs_call *c)
{
    int op = ncs_call_op(c);
    return op > ncclNumOps ? ncclNumOps : op;
}

/* In the order of checks: the first fact that differs names the rule. */
static ncs_fact_of *const facts[] = {
    [NCS_FACT_KIND] = disagreement_kind_of,
    [NCS_FACT_ROOT] = root_of,
    [NCS_FACT_DTYPE] = dtype_of,
    [NCS_FACT_COUNT] = count_of,
    [NCS_FACT_OP] = ncs_op_of,
};

static bool differs(const struct ncs_cause *r, ncs_fact_of *get)
{
    for (size_t i = 1; i < r->calls; i++)
        if (get(r->call[i]) != get(r->call[0]))
            return true;
    return false;
}

static size_t disagreement_votes(const struct ncs_cause *r, ncs_fact_of *get, int64_t value)
{
    size_t n = 0;
    for (size_t i = 0; i < r->calls; i++)
        n += get(r->call[i]) == value;
    return n;
}

/* A call with the commonest value; *tied if another value is as common. Counts in a map: a
 * communicator may have thousands of ranks. */
static const struct ncs_call *disagreement_majority(const struct ncs_cause *r, ncs_fact_of *get, bool *tied, struct ncs_why *why)
{
    struct ncs_map given = { 0 }; /* value -> by how many it was given */
    const struct ncs_call *best = r->call[0];
    size_t most = 0;
    for (size_t i = 0; i < r->calls; i++) {
        uint64_t value = (uint64_t)get(r->call[i]);
        ncs_map_put_number(&given, value, ncs_map_number(&given, value) + 1);
    }
    for (size_t i = 0; i < r->calls; i++) {
        size_t own = ncs_map_number(&given, (uint64_t)get(r->call[i]));
        if (NCS_BY(why, VALUES, own > most))
            best = r->call[i];
        most = own > most ? own : most;
    }
    *tied = false;
    for (size_t i = 0; i < r->calls; i++)
        if (get(r->call[i]) != get(best))
            *tied |= NCS_BY(why, VALUE_TIE, ncs_map_number(&given, (uint64_t)get(r->call[i])) == most);
    ncs_map_free(&given);
    return best;
}

/* The call whose value the siblings' calls have; NULL = none of the values, or several. *siblings =
 * how many calls. */
static const struct ncs_call *disagreement_by_siblings(const struct ncs_analysis *q, const struct ncs_cause *r, ncs_fact_of *get,
                                                       size_t *siblings, struct ncs_why *why)
{
    const struct ncs_call *meant = NULL;
    bool both = false;
    struct ncs_sibling_search *search = ncs_siblings_open(q, r);
    for (size_t i = 0; i < r->calls && !both; i++) {
        if (meant && get(r->call[i]) == get(meant))
            continue;
        struct ncs_siblings s = ncs_siblings_of(search, r->call[i], get);
        both = s.alike && meant;
        if (!meant && NCS_BY(why, VALUE_SIBLINGS, s.alike > 0)) {
            meant = r->call[i];
            *siblings = s.alike;
        }
    }
    ncs_siblings_close(search);
    return both ? NULL : meant;
}

void ncs_fill_calls(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, const struct ncs_call *title)
{
    d->f.call = title->number;
    d->order = r->call[0]->id;
    d->f.certainty = r->unmet ? NCS_CERTAIN : NCS_UNDEFINED; /* without a hang NCCL's result is undefined */
    ncs_set_title(q, d, title);
    for (size_t i = 0; i < r->calls; i++) {
        const struct ncs_call *c = r->call[i];
        ncs_add_row(d, c->rank, c->place.line, ncs_say(row_call, ncs_fact_call("call", q->journal, c)));
    }
    if (r->unmet)
        ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(r->unmet - q->unmet)));
}

/* One value behind those before it: "root 1 on rank 3 at line 8". */
static struct ncs_sentence *say_value(const struct ncs_analysis *q, const struct ncs_cause *r, ncs_fact_of *get,
                                      const struct ncs_call *of, const char *noun, struct ncs_sentence *before)
{
    int *ranks = ncs_new(r->calls * sizeof *ranks);
    size_t count = 0, bytes = get == count_of || get == dtype_of ? ncs_dtype_bytes(ncs_call_dtype(of)) : 0;
    for (size_t i = 0; i < r->calls; i++)
        if (get(r->call[i]) == get(of))
            ranks[count++] = r->call[i]->rank;
    bool kind = get == disagreement_kind_of, type = get == dtype_of, op = get == ncs_op_of;
    const char *name = type ? ncs_dtype_name(ncs_call_dtype(of)) : op ? ncs_redop_name(ncs_call_op(of)) : NULL;
    struct ncs_sentence *s = ncs_say(value, ncs_fact_sentence("before", before), ncs_fact_is("kind", kind),
                                     ncs_fact_call("call", q->journal, of), ncs_fact_text("noun", noun),
                                     ncs_fact_text("type", !type  ? NULL
                                                           : name ? name
                                                                  : "?"),
                                     ncs_fact_text("named", !op    ? NULL
                                                            : name ? name
                                                                   : "?"),
                                     ncs_fact_is("number", !kind && !type && !op),
                                     ncs_fact_number("n", get(of)), /* a record may lack the type */
                                     ncs_fact_is("sized", bytes), ncs_fact_number("bytes", (int64_t)(ncs_call_count(of) * bytes)),
                                     ncs_fact_ranks("who", ranks, count));
    ncs_free(ranks);
    return s;
}

bool ncs_is_exchange(const struct ncs_cause *r)
{
    return r->calls == 2 && ncs_call_is_pair(r->call[0]) && ncs_call_is_pair(r->call[1]);
}

bool ncs_mismatch(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, enum ncs_call_fact which,
                  const char *noun)
{
    if (r->kind != NCS_CAUSE_DIFFER || r->calls < 2 || ncs_is_exchange(r))
        return false;
    for (int i = 0; i < (int)which; i++)
        if (differs(r, facts[i]))
            return false;
    ncs_fact_of *get = facts[which];
    if (!differs(r, get))
        return false;
    enum { MOST = 4 }; /* values in the text */
    bool tied;
    size_t values = 0;
    struct ncs_why why, by_siblings;
    const struct ncs_call *best = disagreement_majority(r, get, &tied, &why);
    const struct ncs_call *meant = tied && get != disagreement_kind_of
                                       ? disagreement_by_siblings(q, r, get, &values, &by_siblings)
                                       : NULL;
    if (meant) {
        best = meant;
        tied = false;
        ncs_decided(&d->f, by_siblings, "%zu calls of other groups agree with rank %d", values, meant->rank);
        d->f.evidence = ncs_say(mismatch_by_siblings, ncs_fact_number("calls", (int64_t)values),
                                ncs_fact_is("line", !(meant->unsaid & NCS_UNSAID_PLACE)), ncs_fact_rank("who", meant->rank));
    } else {
        size_t votes = disagreement_votes(r, get, get(best));
        ncs_decided(&d->f, why, "%zu of %zu ranks agree", votes, r->calls);
        d->f.evidence = tied ? ncs_say(mismatch_tied)
                             : ncs_say(mismatch_by_majority, ncs_fact_number("votes", (int64_t)votes),
                                       ncs_fact_number("calls", (int64_t)r->calls));
    }
    values = 0;
    struct ncs_sentence *said = NULL;
    for (int pass = 0; pass < 2; pass++) { /* rarer values first, then the commonest */
        for (size_t i = 0; i < r->calls; i++) {
            const struct ncs_call *c = r->call[i];
            bool common = get(c) == get(best), listed = false;
            if (common == (pass == 0))
                continue;
            if (tied || !common)
                ncs_add_culprit(d, c->rank, c->number, c->place.line);
            for (size_t k = 0; k < i; k++)
                listed |= get(r->call[k]) == get(c);
            if (listed || ++values > MOST)
                continue;
            said = say_value(q, r, get, c, noun, said);
        }
    }
    d->f.why = ncs_say(mismatch_why, ncs_fact_call("call", q->journal, best), ncs_fact_is("kind", get == disagreement_kind_of),
                       ncs_fact_sentence("values", said), ncs_fact_number("more", values > MOST ? (int64_t)(values - MOST) : 0));
    ncs_fill_calls(q, r, d, best);
    if (tied && d->f.certainty == NCS_CERTAIN)
        d->f.certainty = NCS_LIKELY; /* the disagreement is certain, but not which side is wrong */
    return true;
}

static bool is_byte(const struct ncs_call *c)
{
    return ncs_call_dtype(c) == ncclInt8 || ncs_call_dtype(c) == ncclUint8;
}

/* NCCL moves data as bytes (2.30.7, src/enqueue.cc): without an operator, types of equal amounts of bytes do no harm to
 * them. The guide demands one type all the same. Where all types but one are bytes, it is seldom a mistake. */
bool ncs_add_bytes(const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *typed = NULL;
    bool raw = true;
    for (size_t i = 0; i < r->calls; i++) {
        const struct ncs_call *c = r->call[i], *first = r->call[0];
        if (ncs_call_op(c) >= 0 || ncs_call_count(c) * ncs_dtype_bytes(ncs_call_dtype(c)) !=
                                       ncs_call_count(first) * ncs_dtype_bytes(ncs_call_dtype(first)))
            return true;
        raw &= is_byte(c) || !typed || ncs_call_dtype(c) == ncs_call_dtype(typed);
        typed = is_byte(c) ? typed : c;
    }
    d->f.why = ncs_say(mismatch_bytes, ncs_fact_sentence("why", d->f.why), ncs_fact_is("raw", raw));
    d->remark = raw && !r->unmet;
    return true;
}

/* No record shows what a rank meant, but counts that are so far apart are hardly of one call. */
const char *ncs_count_advice(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    enum { APART = 64 };
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < r->calls; i++) {
        size_t count = ncs_call_count(r->call[i]);
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    return q->snap->recorded && most / APART > least
               ? "the ranks are out of step: find the call before this one that a rank skips or makes once more"
               : "give the same count on every rank, padded to the largest";
}

bool ncs_advise_minority(const struct ncs_cause *r, struct ncs_draft *d, const char *what)
{
    size_t culprits = d->f.culprits;
    struct ncs_fact who = culprits < r->calls || culprits == 1 ? ncs_fact_culprits("who", d) : ncs_fact_is("who", false);
    d->f.fix = ncs_say(mismatch_fix, ncs_fact_text("advice", what), who,
                       ncs_fact_line("line", culprits == 1 ? d->f.culprit[0].line : 0));
    return true;
}
