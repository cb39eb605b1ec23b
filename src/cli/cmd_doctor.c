/* ncclscript doctor: reports which drivers can run here, what real runs lack, and how to add it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/version.h"
#include "base/safe.h"
#include "cli/command.h"
#include "cli/output.h"
#include "driver/driver.h"

enum { NCCL_LIB, CUDART_LIB, FORMAT, HELP };


static const struct ncs_option options[] = {
    [NCCL_LIB]   = { "nccl-lib", 0, NCS_OPTION_LIST, "PATH", "libnccl.so.2", "Looking",
                     "the NCCL library", NULL, 0, 0 },
    [CUDART_LIB] = { "cudart-lib", 0, NCS_OPTION_LIST, "PATH", "libcudart.so.13", "Looking",
                     "the CUDA runtime library", NULL, 0, 0 },
    [FORMAT]     = { "format", 0, NCS_OPTION_CHOICE, NULL, "text", "Output",
                     "text, or one JSON object", ncs_text_or_json, 0, 0 },
    [HELP]       = NCS_OPTION_HELP,
    { 0 },
};

enum { SHOWN = 16 }; /* devices that are listed; others are only counted */

struct device {
    char name[256];
    int major, minor;
};

struct health {
    const char *sim_fault;       /* NULL: the simulator works */
    struct ncs_library lib[2];   /* NCCL, the CUDA runtime */
    struct ncs_error lack[2];    /* why a library is not open */
    struct ncs_api api;
    int driver;                  /* CUDA version of the GPU driver; 0 = none */
    int devices;                 /* -1 = there is no telling */
    const char *why;             /* why there are none */
    struct device device[SHOWN];
    bool several;                /* NCCL_MULTI_RANK_GPU_ENABLE=1 */
    struct ncs_str todo;         /* lines of advice for real runs; empty: none needed */
};

/* ---- looking ---- */

static bool reduced;

/* One rank makes a communicator, sums a value and checks the sum. */
static void try_simulator(void *arg)
{
    const struct ncs_api *api = arg;
    ncclComm_t comm = NULL;
    float *x = NULL, two = 2, got = 0;
    reduced = api->ncclCommInitAll(&comm, 1, NULL) == ncclSuccess &&
              api->cudaMalloc((void **)&x, sizeof *x) == cudaSuccess &&
              api->cudaMemcpy(x, &two, sizeof two, cudaMemcpyHostToDevice) == cudaSuccess &&
              api->ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, comm, NULL) == ncclSuccess &&
              api->cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess &&
              api->cudaFree(x) == cudaSuccess && api->ncclCommDestroy(comm) == ncclSuccess &&
              got == 2;
}

static const char *simulator_fault(void)
{
    static struct ncs_error err;
    const struct ncs_machine *m = ncs_driver_sim.machine;
    struct ncs_machine_options machine = { .devices = 1 };
    struct ncs_local local = { .rank = 0 };
    struct ncs_context_options context = {
        .local = &local, .main = try_simulator, .arg = (void *)ncs_driver_sim.api,
    };
    reduced = false;
    if (!m->open(&machine, &err))
        return err.text;
    const char *fault = NULL;
    if (!m->spawn(&context, &err))
        fault = err.text;
    else if (m->run() != NCS_STOP_DONE || !reduced)
        fault = "an all-reduce of one rank goes wrong";
    m->abandon();
    m->close();
    return fault;
}

static void inspect_devices(struct health *h)
{
    h->devices = ncs_driver_devices(&h->api, &h->why);
    if (h->api.cudaDriverGetVersion)
        h->api.cudaDriverGetVersion(&h->driver);
    for (int i = 0; i < h->devices && i < SHOWN; i++) {
        struct device *d = &h->device[i];
        struct cudaDeviceProp p;
        if (h->api.cudaGetDeviceProperties &&
            h->api.cudaGetDeviceProperties(&p, i) == cudaSuccess)
            snprintf(d->name, sizeof d->name, "%s", p.name);
        if (h->api.cudaDeviceGetAttribute) {
            h->api.cudaDeviceGetAttribute(&d->major, cudaDevAttrComputeCapabilityMajor, i);
            h->api.cudaDeviceGetAttribute(&d->minor, cudaDevAttrComputeCapabilityMinor, i);
        }
    }
}

