#include "cli/check_plan.h"

#include <string.h>

#include "base/mem.h"

/* Ends a single call of Lua that does not return. Plans need no other time limit, because their steps are limited. */
#define PLAN_TIME ((int64_t)10 * 1000000000)

static void check_plan_complain(struct ncs_checking *c, const struct ncs_call_plan *plan, const struct ncs_call_plan_fault *f)
{
    struct ncs_complaints *all = &c->reading.complaints;
    struct ncs_str text = { 0 };
    bool own = f->place.file && strcmp(f->place.file, c->file) == 0;
    struct ncs_span at = own ? ncs_checking_span(c, f->place.line, f->text) : (struct ncs_span){ 0, 0 };
    const char *tail = strstr(f->text, ": did you mean");
    if (plan->name)
        ncs_str_addf(&text, "[%s] ", plan->name);
    if (!own && f->place.file)
        ncs_str_addf(&text, "%s:%d: ", f->place.file, f->place.line);
    if (f->ranks < (size_t)plan->ranks) {
        ncs_str_addf(&text, "rank%s ", f->ranks == 1 ? "" : "s");
        ncs_str_add_ranks(&text, f->rank, f->ranks);
        ncs_str_add(&text, ": ");
    }
    ncs_str_add_bytes(&text, f->text, tail ? (size_t)(tail - f->text) : strlen(f->text));
    if (f->unsure) {
        ncs_complain_warning(all, at, "%s", text.text);
        ncs_complain_hint(all, "this may depend on a value that only a run knows");
    } else {
        ncs_complain(all, at, "%s", text.text);
        if (tail)
            ncs_complain_hint(all, "%s", tail + 2);
    }
    ncs_str_free(&text);
}

static struct ncs_run_options make_options(const struct ncs_scenario *s)
{
    return (struct ncs_run_options){
        .driver = "dry-run",
        .ranks = s->ranks,
        .hosts = s->hosts,
        .policy = s->policy,
        .eager = s->sim_eager,
        .kernel_slots = s->sim_lanes,
        .timeout = PLAN_TIME,
        .nccl_version = s->sim_nccl,
        .device_memory = s->sim_memory,
        .ready_after = s->sim_ready_after,
        .quirks = s->sim_quirks,
        .env = s->env,
        .envs = s->envs,
        .owns = s->owns,
        .once = true,
    };
}

static bool passes(const struct ncs_outcome *o)
{
    return !o->any_verdict && o->verdict == NCS_PASS;
}

/* With `unsure` false, leaves out faults that may depend on a value only a run knows; the plan's text shows them. */
static void complain_faults(struct ncs_checking *c, const struct ncs_call_plan *plan, bool unsure)
{
    for (size_t i = 0; i < plan->faults; i++)
        if (unsure || !plan->fault[i].unsure)
            check_plan_complain(c, plan, &plan->fault[i]);
}

/* True if the simulator, which provides the plan's communicators and memory, meets the scenario's needs. */
static bool fits_simulator(const struct ncs_scenario *s, struct ncs_str *reason)
{
    struct ncs_run_options options = make_options(s);
    options.driver = "sim";
    return ncs_scenario_can_run(s, &options, reason);
}

static bool make_plan(struct ncs_checking *c, const struct ncs_scenario *scenario, bool unsure, struct ncs_call_plan *plan,
                      struct ncs_error *err)
{
    struct ncs_run_options options = make_options(scenario);
    struct ncs_str reason = { 0 };
    bool fits = fits_simulator(scenario, &reason);
    if (!fits) {
        plan->end = ncs_str_take(&reason);
        return true;
    }
    struct ncs_program program = ncs_script_program(c->script, scenario);
    struct ncs_run *run = ncs_run_new(&options, &program, NULL, NULL);
    const struct ncs_result *r = ncs_run_execute(run);
    bool ok = r->internal.status == NCS_OK;
    if (ok && r->verdict == NCS_MEMORY && passes(&scenario->outcome)) { /* the host is short: no fault of the scenario */
        ok = ncs_fail(err, NCS_NO_MEMORY, "%s", r->errors ? r->error[0].message : "the run has no memory left");
        ncs_fail_at(err, c->file, r->errors ? r->error[0].place.line : 0, 0);
    }
    if (ok)
        ncs_call_plan_make(r, plan);
    else if (err->status == NCS_OK)
        *err = r->internal;
    if (ok && passes(&scenario->outcome))
        complain_faults(c, plan, unsure);
    ncs_run_free(run);
    return ok;
}

bool ncs_check_plans(struct ncs_checking *c, const struct ncs_script_settings *settings, const char *only, bool unsure,
                     void (*on_plan)(void *arg, struct ncs_call_plan *plan), void *arg, struct ncs_error *err)
{
    bool ok = true, any = !only;
    for (size_t i = 0; i < c->cases.count && ok; i++) {
        if (only && !ncs_case_is(&c->cases.item[i], only))
            continue;
        any = true;
        struct ncs_call_plan plan = { .name = ncs_copy_text(c->cases.item[i].name) };
        struct ncs_scenario scenario;
        if (ncs_checking_declare(c, settings, i, &scenario)) {
            ok = make_plan(c, &scenario, unsure, &plan, err);
            if (ok && on_plan)
                on_plan(arg, &plan);
        }
        ncs_scenario_free(&scenario);
        ncs_call_plan_free(&plan);
    }
    if (ok && !any) {
        ok = ncs_fail(err, NCS_BAD_INPUT, "has no case [%s]", only);
        ncs_fail_at(err, c->file, 0, 0);
        ncs_fail_hint(err, "`ncclscript run --list %s` names them", c->file);
    }
    return ok;
}
