/* Calls that returned an error: a job that hangs afterwards often has its cause there. */
#include "api/types.h"
#include "base/mem.h"
#include "trace/recording.h"

/* The code with which a call failed, or the one that it asked for; 0 = none. */
static int failure_of(const struct recorded_call *c)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    int state = c->fn == NCS_FN_ncclCommGetAsyncError && c->raw.rc == 0 ? (int)c->raw.arg[1] : c->raw.rc;
    if (c->end == UINT64_MAX || state == 0)
        return 0;
    return info->lib == NCS_LIB_CUDA ? (state == cudaErrorNotReady ? 0 : state) : state == ncclInProgress ? 0 : state;
}

static int rank_of_call(const struct recording *r, const struct recorded_call *c)
{
    const struct recorded_file *f = &r->file[c->file];
    return f->several && c->rank >= 0 ? c->rank : f->thread[c->raw.thread].rank;
}

/* Whether a rank had the same failure of the same function. */
static bool fails_alike(const struct recorded_call *c, const struct recorded_call *first)
{
    return c->fn == first->fn && failure_of(c) == failure_of(first);
}

/* The ranks with that failure; returns how many calls failed so. */
static size_t list_ranks(const struct recording *r, const struct recorded_call *first, int **rank, size_t *ranks)
{
    bool *there = ncs_new(((size_t)r->ranks + 1) * sizeof *there);
    size_t room = 0, alike = 0;
    for (size_t i = 0; i < r->files; i++)
        for (size_t k = 0; k < r->file[i].calls && !r->file[i].left_out; k++) {
            const struct recorded_call *c = &r->file[i].call[k];
            int of = rank_of_call(r, c);
            if (!fails_alike(c, first))
                continue;
            alike++;
            if (of < 0 || of >= r->ranks || there[of])
                continue;
            there[of] = true;
            NCS_PUSH(*rank, *ranks, room, of);
        }
    ncs_free(there);
    return alike;
}

static void note_failure(const struct recording *r, const struct recorded_call *first, size_t all)
{
    int *rank = NULL;
    size_t ranks = 0, alike = list_ranks(r, first, &rank, &ranks);
    struct ncs_str text = { 0 };
    const struct ncs_fn_info *info = &ncs_fn_info[first->fn];
    int code = failure_of(first);
    const char *name = info->lib == NCS_LIB_CUDA ? ncs_cuda_error_name(code) : ncs_nccl_result_name(code);
    const char *place = ncs_trace_place(r->record->trace, ncs_recorded_line(&r->file[first->file], first->raw.site));
    ncs_str_addf(&text, "%s %s %s", info->name, first->raw.rc ? "returned" : "reported", name ? name : "an unknown error");
    if (ranks) {
        ncs_str_addf(&text, " on rank%s ", ranks == 1 ? "" : "s");
        ncs_str_add_many_ranks(&text, rank, ranks);
    }
    if (place)
        ncs_str_addf(&text, "%s at %s", ranks > 1 ? ", first" : "", place);
    if (all > alike)
        ncs_str_addf(&text, "; %zu later call%s failed too", all - alike, all - alike == 1 ? "" : "s");
    ncs_record_note(r->record, "%s", text.text);
    ncs_str_free(&text);
    ncs_free(rank);
}

/* The first call that failed is often the cause of all that follows. */
void ncs_recorded_note_failures(const struct recording *r)
{
    const struct recorded_call *first = NULL;
    size_t all = 0;
    for (size_t i = 0; i < r->files; i++)
        for (size_t k = 0; k < r->file[i].calls && !r->file[i].left_out; k++) {
            const struct recorded_call *c = &r->file[i].call[k];
            if (!failure_of(c))
                continue;
            all++;
            if (!first || c->begin < first->begin)
                first = c;
        }
    if (first)
        note_failure(r, first, all);
}
