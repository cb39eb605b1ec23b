/* A buffer is on another device than the communicator. The devices can reach each other, so the
 * call succeeds, but slowly. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool foreign_buffer_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_FOREIGN || !r->notice->calls)
        return false;
    ncs_fill_notice(q, r, d, "uses memory of another device");
    struct ncs_str s = { 0 };
    ncs_str_add(&s, ncs_sentence_text(d->f.why));
    ncs_format_memory(q, r->notice->call[0], r->notice->why, &s);
    ncs_str_add(&s, "; this works only where the devices can access each other's memory, and it is slow");
    ncs_sentence_free(d->f.why);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_copy_text("allocate it on the communicator's device, which has to be the current one then; "
                                       "NCCL_CHECK_MODE=DEBUG_LOCAL makes NCCL refuse it"));
    return true;
}

const struct ncs_rule ncs_rule_foreign_buffer = { .match = foreign_buffer_match, .ground = NCS_GROUND_NOTICED };
