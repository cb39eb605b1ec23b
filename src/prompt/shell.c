#include "prompt/shell.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "prompt/private.h"

#define WORDS 32

bool shell_is_name(const char *name)
{
    return *name && *name != '.' && *name != '-' && !strchr(name, '/') && strlen(name) < 100;
}

void shell_forget(struct ncs_shell *s)
{
    ncs_free(s->last.text);
    s->last.text = NULL;
    s->last.status = 0;
    ncs_str_free(&s->last.output);
    ncs_free(s->writing);
    s->writing = NULL;
    ncs_str_free(&s->lines);
}

/* ---- words of a command ---- */

/* Splits the copy of a line at blanks, in place; quotes hold a word together. Returns what is wrong, or NULL. */
static const char *split_words(char *line, char **word, size_t *words)
{
    char *to = line;
    *words = 0;
    for (const char *at = line; *(at += strspn(at, " \t\r"));) {
        if (*words + 1 >= WORDS)
            return "it has too many words";
        word[(*words)++] = to;
        char quote = 0;
        for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
            if (quote ? *at == quote : *at == '"' || *at == '\'')
                quote = quote ? 0 : *at;
            else if (!quote && strchr("|<>&;$`*", *at))
                return "the prompt is no shell: pipes, redirections and patterns do not work here";
            else
                *to++ = *at;
        }
        if (quote)
            return "a quote is not closed";
        at += *at != 0;
        *to++ = 0;
    }
    word[*words] = NULL;
    return NULL;
}

/* Options that stay inside the folder and inside the sandbox. Any other one, such as --unsafe or --nccl-lib, could run
 * code or reach files that are not the lesson's. */
static bool is_harmless_option(const char *word)
{
    static const char *const names[] = {
        "agg_iters", "all",       "average",    "blocking",  "bugs",       "check",    "clock",        "color",        "compare",
        "datatype",  "devices",   "draw",       "fail-fast", "fail-on",    "force",    "format",       "help",         "html",
        "iters",     "list",      "maxbytes",   "memory",    "minbytes",   "model",    "nccl-version", "ngpus",        "no-times",
        "no-verify", "nthreads",  "op",         "output",    "plan",       "policy",   "prove",        "quiet",        "ranks",
        "ranks-as",  "repair",    "repeat",     "root",      "run_cycles", "scenario", "schedule",     "seed",         "select",
        "set",       "stepbytes", "stepfactor", "timeout",   "trace",      "verbose",  "version",      "warmup_iters", NULL
    };
    if (word[1] != '-')
        return true; /* no letter stands for another one */
    size_t bytes = strcspn(word + 2, "=");
    for (int i = 0; names[i]; i++)
        if (strlen(names[i]) == bytes && strncmp(names[i], word + 2, bytes) == 0)
            return true;
    return false;
}

/* Files have plain names; only the value of --set may have a slash, as in x=1/2. */
static bool is_path_outside(char **word, size_t w)
{
    bool is_value = strcmp(word[w - 1], "--set") == 0 || strncmp(word[w], "--set=", 6) == 0;
    return !is_value && (strchr(word[w], '/') || strstr(word[w], ".."));
}

static const char *wrong_with_words(char **word, size_t words)
{
    static const char *const known[] = { "run",   "check",  "diagnose", "explain",   "convert", "bench", "list",
                                         "score", "schema", "--help",   "--version", "help",    NULL };
    int i = 0;
    if (words < 2)
        return "a command is missing, such as `ncclscript run job.lua`";
    while (known[i] && strcmp(known[i], word[1]) != 0)
        i++;
    if (!known[i])
        return "a lesson knows run, check, diagnose, explain, convert, bench, list, score and schema";
    for (size_t w = 2; w < words; w++) {
        if (word[w][0] == '-' && word[w][1] && !is_harmless_option(word[w]))
            return "a lesson does not know this option";
        if (is_path_outside(word, w))
            return "files of a lesson are in its own folder: give names without a folder";
    }
    return NULL;
}

/* ---- what can be typed ---- */

