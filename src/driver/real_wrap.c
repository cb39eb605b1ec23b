/* Wraps every function of the opened libraries: gives the token back while the function runs, and copies
 * the data of collectives before and after (stage.h). */
#include "api/journal.h"
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

#define WRAP_CODE(result, name, parameters, arguments, ...) \
    static result real_##name parameters                    \
    {                                                       \
        const union ncs_arg staged[] = { __VA_ARGS__ };     \
        stage_before(NCS_FN_##name, staged);                \
        bool held = ncs_token_leave();                      \
        result rc = ncs_real.plain->name arguments;         \
        ncs_token_take(held, NCS_FN_##name, (int)rc);       \
        stage_after(NCS_FN_##name, staged, (int)rc);        \
        return rc;                                          \
    }
#define WRAP_COUNTED WRAP_CODE
#define WRAP_VOID(result, name, parameters, arguments, ...) \
    static void real_##name parameters                      \
    {                                                       \
        bool held = ncs_token_leave();                      \
        ncs_real.plain->name arguments;                     \
        ncs_token_take(held, NCS_FN_##name, 0);             \
    }
#define WRAP_TEXT(...)
#define NCS_FUNCTION(kind, export, ...) WRAP_##kind(__VA_ARGS__)
#include "api/gen/functions.def"
#undef NCS_FUNCTION

/* standin.c has the project's own functions, which exist in no library. */
#define TAKE_CODE(name)                                             \
    if (api->name && ncs_fn_info[NCS_FN_##name].lib != NCS_LIB_EXT) \
        out->name = real_##name;
#define TAKE_COUNTED TAKE_CODE
#define TAKE_VOID TAKE_CODE
#define TAKE_TEXT(name)

void ncs_real_wrap(struct ncs_api *out)
{
    const struct ncs_api *api = ncs_real.plain;
    *out = *api;
#define NCS_FUNCTION(kind, export, result, name, ...) TAKE_##kind(name)
#include "api/gen/functions.def"
#undef NCS_FUNCTION
}
