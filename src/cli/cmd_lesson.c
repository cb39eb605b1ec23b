/* ncclscript lesson: a course at the prompt that marks itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/memory.h"
#include "cli/lesson_folder.h"
#include "cli/lesson_lines.h"
#include "cli/lesson_pages.h"
#include "cli/lesson_progress.h"
#include "cli/output.h"

#define LESSON_BYTES ((size_t)1 << 20)

enum { AGAIN, HERE, CERTIFICATE, NAME, HTML, TEST, MARK, MEMORY, ECHO, HELP };

static const struct ncs_option options[] = {
    [AGAIN] = NCS_ROW_FLAG("again", 0, "Learning", "start the lesson from the beginning"),
    [HERE] = NCS_ROW_TEXTS("here", 0, "DIR", NULL, "Learning", "keep the lesson's files: DIR/15-scenarios, then -2, -3"),
    [CERTIFICATE] = NCS_ROW_TEXTS("certificate", 0, "FILE", NULL, "Learning",
                                  "write a page with your results, and the lines that you typed"),
    [NAME] = NCS_ROW_TEXTS("name", 0, "NAME", NULL, "Learning", "your name, for the certificate"),
    [HTML] = NCS_ROW_TEXTS("html", 0, "DIR", NULL, "Teaching",
                           "write the course as pages to read, with the answers behind folds"),
    [TEST] = NCS_ROW_FLAG("test", 0, "Teaching", "test the solutions and the wrong answers of the lesson, or of all"),
    [MARK] = NCS_ROW_FLAG("mark", 0, "Teaching", "type the lines of certificates again, and print what they solve"),
    [MEMORY] = NCS_OPTION_MEMORY("Teaching"),
    [ECHO] = NCS_ROW_FLAG("echo", 0, "Output", "print each line before its replies, if input is not typed"),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* ---- which lesson ---- */

