#include "prompt/tutor_private.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "prompt/view.h"

struct ncs_prompt *ncs_tutor_prompt(struct ncs_tutor *t)
{
    return t->prompt;
}

void tutor_type(struct ncs_prompt *p, const char *lines)
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

void tutor_type_silently(struct ncs_prompt *p, const char *lines)
{
    struct ncs_tutor *tutor = p->tutor;
    bool was_dictated = p->dictated;
    p->tutor = NULL;
    p->silent = true;
    p->dictated = true;
    tutor_type(p, lines);
    p->dictated = was_dictated;
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
    prompt_put(p, "%.*s", (int)bytes, text);
}

bool tutor_set_up(struct ncs_tutor *t, struct ncs_error *err)
{
    struct ncs_lesson *l = t->options.lesson;
    struct ncs_prompt *p = t->prompt;
    const struct ncs_shell_host *host = t->options.shell;
    const char *name, *text;
    for (size_t i = 0; ncs_lesson_file(l, t->step, i, &name, &text); i++) {
        struct ncs_str file = { 0 };
        ncs_str_add(&file, text);
        bool ok = host && host->write(host->arg, name, &file, err);
        ncs_str_free(&file);
        if (!ok)
            return host ? false : ncs_fail(err, NCS_BAD_INPUT, "the lesson has files, and there is no folder for them");
    }
    tutor_type_silently(p, ncs_lesson_setup(l, t->step));
    shell_forget(&p->shell);
    if (!p->run)
        return ncs_fail(err, NCS_BAD_INPUT, "there is no run: the lesson's own lines ended it");
    p->task_from = ncs_run_journal(p->run)->calls;
    t->ranks = prompt_ranks(p);
    return true;
}

static void present(struct ncs_tutor *t)
{
    struct ncs_lesson *l = t->options.lesson;
    struct ncs_prompt *p = t->prompt;
    struct ncs_error err = { 0 };
    t->hints = 0;
    t->tries = 0;
    if (!tutor_set_up(t, &err))
        prompt_complain(p, &err);
    t->calls_before = p->task_from;
    prompt_put(p, "\n-- %s, %zu of %zu --\n", ncs_lesson_title(l), t->step + 1, ncs_lesson_steps(l));
    tutor_print_text(p, ncs_lesson_text(l, t->step));
    if (ncs_lesson_task(l, t->step)) {
        prompt_put(p, ncs_lesson_asks(l, t->step) ? "\nA question:" : "\nYour turn:");
        tutor_print_text(p, ncs_lesson_task(l, t->step));
    } else {
        prompt_put(p, "\n(an empty line goes on)");
    }
}

static void tutor_finish(struct ncs_tutor *t)
{
    prompt_put(t->prompt, "\nThat was the lesson. The prompt stays; :quit leaves.%s%s", t->options.after ? " " : "",
               t->options.after ? t->options.after : "");
}

static bool tutor_is_over(const struct ncs_tutor *t)
{
    return t->step >= ncs_lesson_steps(t->options.lesson);
}

static void tutor_advance(struct ncs_tutor *t, enum ncs_step_done how)
{
    if (t->options.progress)
        t->options.progress(t->options.progress_arg, t->step, how);
    t->step++;
    if (tutor_is_over(t))
        tutor_finish(t);
    else
        present(t);
}

/* What a line has done, which decides how it is answered. TRIED: it may have been meant to do the task, so silence
 * would puzzle the learner. */
enum tutor_did { TUTOR_LOOKED, TUTOR_ACTED, TUTOR_TRIED };

static enum tutor_did what_line_did(const struct ncs_prompt *p, uint64_t from, bool fills_count)
{
    bool replied = false, failed = false;
    for (int r = 0; r < prompt_ranks(p); r++) {
        replied |= p->last[r].text && !p->last[r].failed;
        failed |= p->last[r].failed || prompt_busy(p, r);
    }
    enum tutor_did did = replied && !failed ? TUTOR_LOOKED : TUTOR_ACTED;
    for (const struct ncs_call *c = ncs_run_journal(p->run)->newest; c && c->id > from; c = c->older) {
        if (c->number)
            return TUTOR_TRIED;
        if (c->fn != NCS_FN_cudaMemcpy && !ncs_fn_info[c->fn].looks)
            did = TUTOR_ACTED;
    }
    if (did != TUTOR_TRIED && prompt_count_fills(p, from, -1) > 0)
        did = fills_count ? TUTOR_TRIED : TUTOR_ACTED;
    return did;
}

