#include "prompt/tutor.h"

#include <string.h>

#include "base/mem.h"
#include "prompt/private.h"
#include "prompt/view.h"

struct ncs_tutor {
    struct ncs_tutor_options options;
    struct ncs_prompt *prompt;
    size_t step, hints;     /* hints: that have been given for the step */
    uint64_t calls_before;  /* of the run, before the latest line */
};

struct ncs_prompt *ncs_tutor_prompt(struct ncs_tutor *t)
{
    return t->prompt;
}

/* Feeds several lines as if they were typed. */
static void type(struct ncs_prompt *p, const char *lines)
{
    for (const char *end; lines && *lines; lines = *end ? end + 1 : end) {
        struct ncs_str line = { 0 };
        end = lines + strcspn(lines, "\n");
        ncs_str_add_bytes(&line, lines, (size_t)(end - lines));
        ncs_prompt_feed(p, line.text ? line.text : "");
        ncs_str_free(&line);
    }
    ncs_prompt_abandon(p);
}

static void type_silently(struct ncs_prompt *p, const char *lines)
{
    struct ncs_tutor *tutor = p->tutor;
    p->tutor = NULL;
    p->silent = true;
    p->dictated = true;
    type(p, lines);
    p->dictated = false;
    p->silent = false;
    p->tutor = tutor;
}

/* Prints whole lines without the blank ones around them. */
static void tutor_print_text(struct ncs_prompt *p, const char *text)
{
    text += strspn(text, "\n");
    size_t bytes = strlen(text);
    while (bytes && strchr(" \n\t", text[bytes - 1]))
        bytes--;
    prompt_print(p, "%.*s", (int)bytes, text);
}

static void present(struct ncs_tutor *t)
{
    struct ncs_lesson *l = t->options.lesson;
    struct ncs_prompt *p = t->prompt;
    t->hints = 0;
    type_silently(p, ncs_lesson_part(l, t->step, "setup"));
    p->task_from = t->calls_before = ncs_run_journal(p->run)->calls;
    prompt_print(p, "\n-- %s, %zu of %zu --\n", ncs_lesson_title(l), t->step + 1,
                 ncs_lesson_steps(l));
    tutor_print_text(p, ncs_lesson_part(l, t->step, "text"));
    if (ncs_lesson_has_task(l, t->step)) {
        prompt_print(p, "\nYour turn:");
        tutor_print_text(p, ncs_lesson_part(l, t->step, "task"));
    } else {
        prompt_print(p, "\n(an empty line goes on)");
    }
}

static void tutor_finish(struct ncs_tutor *t)
{
    prompt_print(t->prompt, "\nThat was the lesson. The prompt stays; :quit leaves.%s%s",
                 t->options.after ? " " : "", t->options.after ? t->options.after : "");
}

static bool tutor_is_over(const struct ncs_tutor *t)
{
    return t->step >= ncs_lesson_steps(t->options.lesson);
}

static void tutor_advance(struct ncs_tutor *t)
{
    t->step++;
    if (t->options.progress)
        t->options.progress(t->options.progress_arg, t->step);
    if (tutor_is_over(t))
        tutor_finish(t);
    else
        present(t);
}

/* What a line has done, which decides how it is answered. */
enum tutor_did { TUTOR_LOOKED, TUTOR_ACTED, TUTOR_COMMUNICATED };

static enum tutor_did what_line_did(const struct ncs_prompt *p, uint64_t from)
{
    enum tutor_did did = TUTOR_LOOKED;
    for (int r = 0; r < prompt_ranks(p); r++)
        if (p->last[r].failed || prompt_busy(p, r))
            did = TUTOR_ACTED;
    for (const struct ncs_call *c = ncs_run_journal(p->run)->newest; c && c->id > from; c = c->older) {
        bool copy = c->fn == NCS_FN_cudaMemcpy;
        if (c->number)
            return TUTOR_COMMUNICATED;
        if (copy ? prompt_writes_memory(p, c) : !ncs_fn_info[c->fn].looks)
            did = TUTOR_ACTED;
    }
    return did;
}

