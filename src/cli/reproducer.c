#define _GNU_SOURCE /* memfd_create */
#include "cli/reproducer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/output.h"
#include "script/script.h"

/* ---- how a run ended ---- */

static void add_culprit(struct ncs_reproduced *out, int rank)
{
    size_t room = out->ranks;
    for (size_t i = 0; i < out->ranks; i++)
        if (out->rank[i] == rank)
            return;
    NCS_PUSH(out->rank, out->ranks, room, rank);
}

void ncs_reproduced_of(const struct ncs_result *r, struct ncs_reproduced *out)
{
    const struct ncs_finding *f = ncs_first_cause(r->diagnosis.finding, r->diagnosis.findings);
    *out = (struct ncs_reproduced){ .verdict = r->verdict };
    if (r->errors)
        out->error = ncs_copy_text(r->error[0].name);
    if (!f || f->level != NCS_LEVEL_ERROR)
        return;
    out->why = ncs_copy_text(f->rule);
    for (size_t i = 0; i < f->culprits; i++)
        add_culprit(out, f->culprit[i].rank);
}

/* A text of Lua without what a message may contain. */
static char *error_statement(const char *message)
{
    struct ncs_str out = { 0 };
    ncs_str_add(&out, "error(\"");
    for (const char *c = message ? message : "failed"; *c && out.bytes < 100; c++)
        ncs_str_addf(&out, "%c", (unsigned char)*c < ' ' || strchr("\"\\", *c) || (unsigned char)*c > '~' ? '.' : *c);
    ncs_str_add(&out, "\")");
    return ncs_str_take(&out);
}

char **ncs_reproduced_last(const struct ncs_result *r, const struct ncs_reproduced *of)
{
    char **last = ncs_new((size_t)(r->ranks + 1) * sizeof *last);
    for (size_t i = 0; i < r->errors; i++) {
        int rank = r->error[i].rank;
        if (rank >= 0 && rank < r->ranks && r->error[i].thread == 0 && !last[rank])
            last[rank] = error_statement(r->error[i].message);
    }
    for (size_t i = 0; of->why && strcmp(of->why, "rank-lost") == 0 && i < of->ranks; i++)
        if (of->rank[i] >= 0 && of->rank[i] < r->ranks && !last[of->rank[i]])
            last[of->rank[i]] = ncs_copy_text("fault.kill()");
    return last;
}

void ncs_reproduced_free_last(char **last, const struct ncs_result *r)
{
    for (int i = 0; i < r->ranks; i++)
        ncs_free(last[i]);
    ncs_free(last);
}

void ncs_reproduced_free(struct ncs_reproduced *r)
{
    ncs_free(r->error);
    ncs_free(r->why);
    ncs_free(r->rank);
    *r = (struct ncs_reproduced){ 0 };
}

static bool same_culprits(const struct ncs_reproduced *a, const struct ncs_reproduced *b)
{
    if (a->ranks != b->ranks)
        return false;
    for (size_t i = 0; i < a->ranks; i++) {
        bool found = false;
        for (size_t k = 0; k < b->ranks && !found; k++)
            found = a->rank[i] == b->rank[k];
        if (!found)
            return false;
    }
    return true;
}

bool ncs_reproduced_equal(const struct ncs_reproduced *a, const struct ncs_reproduced *b)
{
    bool same_why = a->why && b->why ? strcmp(a->why, b->why) == 0 : a->why == b->why;
    return a->verdict == b->verdict && same_why && same_culprits(a, b);
}

void ncs_reproduced_add(const struct ncs_reproduced *r, struct ncs_str *out)
{
    ncs_str_add(out, ncs_verdict_name(r->verdict));
    if (r->why)
        ncs_str_addf(out, ": %s", r->why);
    if (r->ranks) {
        ncs_str_add(out, r->ranks == 1 ? ", rank " : ", ranks ");
        ncs_str_add_many_ranks(out, r->rank, r->ranks);
    }
}

/* ---- running it ---- */

