#define _GNU_SOURCE /* memfd_create */
#include "cli/reproducer.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/output.h"
#include "reproduce/shrink.h"
#include "script/script.h"

static char *place_of_call(void *file, const struct ncs_call *call)
{
    struct ncs_str place = { 0 };
    const char *path = call->place.file ? call->place.file : file, *slash = strrchr(path, '/');
    ncs_str_addf(&place, "%s:%d", slash ? slash + 1 : path, call->place.line);
    return ncs_str_take(&place);
}

bool ncs_reproducer_read(const struct ncs_result *result, const char *file, struct ncs_workload *workload,
                         struct ncs_reproduced *expected)
{
    ncs_reproduced_of(result, expected);
    char **last = ncs_reproduced_last(result, expected);
    bool has_calls = ncs_workload_read(workload, &(struct ncs_workload_source){ .journal = result->journal,
                                                                                .ranks = result->ranks,
                                                                                .place = place_of_call,
                                                                                .arg = (void *)file,
                                                                                .diagnosis = &result->diagnosis,
                                                                                .last = (const char *const *)last });
    ncs_reproduced_free_last(last, result);
    return has_calls;
}

/* ---- running it ---- */

bool ncs_reproducer_was_short(const struct ncs_result *result, struct ncs_error *err)
{
    if (result->internal.status == NCS_NO_MEMORY) {
        *err = result->internal;
        return true;
    }
    if (result->refused || result->verdict == NCS_MEMORY)
        return !ncs_fail(err, NCS_NO_MEMORY, "no memory for a trial");
    for (size_t i = 0; i < result->proof.trials; i++)
        if (result->proof.trial[i].verdict == NCS_MEMORY)
            return !ncs_fail(err, NCS_NO_MEMORY, "no memory to try a change");
    return false;
}

/* holds: gets whether it ends as it declares; or NULL. `about`: gets how the record ended, as the scenario's text says; or NULL. */
static bool reproducer_run(const char *file, uint64_t seed, struct ncs_reproduced *out, bool *holds, struct ncs_str *about,
                           struct ncs_error *err)
{
    struct ncs_scenario scenario;
    struct ncs_script_settings settings = { .policy = -1, .driver = "sim" };
    *out = (struct ncs_reproduced){ 0 };
    ncs_scenario_init(&scenario, file);
    struct ncs_script *script = ncs_script_load(file, &settings, &scenario, err);
    bool ran = script != NULL;
    if (script) {
        struct ncs_run_options o = ncs_scenario_options(&scenario);
        struct ncs_program program = ncs_script_program(script, &scenario);
        o.driver = "sim";
        o.verify = false;
        o.seeded = seed != 0;
        o.seed = seed;
        struct ncs_run *run = ncs_run_new(&o, &program, NULL, NULL);
        struct ncs_str difference = { 0 };
        const struct ncs_result *result = ncs_run_execute(run);
        ran = !ncs_reproducer_was_short(result, err); /* how that ends shows nothing about the scenario */
        if (ran)
            ncs_reproduced_of(result, out);
        if (holds)
            *holds = ncs_outcome_holds(&scenario.outcome, result, &difference);
        if (about && scenario.about && strncmp(scenario.about, NCS_REPRODUCED_ABOUT, strlen(NCS_REPRODUCED_ABOUT)) == 0)
            ncs_str_add(about, scenario.about + strlen(NCS_REPRODUCED_ABOUT));
        ncs_str_free(&difference);
        ncs_run_free(run);
    }
    ncs_scenario_free(&scenario);
    ncs_script_free(script);
    return ran;
}