static void doctor_advise(struct health *h)
{
    const char *several = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
    struct ncs_str *todo = &h->todo;
    for (int i = 0; i < 2; i++)
        if (!h->lib[i].handle)
            ncs_str_addf(todo, "install %s, or give its path: %s\n", i ? "the CUDA runtime" : "NCCL",
                         i ? "--cudart-lib PATH" : "--nccl-lib PATH");
    if (h->lib[1].handle && h->devices <= 0) {
        if (h->driver == 0)
            ncs_str_add(todo, "install NVIDIA's driver for the GPUs of this machine\n");
        else if (h->driver < h->lib[1].version)
            ncs_str_addf(todo, "install a newer driver: it is for CUDA %d.%d, the runtime is newer\n",
                         h->driver / 1000, h->driver % 1000 / 10);
        else
            ncs_str_add(todo, "make a GPU visible: look at CUDA_VISIBLE_DEVICES, nvidia-smi and "
                              "/dev/nvidia*\n");
    }
    h->several = several && strcmp(several, "1") == 0;
}

/* False if a library that the user named cannot be opened. */
static bool inspect_machine(struct health *h, const char *const given[2], struct ncs_error *err)
{
    *h = (struct health){ .devices = -1 };
    for (int i = 0; i < 2; i++)
        if (!ncs_library_open(&h->lib[i], i ? NCS_LIB_CUDA : NCS_LIB_NCCL, given[i], &h->api,
                              &h->lack[i]) &&
            h->lack[i].status == NCS_BAD_INPUT) {
            *err = h->lack[i];
            return false;
        }
    if (h->lib[1].handle)
        inspect_devices(h);
    doctor_advise(h);
    h->sim_fault = simulator_fault();
    return true;
}

static void doctor_forget(struct health *h)
{
    for (int i = 0; i < 2; i++)
        ncs_library_forget(&h->lib[i]);
    ncs_str_free(&h->todo);
}

static bool can_run(const struct health *h)
{
    return h->lib[0].handle && h->lib[1].handle && h->devices > 0;
}

/* ---- saying ---- */

static void doctor_add_line(struct ncs_str *out, const char *key, const char *text)
{
    ncs_str_addf(out, "%-10s  ", key);
    ncs_safe_line(out, text);
    ncs_str_add(out, "\n");
}

/* Compares a library with the functions that this program knows: NCCL 2.30.7, the CUDA runtime 13. */
static void doctor_add_library(struct ncs_str *out, const char *key, const struct ncs_library *l,
                               const struct ncs_error *lack)
{
    struct ncs_str text = { 0 };
    char version[24];
    if (l->handle)
        ncs_str_addf(&text, "%s, %s", ncs_library_version(l, version, sizeof version), l->path);
    else
        ncs_str_addf(&text, "not found: %s", lack->text);
    doctor_add_line(out, key, text.text);
    ncs_str_clear(&text);
    if (l->absents) {
        ncs_str_addf(&text, "has %d of the %d functions that %s has; not: %s", l->bound,
                     l->bound + l->absents, l->lib == NCS_LIB_NCCL ? "2.30.7" : "13.0",
                     l->absent.text);
        doctor_add_line(out, "", text.text);
    }
    ncs_str_free(&text);
}

static void add_devices(struct ncs_str *out, const struct health *h)
{
    struct ncs_str text = { 0 };
    if (h->driver)
        ncs_str_addf(&text, "for CUDA up to %d.%d", h->driver / 1000, h->driver % 1000 / 10);
    else
        ncs_str_add(&text, h->lib[1].handle ? "none" : "unknown without the CUDA runtime");
    doctor_add_line(out, "driver", text.text);
    ncs_str_clear(&text);
    if (h->devices > 0)
        ncs_str_addf(&text, "%d", h->devices);
    else
        ncs_str_addf(&text, "none%s%s", h->why ? ": " : "", h->why ? h->why : "");
    doctor_add_line(out, "GPUs", text.text);
    for (int i = 0; i < h->devices && i < SHOWN; i++) {
        const struct device *d = &h->device[i];
        ncs_str_clear(&text);
        ncs_str_addf(&text, "%d: %s, capability %d.%d", i, d->name[0] ? d->name : "unnamed",
                     d->major, d->minor);
        doctor_add_line(out, "", text.text);
    }
    ncs_str_free(&text);
}

static void add_real_runs(struct ncs_str *out, const struct health *h)
{
    struct ncs_str text = { 0 };
    if (can_run(h)) {
        ncs_str_addf(&text, "possible: scenarios of up to %d rank%s", h->devices,
                     h->devices == 1 ? "" : "s");
        if (h->lib[0].version >= NCCL_VERSION(2, 30, 3))
            ncs_str_addf(&text, h->several ? "; more with several on a GPU"
                                           : "; more with NCCL_MULTI_RANK_GPU_ENABLE=1");
        doctor_add_line(out, "real runs", text.text);
    } else {
        doctor_add_line(out, "real runs", "not possible here; the simulator needs none of this");
    }
    ncs_str_free(&text);
    const char *line = h->todo.text;
    for (const char *key = "to do"; line && *line; key = "") {
        size_t bytes = strcspn(line, "\n");
        ncs_str_addf(out, "%-10s  %.*s\n", key, (int)bytes, line);
        line += bytes + (line[bytes] != '\0');
    }
}

