/* Two threads of a rank make calls on one communicator, or one stream, and nothing orders them. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

struct pair { /* two calls of one rank, by thread: their order in time depends on the schedule */
    const struct ncs_call *low, *high;
};

/* The call, and the earlier call of another thread that nothing orders with it (ncs_call_rare(call)->rival). */
static bool find_pair(const struct ncs_call *call, struct pair *out)
{
    const struct ncs_call *c = call->older;
    while (c && c->id != ncs_call_rare(call)->rival)
        c = c->older;
    if (!c)
        return false;
    bool later = call->thread > c->thread;
    *out = (struct pair){ later ? c : call, later ? call : c };
    return true;
}

/* Negative = the first pair is reported rather. */
static int unordered_threads_compare(const struct pair *a, const struct pair *b)
{
    const int by[] = { a->low->rank - b->low->rank, a->low->thread - b->low->thread, a->high->thread - b->high->thread,
                       a->low->place.line - b->low->place.line, a->high->place.line - b->high->place.line };
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i])
            return by[i];
    return 0;
}

static void unordered_threads_fill(const struct ncs_analysis *q, const struct pair *p, struct ncs_draft *d)
{
    bool one = p->low->comm == p->high->comm;
    const char *name = ncs_comm_name(q, p->low->comm);
    d->f.why = ncs_say(unordered_threads_why, ncs_fact_call("low", q->journal, p->low), ncs_fact_number("thread", p->low->thread),
                       ncs_fact_call("high", q->journal, p->high), ncs_fact_number("other", p->high->thread),
                       ncs_fact_is("one", one));
    d->f.fix = ncs_say(unordered_threads_fix, ncs_fact_is("one", one));
    d->f.evidence = ncs_say(unordered_threads_evidence);
    d->f.comm = ncs_copy_text(name);
    d->f.title = one ? ncs_text("communicator %s: calls of several threads", name)
                     : ncs_copy_text("one stream: calls of several threads");
}

static bool unordered_threads_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct pair first = { 0 }, p;
    if (r->kind != NCS_CAUSE_THREADS)
        return false;
    for (size_t i = 0; i < q->index.rivals.count; i++) {
        const struct ncs_call *c = q->index.rivals.of[i];
        ncs_add_culprit(d, c->rank, 0, 0);
        if (first.low && c->rank > first.low->rank) /* the text names the lowest rank */
            continue;
        if (find_pair(c, &p) && (!first.low || unordered_threads_compare(&p, &first) < 0))
            first = p;
    }
    if (!first.low)
        return false;
    unordered_threads_fill(q, &first, d);
    d->f.certainty = NCS_UNDEFINED;
    d->order = first.low->id;
    return true;
}

const struct ncs_rule ncs_rule_unordered_threads = { .match = unordered_threads_match, .ground = NCS_GROUND_MISUSE };
