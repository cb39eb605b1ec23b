/* The table whose functions run in the process of the calling rank, or in that of the handle that they are given. */
#include <pthread.h>
#include <string.h>

#include "api/carry.h"
#include "api/invoke.h"
#include "base/mem.h"
#include "driver/far/far.h"
#include "driver/token.h"

static struct {
    const struct ncs_api *local;
    struct ncs_api table;
    pthread_mutex_t lock; /* guards the texts */
    struct route_text {
        struct route_text *next;
        char *text;
    } * texts;
} route = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int route_process(enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    for (int i = 0; i < info->nargs; i++) {
        int process = far_is_address(info->arg[i].kind) ? far_process_of(arg[i].p) : 0;
        if (process > 0)
            return process;
    }
    return far_here();
}

/* The code of the function's library. */
static union ncs_arg route_code(enum ncs_fn fn, ncclResult_t nccl, cudaError_t cuda)
{
    bool is_nccl = ncs_fn_info[fn].lib == NCS_LIB_NCCL;
    return (union ncs_arg){ .i = is_nccl ? (int64_t)nccl : (int64_t)cuda };
}

static void route_expect_late(enum ncs_fn fn, const union ncs_arg *arg, int process)
{
    for (int i = 0; i < ncs_fn_info[fn].nargs; i++)
        if (ncs_carry(fn, arg, i).how == NCS_CARRY_LATE && arg[i].p)
            far_expect_late(process, arg[i].p);
}

static union ncs_arg route_ask(int process, enum ncs_fn fn, const union ncs_arg *arg, char **text)
{
    struct ncs_str body = { 0 }, bytes = { 0 };
    struct far_answer answer = { .device = 0 };
    union ncs_arg result = route_code(fn, ncclInvalidArgument, cudaErrorInvalidValue), sent[NCS_MAX_ARGS];
    memcpy(sent, arg, (size_t)ncs_fn_info[fn].nargs * sizeof *arg);
    uint64_t task = far_note_task(process, fn, sent);
    if (far_pack(&body, fn, sent, process)) {
        route_expect_late(fn, arg, process);
        result = route_code(fn, ncclRemoteError, cudaErrorUnknown);
        if (far_ask(process, FAR_CALL, &body, &bytes)) {
            memcpy(&answer, bytes.text, sizeof answer);
            struct far_reader items = { (const unsigned char *)bytes.text + sizeof answer,
                                        (const unsigned char *)bytes.text + bytes.bytes };
            char *said = far_unpack(fn, arg, process, &items);
            if (text)
                *text = said;
            else
                ncs_free(said);
            result = answer.absent ? route_code(fn, ncclInvalidUsage, cudaErrorNotSupported) : answer.result;
        }
    }
    if (result.i != 0)
        far_forget_task(task);
    ncs_str_free(&body);
    ncs_str_free(&bytes);
    return result;
}

/* Large copies travel in pieces, one after the other. */
static union ncs_arg route_copy(int process, enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    int count = info->at[NCS_ARG_BYTES] - 1, to = info->at[NCS_ARG_OUT] - 1, from = info->at[NCS_ARG_IN] - 1;
    union ncs_arg part[NCS_MAX_ARGS], result = { .i = 0 };
    size_t bytes = (size_t)arg[count].u;
    memcpy(part, arg, (size_t)info->nargs * sizeof *arg);
    for (size_t done = 0; done < bytes && result.i == 0; done += FAR_CHUNK) {
        part[to].p = (const char *)arg[to].p + done;
        part[from].p = (const char *)arg[from].p + done;
        part[count].u = bytes - done < FAR_CHUNK ? bytes - done : FAR_CHUNK;
        result = route_ask(process, fn, part, NULL);
    }
    return result;
}

