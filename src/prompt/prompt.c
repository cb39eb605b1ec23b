#include "prompt/prompt.h"

#include <stdarg.h>
#include <string.h>

#include "base/budget.h"
#include "base/fill.h"
#include "base/mem.h"
#include "base/safe.h"
#include "prompt/private.h"

#define OPERATIONS_SEEN 100000 /* that can be drawn */

static const char prompt_file[] = "prompt";

void prompt_write(struct ncs_prompt *p, struct ncs_str *text)
{
    if (text->bytes && !p->silent)
        p->options.out(p->options.out_arg, text->text);
    ncs_str_free(text);
}

int prompt_columns(const struct ncs_prompt *p)
{
    return p->options.columns ? p->options.columns() : 0;
}

void prompt_add_safe(struct ncs_str *out, const char *text)
{
    while (*text) {
        ncs_safe_output(out, text);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

void prompt_put(struct ncs_prompt *p, const char *fmt, ...)
{
    struct ncs_str text = { 0 }, safe = { 0 }, filled = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&text, fmt, args);
    va_end(args);
    ncs_str_add(&text, "\n");
    prompt_add_safe(&safe, text.text);
    ncs_fill_prose(&filled, safe.text, 0, prompt_columns(p));
    ncs_str_free(&text);
    ncs_str_free(&safe);
    prompt_write(p, &filled);
}

void prompt_write_lines(struct ncs_prompt *p, struct ncs_str *text)
{
    struct ncs_str filled = { 0 };
    if (text->bytes)
        ncs_fill_lines(&filled, text->text, prompt_columns(p));
    ncs_str_free(text);
    prompt_write(p, &filled);
}

void prompt_complain(struct ncs_prompt *p, const struct ncs_error *err)
{
    struct ncs_str place = { 0 };
    if (err->file[0] && strcmp(err->file, prompt_file) != 0)
        ncs_str_addf(&place, "%s:", err->file);
    if (place.bytes && err->line > 0)
        ncs_str_addf(&place, "%d:", err->line);
    prompt_put(p, "error: %s%s%s", place.bytes ? place.text : "", place.bytes ? " " : "", err->text);
    ncs_str_free(&place);
    struct ncs_str hint = { 0 };
    if (err->hint[0])
        ncs_str_addf(&hint, "  %s\n", err->hint);
    prompt_write_lines(p, &hint);
}

static void prompt_on_output(void *arg, const char *line)
{
    struct ncs_str safe = { 0 };
    ncs_safe_output(&safe, line);
    prompt_write(arg, &safe);
}

int prompt_ranks(const struct ncs_prompt *p)
{
    return p->scenario->ranks;
}

void prompt_forget_replies(struct ncs_prompt *p)
{
    for (int r = 0; p->last && r < prompt_ranks(p); r++) {
        ncs_free(p->last[r].text);
        p->last[r] = (struct last_reply){ NULL, false };
    }
    p->helped = false;
}

/* ---- a run ---- */

static void end_life(struct ncs_prompt *p)
{
    struct ncs_run *run = p->run;
    prompt_forget_replies(p);
    ncs_free(p->last);
    p->last = NULL;
    if (p->looked) {
        ncs_diagnosis_free(&p->state);
        ncs_snapshot_free(&p->snapshot);
        p->looked = false;
    }
    p->run = NULL;
    ncs_run_free(run);
    ncs_session_free(p->session);
    p->session = NULL;
    if (p->scenario)
        ncs_scenario_free(p->scenario);
    ncs_free(p->scenario);
    p->scenario = NULL;
    p->errors_reported = p->expects_reported = p->seen_before = 0;
    ncs_map_free(&p->wrongs_reported);
    p->wrongs_counted = 0;
    ncs_str_free(&p->waiting_printed);
}

static struct ncs_script_settings script_settings(const struct ncs_prompt *p, const struct settings *s)
{
    struct ncs_script_settings settings = p->options.settings;
    settings.ranks = s->ranks;
    settings.policy = s->policy;
    settings.seeded = s->seeded;
    settings.seed = s->seed;
    settings.driver = "sim";
    return settings;
}

/* Applies the file's declarations, or defaults without a file. */
static bool prompt_declare(struct ncs_prompt *p, const struct settings *s, struct ncs_script **script,
                           struct ncs_scenario *scenario, struct ncs_error *err)
{
    struct ncs_script_settings settings = script_settings(p, s);
    ncs_scenario_init(scenario, s->file ? s->file : prompt_file);
    *script = NULL;
    if (!s->file)
        scenario->ranks = NCS_PROMPT_RANKS;
    else if (!(*script = ncs_script_load(s->file, &settings, scenario, err)))
        return false;
    scenario->ranks = s->ranks ? s->ranks : scenario->ranks;
    if (s->policy >= 0)
        scenario->policy = (enum ncs_policy)s->policy;
    if (ncs_scenario_check(scenario, NULL, err))
        return true;
    ncs_script_free(*script);
    return false;
}

static struct ncs_run_options run_options(const struct settings *s, const struct ncs_scenario *sc)
{
    struct ncs_run_options o = ncs_scenario_options(sc);
    o.seeded = s->seeded;
    o.seed = (uint64_t)s->seed;
    o.look = sc->verify ? OPERATIONS_SEEN : 0;
    o.once = true;
    o.timeout = 0; /* a session lasts as long as its user */
    o.needs_nccl = o.needs_gpus = 0;
    return o;
}

/* A scenario whose statements have been read and given to its ranks, before its run begins. */
struct next_life {
    struct ncs_scenario *scenario;
    struct ncs_session *session;
};

static void give_to_all(void *arg, const struct ncs_code *code)
{
    const struct next_life *n = arg;
    for (int r = 0; r < n->scenario->ranks; r++)
        ncs_session_give(n->session, r, code);
}

static bool prompt_prepare(struct ncs_prompt *p, const struct settings *s, struct next_life *n, struct ncs_error *err)
{
    struct ncs_script *script;
    *n = (struct next_life){ .scenario = ncs_new(sizeof *n->scenario) };
    if (prompt_declare(p, s, &script, n->scenario, err)) {
        n->session = ncs_session_new(script, n->scenario, prompt_file, p->options.settings.unsafe);
        if (ncs_session_read_script(n->session, give_to_all, n, err))
            return true;
    }
    ncs_session_free(n->session);
    ncs_scenario_free(n->scenario);
    ncs_free(n->scenario);
    return false;
}

/* Mistakes in a file are reported while the old run still exists. Only one machine can be open at a time,
 * so the new run may still fail for lack of memory after the old one is gone. */
static bool begin_life(struct ncs_prompt *p, const struct settings *s, struct ncs_error *err)
{
    struct next_life n;
    if (!prompt_prepare(p, s, &n, err))
        return false;
    end_life(p);
    p->scenario = n.scenario;
    p->session = n.session;
    p->last = ncs_new((size_t)n.scenario->ranks * sizeof *p->last);
    struct ncs_run_options options = run_options(s, p->scenario);
    struct ncs_program program = ncs_session_program(p->session);
    p->run = ncs_run_new(&options, &program, prompt_on_output, p);
    if (!ncs_run_begin(p->run, err)) {
        end_life(p);
        return false;
    }
    ncs_run_go_on(p->run, -1);
    return true;
}

void prompt_end_if_spent(struct ncs_prompt *p)
{
    char budget[NCS_BUDGET_WORDS];
    if (!p->run || !ncs_run_is_spent(p->run))
        return;
    end_life(p);
    prompt_put(p, "error: %s is used up, and the run is gone; `:reset` begins one", ncs_budget_words(budget));
}

static void take_settings(struct settings *to, const struct settings *from)
{
    char *file = ncs_copy_text(from->file);
    ncs_free(to->file);
    *to = *from;
    to->file = file;
}

/* Repeats the first `inputs` inputs in a run that has just begun. */
static void redo(struct ncs_prompt *p, size_t inputs)
{
    p->held = false;
    p->lines = 0;
    prompt_report(p);
    for (size_t i = 0; i < inputs; i++)
        prompt_redo(p, &p->input[i]);
    prompt_report(p);
}

bool prompt_restart(struct ncs_prompt *p, const struct settings *settings, size_t inputs, struct ncs_error *err)
{
    bool was_silent = p->silent;
    p->silent = was_silent || inputs > 0;
    bool begun = begin_life(p, settings, err);
    if (begun) {
        take_settings(&p->settings, settings);
        while (p->inputs > inputs)
            prompt_input_free(&p->input[--p->inputs]);
        redo(p, inputs);
        prompt_end_if_spent(p);
    } else if (!p->run) { /* the old run had to end first: starts it again */
        struct ncs_error ignored;
        p->silent = true;
        if (begin_life(p, &p->settings, &ignored))
            redo(p, p->inputs);
    }
    p->silent = was_silent;
    tutor_after_restart(p);
    return begun;
}

void prompt_look(struct ncs_prompt *p)
{
    if (p->looked) {
        ncs_diagnosis_free(&p->state);
        ncs_snapshot_free(&p->snapshot);
    }
    ncs_run_look(p->run, &p->snapshot, &p->state);
    p->looked = true;
}

const struct ncs_snap_context *prompt_context(const struct ncs_prompt *p, int rank)
{
    size_t at = (size_t)rank; /* ranks come first, in their order, unless a context is missing */
    const struct ncs_snap_context *c = p->snapshot.context;
    if (at < p->snapshot.contexts && c[at].rank == rank && c[at].thread == 0)
        return &c[at];
    for (size_t i = 0; i < p->snapshot.contexts; i++)
        if (c[i].rank == rank && c[i].thread == 0)
            return &c[i];
    return NULL;
}

bool prompt_dead(const struct ncs_prompt *p, int rank)
{
    const struct ncs_snap_context *c = p->looked ? prompt_context(p, rank) : NULL;
    return c && c->state == NCS_CONTEXT_ENDED;
}

bool prompt_busy(const struct ncs_prompt *p, int rank)
{
    return !ncs_session_is_free(p->session, rank) && !prompt_dead(p, rank);
}

struct ncs_prompt *ncs_prompt_new(const struct ncs_prompt_options *options, struct ncs_error *err)
{
    struct ncs_prompt *p = ncs_new(sizeof *p);
    p->options = *options;
    p->style.color = options->color;
    p->shell.host = options->shell;
    struct settings first = {
        .ranks = options->settings.ranks,
        .policy = options->settings.policy,
        .seeded = options->settings.seeded,
        .seed = options->settings.seed,
        .file = (char *)options->file,
    };
    if (prompt_restart(p, &first, 0, err))
        return p;
    ncs_prompt_free(p);
    return NULL;
}

void ncs_prompt_free(struct ncs_prompt *p)
{
    if (!p)
        return;
    end_life(p);
    for (size_t i = 0; i < p->inputs; i++)
        prompt_input_free(&p->input[i]);
    ncs_free(p->input);
    ncs_free(p->to);
    ncs_free(p->settings.file);
    ncs_str_free(&p->begun);
    shell_forget(&p->shell);
    ncs_free(p);
}

void ncs_prompt_break(struct ncs_prompt *p)
{
    struct ncs_run *run = p->run;
    if (run)
        ncs_run_break(run);
}

void ncs_prompt_status(const struct ncs_prompt *p, struct ncs_str *out)
{
    int waiting = 0;
    if (!p->run) {
        ncs_str_add(out, "no run");
        return;
    }
    for (int r = 0; r < prompt_ranks(p); r++)
        waiting += prompt_busy(p, r);
    ncs_str_addf(out, "%d rank%s", prompt_ranks(p), prompt_ranks(p) == 1 ? "" : "s");
    if (waiting)
        ncs_str_addf(out, ", %d waiting", waiting);
    if (p->held)
        ncs_str_add(out, ", held");
    ncs_str_addf(out, " %d", p->lines + 1);
}
