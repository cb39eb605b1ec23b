/* A call of a process of the job: its arguments are made ready here, and its results go back there. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/carry.h"
#include "api/invoke.h"
#include "base/mem.h"
#include "ncclscript/cuda_tables.h"
#include "shim/kernel/kernel.h"
#include "shim/many/server.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"
#include "sim/data/caller.h"
#include "sim/kernel/foreign.h"

/* ---- memory of the process ---- */

bool server_read(const struct server_process *p, void *here, const void *there, size_t bytes)
{
    return sim_caller_read(p->pid, here, there, bytes);
}

bool server_write(const struct server_process *p, void *there, const void *here, size_t bytes)
{
    return sim_caller_write(p->pid, there, here, bytes);
}

/* Reads a text of at most room - 1 bytes; no byte behind its end is touched beyond the same page. */
static bool server_read_text(const struct server_process *p, char *here, const char *there, size_t room)
{
    size_t done = 0;
    while (done < room - 1) {
        size_t page = 4096 - ((uintptr_t)(there + done) & 4095), count = page < room - 1 - done ? page : room - 1 - done;
        if (!server_read(p, here + done, there + done, count))
            return false;
        if (memchr(here + done, '\0', count))
            return true;
        done += count;
    }
    here[done] = '\0';
    return true;
}

/* ---- arguments ---- */

/* What an argument has become here. */
struct carried {
    enum ncs_carry how;
    void *here, *there;
    size_t bytes;
};

/* A call while it is served. */
struct serving {
    struct stand_in *of;
    enum ncs_fn fn;
    const struct ncs_fn_info *info;
    union ncs_arg arg[NCS_MAX_ARGS];
    struct carried carried[NCS_MAX_ARGS];
    char *text[3]; /* of a configuration, and a key */
    int texts;
};

/* A text of the process; stays until the call is over. NULL: it cannot be read. */
static char *serve_text(struct serving *s, const char *there)
{
    char *text = ncs_new(WIRE_PATH);
    s->text[s->texts++] = text;
    return server_read_text(s->of->process, text, there, WIRE_PATH) ? text : NULL;
}

/* A configuration says its size itself, and points to two texts. */
static bool serve_config(struct serving *s, int at)
{
    size_t bytes = 0;
    const struct server_process *p = s->of->process;
    struct carried *c = &s->carried[at];
    ncclConfig_t *config = ncs_new(sizeof *config);
    *c = (struct carried){ .how = NCS_CARRY_IN, .here = config, .there = (void *)s->arg[at].p, .bytes = sizeof *config };
    if (!server_read(p, &bytes, c->there, sizeof bytes) ||
        !server_read(p, config, c->there, bytes < sizeof *config ? bytes : sizeof *config))
        return false;
    bool fine = true;
    if (config->netName)
        fine = (config->netName = serve_text(s, config->netName)) != NULL;
    if (fine && config->commName && bytes > offsetof(ncclConfig_t, commName))
        fine = (config->commName = serve_text(s, config->commName)) != NULL;
    s->arg[at].p = config;
    return fine;
}

/* ---- devices: a process may see some of the machine's, in an order of its own ---- */

static int device_here(const struct server_process *p, int64_t there)
{
    return !p->device ? (int)there : there >= 0 && there < p->devices ? p->device[there] : NCS_SHIM_RANKS;
}

static int device_there(const struct server_process *p, int here)
{
    for (int i = 0; p->device && i < p->devices; i++)
        if (p->device[i] == here)
            return i;
    return here;
}

static void serve_devices_in(struct serving *s, int at)
{
    const struct server_process *p = s->of->process;
    struct carried *c = &s->carried[at];
    if (s->info->arg[at].kind == NCS_ARG_DEVICE)
        s->arg[at].i = device_here(p, s->arg[at].i);
    for (size_t i = 0; s->info->arg[at].kind == NCS_ARG_DEVICES && c->here && i < c->bytes / sizeof(int); i++)
        ((int *)c->here)[i] = device_here(p, ((int *)c->here)[i]);
}

static void serve_devices_out(struct serving *s, enum ncs_fn fn)
{
    const struct server_process *p = s->of->process;
    for (int i = 0; p->device && i < s->info->nargs; i++) {
        void *out = s->carried[i].how == NCS_CARRY_OUT ? s->carried[i].here : NULL;
        bool is_device = fn == NCS_FN_cudaGetDevice || fn == NCS_FN_ncclCommCuDevice || fn == NCS_FN_cudaStreamGetDevice ||
                         fn == NCS_FN_cudaDeviceGetByPCIBusId;
        if (out && fn == NCS_FN_cudaGetDeviceCount)
            *(int *)out = p->devices;
        else if (out && is_device)
            *(int *)out = device_there(p, *(int *)out);
        else if (out && s->info->arg[i].kind == NCS_ARG_POINTER_OUT)
            ((struct cudaPointerAttributes *)out)->device = device_there(p, ((struct cudaPointerAttributes *)out)->device);
    }
}

