/* How the list of a rank's calls ends. */
#include <string.h>

#include "base/mem.h"
#include "reproduce/reader.h"

static bool waits_at_its_end(const struct ncs_workload_tokens *t)
{
    return t->count > 0 && t->token[t->count - 1].kind == NCS_STEP_SYNC;
}

/* The rank's newest call with data; SIZE_MAX = none. */
static size_t newest_counted(const struct ncs_workload_tokens *t)
{
    size_t at = t->count;
    while (at > 0 && (t->token[at - 1].kind != NCS_STEP_CALL || t->token[at - 1].call->dtype < 0))
        at--;
    return at ? at - 1 : SIZE_MAX;
}

static void add_statement(struct ncs_reader *r, int rank, enum ncs_step_kind kind, const char *text)
{
    struct ncs_workload_call c = ncs_workload_call_alone(NCS_FN_COUNT, ncs_workload_intern_place(r->job, text));
    ncs_reader_add_token(r, rank, kind, &c);
}

static void add_wait_for_device(struct ncs_reader *r, int rank)
{
    struct ncs_workload_call c = ncs_workload_call_alone(NCS_FN_cudaDeviceSynchronize, NULL);
    ncs_reader_add_token(r, rank, NCS_STEP_SYNC, &c);
}

/* Puts the newest token before the one at `at`. */
static void move_token(struct ncs_workload_tokens *t, size_t at)
{
    struct ncs_workload_token token = t->token[t->count - 1];
    memmove(&t->token[at + 1], &t->token[at], (t->count - 1 - at) * sizeof token);
    t->token[at] = token;
}

/* The newest call is made on memory that is too small: then its wait fails. */
static void end_by_illegal_access(struct ncs_reader *r, int rank)
{
    struct ncs_workload_tokens *t = &r->of[rank];
    size_t at = newest_counted(t);
    if (at == SIZE_MAX)
        return;
    struct ncs_workload_call c = *t->token[at].call;
    char *text = ncs_workload_illegal_text(&c);
    c.place = ncs_workload_intern_place(r->job, text);
    c.dtype = c.op = -1;
    ncs_free(text);
    ncs_reader_add_token(r, rank, NCS_STEP_TEXT, &c);
    t->token[at] = t->token[--t->count];
}

/* The rank aborts while its newest call, for which it has not waited, may be in progress. */
static bool stands_before_abort(const struct ncs_workload_tokens *t)
{
    size_t at = newest_counted(t);
    return at != SIZE_MAX && at + 1 < t->count && t->token[at + 1].call->fn == NCS_FN_ncclCommAbort;
}

/* The record shows that the rank's newest call was not over at its end, or does not show it. */
static bool newest_may_be_in_progress(const struct ncs_reader *r, int rank)
{
    const struct ncs_snapshot *s = r->source->snapshot;
    for (size_t i = 0; s && i < s->parts; i++)
        if (s->part[i].call == r->rank[rank].newest)
            return true;
    return !s;
}

/* The host of a rank that has made calls waits for them; a record of NCCL's calls alone does not show it. */
void ncs_reader_end_rank(struct ncs_reader *r, int rank)
{
    struct ncs_workload_tokens *t = &r->of[rank];
    const char *last = r->source->last && !r->shared && rank < r->source->ranks ? r->source->last[rank] : NULL;
    bool illegal = last && strcmp(last, NCS_LAST_ILLEGAL_ACCESS) == 0;
    bool fault = last && strncmp(last, NCS_LAST_FAULT, strlen(NCS_LAST_FAULT)) == 0;
    bool refused = last && r->rank[rank].failed && t->count > 0 && strncmp(last, "error(", 6) == 0;
    ncs_reader_close_group(r, rank);
    if (illegal)
        end_by_illegal_access(r, rank);
    if (fault && newest_counted(t) != SIZE_MAX) {
        size_t at = newest_counted(t);
        add_statement(r, rank, NCS_STEP_TEXT, last);
        move_token(t, at);
    }
    if (stands_before_abort(t)) {
        size_t at = newest_counted(t);
        const char *delay = ncs_workload_intern_place(r->job, NCS_TEXT_STREAM ":delay(60)");
        struct ncs_workload_call c = ncs_workload_call_alone(t->token[at].call->fn, delay);
        c.stream = t->token[at].call->stream;
        if (newest_may_be_in_progress(r, rank)) {
            ncs_reader_add_token(r, rank, NCS_STEP_TEXT, &c);
            move_token(t, at);
        } else {
            add_wait_for_device(r, rank);
            move_token(t, at + 1);
        }
    }
    if (refused && t->token[t->count - 1].kind == NCS_STEP_TEXT) {
        struct ncs_str checked = { 0 };
        struct ncs_workload_call c = *t->token[t->count - 1].call;
        ncs_str_addf(&checked, "C.check(%s)", c.place);
        c.place = ncs_workload_intern_place(r->job, checked.text);
        t->count--;
        ncs_reader_add_token(r, rank, NCS_STEP_TEXT, &c);
        ncs_str_free(&checked);
    } else if (last && !illegal && !fault) {
        add_statement(r, rank, NCS_STEP_LAST, last);
    } else if (t->count > 0 && !waits_at_its_end(t) && (illegal || t->token[t->count - 1].call->dtype >= 0)) {
        add_wait_for_device(r, rank);
    }
}