void tutor_after(struct ncs_prompt *p)
{
    struct ncs_tutor *t = p->tutor;
    struct ncs_str say = { 0 };
    const struct input *last = p->inputs ? &p->input[p->inputs - 1] : NULL;
    bool is_line = last && last->kind == INPUT_LINE;
    enum tutor_did did = is_line ? what_line_did(p, t->calls_before) : TUTOR_ACTED;
    t->calls_before = ncs_run_journal(p->run)->calls;
    if (tutor_is_over(t) || !ncs_lesson_has_task(t->options.lesson, t->step))
        return;
    const char *right = ncs_lesson_part(t->options.lesson, t->step, "right");
    switch (ncs_lesson_mark(t->options.lesson, t->step, p, &say)) {
    case NCS_MARKED_RIGHT:
        prompt_print(p, "\nRight. %s", say.bytes ? say.text : right ? right : "");
        tutor_advance(t);
        break;
    case NCS_MARKED_NOT_YET:
        if (did == TUTOR_LOOKED && !ncs_lesson_asks_reply(t->options.lesson, t->step))
            break;
        if (say.bytes)
            prompt_print(p, "Not yet: %s", say.text);
        else if (did == TUTOR_COMMUNICATED)
            prompt_print(p, "The task is not done yet; `:hint` helps, `:again` begins the step anew.");
        break;
    case NCS_MARKED_BROKEN:
        prompt_print(p, "%s", say.text);
        break;
    }
    ncs_str_free(&say);
}

void tutor_empty_line(struct ncs_prompt *p)
{
    struct ncs_tutor *t = p->tutor;
    if (!tutor_is_over(t) && !ncs_lesson_has_task(t->options.lesson, t->step))
        tutor_advance(t);
}

/* ---- commands ---- */

static bool hint(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_tutor *t = p->tutor;
    (void)arguments;
    const char *text =
        tutor_is_over(t) ? NULL : ncs_lesson_hint(t->options.lesson, t->step, t->hints);
    if (text) {
        t->hints++;
        tutor_print_text(p, text);
    } else {
        prompt_print(p, "there is no further hint; :solution shows one way");
    }
    return true;
}

static bool solution(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_tutor *t = p->tutor;
    (void)arguments;
    const char *text =
        tutor_is_over(t) ? NULL : ncs_lesson_part(t->options.lesson, t->step, "solution");
    if (text)
        tutor_print_text(p, text);
    else
        prompt_print(p, "there is no task here");
    return true;
}

/* Restores the state of the lesson at the begin of a step. */
static bool bring_to_step(struct ncs_tutor *t, struct ncs_error *err)
{
    struct ncs_prompt *p = t->prompt;
    struct settings s = { .ranks = ncs_lesson_ranks(t->options.lesson), .policy = -1 };
    p->silent = true;
    bool ok = prompt_restart(p, &s, 0, err);
    for (size_t i = 0; ok && i < t->step; i++) {
        type_silently(p, ncs_lesson_part(t->options.lesson, i, "setup"));
        type_silently(p, ncs_lesson_part(t->options.lesson, i, "solution"));
    }
    p->silent = false;
    return ok;
}

static bool tutor_again(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_tutor *t = p->tutor;
    struct ncs_error err = { 0 };
    (void)arguments;
    if (tutor_is_over(t))
        t->step = 0;
    if (bring_to_step(t, &err))
        present(t);
    else
        prompt_complain(p, &err);
    return true;
}

/* Continues with the state after the solution. */
static bool tutor_next(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_tutor *t = p->tutor;
    struct ncs_error err = { 0 };
    (void)arguments;
    if (tutor_is_over(t)) {
        prompt_print(p, "the lesson is over");
        return true;
    }
    t->step++;
    bool there = bring_to_step(t, &err);
    t->step--;
    if (there)
        tutor_advance(t);
    else
        prompt_complain(p, &err);
    return true;
}

const struct prompt_command tutor_commands[] = {
    { "hint", "", "a hint for the task, a further one each time", hint },
    { "solution", "", "one way to do it", solution },
    { "again", "", "the step from its beginning", tutor_again },
    { "next", "", "the next step, as if this one had been done", tutor_next },
    { NULL, NULL, NULL, NULL },
};

/* ---- life ---- */

static struct ncs_prompt *open_prompt(const struct ncs_tutor_options *t, struct ncs_error *err)
{
    struct ncs_prompt_options o = {
        .settings = { .ranks = ncs_lesson_ranks(t->lesson), .policy = -1 },
        .color = t->color, .unicode = t->unicode, .columns = t->columns,
        .out = t->out, .out_arg = t->out_arg,
    };
    return ncs_prompt_new(&o, err);
}