/* ---- functions of the program ---- */

/* A function of the process, for the machine to call. */
struct far_function {
    struct server_process *process;
    void (*function)(void);
    void *data;
};

static void run_far_function(void *arg)
{
    struct far_function *f = arg;
    bool again = ncs_local && ncs_local->again; /* a graph keeps it; those of graphs are never freed */
    server_run_there(f->process, NCS_FN_cudaLaunchHostFunc, f->function, NULL, 0, f->data);
    if (!again)
        ncs_free(f);
}

static void run_far_callback(cudaStream_t stream, cudaError_t status, void *arg)
{
    struct far_function *f = arg;
    server_run_there(f->process, NCS_FN_cudaStreamAddCallback, f->function, stream, (int)status, f->data);
    ncs_free(f);
}

/* The function and its data are replaced by ours. */
static struct far_function *serve_function(struct serving *s)
{
    struct far_function *far = NULL;
    for (int i = 0; i < s->info->nargs; i++) {
        enum ncs_kind kind = s->info->arg[i].kind;
        if ((kind == NCS_ARG_HOSTFN || kind == NCS_ARG_STREAMFN) && s->arg[i].f) {
            far = ncs_new(sizeof *far);
            *far = (struct far_function){ .process = s->of->process, .function = s->arg[i].f };
            s->arg[i].f = kind == NCS_ARG_HOSTFN ? (void (*)(void))run_far_function : (void (*)(void))run_far_callback;
        }
    }
    for (int i = 0; far && i < s->info->nargs; i++)
        if (s->info->arg[i].kind == NCS_ARG_USERDATA) {
            far->data = (void *)s->arg[i].p;
            s->arg[i].p = far;
        }
    return far;
}

/* ---- there and back ---- */

static bool serve_one_in(struct serving *s, int at)
{
    struct ncs_carried plan = ncs_carry(s->fn, s->arg, at);
    struct carried *c = &s->carried[at];
    if (plan.how == NCS_CARRY_NEVER)
        return false;
    if (plan.how == NCS_CARRY_NOT || !s->arg[at].p)
        return true;
    if (plan.how == NCS_CARRY_TEXT)
        return (s->arg[at].p = serve_text(s, s->arg[at].p)) != NULL;
    if (plan.how == NCS_CARRY_CONFIG)
        return serve_config(s, at);
    *c = (struct carried){ .how = plan.how, .bytes = plan.bytes, .there = (void *)s->arg[at].p, .here = ncs_new(plan.bytes + 1) };
    s->arg[at].p = c->here;
    return plan.how == NCS_CARRY_OUT || server_read(s->of->process, c->here, c->there, c->bytes);
}

static bool serve_in(struct serving *s)
{
    bool fine = true;
    for (int i = 0; i < s->info->nargs && fine; i++) {
        fine = serve_one_in(s, i);
        if (fine)
            serve_devices_in(s, i);
    }
    return fine;
}

/* What NCCL fills later is sent after a later call. */
static void serve_keep_late(struct serving *s, struct carried *c)
{
    struct late *l = ncs_new(sizeof *l);
    *l = (struct late){ .cell = c->here, .there = c->there, .next = s->of->process->late };
    memcpy(&l->before, c->here, sizeof l->before);
    s->of->process->late = l;
    c->here = NULL;
}

/* A call that fails leaves its results as they are. */
static void serve_out(struct serving *s, enum ncs_fn fn, bool done)
{
    struct server_process *p = s->of->process;
    serve_devices_out(s, fn);
    for (int i = 0; i < s->info->nargs; i++) {
        struct carried *c = &s->carried[i];
        if (done && c->here && (c->how == NCS_CARRY_OUT || c->how == NCS_CARRY_INOUT))
            server_write(p, c->there, c->here, c->bytes);
        if (c->how != NCS_CARRY_LATE)
            ncs_free(c->here);
    }
    for (int i = 0; i < s->texts; i++)
        ncs_free(s->text[i]);
}

/* Sends the handles that have been filled by now. Another thread of the process may be in the call that filled one, and the
 * journal looks at the cell at that call's end: cells stay. NCCL clears some handles first and fills them later. */
static void serve_send_late(struct server_process *p)
{
    struct late **at = &p->late;
    while (*at) {
        struct late *l = *at;
        const void *now;
        memcpy(&now, l->cell, sizeof now);
        if (now != l->before)
            server_write(p, l->there, &now, sizeof now);
        if (now == l->before || !now) {
            l->before = now;
            at = &l->next;
            continue;
        }
        *at = l->next;
        l->next = p->sent;
        p->sent = l;
    }
}

/* ---- serving ---- */

