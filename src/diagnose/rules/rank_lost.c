/* A rank was stopped, and others wait for it; or every rank was, and nobody is left to wait. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

static bool same_statement(const struct ncs_notice_fault *a, const struct ncs_notice_fault *b)
{
    return a->place.line == b->place.line && strcmp(a->what, b->what) == 0;
}

static void format_statement(const struct ncs_notice_fault *f, struct ncs_str *s)
{
    ncs_str_addf(s, " by %s", f->what);
    if (f->place.line)
        ncs_str_addf(s, " at line %d", f->place.line);
}

static void fill_all(const struct ncs_analysis *q, const struct ncs_notice *n, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    bool one = true;
    for (size_t i = 0; i < n->faults; i++) {
        const struct ncs_notice_fault *f = &n->fault[i];
        one = one && same_statement(f, n->fault);
        ncs_add_culprit(d, f->rank, 0, f->place.line);
        ncs_add_row(d, f->rank, f->place.line, ncs_text("was stopped by %s", f->what));
    }
    bool has_all = n->faults == 1 && q->parties; /* one thread drives several ranks */
    ncs_str_add(&s, has_all          ? "the thread of all ranks was stopped"
                    : n->faults == 1 ? "the only rank was stopped"
                                     : "every rank was stopped");
    if (one)
        format_statement(n->fault, &s);
    ncs_str_add(&s, ": no rank reached its end");
    d->f.title = ncs_text("no rank is left");
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_text("let at least one rank go on; if their loss is what the scenario is about, "
                                  "declare outcome = { lost = %d }",
                                  n->fault->rank));
    d->f.evidence = ncs_plain(ncs_text("by the faults that happened"));
}

/* For a rank that is missing from a recorded run, where no fault has stopped it. */
static void format_missing(const struct ncs_analysis *q, const struct ncs_cause *r, const struct ncs_snap_context *c,
                           struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    ncs_format_absent(r, &s);
    ncs_str_addf(&s, " %s", c->message);
    ncs_format_who_waits(q, &s, r->unmet, r->absents > 1);
    d->f.why = ncs_plain(ncs_str_take(&s));
    bool several = r->absents > 1;
    d->f.fix = ncs_plain(ncs_text("look at how %s ended: %s own output, %s host, who started the job", several ? "they" : "it",
                                  several ? "their" : "its", several ? "their" : "its"));
}

/* A process may end without an error while its own call is under way, which ends with it. */
static bool ends_in_its_call(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    return ncs_is_because(r, NCS_ABSENT_FINISHED, NCS_ABSENT_FINISHED) && r->absent[0]->context >= 0 &&
           q->snap->context[r->absent[0]->context].ending == NCS_END_RETURNED && ncs_has_made(q, r->unmet, r->absent[0]);
}

static void fill_early_end(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *own = ncs_call_at(q, r->unmet->comm, r->absent[0]->comm_rank, ncs_position(q, r->unmet->call));
    struct ncs_str s = { 0 };
    ncs_fill_absent(q, r, d);
    ncs_format_absent(r, &s);
    ncs_str_add(&s, " ended");
    ncs_format_before(q, r, &s);
    ncs_str_addf(&s, ", which %s made", r->absents > 1 ? "they" : "it");
    ncs_format_place(&s, own);
    ncs_str_add(&s, " and did not wait for");
    ncs_format_who_waits(q, &s, r->unmet, r->absents > 1);
    d->f.why = ncs_plain(ncs_str_take(&s));
    if (!ncs_same_call(own, r->unmet->call)) {
        char *what = ncs_describe(own);
        d->f.certainty = NCS_LIKELY;
        d->f.otherwise = ncs_text("it could also be that the calls disagree as well: rank %d's call is %s", own->rank, what);
        ncs_free(what);
    }
    d->f.fix = ncs_plain(
        ncs_text("let each rank wait for its calls before its process ends: synchronize their streams, and destroy "
                 "the communicator"));
}

static bool rank_lost_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind == NCS_CAUSE_LOST) {
        fill_all(q, r->notice, d);
        return true;
    }
    if (ends_in_its_call(q, r)) {
        fill_early_end(q, r, d);
        return true;
    }
    if (!ncs_is_because(r, NCS_ABSENT_KILLED, NCS_ABSENT_KILLED))
        return false;
    int context = r->absent[0]->context;
    bool missing = context >= 0 && q->snap->context[context].ending == NCS_END_MISSING;
    if (missing && ncs_is_joining(r))
        return false; /* that it has not joined is known, and no more */
    ncs_fill_absent(q, r, d);
    struct ncs_str s = { 0 };
    if (missing) {
        format_missing(q, r, &q->snap->context[context], d);
        return true;
    }
    if (r->absents == 1 && ncs_may_go_on(q, r->absent[0]->rank))
        ncs_str_add(&s, "a thread of ");
    ncs_format_absent(r, &s);
    ncs_str_addf(&s, " %s %s", r->absents > 1 ? "were" : "was",
                 ncs_stop_verb(q, context >= 0 ? &q->snap->context[context] : NULL));
    if (r->absents == 1 && context >= 0 && q->snap->context[context].message)
        ncs_str_addf(&s, q->snap->context[context].ending == NCS_END_LOST ? " with %s" : " by %s",
                     q->snap->context[context].message);
    ncs_format_before(q, r, &s);
    ncs_format_who_waits(q, &s, r->unmet, r->absents > 1);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_text("when a rank is lost, all others have to abort the communicators that "
                                  "they share with it"));
    return true;
}

const struct ncs_rule ncs_rule_rank_lost = { .match = rank_lost_match, .ground = NCS_GROUND_RECORD };