static void shell_run(struct ncs_prompt *p, const char *line)
{
    char *copy = ncs_copy_text(line), *word[WORDS];
    size_t words;
    struct ncs_error err = { 0 };
    struct ncs_shell *s = &p->shell;
    shell_forget(s);
    const char *wrong = split_words(copy, word, &words);
    wrong = wrong ? wrong : wrong_with_words(word, words);
    if (wrong) {
        prompt_put(p, "not run: %s", wrong);
        ncs_free(copy);
        return;
    }
    s->last.text = ncs_copy_text(line);
    s->last.status = s->host->run(s->host->arg, word + 1, &s->last.output, &err);
    ncs_free(copy);
    if (s->last.status < 0) {
        prompt_complain(p, &err);
        shell_forget(s);
        return;
    }
    struct ncs_str shown = { 0 };
    prompt_add_safe(&shown, s->last.output.text ? s->last.output.text : "");
    ncs_str_addf(&shown, "(exit status %d)\n", s->last.status);
    prompt_write(p, &shown);
    tutor_after_command(p);
}

static void shell_print(struct ncs_prompt *p, const struct ncs_str *text)
{
    struct ncs_str safe = { 0 };
    prompt_add_safe(&safe, text->text ? text->text : "");
    prompt_write(p, &safe);
}

static void shell_show(struct ncs_prompt *p, const char *name)
{
    struct ncs_str text = { 0 };
    struct ncs_error err = { 0 };
    if (!shell_is_name(name))
        prompt_put(p, "expected the name of a file of the lesson: cat job.lua");
    else if (p->shell.host->read(p->shell.host->arg, name, &text, &err))
        shell_print(p, &text);
    else
        prompt_complain(p, &err);
    ncs_str_free(&text);
}

static void shell_list(struct ncs_prompt *p, const char *rest)
{
    struct ncs_str names = { 0 };
    (void)rest;
    p->shell.host->list(p->shell.host->arg, &names);
    shell_print(p, &names);
    ncs_str_free(&names);
}

static void shell_edit(struct ncs_prompt *p, const char *name)
{
    prompt_put(p, "an editor does not run here: edit the file in another terminal, in %s, or type it with `:write %s`",
               p->shell.host->folder(p->shell.host->arg), shell_is_name(name) ? name : "NAME");
}

static void shell_begin_file(struct ncs_prompt *p, const char *name)
{
    if (!shell_is_name(name)) {
        prompt_put(p, "expected the name of a file: `:write job.lua`");
        return;
    }
    shell_forget(&p->shell);
    p->shell.writing = ncs_copy_text(name);
    prompt_put(p, "type the lines of %s; a line with a dot alone ends it", name);
}

static void shell_add_line(struct ncs_prompt *p, const char *line)
{
    struct ncs_shell *s = &p->shell;
    struct ncs_error err = { 0 };
    if (strcmp(line, ".") != 0) {
        ncs_str_addf(&s->lines, "%s\n", line);
        return;
    }
    if (!s->host->write(s->host->arg, s->writing, &s->lines, &err))
        prompt_complain(p, &err);
    else
        prompt_put(p, "%s has been written", s->writing);
    shell_forget(s);
    tutor_after_command(p);
}

/* The rest of the line behind a word, without blanks around it; NULL: the line begins otherwise. */
static char *rest_after(const char *line, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(line, word, n) != 0 || (line[n] && !isspace((unsigned char)line[n])))
        return NULL;
    line += n + strspn(line + n, " \t\r");
    char *rest = ncs_copy_text(line);
    for (size_t end = strlen(rest); end && isspace((unsigned char)rest[end - 1]);)
        rest[--end] = 0;
    return rest;
}

bool shell_takes(struct ncs_prompt *p, const char *line)
{
    static const struct {
        const char *word;
        void (*act)(struct ncs_prompt *p, const char *rest);
    } known[] = { { "cat", shell_show }, { ":write", shell_begin_file }, { "ls", shell_list },    { "vi", shell_edit },
                  { "vim", shell_edit }, { "nano", shell_edit },         { "emacs", shell_edit }, { "code", shell_edit } };
    if (!p->shell.host)
        return false;
    if (p->shell.writing) {
        shell_add_line(p, line);
        return true;
    }
    line += strspn(line, " \t$"); /* people copy the shell's prompt, too */
    char *rest = rest_after(line, "ncclscript");
    if (rest) {
        ncs_free(rest);
        shell_run(p, line);
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((rest = rest_after(line, known[i].word))) {
            known[i].act(p, rest);
            ncs_free(rest);
            return true;
        }
    return false;
}
