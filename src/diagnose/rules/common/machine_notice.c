/* Shared by the rules about events that the machine itself noticed. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

void ncs_fill_notice(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, const char *what)
{
    const struct ncs_call *c = r->notice->calls ? r->notice->call[0] : NULL;
    d->order = c ? c->id : 0;
    d->f.certainty = NCS_CERTAIN;
    d->f.evidence = ncs_plain(ncs_copy_text("it was seen when the call ran"));
    if (c) {
        char *text = ncs_describe(c);
        d->f.call = c->number;
        ncs_set_title(q, d, c);
        ncs_add_culprit(d, c->rank, c->number, c->place.line);
        ncs_add_row(d, c->rank, c->place.line, ncs_plain(ncs_copy_text(what)));
        struct ncs_str s = { 0 };
        ncs_str_addf(&s, "rank %d's %s", c->rank, text);
        ncs_format_place(&s, c);
        ncs_str_addf(&s, " %s", what);
        if (r->notice->why)
            ncs_str_addf(&s, ": %s", r->notice->why);
        d->f.why = ncs_plain(ncs_str_take(&s));
        ncs_free(text);
    } else {
        d->f.title = ncs_copy_text(what);
        d->f.why = ncs_plain(ncs_copy_text(r->notice->why ? r->notice->why : what));
    }
}