static void doctor_add_json_text(const struct health *h, struct ncs_str *out)
{
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, h->sim_fault ? "does not work: %s" : "works: NCCL", h->sim_fault);
    for (int i = 0; !h->sim_fault && ncs_nccl_profiles[i]; i++)
        ncs_str_addf(&text, "%s %s", i ? "," : "", ncs_nccl_profiles[i]);
    doctor_add_line(out, "simulator", text.text);
    ncs_str_free(&text);
    doctor_add_library(out, "NCCL", &h->lib[0], &h->lack[0]);
    doctor_add_library(out, "CUDA", &h->lib[1], &h->lack[1]);
    add_devices(out, h);
    add_real_runs(out, h);
}

static json_t *library_json(const struct ncs_library *l, const struct ncs_error *lack)
{
    char version[24];
    if (!l->handle)
        return json_pack("{s:b, s:s}", "found", 0, "why", lack->text);
    return json_pack("{s:b, s:s, s:s, s:i, s:i, s:s}", "found", 1, "version",
                     ncs_library_version(l, version, sizeof version), "path", l->path, "functions",
                     l->bound, "lacks", l->absents, "absent", l->absent.text ? l->absent.text : "");
}

static json_t *lines_json(const char *text)
{
    json_t *list = json_array();
    while (text && *text) {
        size_t bytes = strcspn(text, "\n");
        json_array_append_new(list, json_stringn(text, bytes));
        text += bytes + (text[bytes] != '\0');
    }
    return list;
}

static void format_health(const struct health *h, struct ncs_str *out)
{
    json_t *devices = json_array(), *profiles = json_array();
    for (int i = 0; i < h->devices && i < SHOWN; i++)
        json_array_append_new(devices, json_pack("{s:i, s:s, s:i, s:i}", "device", i, "name",
                                                 h->device[i].name, "major", h->device[i].major,
                                                 "minor", h->device[i].minor));
    for (int i = 0; ncs_nccl_profiles[i]; i++)
        json_array_append_new(profiles, json_string(ncs_nccl_profiles[i]));
    json_t *o = json_pack("{s:s, s:{s:b, s:s?, s:o}, s:o, s:o, s:i, s:i, s:s?, s:o, s:b, s:b, s:o}",
                          "schema", "ncclscript.doctor/1", "simulator", "works",
                          h->sim_fault == NULL, "why", h->sim_fault, "nccl", profiles, "nccl",
                          library_json(&h->lib[0], &h->lack[0]), "cuda",
                          library_json(&h->lib[1], &h->lack[1]), "driver", h->driver, "gpus",
                          h->devices, "why", h->why, "devices", devices, "several_ranks_per_gpu",
                          h->several, "real_runs", can_run(h), "to_do", lines_json(h->todo.text));
    char *text = o ? json_dumps(o, JSON_PRESERVE_ORDER) : NULL;
    ncs_str_addf(out, "%s\n", text ? text : "{}");
    free(text);
    json_decref(o);
}

/* ---- the command ---- */

static int examine(const struct ncs_option_value *v, struct ncs_str *out)
{
    const char *const given[2] = { ncs_option_last(&v[NCCL_LIB]), ncs_option_last(&v[CUDART_LIB]) };
    struct health h;
    struct ncs_error err = { 0 };
    int status = 2;
    if (inspect_machine(&h, given, &err)) {
        (v[FORMAT].number == 1 ? format_health : doctor_add_json_text)(&h, out);
        status = h.sim_fault ? 70 : 0;
    } else {
        ncs_print_error(&err);
    }
    doctor_forget(&h);
    return status;
}

static int doctor_main(const struct ncs_parsed *parsed)
{
    struct ncs_str out = { 0 };
    int status = examine(parsed->value, &out);
    if (out.text)
        ncs_out(out.text);
    ncs_str_free(&out);
    return status;
}

const struct ncs_command ncs_cmd_doctor = {
    .name = "doctor",
    .summary = "report what can run here and what is missing for real NCCL",
    .about = "doctor looks for NCCL, the CUDA runtime, the driver and GPUs in the same places as --driver nccl,\n"
             "and tries the simulator. If the simulator works, the exit status is 0, even if NCCL or a GPU is\n"
             "missing.\n",
    .option = options,
    .main = doctor_main,
};
