/* The commands of the prompt: their table, and the commands that change the run. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/fill.h"
#include "base/mem.h"
#include "base/near.h"
#include "prompt/private.h"

static bool restart(struct ncs_prompt *p, const struct settings *settings, size_t inputs)
{
    struct ncs_error err = { 0 };
    if (prompt_restart(p, settings, inputs, &err))
        return true;
    prompt_complain(p, &err);
    return false;
}

/* Parses a whole number that is the whole text. */
static bool parse_whole_number(const char *text, long long least, long long most, long long *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return end != text && *end == 0 && *out >= least && *out <= most;
}

static bool command_step(struct ncs_prompt *p, const char *arguments)
{
    long long events = 1;
    if (*arguments && !parse_whole_number(arguments, 0, 1000000, &events)) {
        prompt_put(p, "error: `%s` is no number of events", arguments);
        return true;
    }
    prompt_do(p, (struct input){ .kind = INPUT_STEP, .events = events });
    return true;
}

static bool go(struct ncs_prompt *p, const char *arguments)
{
    (void)arguments;
    prompt_do(p, (struct input){ .kind = INPUT_GO });
    return true;
}

static bool back(struct ncs_prompt *p, const char *arguments)
{
    long long n = 1;
    if (*arguments && !parse_whole_number(arguments, 1, 1000000, &n)) {
        prompt_put(p, "error: `%s` is no number of lines", arguments);
        return true;
    }
    if (p->inputs == 0) {
        prompt_put(p, "there is nothing to go back to");
        return true;
    }
    size_t kept = (size_t)n < p->inputs ? p->inputs - (size_t)n : 0;
    struct ncs_str undone = { 0 };
    const struct input *last = &p->input[kept];
    ncs_str_add(&undone, last->kind == INPUT_LINE ? last->text : last->kind == INPUT_STEP ? ":step" : ":go");
    if (restart(p, &p->settings, kept))
        prompt_put(p, "undone: `%s`", undone.text);
    ncs_str_free(&undone);
    return true;
}

/* Takes -n 8, or 8. */
static bool reset(struct ncs_prompt *p, const char *arguments)
{
    struct settings s = p->settings;
    long long ranks = s.ranks;
    if (strncmp(arguments, "-n", 2) == 0)
        arguments += 2 + strspn(arguments + 2, " \t");
    if (*arguments && !parse_whole_number(arguments, 1, NCS_RANKS_MOST, &ranks)) {
        prompt_put(p, "error: `%s` is no number of ranks, expected 1..%d", arguments, NCS_RANKS_MOST);
        return true;
    }
    s.ranks = (int)ranks;
    if (!restart(p, &s, 0))
        return true;
    if (s.file)
        prompt_put(p, "your lines are forgotten; %s has been run again on %d rank%s (`:load` alone forgets it)", p->settings.file,
                   prompt_ranks(p), prompt_ranks(p) == 1 ? "" : "s");
    else
        prompt_put(p, "%d rank%s, nothing done yet", prompt_ranks(p), prompt_ranks(p) == 1 ? "" : "s");
    return true;
}

/* A lesson is a file from somebody else: the lines that it types must not read or write files. */
static bool may_use_files(struct ncs_prompt *p)
{
    if (p->dictated)
        prompt_put(p, "error: the lines of a lesson may not use files");
    return !p->dictated;
}

static bool unload(struct ncs_prompt *p)
{
    struct settings s = p->settings;
    if (!s.file) {
        prompt_put(p, "error: which file?");
        return true;
    }
    s.file = NULL;
    s.ranks = prompt_ranks(p);
    if (restart(p, &s, 0))
        prompt_put(p, "the file and your lines are forgotten; %d rank%s, nothing done yet", prompt_ranks(p),
                   prompt_ranks(p) == 1 ? "" : "s");
    return true;
}

static bool command_load(struct ncs_prompt *p, const char *arguments)
{
    struct settings s = p->settings;
    if (!*arguments)
        return unload(p);
    if (!may_use_files(p))
        return true;
    char *file = ncs_copy_text(arguments);
    s.file = file;
    s.ranks = 0;
    if (restart(p, &s, 0))
        prompt_put(p, "%s has been run on %d rank%s", file, prompt_ranks(p), prompt_ranks(p) == 1 ? "" : "s");
    ncs_free(file);
    return true;
}

