/* A rank was stopped, and others wait for it; or every rank was, and nobody is left to wait. */
#include "diagnose/rules/rule.h"

#include <string.h>

static bool same_statement(const struct ncs_notice_fault *a, const struct ncs_notice_fault *b)
{
    return a->place.line == b->place.line && strcmp(a->what, b->what) == 0;
}

static void fill_all(const struct ncs_analysis *q, const struct ncs_notice *n, struct ncs_draft *d)
{
    bool one = true;
    for (size_t i = 0; i < n->faults; i++) {
        const struct ncs_notice_fault *f = &n->fault[i];
        one = one && same_statement(f, n->fault);
        ncs_add_culprit(d, f->rank, 0, f->place.line);
        ncs_add_row(d, f->rank, f->place.line, ncs_say(rank_lost_row, ncs_fact_text("fault", f->what)));
    }
    bool thread = n->faults == 1 && q->parties; /* one thread drives several ranks */
    d->f.title = ncs_sentence_take(ncs_say(rank_lost_title));
    d->f.why = ncs_say(rank_lost_all, ncs_fact_is("thread", thread), ncs_fact_is("only", n->faults == 1 && !thread),
                       ncs_fact_is("every", n->faults != 1), ncs_fact_text("fault", one ? n->fault->what : NULL),
                       ncs_fact_line("line", n->fault->place.line));
    d->f.fix = ncs_say(rank_lost_all_fix, ncs_fact_rank("who", n->fault->rank));
    d->f.evidence = ncs_say(rank_lost_all_evidence);
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
    ncs_fill_absent(q, r, d);
    d->f.why = ncs_say(rank_lost_ended, ncs_fact_absent(r), ncs_fact_before(q, r), ncs_fact_call("own", q->journal, own),
                       ncs_fact_waits(q, r->unmet, r->absents > 1));
    if (!ncs_same_call(own, r->unmet->call)) {
        d->f.certainty = NCS_LIKELY;
        d->f.otherwise = ncs_sentence_take(ncs_say(rank_lost_ended_or, ncs_fact_call("own", q->journal, own)));
    }
    d->f.fix = ncs_say(rank_lost_ended_fix);
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
    const struct ncs_snap_context *c = context >= 0 ? &q->snap->context[context] : NULL;
    struct ncs_fact waits = ncs_fact_waits(q, r->unmet, r->absents > 1);
    if (missing) {
        d->f.why = ncs_say(rank_lost_missing, ncs_fact_absent(r), ncs_fact_text("how", c->message), waits);
        d->f.fix = ncs_say(rank_lost_missing_fix, ncs_fact_absent(r));
        return true;
    }
    bool alone = r->absents == 1, lost = c && c->ending == NCS_END_LOST;
    const char *message = alone && c ? c->message : NULL;
    d->f.why = ncs_say(rank_lost_why, ncs_fact_is("thread", alone && ncs_may_go_on(q, r->absent[0]->rank)), ncs_fact_absent(r),
                       ncs_fact_is(ncs_stop_verb(q, c), true), ncs_fact_text("error", lost ? message : NULL),
                       ncs_fact_text("fault", lost ? NULL : message), ncs_fact_before(q, r), waits);
    d->f.fix = ncs_say(rank_lost_fix);
    return true;
}

const struct ncs_rule ncs_rule_rank_lost = { .match = rank_lost_match, .ground = NCS_GROUND_RECORD };
