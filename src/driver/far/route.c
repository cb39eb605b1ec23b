/* The table whose functions run in the process of the calling rank, or in that of the handle that they are given. */
#include <string.h>

#include "api/invoke.h"
#include "driver/far/far.h"
#include "driver/token.h"

static const struct ncs_api *route_local;

static int route_process(enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    for (int i = 0; i < info->nargs; i++) {
        int process = ncs_carry_is_address(info->arg[i].kind) ? far_process_of(arg[i].p) : 0;
        if (process > 0)
            return process;
    }
    return far_here();
}

static void route_expect_late(enum ncs_fn fn, const union ncs_arg *arg, int process)
{
    for (int i = 0; i < ncs_fn_info[fn].nargs; i++)
        if (ncs_carry(fn, arg, i).how == NCS_CARRY_LATE && arg[i].p)
            far_expect_late(process, arg[i].p);
}

static bool route_send(int process, enum ncs_fn fn, const union ncs_arg *arg, struct ncs_str *message)
{
    route_expect_late(fn, arg, process);
    return far_ask(process, FAR_CALL, message);
}

static union ncs_arg route_ask(int process, enum ncs_fn fn, const union ncs_arg *arg)
{
    struct ncs_str message = { 0 };
    const struct ncs_carry_view view = far_view(process);
    union ncs_arg result = ncs_carry_call(fn, arg, process, &view, &message, route_send);
    ncs_str_free(&message);
    return result;
}

/* Large copies travel in pieces, one after the other: of bytes, or of rows, as each address then has its pitch behind it. */
static union ncs_arg route_copy(int process, enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    int rows = info->at[NCS_ARG_HEIGHT], count = (rows ? rows : info->at[NCS_ARG_BYTES]) - 1;
    int to = info->at[NCS_ARG_OUT] - 1, from = info->at[NCS_ARG_IN] - 1;
    uint64_t step_to = rows ? arg[to + 1].u : 1, step_from = rows ? arg[from + 1].u : 1;
    uint64_t wide = step_to > step_from ? step_to : step_from, each = wide > 0 && wide < FAR_CHUNK ? FAR_CHUNK / wide : 1;
    union ncs_arg part[NCS_MAX_ARGS], result = { .i = 0 };
    memcpy(part, arg, (size_t)info->nargs * sizeof *arg);
    for (uint64_t done = 0; done < arg[count].u && result.i == 0; done += each) {
        part[to].p = (const char *)arg[to].p + done * step_to;
        part[from].p = (const char *)arg[from].p + done * step_from;
        part[count].u = arg[count].u - done < each ? arg[count].u - done : each;
        result = route_ask(process, fn, part);
    }
    return result;
}

/* A copy with memory of the leader that is too large for a message. */
static bool route_is_large_copy(enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    int to = info->at[NCS_ARG_OUT] - 1, from = info->at[NCS_ARG_IN] - 1;
    if (to < 0 || from < 0 || (far_process_of(arg[to].p) != 0 && far_process_of(arg[from].p) != 0))
        return false;
    return ncs_carry_copied(fn, arg, to) > FAR_CHUNK || ncs_carry_copied(fn, arg, from) > FAR_CHUNK;
}

/* The thread's device and last error are known since its last call there. */
static bool route_knows(int process, enum ncs_fn fn, const union ncs_arg *arg, union ncs_arg *result)
{
    struct far_kept *kept = far_kept(process);
    if (!kept->known)
        return false;
    if (fn == NCS_FN_cudaPeekAtLastError || fn == NCS_FN_cudaGetLastError) {
        result->i = kept->error;
        kept->clears |= fn == NCS_FN_cudaGetLastError && kept->error; /* there, before the next call */
        kept->error = fn == NCS_FN_cudaGetLastError ? 0 : kept->error;
        return true;
    }
    if (fn != NCS_FN_cudaGetDevice || !arg[0].p || far_process_of(arg[0].p) != 0)
        return false;
    *(int *)arg[0].p = kept->device;
    return true;
}

/* Of memory of the leader's own, other processes know nothing. */
static bool route_is_here(enum ncs_fn fn, const union ncs_arg *arg)
{
    int at = ncs_fn_info[fn].at[NCS_ARG_IN];
    return fn == NCS_FN_cudaPointerGetAttributes && far_process_of(arg[at - 1].p) == 0;
}

static union ncs_arg route_call(int process, enum ncs_fn fn, const union ncs_arg *arg)
{
    union ncs_arg result = { .i = 0 };
    bool is_text = ncs_fn_info[fn].result == NCS_RESULT_TEXT;
    if (process >= far_places.processes) /* a script has computed with an address */
        return is_text ? (union ncs_arg){ .p = "" } : ncs_carry_code(fn, ncclInvalidArgument, cudaErrorInvalidValue);
    if (is_text || !route_knows(process, fn, arg, &result)) {
        if (route_is_here(fn, arg))
            ncs_invoke(route_local, fn, arg, &result);
        else if (!route_is_large_copy(fn, arg))
            result = route_ask(process, fn, arg);
        else
            result = route_copy(process, fn, arg);
    }
    return result;
}

bool far_run_own(enum ncs_fn fn, const union ncs_arg *arg, cudaError_t *rc)
{
    int process = route_process(fn, arg);
    if (process == 0)
        return false;
    if (process >= far_places.processes) {
        *rc = cudaErrorInvalidValue;
        return true;
    }
    bool held = ncs_token_leave();
    *rc = (cudaError_t)route_ask(process, fn, arg).i;
    ncs_token_take(held, fn, (int)*rc);
    return true;
}

/* Texts of codes are the same everywhere. */
static union ncs_arg route_any(enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    union ncs_arg result = { .i = 0 };
    int process = info->result == NCS_RESULT_TEXT && !info->at[NCS_ARG_COMM] ? 0 : route_process(fn, arg);
    if (process > 0)
        return route_call(process, fn, arg);
    ncs_invoke(route_local, fn, arg, &result);
    return result;
}

#define THROUGH route_any
#include "api/through.inc"

const struct ncs_api *far_table(const struct ncs_api *local)
{
    static struct ncs_api table;
    route_local = local;
    through_fill(&table, local);
    return &table;
}