static bool policy(struct ncs_prompt *p, const char *arguments)
{
    struct settings s = p->settings;
    if (!*arguments) {
        prompt_put(p, "%s", ncs_policy_names[p->scenario->policy]);
        return true;
    }
    s.policy = -1;
    for (int i = 0; ncs_policy_names[i]; i++)
        if (strcmp(ncs_policy_names[i], arguments) == 0)
            s.policy = i;
    if (s.policy < 0)
        prompt_put(p, "error: no policy `%s`, expected strict or typical", arguments);
    else if (restart(p, &s, p->inputs))
        prompt_put(p, "all lines done again under %s", arguments);
    return true;
}

static bool command_seed(struct ncs_prompt *p, const char *arguments)
{
    struct settings s = p->settings;
    long long n;
    if (!*arguments) {
        prompt_put(p, s.seeded ? "%lld" : "none: threads take turns in order", (long long)s.seed);
        return true;
    }
    s.seeded = strcmp(arguments, "none") != 0;
    if (s.seeded && !parse_whole_number(arguments, 0, INT64_MAX, &n)) {
        prompt_put(p, "error: `%s` is no seed, expected a whole number from 0, or none", arguments);
        return true;
    }
    s.seed = s.seeded ? n : 0;
    if (restart(p, &s, p->inputs))
        prompt_put(p, s.seeded ? "all lines done again, seed %s" : "all lines done again, threads in order", arguments);
    return true;
}

/* `:fault kill rank=2 call=3` becomes the line fault.kill { rank = 2, call = 3 }. */
static bool fault(struct ncs_prompt *p, const char *arguments)
{
    size_t kind = strcspn(arguments, " \t");
    struct ncs_str line = { 0 };
    if (kind == 0) {
        prompt_put(p, "error: which fault? such as `:fault kill rank=2` or `:fault slow rank=1 "
                      "call=3 seconds=5`");
        return true;
    }
    ncs_str_addf(&line, "fault.%.*s {", (int)kind, arguments);
    const char *before = " ";
    for (const char *at = arguments + kind; *(at += strspn(at, " \t"));) {
        size_t n = strcspn(at, " \t");
        ncs_str_add(&line, before);
        ncs_str_add_bytes(&line, at, n);
        before = ", ";
        at += n;
    }
    ncs_str_add(&line, " }");
    prompt_put(p, "%s", line.text);
    if (ncs_prompt_feed(p, line.text) == NCS_PROMPT_MORE)
        ncs_prompt_end(p);
    ncs_str_free(&line);
    return true;
}

static bool save(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_str out = { 0 };
    struct ncs_error err = { 0 };
    if (!*arguments) {
        prompt_put(p, "error: to which file?");
        return true;
    }
    if (!may_use_files(p))
        return true;
    size_t failed = prompt_scenario(p, &out);
    char comments[64] = "";
    if (failed)
        snprintf(comments, sizeof comments, ", %zu that failed as %scomment%s", failed, failed == 1 ? "a " : "",
                 failed == 1 ? "" : "s");
    if (ncs_file_write(arguments, out.text, out.bytes, false, &err))
        prompt_put(p, "%zu line%s saved%s; ncclscript run %s", p->inputs, p->inputs == 1 ? "" : "s", comments, arguments);
    else
        prompt_complain(p, &err);
    ncs_str_free(&out);
    return true;
}

/* ---- help ---- */

/* The command with that name; NULL: none, and all names are appended. */
static const struct prompt_command *find_command_row(const struct prompt_command *commands, const char *name, const char **names,
                                                     size_t *count)
{
    for (const struct prompt_command *c = commands; c->name; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
        names[(*count)++] = c->name;
    }
    return NULL;
}

static void list_commands(const struct prompt_command *commands, int columns, struct ncs_str *out)
{
    for (const struct prompt_command *c = commands; c->name; c++) {
        struct ncs_str form = { 0 }, line = { 0 };
        ncs_str_addf(&form, "%s %s", c->name, c->arguments);
        ncs_str_addf(&line, "  :%-22s  %s\n", form.text, c->text);
        ncs_fill_lines(out, line.text, columns);
        ncs_str_free(&form);
        ncs_str_free(&line);
    }
}

