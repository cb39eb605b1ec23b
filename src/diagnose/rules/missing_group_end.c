/* A call sits in a group that was never ended. */
#include "diagnose/rules/rule.h"

static bool missing_group_end_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind == NCS_CAUSE_LEFT && r->rank >= 0) {
        ncs_add_culprit(d, r->rank, 0, r->line);
        d->f.title = ncs_text("rank %d ended inside a group", r->rank);
        d->f.why = ncs_plain(ncs_text("rank %d ended with %d group%s open: what was queued in it was never "
                                      "launched",
                                      r->rank, r->depth, r->depth > 1 ? "s" : ""));
        d->f.fix = ncs_plain(ncs_text("end each group that is started, on every path"));
        return true;
    }
    if (!ncs_is_because(r, NCS_ABSENT_GROUP, NCS_ABSENT_GROUP))
        return false;
    ncs_fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    int depth = a->context >= 0 ? q->snap->context[a->context].group_depth : 1;
    struct ncs_str s = { 0 };
    ncs_format_absent(r, &s);
    if (a->call && a->call->number)
        ncs_str_addf(&s, " made call %u", (unsigned)a->call->number);
    if (a->call)
        ncs_format_place(&s, a->call);
    ncs_str_addf(&s, " inside a group that is still open (depth %d): nothing of it was launched", depth);
    ncs_format_who_waits(q, &s, r->unmet, r->absents > 1);
    d->f.why = ncs_plain(ncs_str_take(&s));
    if (a->call && a->call->place.line)
        d->f.fix = ncs_plain(ncs_text("end the group around line %d: as many ncclGroupEnd as ncclGroupStart, "
                                      "on every path",
                                      a->call->place.line));
    else
        d->f.fix = ncs_plain(ncs_text("as many ncclGroupEnd as ncclGroupStart, on every path"));
    return true;
}

const struct ncs_rule ncs_rule_missing_group_end = { .match = missing_group_end_match, .ground = NCS_GROUND_RECORD };
