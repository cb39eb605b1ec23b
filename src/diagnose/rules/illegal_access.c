/* An operation touches memory that it may not touch. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool illegal_access_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_NOTICE || r->notice->kind == NCS_NOTICE_CRASH || ncs_stale_target(q, r->notice))
        return false;
    ncs_fill_notice(q, r, d, "touches memory that it may not touch");
    bool freed = false;
    if (r->notice->calls) {
        struct ncs_str s = { 0 };
        ncs_str_add(&s, ncs_sentence_text(d->f.why));
        freed = ncs_format_memory(q, r->notice->call[0], r->notice->why, &s);
        ncs_sentence_free(d->f.why);
        d->f.why = ncs_plain(ncs_str_take(&s));
    }
    d->f.fix = ncs_plain(ncs_text(freed ? "free it only after the stream has passed the operation"
                                        : "give it a live buffer of its own device that holds all it reads "
                                          "and writes"));
    return true;
}

const struct ncs_rule ncs_rule_illegal_access = { .match = illegal_access_match, .ground = NCS_GROUND_NOTICED };