struct twin_search {
    const char *name;
    char found[40];
};

static void on_twin(void *arg, const char *name)
{
    struct twin_search *t = arg;
    if (strcasecmp(name, t->name) == 0)
        snprintf(t->found, sizeof t->found, "%s", name);
}

/* Without it a learner who types `X` for `x` would get no reply at all. */
static void add_twin(struct ncs_prompt *p, struct ncs_str *why)
{
    struct twin_search t = { .name = p->absent };
    if (*p->absent)
        ncs_session_names(p->session, "", false, on_twin, &t);
    if (*t.found)
        ncs_str_addf(why, "there is `%s`, but the task names `%s`. Lua tells capital letters from small ones.", t.found,
                     p->absent);
}

/* Says why the task is not done, or that it is not. A look is answered only if the task asks for one. */
static void tutor_refuse(struct ncs_tutor *t, enum tutor_did did, struct ncs_str *why)
{
    struct ncs_lesson *l = t->options.lesson;
    bool asks_reply = ncs_lesson_asks_reply(l, t->step), is_question = ncs_lesson_asks(l, t->step);
    if (did == TUTOR_LOOKED && !asks_reply)
        return;
    t->tries += did == TUTOR_TRIED && !is_question;
    if (!why->bytes)
        add_twin(t->prompt, why);
    if (why->bytes)
        prompt_put(t->prompt, "Not yet: %s", why->text);
    else if (!is_question && (did == TUTOR_TRIED || asks_reply))
        prompt_put(t->prompt, "The task is not done yet; `:hint` helps, `:again` begins the step anew.");
    if (did == TUTOR_TRIED && t->tries == 2)
        prompt_put(t->prompt, "Your earlier lines count, too: if one of them changed the data, `:again` begins the step "
                              "anew.");
}

/* Marks the state, and the answer of a question if there is one, and says what there is to say. */
static void tutor_mark(struct ncs_tutor *t, enum tutor_did did, const char *answer)
{
    struct ncs_prompt *p = t->prompt;
    struct ncs_lesson *l = t->options.lesson;
    struct ncs_str say = { 0 };
    if (tutor_is_over(t) || !ncs_lesson_task(l, t->step) || !p->run)
        return;
    if (prompt_ranks(p) != t->ranks) {
        prompt_put(p, "This step needs %d ranks; `:again` begins it anew.", t->ranks);
        return;
    }
    *p->absent = 0;
    switch (ncs_lesson_mark(l, t->step, p, answer, &say)) {
    case NCS_MARKED_RIGHT: {
        const char *right = ncs_lesson_right(l, t->step);
        prompt_put(p, "\nRight. %s", say.bytes ? say.text : right ? right : "");
        tutor_advance(t, t->shown == t->step + 1 ? NCS_STEP_SHOWN : NCS_STEP_SOLVED);
        break;
    }
    case NCS_MARKED_NOT_YET: tutor_refuse(t, did, &say); break;
    case NCS_MARKED_BROKEN: prompt_put(p, "%s", say.text); break;
    }
    ncs_str_free(&say);
}

void tutor_after(struct ncs_prompt *p)
{
    struct ncs_tutor *t = p->tutor;
    const struct input *last = p->inputs ? &p->input[p->inputs - 1] : NULL;
    bool is_line = last && last->kind == INPUT_LINE;
    bool fills_count = !tutor_is_over(t) && ncs_lesson_forbids_fills(t->options.lesson, t->step);
    enum tutor_did did = is_line ? what_line_did(p, t->calls_before, fills_count) : TUTOR_ACTED;
    t->calls_before = ncs_run_journal(p->run)->calls;
    tutor_mark(t, did, NULL);
}

/* What was done before a restart does not count; a repeated run has the same numbers of calls. */
void tutor_after_restart(struct ncs_prompt *p)
{
    uint64_t calls = p->run ? ncs_run_journal(p->run)->calls : 0;
    if (p->task_from > calls)
        p->task_from = calls;
    if (p->tutor && p->tutor->calls_before > calls)
        p->tutor->calls_before = calls;
}