void prompt_overview(const struct ncs_prompt *p, struct ncs_str *out)
{
    ncs_fill_prose(out,
                   "A line of Lua runs on every rank, @2 LINE on rank 2, @0,3 LINE and @1..3 LINE on some.\n"
                   "help(x) explains a name, a function or an object.\n\n",
                   0, prompt_columns(p));
    if (p->shell.host)
        ncs_fill_prose(out,
                       "In this lesson, `ncclscript run FILE` and other commands work as in a shell. `cat FILE` shows a "
                       "file of the lesson, `:write FILE` writes one.\n\n",
                       0, prompt_columns(p));
    if (p->tutor)
        list_commands(tutor_commands, prompt_columns(p), out);
    list_commands(prompt_commands, prompt_columns(p), out);
}

static bool help(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_str out = { 0 };
    const char *names[64];
    size_t count = 0;
    const struct prompt_command *c = *arguments == ':' ? find_command_row(prompt_commands, arguments + 1, names, &count) : NULL;
    if (c)
        ncs_str_addf(&out, ":%s %s: %s\n", c->name, c->arguments, c->text);
    else if (*arguments)
        prompt_help(p, arguments, &out);
    else
        prompt_overview(p, &out);
    prompt_write(p, &out);
    return true;
}

static bool quit(struct ncs_prompt *p, const char *arguments)
{
    (void)p;
    (void)arguments;
    return false;
}

const struct prompt_command prompt_commands[] = {
    { "ranks", "", "where each rank is", show_ranks },
    { "comms", "", "the communicators, and how many calls each rank has made", show_comms },
    { "streams", "", "unfinished operations on streams", show_streams },
    { "buffers", "", "the buffers, and what is in them", show_buffers },
    { "waits", "", "who waits for whom, as a tree", show_waits },
    { "why", "", "what is wrong, and how to repair it", show_why },
    { "journal", "[N]", "the last N calls of the ranks (20)", show_journal },
    { "draw", "[steps|tree|all]", "the last line's collectives, before and after", show_drawing },
    { "time", "", "the virtual time", show_time },
    { "step", "[N]", "let N events happen (1), and no more until :go", command_step },
    { "go", "", "let time pass freely again", go },
    { "back", "[N]", "undo the last N lines (1)", back },
    { "fault", "KIND K=V...", "a fault:"
#define NCS_FAULT(KIND, name, needs, injects, about) " " #name
#include "api/faults.def"
#undef NCS_FAULT
      ,
      fault },
    { "policy", "[NAME]", "repeat all lines under strict or typical", policy },
    { "seed", "[N|none]", "repeat all lines in another order of threads", command_seed },
    { "reset", "[-n RANKS]", "forget all lines, but not a loaded file; optionally change the number of ranks", reset },
    { "load", "[FILE]", "forget all lines and run a scenario's instead; without FILE, forget the loaded one", command_load },
    { "save", "FILE", "write the lines as a scenario; those that failed become comments", save },
    { "help", "[TOPIC]", "this list, or the page of a finding, a word, a code or a function", help },
    { "quit", "", "leave; so does the end of input", quit },
    { NULL, NULL, NULL, NULL },
};

bool prompt_command(struct ncs_prompt *p, const char *line)
{
    char name[40];
    size_t n = strcspn(line, " \t\r");
    const char *arguments = line + n + strspn(line + n, " \t\r");
    struct ncs_str trimmed = { 0 };
    ncs_str_add(&trimmed, arguments);
    while (trimmed.bytes && isspace((unsigned char)trimmed.text[trimmed.bytes - 1]))
        trimmed.text[--trimmed.bytes] = 0;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), line);
    const char *names[64];
    size_t count = 0;
    bool goes_on = true;
    const struct prompt_command *c = p->tutor ? find_command_row(tutor_commands, name, names, &count) : NULL;
    c = c ? c : find_command_row(prompt_commands, name, names, &count);
    if (c) {
        goes_on = c->run(p, trimmed.text ? trimmed.text : "");
    } else {
        const char *near = ncs_nearest(name, names, count);
        prompt_put(p, "error: no command `:%s`%s%s%s; `:help` lists them", name, near ? ", did you mean `:" : "",
                   near ? near : "", near ? "`?" : "");
    }
    ncs_str_free(&trimmed);
    return goes_on;
}
