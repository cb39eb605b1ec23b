/* Shared by the rules about events that the machine itself noticed. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

void ncs_fill_notice(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, struct ncs_sentence *what)
{
    const struct ncs_call *c = r->notice->calls ? r->notice->call[0] : NULL;
    d->order = c ? c->id : 0;
    d->f.certainty = NCS_CERTAIN;
    d->f.evidence = ncs_say(notice_evidence);
    if (c) {
        d->f.call = c->number;
        ncs_set_title(q, d, c);
        ncs_add_culprit(d, c->rank, c->number, c->place.line);
        ncs_add_row(d, c->rank, c->place.line, ncs_sentence_copy(what));
    } else {
        d->f.title = ncs_copy_text(ncs_sentence_text(what));
    }
    d->f.why = ncs_say(notice_why, ncs_fact_call("call", q->journal, c), ncs_fact_sentence("what", what),
                       ncs_fact_text("reason", r->notice->why));
}
