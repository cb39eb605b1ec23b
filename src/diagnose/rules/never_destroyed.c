/* Some ranks destroyed a communicator that others left behind. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static bool never_destroyed_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_LEFT || r->comm < 0)
        return false;
    const struct ncs_comm_info *info = q->journal->comm[r->comm];
    for (int i = 0; i < info->nranks; i++)
        if (!info->member[i].gone && info->member[i].rank >= 0)
            ncs_add_culprit(d, info->member[i].rank, 0, 0);
    d->f.comm = ncs_copy_text(info->name);
    d->f.title = ncs_text("communicator %s was not destroyed", info->name);
    d->f.why = ncs_say(never_destroyed_why, ncs_fact_culprits("who", d), ncs_fact_text("comm", info->name));
    d->f.fix = ncs_say(never_destroyed_fix, ncs_fact_text("comm", info->name));
    return true;
}

const struct ncs_rule ncs_rule_never_destroyed = { .match = never_destroyed_match, .ground = NCS_GROUND_MISUSE };