struct ncs_tutor *ncs_tutor_new(const struct ncs_tutor_options *options, struct ncs_error *err)
{
    struct ncs_tutor *t = ncs_new(sizeof *t);
    t->options = *options;
    t->step = options->first < ncs_lesson_steps(options->lesson) ? options->first : 0;
    t->prompt = open_prompt(options, err);
    if (t->prompt) {
        t->prompt->tutor = t;
        if (bring_to_step(t, err)) {
            present(t);
            return t;
        }
    }
    ncs_tutor_free(t);
    return NULL;
}

void ncs_tutor_free(struct ncs_tutor *t)
{
    if (!t)
        return;
    ncs_prompt_free(t->prompt);
    ncs_free(t);
}

/* ---- for teachers ---- */

static void unheard(void *arg, const char *text)
{
    (void)arg; (void)text;
}

struct testing {
    struct ncs_tutor tutor;
    const char *name;
    void (*out)(void *arg, const char *text);
    void *out_arg;
    size_t solutions, wrongs, failures;
};

static void tutor_complain(struct testing *g, size_t step, const char *what, const char *text,
                           const char *said)
{
    struct ncs_str line = { 0 };
    g->failures++;
    ncs_str_addf(&line, "%s: step %zu: %s:\n%s\n  it was said: %s\n", g->name, step + 1, what, text,
                 said && *said ? said : "nothing");
    g->out(g->out_arg, line.text);
    ncs_str_free(&line);
}

static void test_answer(struct testing *g, size_t step, const char *input, const char *expected)
{
    struct ncs_lesson *l = g->tutor.options.lesson;
    struct ncs_prompt *p = g->tutor.prompt;
    struct ncs_error err = { 0 };
    struct ncs_str said = { 0 };
    g->tutor.step = step;
    if (!bring_to_step(&g->tutor, &err)) {
        tutor_complain(g, step, "cannot be begun", "", err.text);
        return;
    }
    type_silently(p, ncs_lesson_part(l, step, "setup"));
    p->task_from = ncs_run_journal(p->run)->calls;
    type_silently(p, input);
    enum ncs_marked marked = ncs_lesson_mark(l, step, p, &said);
    if (!expected && marked != NCS_MARKED_RIGHT)
        tutor_complain(g, step, "its solution is not marked right", input, said.text);
    else if (expected && marked != NCS_MARKED_NOT_YET)
        tutor_complain(g, step, "a wrong answer is not marked as one", input, said.text);
    else if (expected && !strstr(said.text ? said.text : "", expected))
        tutor_complain(g, step, "a wrong answer does not get its reply", input, said.text);
    ncs_str_free(&said);
}

bool ncs_tutor_test(struct ncs_lesson *lesson, const char *name, void (*out)(void *arg, const char *text),
                    void *out_arg)
{
    struct ncs_error err = { 0 };
    struct testing g = { .tutor = { .options = { .lesson = lesson, .out = unheard } }, .name = name,
                         .out = out, .out_arg = out_arg };
    struct ncs_str summary = { 0 };
    const char *input, *said;
    g.tutor.prompt = open_prompt(&g.tutor.options, &err);
    if (!g.tutor.prompt) {
        ncs_str_addf(&summary, "%s: %s\n", name, err.text);
        g.failures = 1;
    }
    for (size_t i = 0; g.tutor.prompt && i < ncs_lesson_steps(lesson); i++) {
        if (!ncs_lesson_has_task(lesson, i))
            continue;
        g.solutions++;
        test_answer(&g, i, ncs_lesson_part(lesson, i, "solution"), NULL);
        for (size_t n = 0; ncs_lesson_wrong(lesson, i, n, &input, &said); n++, g.wrongs++)
            test_answer(&g, i, input, said);
    }
    if (g.tutor.prompt)
        ncs_str_addf(&summary, "%s: %zu solutions, %zu wrong answers, %zu not as they should be\n", name,
                     g.solutions, g.wrongs, g.failures);
    out(out_arg, summary.text);
    ncs_str_free(&summary);
    ncs_prompt_free(g.tutor.prompt);
    return g.failures == 0;
}