bool ncs_reproducer_run(const char *file, uint64_t seed, struct ncs_reproduced *out, struct ncs_error *err)
{
    struct ncs_scenario scenario;
    struct ncs_script_settings settings = { .policy = -1, .driver = "sim" };
    *out = (struct ncs_reproduced){ 0 };
    ncs_scenario_init(&scenario, file);
    struct ncs_script *script = ncs_script_load(file, &settings, &scenario, err);
    if (script) {
        struct ncs_run_options o = ncs_scenario_options(&scenario);
        struct ncs_program program = ncs_script_program(script, &scenario);
        o.driver = "sim";
        o.verify = false;
        o.seeded = seed != 0;
        o.seed = seed;
        struct ncs_run *run = ncs_run_new(&o, &program, NULL, NULL);
        ncs_reproduced_of(ncs_run_execute(run), out);
        ncs_run_free(run);
    }
    ncs_scenario_free(&scenario);
    ncs_script_free(script);
    return script != NULL;
}

bool ncs_reproducer_try(const char *text, bool yaml, uint64_t seed, struct ncs_reproduced *out, struct ncs_error *err)
{
    char path[64];
    int file = memfd_create(yaml ? "trial.yaml" : "trial.lua", MFD_CLOEXEC);
    size_t bytes = strlen(text);
    if (file < 0 || write(file, text, bytes) != (ssize_t)bytes) {
        if (file >= 0)
            close(file);
        return ncs_fail(err, NCS_NO_MEMORY, "no memory for a trial");
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    bool ran = ncs_reproducer_run(path, seed, out, err);
    close(file);
    return ran;
}

/* ---- writing it ---- */

bool ncs_reproducer_is_yaml(const char *file)
{
    size_t bytes = strlen(file);
    return (bytes > 5 && strcmp(file + bytes - 5, ".yaml") == 0) || (bytes > 4 && strcmp(file + bytes - 4, ".yml") == 0);
}

struct comments {
    char **line;
    size_t lines, room;
};

static void reproducer_comment(struct comments *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void reproducer_comment(struct comments *c, const char *fmt, ...)
{
    struct ncs_str line = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&line, fmt, args);
    va_end(args);
    for (size_t i = 0; i < line.bytes; i++)
        if ((unsigned char)line.text[i] < ' ')
            line.text[i] = ' ';
    NCS_PUSH(c->line, c->lines, c->room, ncs_str_take(&line));
}

static unsigned unsaid_of(const struct ncs_workload *job)
{
    unsigned unsaid = 0;
    for (size_t i = 0; i < job->steps; i++)
        for (int r = 0; r < job->ranks; r++)
            unsaid |= job->step[i]->of[r] ? job->step[i]->of[r]->unsaid : 0;
    return unsaid;
}

/* What the scenario has that the record does not show. */
static void add_invented(const struct ncs_workload *job, struct comments *c)
{
    unsigned unsaid = unsaid_of(job);
    struct ncs_str list = { 0 };
    const struct {
        bool is;
        const char *what;
    } invented[] = { { unsaid & NCS_UNSAID_KIND, "functions (AllReduce)" }, { unsaid & NCS_UNSAID_OP, "operators (sum)" }, { unsaid & NCS_UNSAID_ROOT, "roots (0)" },
                     { unsaid & NCS_UNSAID_COUNT, "counts" }, { unsaid & NCS_UNSAID_DTYPE, "types" },
                     { true, "buffers and what is in them" } };
    for (size_t i = 0; i < sizeof invented / sizeof *invented; i++)
        if (invented[i].is)
            ncs_str_addf(&list, "%s%s", list.bytes ? ", " : "", invented[i].what);
    struct ncs_workload_buffers b;
    ncs_workload_buffers_of(job, &b);
    reproducer_comment(c, "Invented: %s.%s", list.text, b.scaled ? " Large counts are scaled down, in their order." : "");
    ncs_workload_buffers_free(&b);
    ncs_str_free(&list);
}

static void free_comments(struct comments *c)
{
    for (size_t i = 0; i < c->lines; i++)
        ncs_free(c->line[i]);
    ncs_free(c->line);
    *c = (struct comments){ 0 };
}

/* What is written, and how. */
struct writing {
    const char *file, *origin;
    const struct ncs_workload *workload;
    const struct ncs_run_options *options;
    bool in_comments;
};

void ncs_reproducer_settings(const struct ncs_run_options *o, const struct ncs_reproduced *outcome,
                             struct ncs_workload_text *text)
{
    /* A wrong verdict without a wrong value is declared by its finding. */
    bool by_finding = outcome->verdict == NCS_WRONG && outcome->why, named = outcome->verdict == NCS_HANG || by_finding;
    text->policy = o && o->policy == NCS_POLICY_TYPICAL ? "typical" : NULL;
    text->lanes = o ? o->kernel_slots : 0;
    text->devices = o ? o->devices : 0;
    text->verdict = by_finding ? "finding" : ncs_verdict_name(outcome->verdict);
    text->error = outcome->verdict == NCS_ERROR ? outcome->error : NULL;
    text->why = named ? outcome->why : NULL;
    text->culprit = named ? outcome->rank : NULL;
    text->culprits = named ? outcome->ranks : 0;
}

static bool write_workload(const struct writing *w, bool replace, const struct ncs_reproduced *outcome,
                           const struct ncs_reproduced *recorded, struct ncs_error *err)
{
    struct comments c = { 0 };
    struct ncs_str out = { 0 }, about = { 0 };
    reproducer_comment(&c, "Written by ncclscript from %s.", w->origin);
    add_invented(w->workload, &c);
    if (w->options && w->options->seed)
        reproducer_comment(&c, "Run it with --seed %llu: it depends on who comes first.", (unsigned long long)w->options->seed);
    for (size_t i = 0; i < w->workload->notes; i++)
        reproducer_comment(&c, "Note: %s.", w->workload->note[i]);
    if (recorded) {
        struct ncs_str text = { 0 };
        ncs_reproduced_add(recorded, &text);
        reproducer_comment(&c, "The record shows something else: %s.", text.text);
        ncs_str_free(&text);
    }
    ncs_str_add(&about, "a recorded job: ");
    ncs_reproduced_add(outcome, &about);
    struct ncs_workload_text text = { .yaml = ncs_reproducer_is_yaml(w->file), .about = about.text, .comment = c.line,
                                      .comments = c.lines, .places_in_comments = w->in_comments };
    ncs_reproducer_settings(w->options, outcome, &text);
    ncs_workload_emit(w->workload, &text, &out);
    bool written = ncs_file_write(w->file, out.text, out.bytes, replace, err);
    free_comments(&c);
    ncs_str_free(&about);
    ncs_str_free(&out);
    return written;
}

/* Writes the scenario with the places as labels, or else in comments, whichever way it ends as the record shows. */
static bool write_and_run(struct writing *w, bool replace, const struct ncs_reproduced *expected, struct ncs_reproduced *now,
                          struct ncs_error *err)
{
    const struct ncs_run_options *o = w->options;
    for (int way = 0; way < 2; way++) {
        ncs_reproduced_free(now);
        w->in_comments = way == 1;
        if (!write_workload(w, replace || way > 0, expected, NULL, err) || !ncs_reproducer_run(w->file, o ? o->seed : 0, now, err))
            return false;
        bool same_error = now->error && expected->error ? strcmp(now->error, expected->error) == 0 : now->error == expected->error;
        if (ncs_reproduced_equal(now, expected)) /* an error that ends a rank is an error of Lua's here */
            return same_error || write_workload(w, true, now, NULL, err);
    }
    return write_workload(w, true, now, expected, err);
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

int ncs_reproducer_write(const char *file, bool replace, const struct ncs_workload *workload, const char *origin,
                         const struct ncs_reproduced *expected, const struct ncs_run_options *options)
{
    struct ncs_error err = { 0 };
    struct ncs_reproduced now = { 0 };
    struct writing w = { .file = file, .origin = origin, .workload = workload, .options = options };
    if (!write_and_run(&w, replace, expected, &now, &err)) {
        ncs_print_error(&err);
        ncs_reproduced_free(&now);
        return 2;
    }
    struct ncs_str text = { 0 };
    bool same = ncs_reproduced_equal(&now, expected);
    ncs_reproduced_add(&now, &text);
    fprintf(stderr, "ncclscript: %s: %zu lines; its run ends %s: %s\n", file, reproducer_lines(file),
            same ? "as the record shows" : "otherwise than the record shows", text.text);
    ncs_str_free(&text);
    ncs_reproduced_free(&now);
    return same ? 0 : 1;
}
