#include "shim/exec/exec.h"

#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"
#include "shim/exec/places.h"
#include "shim/many/job.h"

#define FAILED_MOST 4096 /* beyond, calls that fail in a new way are counted without their place */

/* The failures of one thread and rank, of one function and code, at one place. */
struct failed {
    struct ncs_run_error error; /* place: not settled */
    enum ncs_fn fn;
    int process;
    uint64_t group; /* of the latest; 0 = none */
    uint64_t open;  /* after which the thread has not gone on: it may be about to end because of them */
    struct failed *next_open;
};

static struct failed **failed; /* in order of their first calls; changes with the token */
static size_t faileds, failed_room;
static struct ncs_map failed_by_key;         /* index + 1 */
static _Thread_local struct failed *is_open; /* the thread's, the latest first */

/* True if the code is no failure but what the program wants to know. */
static bool failed_is_answer(enum ncs_fn fn, int rc)
{
    if (ncs_fn_info[fn].lib == NCS_LIB_NCCL)
        return rc == ncclSuccess || rc == ncclInProgress;
    return rc == cudaSuccess || rc == cudaErrorNotReady || rc == cudaErrorPeerAccessAlreadyEnabled ||
           (rc == cudaErrorNoDevice && fn == NCS_FN_cudaGetDeviceCount);
}

/* False if a program that ends because of a failure makes such calls, too. Calls of a group have one end, which fails. */
static bool failed_goes_on(const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    return !(info->ends || info->frees || info->looks || info->closes_group || call->fn == NCS_FN_ncclGroupStart ||
             call->fn == NCS_FN_cudaSetDevice || (is_open && call->group && call->group == is_open->group));
}

/* The thread goes on after its failures. */
static void failed_close(void)
{
    for (; is_open; is_open = is_open->next_open)
        is_open->open = 0;
}

/* The thread looks at those failures of a library that have this code; at all if it is 0. */
static void failed_look_at(enum ncs_lib lib, int code)
{
    for (struct failed **at = &is_open, *f; (f = *at);)
        if (ncs_fn_info[f->fn].lib == lib && (!code || f->error.code == code)) {
            f->error.count -= f->open;
            f->open = 0;
            *at = f->next_open;
        } else {
            at = &f->next_open;
        }
}

void ncs_failed_asked(enum ncs_fn fn, const union ncs_arg *arg)
{
    if (fn == NCS_FN_ncclGetLastError || arg[0].i)
        failed_look_at(ncs_fn_info[fn].lib, fn == NCS_FN_ncclGetLastError ? 0 : (int)arg[0].i);
}

static struct failed *failed_of(const struct ncs_call *call, int rank)
{
    bool nccl = ncs_fn_info[call->fn].lib == NCS_LIB_NCCL;
    struct ncs_place place = faileds < FAILED_MOST ? call->place : (struct ncs_place){ 0 };
    uint64_t key = ncs_hash(ncs_hash((uint64_t)place.line, (uint64_t)call->fn),
                            ((uint64_t)call->rc << 32) + (uint64_t)(rank + 1));
    key = ncs_hash(key, ((uint64_t)call->rank << 32) + (uint64_t)call->thread);
    size_t at = ncs_map_number(&failed_by_key, key);
    if (at)
        return failed[at - 1];
    const struct ncs_call_rare *rare = ncs_call_rare(call);
    struct failed *f = ncs_new(sizeof *f);
    *f = (struct failed){ .fn = call->fn, .process = ncs_local ? ncs_local->process : 0 };
    f->error = (struct ncs_run_error){ .kind = nccl ? NCS_KIND_NCCL : NCS_KIND_CUDA,
                                       .rank = rank,
                                       .code = call->rc,
                                       .place = place,
                                       .name = ncs_copy_text(nccl ? ncs_nccl_result_name(call->rc)
                                                                  : ncs_cuda_error_name(call->rc)),
                                       .call = ncs_copy_text(ncs_fn_info[call->fn].name),
                                       .message = ncs_copy_text(rare->why ? rare->why : rare->said) };
    NCS_PUSH(failed, faileds, failed_room, f);
    ncs_map_put_number(&failed_by_key, key, faileds);
    return f;
}

/* True for the end of a group that fails because a call in it has. */
static bool failed_repeats(const struct ncs_call *call)
{
    const struct failed *f = ncs_fn_info[call->fn].closes_group ? is_open : NULL;
    while (f && (f->group != call->group || f->error.code != call->rc))
        f = f->next_open;
    return f != NULL;
}

static void failed_add(const struct ncs_call *call, int rank)
{
    if (failed_goes_on(call))
        failed_close();
    if (failed_repeats(call))
        return;
    struct failed *f = failed_of(call, rank);
    f->error.count++;
    f->group = call->group;
    if (f->open++ > 0)
        return;
    f->next_open = is_open;
    is_open = f;
}

void ncs_failed_look(const struct ncs_journal *journal, const struct ncs_call *call, bool told)
{
    enum ncs_fn fn = call->fn;
    if (fn == NCS_FN_cudaGetLastError || fn == NCS_FN_cudaPeekAtLastError)
        failed_look_at(NCS_LIB_CUDA, call->rc ? call->rc : -1);
    else if (!told && !failed_is_answer(fn, call->rc))
        failed_add(call, ncs_exec_rank_of(journal, call));
    else if (fn == NCS_FN_ncclCommAbort || fn == NCS_FN_ncclCommRevoke)
        failed_look_at(NCS_LIB_NCCL, 0);
    else if (failed_goes_on(call))
        failed_close();
}

/* ---- at the end ---- */

static bool failed_ends_badly(int process)
{
    for (size_t i = 0; i < job_processes(); i++)
        if (job_process(i)->number == process)
            return job_process(i)->death != NULL;
    return false;
}

void ncs_failed_fill(struct ncs_result *r, bool badly)
{
    size_t room = 0;
    for (size_t i = 0; i < faileds; i++) {
        struct ncs_run_error e = failed[i]->error;
        e.count -= badly || failed_ends_badly(failed[i]->process) ? failed[i]->open : 0;
        e.place = ncs_places_settled(e.place);
        if (e.count)
            NCS_PUSH(r->ignored, r->ignoreds, room, e);
    }
}