static bool reproducer_run_text(const char *text, bool yaml, uint64_t seed, struct ncs_reproduced *out, bool *holds,
                                struct ncs_error *err)
{
    char path[64];
    size_t bytes = strlen(text);
    int file = memfd_create(yaml ? "trial.yaml" : "trial.lua", MFD_CLOEXEC);
    if (file < 0 || write(file, text, bytes) != (ssize_t)bytes) {
        if (file >= 0)
            close(file);
        return ncs_fail(err, NCS_NO_MEMORY, "no memory for a trial");
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    bool ran = reproducer_run(path, seed, out, holds, NULL, err);
    close(file);
    return ran;
}

bool ncs_reproducer_try(const char *text, bool yaml, uint64_t seed, struct ncs_reproduced *out, struct ncs_error *err)
{
    return reproducer_run_text(text, yaml, seed, out, NULL, err);
}

/* ---- writing it ---- */

/* A loader that refuses what was written is a defect of ncclscript, or the job is too large for a scenario. */
static bool reproducer_refused(const char *file, const char *what, struct ncs_error *err)
{
    struct ncs_error why = *err;
    *err = (struct ncs_error){ 0 };
    ncs_fail(err, why.status, "ncclscript cannot read the scenario that it wrote, %s: %s", what, why.text);
    ncs_fail_at(err, file, why.line, why.column);
    return false;
}

/* The ending as far as a scenario with these ranks can declare it: devices of one process count as ranks in a record. */
static struct ncs_reproduced reproducer_declared(const struct ncs_reproduced *of, int ranks)
{
    struct ncs_reproduced declared = *of;
    for (size_t i = 0; i < of->ranks; i++)
        if (of->rank[i] >= ranks)
            declared.ranks = 0;
    return declared;
}

/* Runs the scenario. False, with err, if the loader refuses it. */
static bool reproducer_go(const struct ncs_reproduced_writing *w, const struct ncs_reproduced *expected,
                          struct ncs_reproduced *now, struct ncs_str *text, struct ncs_error *err)
{
    struct ncs_reproduced declared = reproducer_declared(expected, w->workload->ranks);
    ncs_reproduced_free(now);
    ncs_str_clear(text);
    ncs_reproduced_text(w, &declared, NULL, text);
    return ncs_reproducer_try(text->text, ncs_reproducer_is_yaml(w->file), w->options ? w->options->seed : 0, now, err) ||
           reproducer_refused(w->file, "so nothing was written", err);
}

/* The scenario in the first way that ends as the record shows. False, with err, if the loader refuses it. */
static bool reproducer_text(struct ncs_reproduced_writing *w, const struct ncs_reproduced *expected, struct ncs_reproduced *now,
                            struct ncs_str *text, struct ncs_error *err)
{
    const struct ncs_workload *whole = w->workload;
    struct ncs_workload fewer = { 0 };
    bool ran = true, same = false;
    for (int way = 0; way < NCS_REPRODUCED_WAYS && ran && !same; way++)
        if (ncs_reproduced_way(w, whole, way, &fewer)) {
            ran = reproducer_go(w, expected, now, text, err);
            same = ran && ncs_reproduced_equal(now, expected);
        }
    if (ran && !same) {
        w->workload = whole;
        w->in_comments = true;
        ran = reproducer_go(w, expected, now, text, err);
    }
    bool same_error = now->error && expected->error ? strcmp(now->error, expected->error) == 0 : now->error == expected->error;
    if (ran && !(same && same_error)) { /* an error that ends a rank is an error of Lua's here */
        ncs_str_clear(text);
        ncs_reproduced_text(w, now, same ? NULL : expected, text);
    }
    w->workload = whole;
    ncs_workload_free(&fewer);
    return ran;
}

void ncs_reproducer_hint_force(const char *file, bool force, struct ncs_error *err)
{
    struct stat is;
    if (!force && lstat(file, &is) == 0)
        ncs_fail_hint(err, "--force replaces it");
}

/* Nothing is written before the scenario has run: a file that is replaced stays as it is until then. */
static bool write_and_run(struct ncs_reproduced_writing *w, bool replace, const struct ncs_reproduced *expected,
                          struct ncs_reproduced *now, struct ncs_error *err)
{
    struct ncs_str text = { 0 };
    bool written = reproducer_text(w, expected, now, &text, err);
    if (written && !ncs_file_write(w->file, text.text, text.bytes, replace, err)) {
        ncs_reproducer_hint_force(w->file, replace, err);
        written = false;
    }
    ncs_str_free(&text);
    return written;
}

static size_t reproducer_lines(const char *file)
{
    struct ncs_str text = { 0 };
    size_t lines = 0;
    if (ncs_file_read(file, (size_t)256 << 20, "a scenario", &text, NULL))
        for (size_t i = 0; i < text.bytes; i++)
            lines += text.text[i] == '\n';
    ncs_str_free(&text);
    return lines;
}

/* recorded: how the record ends, "hangs (skipped-call, rank 2)", if the run ends otherwise; NULL = it ends so, too. late: the record
 * has lost its first calls. */
static void reproducer_say(const char *file, const char *recorded, const struct ncs_reproduced *now, bool late)
{
    struct ncs_str text = { 0 };
    if (recorded) {
        ncs_reproduced_add_clause(now, &text);
        ncs_str_addf(&text, ", where the record %s", recorded);
    } else {
        ncs_str_add(&text, "ends as the record shows: ");
        ncs_reproduced_add(now, &text);
    }
    fprintf(stderr, "ncclscript: %s: %zu lines; its run %s%s\n", file, reproducer_lines(file), text.text,
            late ? "; the first calls are missing: newer calls have replaced them in the record" : "");
    ncs_str_free(&text);
}

static void reproducer_say_losses(const struct ncs_workload *workload, const struct ncs_reproduced *expected)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "ncclscript: not written: ");
    ncs_workload_add_losses(workload, expected->verdict == NCS_WRONG && !expected->why, &text);
    fprintf(stderr, "%s\n", text.text);
    ncs_str_free(&text);
}

