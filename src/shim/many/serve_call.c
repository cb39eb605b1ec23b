/* A call of a process of the job: its arguments are made ready here, and its results go back there. */
#include <errno.h>
#include <string.h>

#include "api/invoke.h"
#include "base/mem.h"
#include "ncclscript/cuda_tables.h"
#include "shim/kernel/kernel.h"
#include "shim/many/server.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"
#include "sim/data/caller.h"
#include "sim/kernel/foreign.h"

/* A call while it is served. */
struct serving {
    struct stand_in *of;
    struct ncs_carry_call call;
    struct ncs_carry_answer answer;
    struct ncs_str items;
};

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

static void serve_devices_in(struct serving *s)
{
    const struct server_process *p = s->of->process;
    struct ncs_carry_call *c = &s->call;
    int device = c->info->at[NCS_ARG_DEVICE], list = c->info->at[NCS_ARG_DEVICES];
    size_t bytes = 0;
    int *devices = list ? ncs_carry_memory_of(c, list - 1, &bytes) : NULL;
    if (device)
        c->arg[device - 1].i = device_here(p, c->arg[device - 1].i);
    for (size_t i = 0; devices && i < bytes / sizeof *devices; i++)
        devices[i] = device_here(p, devices[i]);
}

static void serve_devices_out(struct serving *s)
{
    const struct server_process *p = s->of->process;
    struct ncs_carry_call *c = &s->call;
    bool is_device = c->fn == NCS_FN_cudaGetDevice || c->fn == NCS_FN_ncclCommCuDevice || c->fn == NCS_FN_cudaStreamGetDevice ||
                     c->fn == NCS_FN_cudaDeviceGetByPCIBusId;
    for (size_t i = 0; p->device && i < c->memories; i++) {
        void *out = c->memory[i].back ? c->memory[i].memory : NULL;
        if (out && c->fn == NCS_FN_cudaGetDeviceCount)
            *(int *)out = p->devices;
        else if (out && is_device)
            *(int *)out = device_there(p, *(int *)out);
        else if (out && c->info->arg[c->memory[i].at].kind == NCS_ARG_POINTER_OUT)
            ((struct cudaPointerAttributes *)out)->device = device_there(p, ((struct cudaPointerAttributes *)out)->device);
    }
}

/* ---- functions of the program ---- */

/* A function of the process, for the machine to call. */
struct far_function {
    struct server_process *process;
    uint64_t number;
};

static void serve_run(const struct far_function *f, const void *stream, int status, bool again)
{
    const struct wire_run run = { f->number, (uintptr_t)stream, status, again };
    server_run_there(f->process, &run);
}

static void run_far_function(void *arg)
{
    struct far_function *f = arg;
    bool again = ncs_local && ncs_local->again; /* a graph keeps it; those of graphs are never freed */
    serve_run(f, NULL, 0, again);
    if (!again)
        ncs_free(f);
}

static void run_far_callback(cudaStream_t stream, cudaError_t status, void *arg)
{
    serve_run(arg, stream, (int)status, false);
    ncs_free(arg);
}

/* ---- serving ---- */

static void serve_refuse(struct serving *s, int code)
{
    s->answer.result = code;
    s->answer.absent = 1;
}

/* No library of this version asks for it. */
static void serve_refuse_broken(struct serving *s)
{
    const struct ncs_fn_info *info = s->call.info;
    if (!atomic_exchange(&s->of->process->strange, true))
        ncs_shim_warn("a request of process %d was refused: %s", (int)s->of->process->pid,
                      info ? info->name : "it names no function");
    serve_refuse(s, (int)ncs_carry_code(info ? s->call.fn : NCS_FN_cudaGetDevice, ncclInvalidArgument, cudaErrorInvalidValue).i);
}

/* With the token. */
static void serve_invoke(struct serving *s, const struct ncs_api *api)
{
    union ncs_arg result = { .i = 0 };
    struct far_function *far = ncs_new(sizeof *far);
    *far = (struct far_function){ .process = s->of->process };
    far->number = ncs_carry_set_function(&s->call, run_far_function, run_far_callback, far);
    ncs_invoke(api, s->call.fn, s->call.arg, &result);
    s->answer.result = result.i;
    serve_devices_out(s);
    ncs_carry_results(&s->call, result, &s->items);
    if (!far->number || result.i != 0)
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

/* Writes where the process itself has asked for it. */
static void serve_write_late(void *process, uint64_t there, const void *handle)
{
    sim_caller_write(((const struct server_process *)process)->pid, (void *)(uintptr_t)there, &handle, sizeof handle);
}

static void serve_made_ready(struct serving *s, int site)
{
    const struct wire *w = s->of->wire;
    struct ncs_carry_call *c = &s->call;
    serve_devices_in(s);
    const struct ncs_api *api = ncs_shim_begin(c->fn, site, w->rank, s->of->process->number);
    if (!api || !ncs_shim_join(c->fn, c->arg)) {
        serve_refuse(s, ncs_shim_refusal());
        return;
    }
    sim_foreign_in_function(w->in_function);
    ncs_local->ran = w->ran;
    serve_note_rank(s->of, ncs_local && ncs_local->named ? ncs_local->rank : -1); /* the call may never return */
    serve_invoke(s, api);
    ncs_shim_leave();
}

/* The request is copied first: the program could change it meanwhile. */
static void serve_function_of_api(struct stand_in *of, int site)
{
    struct wire *w = of->wire;
    struct serving s = { .of = of };
    size_t bytes = w->bytes;
    ncs_str_clear(&of->request);
    ncs_str_add_bytes(&of->request, w->body, bytes < WIRE_BODY ? bytes : WIRE_BODY);
    if (ncs_carry_take(&s.call, of->request.text, of->request.bytes, &of->process->lates, NULL))
        serve_made_ready(&s, site);
    else
        serve_refuse_broken(&s);
    w->bytes = sizeof s.answer + s.items.bytes;
    memcpy(w->body, &s.answer, sizeof s.answer);
    if (s.items.bytes > 0)
        memcpy(w->body + sizeof s.answer, s.items.text, s.items.bytes);
    ncs_str_free(&s.items);
    ncs_carry_end(&s.call);
    ncs_carry_tell_late(&of->process->lates, serve_write_late, of->process);
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
    char name[WIRE_TEXT];
    if (!ncs_shim_begin(NCS_FN_cudaPeekAtLastError, site, w->rank, s->process->number)) {
        w->number = ncs_shim_refusal();
        return;
    }
    memcpy(name, w->body, sizeof name);
    name[sizeof name - 1] = '\0';
    if (w->kind == WIRE_KERNEL)
        ncs_shim_count_kernel(name);
    else
        w->number = (int64_t)sim_outside_refuse((int)w->number);
    ncs_shim_leave();
}

bool serve_call(struct stand_in *s)
{
    struct wire *w = s->wire;
    int site = serve_site(s);
    switch (w->kind) {
    case WIRE_LEAVES: return false;
    case WIRE_EXITS:
        s->process->status = (int)w->number & 0xff;
        atomic_store(&s->process->exits, true);
        return true;
    case WIRE_LACKS: server_end_short("a process of the job has no memory left", ENOMEM);
    case WIRE_CALL: serve_function_of_api(s, site); return true;
    case WIRE_KERNEL:
    case WIRE_REFUSE: serve_special(s, site); return true;
    default: return true;
    }
}
