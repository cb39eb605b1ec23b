/* Reads events: which records are waited for, and by which event of the scenario. */
#include <string.h>

#include "base/hash.h"
#include "reproduce/reader.h"

static uint64_t event_key(const struct ncs_call *call, int rank)
{
    return ncs_hash(ncs_map_key(ncs_call_arg(call, NCS_ARG_EVENT)->p), (uint64_t)rank);
}

bool ncs_reader_is_of_event(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].records || call->fn == NCS_FN_cudaStreamWaitEvent || call->fn == NCS_FN_cudaEventSynchronize;
}

static void add_event_text(struct ncs_reader *r, const struct ncs_call *call, int rank, const char *text, size_t event)
{
    struct ncs_workload_call c = ncs_workload_call_alone(call->fn, ncs_workload_intern_place(r->job, text));
    c.count = event;
    if (ncs_fn_info[call->fn].at[NCS_ARG_STREAM])
        c.stream = ncs_reader_stream(&r->rank[rank], ncs_call_stream(call));
    ncs_reader_close_group(r, rank);
    ncs_reader_add_token(r, rank, NCS_STEP_TEXT, &c);
}

/* Records for which no call waits are left out. The scenario uses an event again once the last wait for it was made: so rounds of
 * a loop use the same events. */
void ncs_reader_event(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    struct ncs_reader_rank *own = &r->rank[rank];
    uint64_t key = event_key(call, rank);
    if (ncs_fn_info[call->fn].records) {
        size_t event = 0, last = ncs_map_number(&r->last_wait, call->id);
        ncs_map_put_number(&r->recorded, key, (size_t)call->id);
        while (event < NCS_READER_EVENTS && own->event[event])
            event++;
        if (last && event < NCS_READER_EVENTS) {
            own->event[event] = last;
            ncs_map_put_number(&r->event_of, call->id, event + 1);
            add_event_text(r, call, rank, NCS_TEXT_EVENT ":record(" NCS_TEXT_STREAM ")", event);
        } else if (last) {
            r->lost[call->fn]++;
        }
        return;
    }
    size_t record = ncs_map_number(&r->recorded, key), event = record ? ncs_map_number(&r->event_of, record) : 0;
    if (event == 0)
        return;
    bool of_stream = call->fn == NCS_FN_cudaStreamWaitEvent;
    add_event_text(r, call, rank, of_stream ? NCS_TEXT_STREAM ":wait(" NCS_TEXT_EVENT ")" : NCS_TEXT_EVENT ":sync()", event - 1);
    if (own->event[event - 1] == call->id)
        own->event[event - 1] = 0;
}

/* Finds the last wait for each record of an event, and numbers the streams: those of calls of NCCL come first. */
void ncs_reader_find_event(struct ncs_reader *r, const struct ncs_call *call)
{
    int rank = ncs_reader_rank_of_handle(r, call);
    bool known = rank >= 0 && rank < r->job->ranks && !call->opening && !call->ending && !r->shared;
    if (known && ((ncs_fn_info[call->fn].counted && call->comm >= 0) || call->fn == NCS_FN_cudaStreamSynchronize))
        ncs_reader_stream(&r->rank[rank], ncs_call_stream(call));
    if (!known || !ncs_reader_is_of_event(call) || !call->returned || call->rc != 0)
        return;
    uint64_t key = event_key(call, rank);
    if (ncs_fn_info[call->fn].records)
        ncs_map_put_number(&r->recorded, key, (size_t)call->id);
    else if (ncs_map_number(&r->recorded, key))
        ncs_map_put_number(&r->last_wait, ncs_map_number(&r->recorded, key), (size_t)call->id);
}