void tutor_after_command(struct ncs_prompt *p)
{
    if (p->tutor)
        tutor_mark(p->tutor, p->shell.last.text ? TUTOR_TRIED : TUTOR_ACTED, NULL);
}

/* Answers are numbers, words and lists of them; a variable's name is a look at the variable. */
static bool is_answer(struct ncs_prompt *p, const char *line)
{
    const char *class = ncs_session_class(p->session, line);
    for (const char *at = line; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(" \t_.,'\"-", *at))
            return false;
    return !class || strcmp(class, "nil") == 0;
}

bool tutor_takes_answer(struct ncs_prompt *p, const char *line)
{
    struct ncs_tutor *t = p->tutor;
    if (tutor_is_over(t) || !ncs_lesson_asks(t->options.lesson, t->step) || !is_answer(p, line))
        return false;
    tutor_mark(t, TUTOR_TRIED, line);
    return true;
}

void tutor_empty_line(struct ncs_prompt *p)
{
    struct ncs_tutor *t = p->tutor;
    if (!tutor_is_over(t) && !ncs_lesson_task(t->options.lesson, t->step))
        tutor_advance(t, NCS_STEP_READ);
}

/* ---- commands ---- */

static bool hint(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_tutor *t = p->tutor;
    (void)arguments;
    const char *text = tutor_is_over(t) ? NULL : ncs_lesson_hint(t->options.lesson, t->step, t->hints);
    if (text) {
        t->hints++;
        tutor_print_text(p, text);
    } else {
        prompt_put(p, "there is no further hint; :solution shows one way");
    }
    return true;
}

static bool solution(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_tutor *t = p->tutor;
    (void)arguments;
    const char *text = tutor_is_over(t) ? NULL : ncs_lesson_solution(t->options.lesson, t->step);
    if (text) {
        t->shown = t->step + 1;
        if (t->options.progress)
            t->options.progress(t->options.progress_arg, t->step, NCS_STEP_PEEKED);
        tutor_print_text(p, text);
    } else
        prompt_put(p, "there is no task here");
    return true;
}

bool tutor_bring_to_step(struct ncs_tutor *t, struct ncs_error *err)
{
    struct ncs_prompt *p = t->prompt;
    struct ncs_lesson *l = t->options.lesson;
    struct settings s = { .ranks = ncs_lesson_ranks(l), .policy = -1 };
    size_t step = t->step;
    p->silent = true;
    if (t->options.shell)
        t->options.shell->clear(t->options.shell->arg);
    bool ok = prompt_restart(p, &s, 0, err);
    for (t->step = 0; ok && t->step < step; t->step++) {
        ok = tutor_set_up(t, err);
        if (!ncs_lesson_asks(l, t->step))
            tutor_type_silently(p, ncs_lesson_solution(l, t->step));
    }
    t->step = step;
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
    if (tutor_bring_to_step(t, &err))
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
        prompt_put(p, "the lesson is over");
        return true;
    }
    t->step++;
    bool there = tutor_bring_to_step(t, &err);
    t->step--;
    if (there)
        tutor_advance(t, ncs_lesson_task(t->options.lesson, t->step) ? NCS_STEP_SKIPPED : NCS_STEP_READ);
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

struct ncs_prompt *tutor_open_prompt(const struct ncs_tutor_options *t, struct ncs_error *err)
{
    struct ncs_prompt_options o = {
        .settings = { .ranks = ncs_lesson_ranks(t->lesson), .policy = -1 },
        .color = t->color,
        .unicode = t->unicode,
        .columns = t->columns,
        .out = t->out,
        .out_arg = t->out_arg,
        .shell = t->shell,
    };
    return ncs_prompt_new(&o, err);
}

struct ncs_tutor *ncs_tutor_new(const struct ncs_tutor_options *options, struct ncs_error *err)
{
    struct ncs_tutor *t = ncs_new(sizeof *t);
    t->options = *options;
    t->step = options->first < ncs_lesson_steps(options->lesson) ? options->first : 0;
    t->prompt = tutor_open_prompt(options, err);
    if (t->prompt) {
        t->prompt->tutor = t;
        t->prompt->dictated = options->stranger;
        if (tutor_bring_to_step(t, err)) {
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