/* A scenario that a program has written. */
struct reproducer_file {
    const char *file, *sign; /* of comments */
    struct ncs_str text;
    struct ncs_str about;      /* how the record ends, "passes"; bytes 0 = unknown */
    struct ncs_str losses;     /* what is not written; bytes 0 = nothing that counts */
    struct ncs_str undeclared; /* how the record ends, if no scenario can declare that; bytes 0 = one can */
};

static void reproducer_free_file(struct reproducer_file *f)
{
    ncs_str_free(&f->text);
    ncs_str_free(&f->about);
    ncs_str_free(&f->losses);
    ncs_str_free(&f->undeclared);
}

/* Appends to `out` the comment among the first lines that begins so, without the full stop. Where its line is; NULL = none. */
static const char *reproducer_find_comment(const struct reproducer_file *f, const char *begin, struct ncs_str *out)
{
    size_t sign = strlen(f->sign);
    const char *line = f->text.text, *end;
    for (; strncmp(line, f->sign, sign) == 0 && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *content = line + sign + strlen(begin);
        if (strncmp(line + sign, begin, strlen(begin)) == 0) {
            ncs_str_add_bytes(out, content, (size_t)(end - content) - (end > content && end[-1] == '.'));
            return line;
        }
    }
    return NULL;
}

static const char *reproducer_recorded(const struct reproducer_file *f)
{
    return f->about.bytes ? f->about.text : "ends otherwise";
}

/* Puts a comment above a scenario that ends otherwise. If it ends as the record, what is not written did not count: that comment is
 * removed. */
static bool reproducer_judge(struct reproducer_file *f, bool same, const struct ncs_reproduced *now, struct ncs_error *err)
{
    struct ncs_str text = { 0 };
    if (!ncs_file_read(f->file, (size_t)256 << 20, "a scenario", &f->text, err))
        return false;
    reproducer_find_comment(f, NCS_REPRODUCED_UNDECLARED, &f->undeclared);
    const char *losses = reproducer_find_comment(f, NCS_REPRODUCED_LOSSES, &f->losses), *rest = f->text.text;
    if (f->undeclared.bytes || (same && !losses))
        return true;
    if (same) {
        ncs_str_add_bytes(&text, rest, (size_t)(losses - rest));
        rest = strchr(losses, '\n') + 1;
    } else {
        ncs_str_addf(&text, "%s" NCS_REPRODUCED_DIFFERS, f->sign);
        ncs_reproduced_add_clause(now, &text);
        ncs_str_addf(&text, ", where the record %s.\n", reproducer_recorded(f));
    }
    ncs_str_add(&text, rest);
    bool written = ncs_file_write(f->file, text.text, text.bytes, true, err);
    ncs_str_free(&text);
    return written;
}

