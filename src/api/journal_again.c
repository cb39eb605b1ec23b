/* Calls that were captured into graphs: the captured call itself moves no data, and each launch of its graph carries it out
 * by a record of its own. */
#include "api/journal_private.h"
#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

void ncs_journal_leave_captured(struct ncs_journal *j, struct ncs_call *call)
{
    if (call->captured && call->number)
        ncs_journal_unnumber(j, call);
}

struct ncs_call *ncs_journal_find_again(struct ncs_journal *j, const struct ncs_call *captured, const struct ncs_call *by)
{
    struct ncs_journal_private *own = j->own;
    if (own->again_in == by->id)
        return ncs_map_get(&own->again_calls, captured->id);
    ncs_map_free(&own->again_groups);
    ncs_map_free(&own->again_calls);
    own->again_groups = own->again_calls = (struct ncs_map){ 0 };
    own->again_in = by->id;
    return NULL;
}

/* One new group for each group of the launch. */
static uint64_t group_again(struct ncs_journal *j, const struct ncs_call *captured)
{
    struct ncs_journal_private *own = j->own;
    if (!captured->group)
        return 0;
    uint64_t group = ncs_map_number(&own->again_groups, captured->group);
    if (!group)
        ncs_map_put_number(&own->again_groups, captured->group, (size_t)(group = ++own->groups));
    return group;
}

void ncs_journal_fill_again(struct ncs_journal *j, struct ncs_call *call, const struct ncs_call *captured, struct ncs_call *by)
{
    memcpy(call->arg, captured->arg, ncs_fn_info[call->fn].nargs * sizeof *call->arg);
    call->rank = captured->rank;
    call->thread = by->thread;
    call->place = captured->place;
    call->label = captured->label;
    call->unverified = captured->unverified;
    call->unsaid = captured->unsaid;
    call->by_c_name = captured->by_c_name;
    call->declared = captured->declared;
    call->returned = true;
    call->comm_rank = captured->comm_rank;
    call->redop = captured->redop;
    ncs_call_add_rare(call)->launched = by;
    ncs_call_pin(by);
    call->group = group_again(j, captured);
    ncs_journal_set_comm(j, call, captured->comm);
    if (ncs_fn_info[call->fn].counted && call->comm >= 0)
        ncs_journal_count_call(j, call);
    ncs_map_put(&j->own->again_calls, captured->id, call);
}
