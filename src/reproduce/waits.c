/* Finds the calls that make communicators and windows and in which ranks wait. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "reproduce/reader.h"

/* The rank that has the communicator's handle: a helper thread of a program, such as a watchdog, may be of no rank. */
int ncs_reader_rank_of_handle(const struct ncs_reader *r, const struct ncs_call *call)
{
    int rank = call->comm >= 0 ? ncs_workload_member(r->source, r->journal->comm[call->comm], call->comm_rank) : -1;
    return rank >= 0 ? rank : call->rank;
}

static bool makes_of_comm(const struct ncs_call *call)
{
    return call->comm >= 0 && (call->fn == NCS_FN_ncclCommSplit || call->fn == NCS_FN_ncclCommWindowRegister);
}

/* Calls of several ranks that are one: the first of each, the second, .... */
static uint64_t waited_key(struct ncs_map *made, const struct ncs_call *call)
{
    uint64_t of_comm = ncs_hash((uint64_t)call->comm + 1, (uint64_t)call->fn),
             of_rank = ncs_hash(of_comm, (uint64_t)call->comm_rank + 1);
    size_t nth = ncs_map_number(made, of_rank) + 1;
    ncs_map_put_number(made, of_rank, nth);
    return ncs_hash(of_comm, nth);
}

/* A call in a group returns at once, and its group's end waits for it. */
static bool call_has_ended_well(const struct ncs_call *call, const struct ncs_map *open)
{
    return call->returned && (call->rc == 0 || call->rc == ncclInProgress) && !(call->group && ncs_map_number(open, call->group));
}

static bool comm_is_whole(const struct ncs_comm_info *info)
{
    for (int i = 0; i < info->members; i++)
        if (info->member[i].rank < 0 || info->nranks != info->members)
            return false;
    return true;
}

/* Finds the calls that make communicators and windows and in which a rank stands: these become steps; all others are made at the
 * begin of the scenario. */
void ncs_reader_find_waits(struct ncs_reader *r)
{
    const struct ncs_journal *journal = r->journal;
    struct ncs_map made = { 0 }, open = { 0 }; /* groups whose end has not returned */
    r->stuck = ncs_new((journal->comms + 1) * sizeof *r->stuck);
    r->has_id = ncs_new((journal->comms + 1) * sizeof *r->has_id);
    r->used = ncs_new((journal->comms + 1) * sizeof *r->used);
    for (const struct ncs_call *call = journal->oldest; call; call = call->newer) {
        ncs_reader_find_event(r, call);
        if (call->fn == NCS_FN_ncclGroupEnd && !call->returned)
            ncs_map_put_number(&open, call->group, 1);
    }
    for (const struct ncs_call *call = journal->oldest; call; call = call->newer) {
        if (call->opening || call->ending || call->withdrawn || call->comm < 0)
            continue;
        bool well = call_has_ended_well(call, &open);
        if (makes_of_comm(call)) {
            uint64_t key = waited_key(&made, call);
            if (!well)
                ncs_map_put_number(&r->waited, key, 1);
            r->used[call->comm] |= !well;
        } else if (ncs_fn_info[call->fn].joins == NCS_JOINS_ONE &&
                   (!well || (call->rc && !comm_is_whole(journal->comm[call->comm])))) {
            r->stuck[call->comm] = true;
        }
    }
    ncs_map_free(&made);
    ncs_map_free(&open);
    ncs_map_free(&r->recorded);
    for (const struct ncs_host_step *step = journal->oldest_host; step; step = step->newer)
        r->hosts |= step->thread == 0 && !step->over && (step->kind == NCS_HOST_BARRIER || step->kind == NCS_HOST_GET);
}

bool ncs_reader_is_waited_for(struct ncs_reader *r, const struct ncs_call *call)
{
    return makes_of_comm(call) && ncs_map_number(&r->waited, waited_key(&r->made, call)) > 0 && r->family_of[call->comm] >= 0;
}