static void reproducer_say_judgement(const struct reproducer_file *f, bool same, const struct ncs_reproduced *now)
{
    struct ncs_str text = { 0 };
    if (!f->undeclared.bytes) {
        struct ncs_str late = { 0 };
        reproducer_find_comment(f, NCS_REPRODUCED_LATE, &late);
        reproducer_say(f->file, same ? NULL : reproducer_recorded(f), now, late.bytes > 0);
        ncs_str_free(&late);
        if (!same)
            fprintf(stderr, "ncclscript: not written: %s\n",
                    f->losses.bytes ? f->losses.text : "the times of the calls, and the lines of the program around them");
        return;
    }
    ncs_reproduced_add_clause(now, &text);
    fprintf(stderr, "ncclscript: %s: %zu lines; its run %s; it declares no outcome: the record ends with %s\n", f->file,
            reproducer_lines(f->file), text.text, f->undeclared.text);
    ncs_str_free(&text);
}

/* Replaces the file by the first of the ways that ends as it declares. False if it stays. */
static bool reproducer_choose(const char *file, const struct ncs_str *ways, struct ncs_reproduced *now)
{
    struct ncs_error err = { 0 };
    bool holds = false;
    for (size_t at = 0, bytes; at < ways->bytes && !holds; at += bytes + 1) {
        const char *text = ways->text + at;
        struct ncs_reproduced ending;
        bytes = strlen(text);
        bool ran = reproducer_run_text(text, ncs_reproducer_is_yaml(file), 0, &ending, &holds, &err);
        holds = ran && holds && ncs_file_write(file, text, bytes, true, &err);
        ncs_reproduced_free(holds ? now : &ending);
        if (holds)
            *now = ending;
    }
    return holds;
}

bool ncs_reproducer_check(const char *file, const struct ncs_str *ways, int status)
{
    struct ncs_error err = { 0 };
    struct ncs_reproduced now = { 0 };
    struct reproducer_file f = { .file = file, .sign = ncs_reproducer_is_yaml(file) ? "# " : "-- " };
    struct stat is;
    bool same = false, loads = reproducer_run(file, 0, &now, &same, &f.about, &err);
    if (!loads) {
        bool removed = lstat(file, &is) == 0 && S_ISREG(is.st_mode) && unlink(file) == 0;
        reproducer_refused(file, removed ? "and has removed it" : "so do not use it", &err);
    }
    same = same || (loads && reproducer_choose(file, ways, &now));
    bool done = loads && reproducer_judge(&f, same, &now, &err);
    if (done)
        reproducer_say_judgement(&f, same, &now);
    else
        ncs_print_error(&err);
    if (done && status != 0 && now.verdict == NCS_PASS && !f.undeclared.bytes)
        fprintf(stderr, "ncclscript: %s: the program ended with status %d; its calls do not show why\n", file, status);
    reproducer_free_file(&f);
    ncs_reproduced_free(&now);
    return done;
}

int ncs_reproducer_write(const char *file, bool replace, const struct ncs_workload *workload, const char *origin,
                         const struct ncs_reproduced *expected, const struct ncs_run_options *options)
{
    struct ncs_error err = { 0 };
    struct ncs_reproduced now = { 0 };
    struct ncs_reproduced_writing w = { .file = file, .origin = origin, .workload = workload, .options = options };
    if (!write_and_run(&w, replace, expected, &now, &err)) {
        ncs_reproduced_free(&now);
        return ncs_print_error(&err);
    }
    bool same = ncs_reproduced_equal(&now, expected);
    struct ncs_str recorded = { 0 };
    ncs_reproduced_add_clause(expected, &recorded);
    reproducer_say(file, same ? NULL : recorded.text, &now, workload->late);
    ncs_str_free(&recorded);
    if (!same)
        reproducer_say_losses(workload, expected);
    ncs_reproduced_free(&now);
    return same ? 0 : 1;
}
