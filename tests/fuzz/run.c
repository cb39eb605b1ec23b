#define _GNU_SOURCE
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/budget.h"
#include "run/run.h"
#include "script/script.h"

static void run(struct ncs_script *script, struct ncs_scenario *scenario,
                void (*change)(struct ncs_run_options *options, void *arg), void *arg)
{
    struct ncs_program program = ncs_script_program(script, scenario);
    struct ncs_run_options options = {
        .driver = "sim",
        .ranks = scenario->ranks < 8 ? scenario->ranks : 8,
        .verify = true,
        .hosts = scenario->hosts,
        .policy = scenario->policy,
        .eager = scenario->sim_eager,
        .timeout = 200000000,
        .nccl_version = scenario->sim_nccl,
        .device_memory = (uint64_t)1 << 26,
    };
    if (change)
        change(&options, arg);
    struct ncs_run *r = ncs_run_new(&options, &program, NULL, NULL);
    const struct ncs_result *result = ncs_run_execute(r);
    if (result->verdict == NCS_INTERNAL_FAULT) {
        fprintf(stderr, "a fault of ours: %s\n", result->internal.text);
        abort();
    }
    ncs_run_free(r);
}

bool fuzz_run(const void *text, size_t bytes, void (*change)(struct ncs_run_options *options, void *arg), void *arg)
{
    char path[32];
    ncs_budget_limit((size_t)1 << 30);
    int file = memfd_create("scenario", 0);
    if (file < 0 || write(file, text, bytes) != (ssize_t)bytes)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct ncs_error err = { 0 };
    struct ncs_scenario scenario;
    struct ncs_script_settings settings = { .policy = -1, .driver = "sim" };
    ncs_scenario_init(&scenario, path);
    struct ncs_script *script = ncs_script_load(path, &settings, &scenario, &err);
    bool loaded = script != NULL;
    if (script)
        run(script, &scenario, change, arg);
    else if (!err.text[0])
        abort(); /* refused without a word */
    ncs_script_free(script);
    ncs_scenario_free(&scenario);
    close(file);
    return loaded;
}