static void serve_refuse(struct wire *w, int code)
{
    w->is_refused = true;
    w->refused = code;
}

/* With the token. */
static void serve_invoke(struct serving *s, const struct ncs_api *api, enum ncs_fn fn)
{
    struct wire *w = s->of->wire;
    struct far_function *far = serve_function(s);
    ncs_invoke(api, fn, s->arg, &w->result);
    if (s->info->result == NCS_RESULT_TEXT)
        snprintf(w->text, sizeof w->text, "%s", w->result.p ? (const char *)w->result.p : "");
    if (far && w->result.i != 0)
        ncs_free(far);
}

/* With the token. */
static void serve_note_rank(struct stand_in *s, int rank)
{
    struct server_process *p = s->process;
    bool known = s->rank == rank;
    s->rank = rank;
    for (size_t i = 0; i < p->ranks && !known; i++)
        known = p->rank[i] == rank;
    if (!known && rank >= 0)
        NCS_PUSH(p->rank, p->ranks, p->ranks_room, rank);
}

static void serve_function_of_api(struct stand_in *s, int site)
{
    struct wire *w = s->wire;
    enum ncs_fn fn = (enum ncs_fn)w->fn;
    struct serving serving = { .of = s, .fn = fn, .info = &ncs_fn_info[fn] };
    memcpy(serving.arg, w->arg, sizeof serving.arg);
    bool read = serve_in(&serving);
    if (!read) {
        serve_out(&serving, fn, false);
        serve_refuse(w, serving.info->lib == NCS_LIB_NCCL ? (int)ncclInvalidArgument : (int)cudaErrorInvalidValue);
        return;
    }
    pthread_mutex_lock(&s->process->lock);
    for (int i = 0; i < serving.info->nargs; i++)
        if (serving.carried[i].how == NCS_CARRY_LATE && serving.carried[i].here)
            serve_keep_late(&serving, &serving.carried[i]);
    pthread_mutex_unlock(&s->process->lock);
    const struct ncs_api *api = ncs_shim_begin(fn, site, w->rank, s->process->number);
    if (!api || !ncs_shim_join(fn, serving.arg)) {
        serve_refuse(w, ncs_shim_refusal());
    } else {
        sim_foreign_in_function(w->in_function);
        ncs_local->ran = w->ran;
        serve_note_rank(s, ncs_local && ncs_local->named ? ncs_local->rank : -1); /* the call may never return */
        serve_invoke(&serving, api, fn);
        ncs_shim_leave();
    }
    serve_out(&serving, fn, !w->is_refused && (w->result.i == 0 || serving.info->result == NCS_RESULT_TEXT));
    pthread_mutex_lock(&s->process->lock);
    serve_send_late(s->process);
    pthread_mutex_unlock(&s->process->lock);
}

static int serve_site(struct stand_in *s)
{
    struct server_process *p = s->process;
    struct wire_site *site = &s->wire->site;
    int number = 0, there = site->number;
    if (there <= 0 || there > NCS_SHIM_RANKS)
        return 0;
    pthread_mutex_lock(&p->lock);
    if ((size_t)there >= p->sites) {
        size_t wide = (size_t)there + 64;
        p->site = ncs_resize(p->site, wide * sizeof *p->site);
        memset(p->site + p->sites, 0, (wide - p->sites) * sizeof *p->site);
        p->sites = wide;
    }
    if (site->described && !p->site[there]) {
        site->module[WIRE_PATH - 1] = site->file[WIRE_PATH - 1] = site->function[WIRE_TEXT - 1] = '\0';
        p->site[there] = ncs_shim_site_of(site);
    }
    number = p->site[there];
    pthread_mutex_unlock(&p->lock);
    return number;
}

static void serve_special(struct stand_in *s, int site)
{
    struct wire *w = s->wire;
    if (!ncs_shim_begin(NCS_FN_cudaPeekAtLastError, site, w->rank, s->process->number)) {
        serve_refuse(w, ncs_shim_refusal());
        return;
    }
    w->result.i = w->fn == WIRE_REFUSE ? (int64_t)sim_outside_refuse((int)w->arg[0].i) : 0;
    w->text[WIRE_TEXT - 1] = '\0';
    if (w->fn == WIRE_KERNEL)
        ncs_shim_count_kernel(w->text);
    ncs_shim_leave();
}

bool serve_call(struct stand_in *s)
{
    struct wire *w = s->wire;
    int site = serve_site(s), fn = w->fn;
    w->is_refused = false;
    if (fn == WIRE_LEAVES)
        return false;
    if (fn == WIRE_EXITS) {
        s->process->status = (int)w->arg[0].i & 0xff;
        atomic_store(&s->process->exits, true);
        return true;
    }
    if (fn >= 0 && fn < NCS_FN_COUNT)
        serve_function_of_api(s, site);
    else
        serve_special(s, site);
    return true;
}
