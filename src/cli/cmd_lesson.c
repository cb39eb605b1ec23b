/* ncclscript lesson: a course at the prompt that marks itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "cli/state_file.h"
#include "prompt/tutor.h"

#define LESSON_BYTES ((size_t)1 << 20)

enum { AGAIN, TEST, MEMORY, ECHO, HELP };

static const struct ncs_option options[] = {
    [AGAIN] = { "again", 0, NCS_OPTION_FLAG, NULL, NULL, "Learning",
        "from the beginning, whatever has been done", NULL, 0, 0 },
    [TEST]  = { "test", 0, NCS_OPTION_FLAG, NULL, NULL, "Teaching",
        "try the solutions and the wrong answers of the lesson, or of all", NULL, 0, 0 },
    [MEMORY] = NCS_OPTION_MEMORY("Teaching"),
    [ECHO]  = { "echo", 0, NCS_OPTION_FLAG, NULL, NULL, "Output",
        "show each line before its replies, if input is not typed", NULL, 0, 0 },
    [HELP]  = NCS_OPTION_HELP,
    { 0 },
};

/* ---- progress: lines with a name and a number of steps ---- */

static size_t steps_done(const char *name)
{
    char *path = ncs_state_file("lessons");
    struct ncs_str text = { 0 };
    struct ncs_error ignored;
    size_t done = 0, n = strlen(name);
    if (path && ncs_file_read(path, LESSON_BYTES, "a list of lessons", &text, &ignored))
        for (const char *at = text.text; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
            if (strncmp(at, name, n) == 0 && at[n] == ' ')
                done = (size_t)strtoul(at + n + 1, NULL, 10);
    ncs_str_free(&text);
    ncs_free(path);
    return done;
}

static void keep_progress(void *arg, size_t steps)
{
    const char *name = arg;
    char *path = ncs_state_file("lessons");
    struct ncs_str old = { 0 }, new = { 0 };
    struct ncs_error err;
    size_t n = strlen(name);
    if (path && ncs_state_folder(path)) {
        ncs_file_read(path, LESSON_BYTES, "a list of lessons", &old, &err);
        for (const char *at = old.text, *end; at && *at; at = *end ? end + 1 : end) {
            end = at + strcspn(at, "\n");
            if (strncmp(at, name, n) != 0 || at[n] != ' ')
                ncs_str_addf(&new, "%.*s\n", (int)(end - at), at);
        }
        ncs_str_addf(&new, "%s %zu\n", name, steps);
        if (!ncs_file_write(path, new.text, new.bytes, true, &err))
            ncs_print_error(&err);
    }
    ncs_str_free(&old);
    ncs_str_free(&new);
    ncs_free(path);
}

/* ---- which lesson ---- */

struct chosen {
    char *name;
    int number;                /* of a built-in lesson, from 1; 0: a file's */
    struct ncs_lesson *lesson;
};

static struct ncs_lesson *read_ours(int number, struct ncs_error *err)
{
    const struct ncs_lesson_text *t = &ncs_lesson_texts[number - 1];
    return ncs_lesson_read(t->name, (const char *)t->text, *t->bytes, err);
}

static int how_many(void)
{
    int n = 0;
    while (ncs_lesson_texts[n].name)
        n++;
    return n;
}

static bool lesson_choose(const char *operand, struct chosen *c, struct ncs_error *err)
{
    char *end;
    long number = strtol(operand, &end, 10);
    bool is_number = end != operand && *end == 0;
    if (is_number && (number < 1 || number > how_many()))
        return ncs_fail(err, NCS_BAD_INPUT, "there is no lesson %s, expected 1..%d", operand, how_many());
    if (is_number) {
        c->number = (int)number;
        c->name = ncs_copy_text(ncs_lesson_texts[number - 1].name);
        c->lesson = read_ours(c->number, err);
        return c->lesson != NULL;
    }
    struct ncs_str text = { 0 };
    c->name = ncs_copy_text(operand);
    if (ncs_file_read(operand, LESSON_BYTES, "a lesson", &text, err))
        c->lesson = ncs_lesson_read(operand, text.text ? text.text : "", text.bytes, err);
    ncs_str_free(&text);
    return c->lesson != NULL;
}

/* ---- giving a lesson ---- */

static int lesson_list(void)
{
    struct ncs_str out = { 0 };
    for (int i = 1; i <= how_many(); i++) {
        struct ncs_error err = { 0 };
        struct ncs_lesson *l = read_ours(i, &err);
        size_t done = steps_done(ncs_lesson_texts[i - 1].name);
        if (!l) {
            ncs_print_error(&err);
            continue;
        }
        size_t steps = ncs_lesson_steps(l);
        ncs_str_addf(&out, "%3d  %-60s", i, ncs_lesson_title(l));
        if (done >= steps)
            ncs_str_add(&out, "  done");
        else if (done)
            ncs_str_addf(&out, "  %zu of %zu", done, steps);
        while (out.bytes && out.text[out.bytes - 1] == ' ')
            out.text[--out.bytes] = 0;
        ncs_str_add(&out, "\n");
        ncs_lesson_free(l);
    }
    ncs_str_add(&out, "\nncclscript lesson 1 begins.\n");
    ncs_out(out.text);
    ncs_str_free(&out);
    return 0;
}

static int lesson_give(struct chosen *c, bool from_the_beginning, bool echo)
{
    char after[60] = "";
    if (c->number && c->number < how_many())
        snprintf(after, sizeof after, "ncclscript lesson %d is the next.", c->number + 1);
    size_t done = from_the_beginning ? 0 : steps_done(c->name);
    struct ncs_tutor_options o = {
        .lesson = c->lesson, .first = done < ncs_lesson_steps(c->lesson) ? done : 0, .after = *after ? after : NULL,
        .color = ncs_wants_color(NCS_COLOR_AUTO, stdout), .unicode = ncs_wants_unicode(),
        .columns = ncs_out_columns, .out = ncs_console_write, .progress = keep_progress, .progress_arg = c->name,
    };
    struct ncs_error err = { 0 };
    struct ncs_tutor *t = ncs_tutor_new(&o, &err);
    if (!t) {
        ncs_print_error(&err);
        return err.status == NCS_NO_MEMORY ? NCS_MEM_EXIT : 70;
    }
    int status = ncs_console_run(ncs_tutor_prompt(t), echo);
    ncs_tutor_free(t);
    return status;
}

static int test_all(void)
{
    bool ok = true;
    for (int i = 1; i <= how_many(); i++) {
        struct ncs_error err = { 0 };
        struct ncs_lesson *l = read_ours(i, &err);
        if (!l)
            ncs_print_error(&err);
        ok = l && ncs_tutor_test(l, ncs_lesson_texts[i - 1].name, ncs_console_write, NULL) && ok;
        ncs_lesson_free(l);
    }
    return ok ? 0 : 1;
}

static int lesson_main(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    ncs_memory_limit("lesson", &v[MEMORY], 1);
    if (!parsed->operands)
        return v[TEST].given ? test_all() : lesson_list();
    struct chosen c = { 0 };
    struct ncs_error err = { 0 };
    int status = 2;
    if (!lesson_choose(parsed->operand[0], &c, &err)) {
        ncs_print_error(&err);
        status = err.status == NCS_NO_MEMORY ? NCS_MEM_EXIT : 2;
    } else if (v[TEST].given) {
        status = ncs_tutor_test(c.lesson, c.name, ncs_console_write, NULL) ? 0 : 1;
    } else {
        status = lesson_give(&c, v[AGAIN].given, v[ECHO].given);
    }
    ncs_lesson_free(c.lesson);
    ncs_free(c.name);
    return status;
}

const struct ncs_command ncs_cmd_lesson = {
    .name = "lesson",
    .operands = "[N|FILE]",
    .summary = "a course at the prompt: explains, sets tasks, and marks them",
    .about = "Without an operand the lessons are listed, and how far you are. FILE is a lesson of your own;\n"
             "lua/lessons/README.md says how to write one.\n",
    .option = options,
    .several = "one lesson at a time",
    .main = lesson_main,
};