/* The same for rows. */
static union ncs_arg route_copy_rows(int process, enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    int height = info->at[NCS_ARG_HEIGHT] - 1, to = info->at[NCS_ARG_OUT] - 1, from = info->at[NCS_ARG_IN] - 1;
    uint64_t wide = arg[to + 1].u > arg[from + 1].u ? arg[to + 1].u : arg[from + 1].u; /* each address has its pitch behind it */
    uint64_t rows = wide > 0 && wide < FAR_CHUNK ? FAR_CHUNK / wide : 1;
    union ncs_arg part[NCS_MAX_ARGS], result = { .i = 0 };
    memcpy(part, arg, (size_t)info->nargs * sizeof *arg);
    for (uint64_t done = 0; done < arg[height].u && result.i == 0; done += rows) {
        part[to].p = (const char *)arg[to].p + done * arg[to + 1].u;
        part[from].p = (const char *)arg[from].p + done * arg[from + 1].u;
        part[height].u = arg[height].u - done < rows ? arg[height].u - done : rows;
        result = route_ask(process, fn, part, NULL);
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
    return far_copied(fn, arg, to) > FAR_CHUNK || far_copied(fn, arg, from) > FAR_CHUNK;
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
    if (process >= far_processes()) /* a script has computed with an address */
        return route_code(fn, ncclInvalidArgument, cudaErrorInvalidValue);
    if (route_knows(process, fn, arg, &result))
        return result;
    if (route_is_here(fn, arg))
        ncs_invoke(route.local, fn, arg, &result);
    else if (!route_is_large_copy(fn, arg))
        result = route_ask(process, fn, arg, NULL);
    else
        result = (ncs_fn_info[fn].at[NCS_ARG_HEIGHT] ? route_copy_rows : route_copy)(process, fn, arg);
    return result;
}

/* A text that stays. */
static const char *route_text_of(int process, enum ncs_fn fn, const union ncs_arg *arg)
{
    char *text = NULL;
    if (process < far_processes())
        route_ask(process, fn, arg, &text);
    if (!text)
        return "";
    pthread_mutex_lock(&route.lock);
    struct route_text *t = route.texts;
    while (t && strcmp(t->text, text) != 0)
        t = t->next;
    if (!t) {
        t = ncs_new(sizeof *t);
        *t = (struct route_text){ route.texts, text };
        route.texts = t;
        text = NULL;
    }
    pthread_mutex_unlock(&route.lock);
    ncs_free(text);
    return t->text;
}

bool far_run_own(enum ncs_fn fn, const union ncs_arg *arg, cudaError_t *rc)
{
    int process = route_process(fn, arg);
    if (process == 0)
        return false;
    if (process >= far_processes()) {
        *rc = cudaErrorInvalidValue;
        return true;
    }
    bool held = ncs_token_leave();
    *rc = (cudaError_t)route_ask(process, fn, arg, NULL).i;
    ncs_token_take(held, fn, (int)*rc);
    return true;
}

#define ROUTE_CODE(result, name, parameters, arguments, ...)                                                   \
    static result route_##name parameters                                                                      \
    {                                                                                                          \
        const union ncs_arg arg[] = { __VA_ARGS__ };                                                           \
        int process = route_process(NCS_FN_##name, arg);                                                       \
        return process == 0 ? route.local->name arguments : (result)route_call(process, NCS_FN_##name, arg).i; \
    }
#define ROUTE_COUNTED ROUTE_CODE
#define ROUTE_VOID(result, name, parameters, arguments, ...) \
    static void route_##name parameters                      \
    {                                                        \
        const union ncs_arg arg[] = { __VA_ARGS__ };         \
        int process = route_process(NCS_FN_##name, arg);     \
        if (process == 0)                                    \
            route.local->name arguments;                     \
        else                                                 \
            route_call(process, NCS_FN_##name, arg);         \
    }
#define ROUTE_TEXT(result, name, parameters, arguments, ...)                                                   \
    static const char *route_##name parameters                                                                 \
    {                                                                                                          \
        const union ncs_arg arg[] = { __VA_ARGS__ };                                                           \
        int process = ncs_fn_info[NCS_FN_##name].at[NCS_ARG_COMM] /* texts of codes are the same everywhere */ \
                          ? route_process(NCS_FN_##name, arg)                                                  \
                          : 0;                                                                                 \
        return process == 0 ? route.local->name arguments : route_text_of(process, NCS_FN_##name, arg);        \
    }
#define NCS_FUNCTION(kind, export, ...) ROUTE_##kind(__VA_ARGS__)
#include "api/gen/functions.def"
#undef NCS_FUNCTION

const struct ncs_api *far_table(const struct ncs_api *local)
{
    route.local = local;
    route.table = (struct ncs_api){
#define NCS_FUNCTION(kind, export, result, name, ...) .name = local->name ? route_##name : NULL,
#include "api/gen/functions.def"
#undef NCS_FUNCTION
    };
    return &route.table;
}
