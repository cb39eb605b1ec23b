/* Wraps every function of the opened libraries: gives the token back while the function runs, and copies
 * the data of collectives before and after (stage.h). */
#include "api/invoke.h"
#include "driver/stage.h"
#include "driver/token.h"
#include "driver/world.h"

static ncclComm_t comm_among(enum ncs_fn fn, const union ncs_arg *arg)
{
    for (int i = 0; i < ncs_fn_info[fn].nargs; i++)
        if (ncs_fn_info[fn].arg[i].kind == NCS_ARG_COMM)
            return (ncclComm_t)arg[i].p;
    return NULL;
}

static void stage_before(enum ncs_fn fn, const union ncs_arg *arg)
{
    if (ncs_fn_info[fn].counted)
        ncs_stage_begin(fn, comm_among(fn, arg));
    if (ncs_fn_info[fn].closes_group)
        ncs_stage_group_ending(fn == NCS_FN_ncclGroupSimulateEnd);
    if (ncs_fn_info[fn].ends == NCS_ENDS_COMM || fn == NCS_FN_ncclCommRevoke)
        ncs_stage_leaves(fn, comm_among(fn, arg));
}

static void stage_after(enum ncs_fn fn, const union ncs_arg *arg, int rc)
{
    if (ncs_fn_info[fn].counted)
        ncs_stage_end(rc);
    if (fn == NCS_FN_ncclCommGetAsyncError && rc == ncclSuccess && *(const ncclResult_t *)arg[1].p == ncclSuccess)
        ncs_stage_ready(comm_among(fn, arg));
    if (fn == NCS_FN_ncclGroupStart)
        ncs_stage_group_started();
    if (ncs_fn_info[fn].closes_group)
        ncs_stage_group_ended(fn == NCS_FN_ncclGroupSimulateEnd, rc);
}

static union ncs_arg real_call(enum ncs_fn fn, const union ncs_arg *arg)
{
    union ncs_arg result = { .i = 0 };
    if (ncs_fn_info[fn].result == NCS_RESULT_TEXT) {
        ncs_invoke(ncs_real.plain, fn, arg, &result);
        return result;
    }
    stage_before(fn, arg);
    bool held = ncs_token_leave();
    ncs_invoke(ncs_real.plain, fn, arg, &result);
    ncs_token_take(held, fn, (int)result.i);
    stage_after(fn, arg, (int)result.i);
    return result;
}

#define THROUGH real_call
#include "api/through.inc"

/* standin.c has the project's own functions, which exist in no library. */
void ncs_real_wrap(struct ncs_api *out)
{
    const struct ncs_api *plain = ncs_real.plain;
    through_fill(out, plain);
    out->ncsDelay = plain->ncsDelay;
    out->ncsAdd = plain->ncsAdd;
}