struct chosen {
    char *name;
    int number; /* of a built-in lesson, from 1; 0: a file's */
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

static void free_lessons(struct ncs_lesson_entry *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ncs_lesson_free(all[i].lesson);
    ncs_free(all);
}

/* All lessons of the program, for free_lessons. NULL after a message. */
static struct ncs_lesson_entry *read_lessons(size_t *count)
{
    struct ncs_lesson_entry *all = ncs_new((size_t)how_many() * sizeof *all);
    struct ncs_error err = { 0 };
    for (*count = 0; *count < (size_t)how_many(); ++*count) {
        all[*count].name = ncs_lesson_texts[*count].name;
        all[*count].lesson = read_ours((int)*count + 1, &err);
        if (all[*count].lesson)
            continue;
        ncs_print_error(&err);
        free_lessons(all, *count);
        return NULL;
    }
    return all;
}

/* ---- giving a lesson ---- */

static int lesson_list(const struct ncs_lesson_entry *all, size_t count)
{
    struct ncs_str out = { 0 };
    size_t tasks = 0, solved = 0;
    for (size_t i = 0; i < count; i++) {
        char *progress = ncs_lesson_progress(all[i].name); /* built-in ones are their own keys */
        struct ncs_lesson_score s = ncs_lesson_score(all[i].lesson, progress);
        tasks += s.tasks;
        solved += s.solved;
        ncs_str_addf(&out, "%3zu  %-60s", i + 1, ncs_lesson_title(all[i].lesson));
        if (s.steps_done >= s.steps)
            ncs_str_addf(&out, "  done, %zu of %zu tasks solved", s.solved, s.tasks);
        else if (s.steps_done)
            ncs_str_addf(&out, "  %zu of %zu steps", s.steps_done, s.steps);
        while (out.bytes && out.text[out.bytes - 1] == ' ')
            out.text[--out.bytes] = 0;
        ncs_str_add(&out, "\n");
        ncs_free(progress);
    }
    if (solved)
        ncs_str_addf(&out, "\n%zu of %zu tasks solved; --certificate FILE writes a page about it.\n", solved, tasks);
    else
        ncs_str_addf(&out, "\n%zu tasks. `ncclscript lesson 1` begins.\n", tasks);
    ncs_out(out.text);
    ncs_str_free(&out);
    return 0;
}

/* The advice at the end: the next lesson, or the certificate. */
static void lesson_advise(const struct chosen *c, char *after, size_t bytes)
{
    if (c->number && c->number < how_many())
        snprintf(after, bytes, "`ncclscript lesson %d` is the next one.", c->number + 1);
    else if (c->number)
        snprintf(after, bytes, "It was the last one: `ncclscript lesson --certificate FILE.html` writes your certificate.");
}

/* A path that still means the same after a change of the folder; NULL and err if there is none. */
static char *path_from_here(const char *path, struct ncs_error *err)
{
    char here[4096];
    struct ncs_str whole = { 0 };
    if (*path != '/' && !getcwd(here, sizeof here)) {
        ncs_fail(err, NCS_BAD_INPUT, "%s: the folder in which it would be is gone", path);
        return NULL;
    }
    if (*path != '/')
        ncs_str_addf(&whole, "%s/", here);
    ncs_str_add(&whole, path);
    return ncs_str_take(&whole);
}

/* The last one counts, as for other options; NULL: not given. */
static const char *text_of_option(const struct ncs_option_value *v)
{
    return v->texts ? v->text[v->texts - 1] : NULL;
}

/* Makes DIR if it is missing. The first of DIR/NAME, DIR/NAME-2 ... that does not exist; for ncs_free. */
static char *new_folder(const char *dir, const char *lesson)
{
    const char *slash = strrchr(lesson, '/'), *name = slash ? slash + 1 : lesson;
    struct ncs_str path = { 0 };
    mkdir(dir, 0777);
    for (int n = 1; n == 1 || access(path.text, F_OK) == 0; n++) {
        ncs_str_clear(&path);
        ncs_str_addf(&path, "%s/%.*s", dir, (int)strcspn(name, "."), name);
        if (n > 1)
            ncs_str_addf(&path, "-%d", n);
    }
    return ncs_str_take(&path);
}

/* Opens the folder of a lesson that needs one, and prints where it is. NULL and err on failure. */
static const struct ncs_shell_host *open_folder(const struct chosen *c, const char *here, struct ncs_error *err)
{
    char *base = here ? path_from_here(here, err) : NULL, *keep = base ? new_folder(base, c->name) : NULL;
    const struct ncs_shell_host *shell = here && !keep ? NULL : ncs_lesson_folder_open(keep, err);
    if (shell) {
        ncs_out("The files of this lesson are in ");
        ncs_out(ncs_lesson_folder_path());
        ncs_out(here ? ", and stay there.\n" : ", which is removed when you leave. (--here DIR keeps them.)\n");
    }
    ncs_free(base);
    ncs_free(keep);
    return shell;
}

static int lesson_give(struct chosen *c, bool from_the_beginning, bool echo, const char *here)
{
    char after[120] = "";
    char *key = ncs_lesson_key(c->name, c->number > 0), *progress = ncs_lesson_progress(key);
    size_t done = from_the_beginning ? 0 : ncs_lesson_steps_done(progress);
    struct ncs_error err = { 0 };
    lesson_advise(c, after, sizeof after);
    ncs_free(progress);
    struct ncs_tutor_options o = {
        .lesson = c->lesson,
        .first = done < ncs_lesson_steps(c->lesson) ? done : 0,
        .after = *after ? after : NULL,
        .color = ncs_wants_color(NCS_COLOR_AUTO, stdout),
        .unicode = ncs_wants_unicode(),
        .columns = ncs_out_columns,
        .out = ncs_console_write,
        .progress = ncs_lesson_keep_progress,
        .progress_arg = key,
    };
    if (ncs_lesson_needs_folder(c->lesson) && !(o.shell = open_folder(c, here, &err))) {
        ncs_free(key);
        return ncs_print_error(&err);
    }
    struct ncs_tutor *t = ncs_tutor_new(&o, &err);
    if (t)
        ncs_lesson_lines_begin(key, o.first);
    int status = t ? ncs_console_run(ncs_tutor_prompt(t), echo, ncs_lesson_lines_keep, NULL) : ncs_print_error(&err);
    ncs_tutor_free(t);
    ncs_lesson_folder_close();
    ncs_free(key);
    return status;
}

/* ---- teaching ---- */

static int test_one(struct ncs_lesson *lesson, const char *name)
{
    struct ncs_error err = { 0 };
    struct ncs_tutor_options o = { .lesson = lesson, .out = ncs_console_write };
    if (ncs_lesson_needs_folder(lesson))
        o.shell = ncs_lesson_folder_open(NULL, &err);
    bool ok = err.status == NCS_OK && ncs_tutor_test(&o, name, &err);
    ncs_lesson_folder_close();
    if (!err.file[0])
        ncs_fail_at(&err, name, 0, 0);
    return err.status != NCS_OK ? ncs_print_error(&err) : ok ? 0 : 1;
}

static int test_all(const struct ncs_lesson_entry *all, size_t count)
{
    int worst = 0;
    for (size_t i = 0; i < count; i++) {
        int status = test_one(all[i].lesson, all[i].name);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static void write_nothing(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static int write_course(const char *folder, const struct ncs_lesson_entry *all, size_t count)
{
    struct ncs_error err = { 0 };
    struct ncs_tutor_options o = { .out = write_nothing };
    char *path = path_from_here(folder, &err);
    o.shell = path ? ncs_lesson_folder_open(NULL, &err) : NULL;
    if (!o.shell)
        ncs_print_error(&err);
    bool ok = o.shell && ncs_lesson_pages(path, all, count, &o);
    ncs_lesson_folder_close();
    ncs_free(path);
    return ok ? 0 : NCS_EXIT_OUTPUT;
}

/* What is done without choosing a lesson. */
static int lesson_all(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    size_t count;
    struct ncs_lesson_entry *all = read_lessons(&count);
    int status;
    if (!all)
        return NCS_MEM_EXIT;
    if (v[TEST].given)
        status = test_all(all, count);
    else if (v[MARK].given)
        status = ncs_lesson_mark_files((const char *const *)parsed->operand, parsed->operands, all, count) ? 0 : 2;
    else if (v[HTML].given)
        status = write_course(text_of_option(&v[HTML]), all, count);
    else if (v[CERTIFICATE].given)
        status = ncs_lesson_certificate(text_of_option(&v[CERTIFICATE]), text_of_option(&v[NAME]), all, count) ? 0
                                                                                                               : NCS_EXIT_OUTPUT;
    else
        status = lesson_list(all, count);
    free_lessons(all, count);
    return status;
}

/* What is wrong with the options; NULL = nothing. */
static const char *lesson_wrong_usage(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    int all = v[CERTIFICATE].given + v[HTML].given;
    if (all && parsed->operands)
        return "--html and --certificate are about all lessons";
    if (all + v[TEST].given + v[MARK].given > 1)
        return "one of --certificate, --html, --mark and --test";
    if (v[MARK].given ? !parsed->operands : parsed->operands > 1)
        return v[MARK].given ? "--mark needs FILE..., pages that --certificate has written" : "one lesson at a time";
    if (v[HERE].given && (!parsed->operands || v[MARK].given || v[TEST].given))
        return "--here is for a lesson that you do";
    if (v[NAME].given && !v[CERTIFICATE].given)
        return "--name is for --certificate";
    if (v[AGAIN].given && !parsed->operands)
        return "--again needs a lesson";
    if ((v[HTML].given && !*text_of_option(&v[HTML])) || (v[CERTIFICATE].given && !*text_of_option(&v[CERTIFICATE])))
        return "the name is empty";
    return NULL;
}

static int lesson_main(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    ncs_memory_limit("lesson", &v[MEMORY], 1);
    const char *wrong = lesson_wrong_usage(parsed);
    if (wrong) {
        ncs_usage_error("lesson", NULL, "%s", wrong);
        return 2;
    }
    if (!parsed->operands || v[MARK].given)
        return lesson_all(parsed);
    struct chosen c = { 0 };
    struct ncs_error err = { 0 };
    int status = 2;
    if (!lesson_choose(parsed->operand[0], &c, &err)) {
        status = ncs_print_error(&err);
    } else if (v[TEST].given) {
        status = test_one(c.lesson, c.name);
    } else {
        status = lesson_give(&c, v[AGAIN].given, v[ECHO].given, text_of_option(&v[HERE]));
    }
    ncs_lesson_free(c.lesson);
    ncs_free(c.name);
    return status;
}

const struct ncs_command ncs_cmd_lesson = {
    .name = "lesson",
    .operands = "[N|FILE...]",
    .summary = "a course at the prompt: explanations, tasks and marks",
    .about = "Without an operand, the lessons are listed with your progress. FILE is a lesson of your own;\n"
             "lua/lessons/README.md explains how to write one. With --mark, FILE... are certificates.\n",
    .option = options,
    .main = lesson_main,
};
