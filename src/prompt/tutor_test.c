/* For teachers and tests: tries the solutions and the wrong answers of a lesson, and shows solutions at work. */
#include <string.h>

#include "prompt/tutor_private.h"

struct tutor_test {
    struct ncs_tutor tutor;
    const char *name;
    size_t solutions, wrongs, failures;
    struct ncs_error *lack; /* of the host: nothing can be said about the lesson then */
};

static void test_unheard(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static void test_say(const struct tutor_test *g, struct ncs_str *text)
{
    g->tutor.options.out(g->tutor.options.out_arg, text->text);
    ncs_str_free(text);
}

static void test_complain(struct tutor_test *g, size_t step, const char *what, const char *text, const char *said)
{
    struct ncs_str line = { 0 };
    g->failures++;
    ncs_str_addf(&line, "%s: step %zu: %s:\n%s\n  it was said: %s\n", g->name, step + 1, what, text,
                 said && *said ? said : "nothing");
    test_say(g, &line);
}

/* Begins the step and types the lines; the last line of a question is its answer. */
static bool test_type(struct ncs_tutor *t, size_t step, const char *input, enum ncs_marked *marked, struct ncs_str *said,
                      struct ncs_error *err)
{
    struct ncs_lesson *l = t->options.lesson;
    struct ncs_prompt *p = t->prompt;
    t->step = step;
    if (!tutor_bring_to_step(t, err) || !tutor_set_up(t, err))
        return false;
    const char *last = ncs_lesson_asks(l, step) ? strrchr(input, '\n') : NULL;
    const char *answer = !ncs_lesson_asks(l, step) ? NULL : last ? last + 1 : input;
    struct ncs_str lines = { 0 };
    ncs_str_add_bytes(&lines, input, answer ? (size_t)(last ? last - input : 0) : strlen(input));
    tutor_type_silently(p, lines.text);
    *marked = ncs_lesson_mark(l, step, p, answer, said);
    ncs_str_free(&lines);
    return true;
}

static void test_answer(struct tutor_test *g, size_t step, const char *input, const char *expected)
{
    struct ncs_error err = { 0 };
    struct ncs_str said = { 0 };
    enum ncs_marked marked;
    bool begun = test_type(&g->tutor, step, input, &marked, &said, &err);
    if (err.status == NCS_NO_MEMORY)
        *g->lack = err;
    else if (!begun)
        test_complain(g, step, "cannot be begun", "", err.text);
    else if (!expected && marked != NCS_MARKED_RIGHT)
        test_complain(g, step, "its solution is not marked right", input, said.text);
    else if (expected && marked != NCS_MARKED_NOT_YET)
        test_complain(g, step, "a wrong answer is not marked as one", input, said.text);
    else if (expected && !strstr(said.text ? said.text : "", expected))
        test_complain(g, step, "a wrong answer does not get its reply", input, said.text);
    ncs_str_free(&said);
}

bool ncs_tutor_test(const struct ncs_tutor_options *options, const char *name, struct ncs_error *err)
{
    struct tutor_test g = { .tutor = { .options = *options }, .name = name, .lack = err };
    struct ncs_tutor_options unheard = *options;
    struct ncs_str summary = { 0 };
    const char *input, *said;
    unheard.out = test_unheard;
    g.tutor.prompt = tutor_open_prompt(&unheard, err);
    if (!g.tutor.prompt)
        return false;
    for (size_t i = 0; err->status == NCS_OK && i < ncs_lesson_steps(options->lesson); i++) {
        if (!ncs_lesson_task(options->lesson, i))
            continue;
        g.solutions++;
        test_answer(&g, i, ncs_lesson_solution(options->lesson, i), NULL);
        for (size_t n = 0; ncs_lesson_wrong(options->lesson, i, n, &input, &said); n++, g.wrongs++)
            test_answer(&g, i, input, said);
    }
    ncs_str_addf(&summary, "%s: %zu solutions, %zu wrong answers, %zu not as they should be\n", name, g.solutions, g.wrongs,
                 g.failures);
    if (err->status == NCS_OK)
        test_say(&g, &summary);
    else
        ncs_str_free(&summary);
    ncs_prompt_free(g.tutor.prompt);
    return g.failures == 0;
}

/* ---- for readers ---- */

static void demonstration_add(void *arg, const char *text)
{
    ncs_str_add(arg, text);
}

/* Types the lines; shows each of them, and what the prompt prints. */
static void demonstrate_lines(struct ncs_prompt *p, const char *lines, struct ncs_str *out)
{
    enum ncs_prompt_wants wants = NCS_PROMPT_LINE;
    for (const char *end; *lines; lines = *end ? end + 1 : end) {
        struct ncs_str line = { 0 };
        end = lines + strcspn(lines, "\n");
        ncs_str_add_bytes(&line, lines, (size_t)(end - lines));
        ncs_str_addf(out, "%s %s\n", wants == NCS_PROMPT_LINE ? ">" : ".", line.text ? line.text : "");
        wants = ncs_prompt_feed(p, line.text ? line.text : "");
        ncs_str_free(&line);
    }
    ncs_prompt_abandon(p);
}

bool ncs_tutor_demonstrate(struct ncs_tutor *t, size_t step, struct ncs_str *out, struct ncs_error *err)
{
    struct ncs_prompt *p = t->prompt;
    const struct ncs_prompt_options before = p->options;
    t->step = step;
    if (!tutor_bring_to_step(t, err) || !tutor_set_up(t, err))
        return false;
    p->tutor = NULL;
    p->dictated = true;
    p->options.out = demonstration_add;
    p->options.out_arg = out;
    demonstrate_lines(p, ncs_lesson_solution(t->options.lesson, step), out);
    p->options.out = before.out;
    p->options.out_arg = before.out_arg;
    p->dictated = false;
    p->tutor = t;
    return true;
}

bool ncs_tutor_try(struct ncs_tutor *t, size_t step, const char *input, struct ncs_str *reply, struct ncs_error *err)
{
    enum ncs_marked ignored;
    struct ncs_tutor *tutor = t->prompt->tutor;
    t->prompt->tutor = NULL;
    bool ok = test_type(t, step, input, &ignored, reply, err);
    t->prompt->tutor = tutor;
    return ok;
}
