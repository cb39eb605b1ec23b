/* Handles typed input: addresses, continued lines, and their effect on the run. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "prompt/private.h"
#include "prompt/reference.h"

void prompt_input_free(struct input *input)
{
    ncs_free(input->text);
    ncs_free(input->rank);
    ncs_free(input->failure);
}

/* ---- addresses ---- */

static bool input_number(const char **at, int ranks, int *out)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    long n = strtol(*at, &end, 10);
    *out = (int)n;
    *at = end;
    return n < ranks;
}

/* Parses "0,3" or "1..3" at text: returns the ranks (freed with ncs_free) and in *rest the text after
 * them. NULL after a complaint. */
static int *prompt_address(struct ncs_prompt *p, const char *text, size_t *count, const char **rest)
{
    int ranks = prompt_ranks(p);
    int *rank = NULL;
    size_t room = 0;
    bool *named = ncs_new((size_t)ranks * sizeof *named);
    const char *at = text;
    bool ok;
    do {
        int from = 0, to;
        ok = input_number(&at, ranks, &from);
        to = from;
        if (ok && strncmp(at, "..", 2) == 0) {
            at += 2;
            ok = input_number(&at, ranks, &to) && to >= from;
        }
        for (int r = from; ok && r <= to; r++)
            named[r] = true;
    } while (ok && *at == ',' && at++);
    *count = 0;
    for (int r = 0; ok && r < ranks; r++)
        if (named[r])
            NCS_PUSH(rank, *count, room, r);
    ncs_free(named);
    ok = ok && (*at == 0 || isspace((unsigned char)*at));
    if (!ok) {
        prompt_put(p, "error: `@%.*s` names no ranks, expected such as @2, @0,3 or @1..3, of 0..%d", (int)strcspn(text, " \t"),
                   text, ranks - 1);
        ncs_free(rank);
        return NULL;
    }
    *rest = at + strspn(at, " \t");
    return rank;
}

/* ---- doing ---- */

static int lines_of(const char *text)
{
    int lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Gives a line to ranks; returns how many got it. Ranks that were killed get none. Ranks that wait get
 * none either, because nobody would see when they run it; they are returned in `left`. */
static size_t input_give(struct ncs_prompt *p, const struct input *input, const struct ncs_code *code, int *left, size_t *lefts)
{
    size_t given = 0, count = input->rank ? input->ranks : (size_t)prompt_ranks(p);
    *lefts = 0;
    for (size_t i = 0; i < count; i++) {
        int rank = input->rank ? input->rank[i] : (int)i;
        if (prompt_dead(p, rank))
            continue;
        if (!ncs_session_is_free(p->session, rank)) {
            left[(*lefts)++] = rank;
            continue;
        }
        ncs_session_give(p->session, rank, code);
        given++;
    }
    return given;
}

static bool run_line(struct ncs_prompt *p, const struct input *input)
{
    const struct ncs_code *code = input->code;
    struct ncs_error err = { 0 };
    if (!code && ncs_session_read(p->session, input->text, input->line, &code, &err) != NCS_READ_WHOLE)
        return false; /* impossible: it was complete when it was typed */
    int *left = ncs_new((size_t)prompt_ranks(p) * sizeof *left);
    size_t lefts;
    bool any = input_give(p, input, code, left, &lefts);
    struct ncs_str who = { 0 };
    ncs_str_add_many_ranks(&who, left, lefts);
    if (!any && !lefts)
        prompt_put(p, "not run: every addressed rank was killed; `:back` undoes a line");
    else if (!any)
        prompt_put(p, "no rank can act: rank%s %s wait%s; `:waits` shows for whom, `:back` undoes a line", lefts == 1 ? "" : "s",
                   who.text, lefts == 1 ? "s" : "");
    else if (lefts && input->rank)
        prompt_put(p, "not run on rank%s %s, which wait%s", lefts == 1 ? "" : "s", who.text, lefts == 1 ? "s" : "");
    ncs_str_free(&who);
    ncs_free(left);
    if (any)
        ncs_run_go_on(p->run, p->held ? 0 : -1);
    return any;
}

static void trial_report_step(struct ncs_prompt *p, enum ncs_stop stop)
{
    double now = (double)ncs_run_machine(p->run)->now() / 1000.0;
    if (stop == NCS_STOP_HELD)
        prompt_put(p, "%.3f us; more is due", now);
    else
        prompt_put(p, "%.3f us; nothing is due", now);
}

static bool input_carry_out(struct ncs_prompt *p, const struct input *input)
{
    switch (input->kind) {
    case INPUT_LINE: return run_line(p, input);
    case INPUT_STEP:
        p->held = true;
        trial_report_step(p, ncs_run_go_on(p->run, input->events));
        break;
    case INPUT_GO:
        p->held = false;
        ncs_run_go_on(p->run, -1);
        break;
    }
    return true;
}

void prompt_redo(struct ncs_prompt *p, const struct input *input)
{
    if (input->kind == INPUT_LINE)
        p->lines = input->line - 1 + lines_of(input->text);
    input_carry_out(p, input);
}

/* Keeps what has become of the latest input, for `:save`. */
static void note_outcome(struct ncs_prompt *p)
{
    struct input *input = p->inputs ? &p->input[p->inputs - 1] : NULL;
    if (!input || input->kind != INPUT_LINE || !p->run)
        return;
    input->asks_help = p->helped;
    size_t count = input->rank ? input->ranks : (size_t)prompt_ranks(p), failed = 0;
    for (size_t i = 0; i < count; i++)
        failed += p->last[input->rank ? input->rank[i] : (int)i].failed;
    if (failed == count)
        input->failure = ncs_copy_text(p->last[input->rank ? input->rank[0] : 0].text);
}

void prompt_do(struct ncs_prompt *p, struct input input)
{
    prompt_forget_replies(p);
    prompt_mark_seen(p);
    if (input.kind == INPUT_LINE)
        input.line = p->lines + 1;
    bool kept = input_carry_out(p, &input);
    if (kept) {
        if (input.kind == INPUT_LINE)
            p->lines += lines_of(input.text);
        input.code = NULL; /* the session's */
        NCS_PUSH(p->input, p->inputs, p->inputs_room, input);
    } else {
        prompt_input_free(&input);
    }
    prompt_report(p);
    if (kept)
        note_outcome(p);
    prompt_end_if_spent(p);
    if (p->tutor && p->run)
        tutor_after(p);
}

/* ---- feeding ---- */

bool ncs_prompt_abandon(struct ncs_prompt *p)
{
    bool begun = p->begun.bytes > 0 || p->shell.writing;
    if (p->shell.writing)
        shell_forget(&p->shell);
    ncs_str_clear(&p->begun);
    ncs_free(p->to);
    p->to = NULL;
    return begun;
}

static enum ncs_prompt_wants feed_lua(struct ncs_prompt *p)
{
    const struct ncs_code *code;
    struct ncs_error err = { 0 };
    switch (ncs_session_read(p->session, p->begun.text, p->lines + 1, &code, &err)) {
    case NCS_READ_OPEN: return NCS_PROMPT_MORE;
    case NCS_READ_WRONG:
        prompt_complain(p, &err);
        ncs_prompt_abandon(p);
        return NCS_PROMPT_LINE;
    case NCS_READ_WHOLE: break;
    }
    struct input input = { .kind = INPUT_LINE, .text = ncs_str_take(&p->begun), .rank = p->to, .ranks = p->tos, .code = code };
    p->to = NULL;
    prompt_do(p, input);
    return NCS_PROMPT_LINE;
}

/* Words that people type at other prompts. True if the line was one, and no variable of the user's. */
static bool advise(struct ncs_prompt *p, const char *line)
{
    static const char *const leave[] = { "quit", "exit", "quit()", "exit()", "q" }, *const ask[] = { "help", "?", "h" };
    struct ncs_str word = { 0 };
    bool leaves = false, asks = false;
    ncs_str_add_bytes(&word, line, strcspn(line, " \t\r"));
    bool alone = line[word.bytes + strspn(line + word.bytes, " \t\r")] == 0;
    for (size_t i = 0; alone && i < sizeof leave / sizeof *leave; i++)
        leaves |= strcmp(word.text, leave[i]) == 0;
    for (size_t i = 0; alone && i < sizeof ask / sizeof *ask; i++)
        asks |= strcmp(word.text, ask[i]) == 0;
    const char *class = alone ? ncs_session_class(p->session, word.text) : NULL;
    bool asks_tutor = false;
    for (const struct prompt_command *c = tutor_commands; p->tutor && alone && c->name; c++)
        asks_tutor |= strcmp(word.text, c->name) == 0;
    if (asks_tutor && !class)
        prompt_put(p, "commands begin with a colon: `:%s`", word.text);
    ncs_str_free(&word);
    if (asks_tutor && !class)
        return true;
    if ((!leaves && !asks) || (class && !(asks && strcmp(class, "function") == 0)))
        return false;
    prompt_put(p, leaves ? "`:quit` leaves the prompt; so does Ctrl-D" : "`:help` lists the commands, help(x) explains x");
    return true;
}

static bool somebody_can_act(const struct ncs_prompt *p)
{
    for (int r = 0; r < prompt_ranks(p); r++)
        if (!prompt_dead(p, r) && ncs_session_is_free(p->session, r))
            return true;
    return false;
}

static bool is_library_function(const char *path)
{
    struct ncs_str ignored = { 0 };
    bool is = ncs_reference(path, &ignored);
    ncs_str_free(&ignored);
    return is;
}

/* The topic of help for a path that ranks know: "comm:split" for `world:split` and `world.split`, "buffer" for `x`. */
static void add_topic(struct ncs_prompt *p, const char *path, struct ncs_str *out)
{
    struct ncs_str object = { 0 };
    const char *method = strrchr(path, ':') ? strrchr(path, ':') : strrchr(path, '.');
    ncs_str_add_bytes(&object, path, method ? (size_t)(method - path) : strlen(path));
    const char *class = ncs_session_class(p->session, object.text ? object.text : "");
    static const char *const plain[] = { "nil", "function", "table", "library" };
    bool is_object = class != NULL;
    for (size_t i = 0; class && i < sizeof plain / sizeof *plain; i++)
        is_object &= strcmp(class, plain[i]) != 0;
    if (is_object)
        ncs_str_addf(out, "%s%s%s", class, method ? ":" : "", method ? method + 1 : "");
    else if (method && !is_library_function(path)) /* `store.set` */
        ncs_str_addf(out, "%s:%s", object.text, method + 1);
    else
        ncs_str_add(out, path);
    ncs_str_free(&object);
}

/* A call of help is a line for ranks. While all of them wait, its argument is read here: a word in quotes, or a path
 * such as `x`, `cuda.buffer` or `world:split`. True if the line was such a call. */
static bool help_without_ranks(struct ncs_prompt *p, const char *line)
{
    char argument[80] = "", quote[2] = "";
    int end = 0;
    sscanf(line, "help ( )%n", &end);
    if (!end)
        sscanf(line, "help ( %79[a-zA-Z0-9_.:] )%n", argument, &end);
    if (!end)
        sscanf(line, "help %*[( ] %1[\"'] %79[^\"']%*1[\"'] )%n", quote, argument, &end);
    if (!end || line[end + strspn(line + end, " \t\r;")] || somebody_can_act(p))
        return false;
    struct ncs_str topic = { 0 }, out = { 0 };
    if (*argument && !*quote)
        add_topic(p, argument, &topic);
    else
        ncs_str_add(&topic, argument);
    if (*argument)
        prompt_help(p, topic.text, &out);
    else
        prompt_overview(p, &out);
    ncs_str_free(&topic);
    prompt_write(p, &out);
    return true;
}

enum ncs_prompt_wants ncs_prompt_feed(struct ncs_prompt *p, const char *line)
{
    if (p->begun.bytes) {
        ncs_str_add(&p->begun, "\n");
        ncs_str_add(&p->begun, line);
        return feed_lua(p);
    }
    if (shell_takes(p, line))
        return p->shell.writing ? NCS_PROMPT_TEXT : NCS_PROMPT_LINE;
    line += strspn(line, " \t\r");
    if (!p->run && strncmp(line, ":reset", 6) != 0 && strncmp(line, ":load", 5) != 0 && strncmp(line, ":quit", 5) != 0) {
        prompt_put(p, "error: there is no run; `:reset -n RANKS` begins one, `:quit` leaves");
        return NCS_PROMPT_LINE;
    }
    if (*line == ':' && line[1] != ':')
        return prompt_command(p, line + 1) ? NCS_PROMPT_LINE : NCS_PROMPT_QUIT;
    if (*line == '@') {
        p->to = prompt_address(p, line + 1, &p->tos, &line);
        if (!p->to)
            return NCS_PROMPT_LINE;
    }
    if (!*line) {
        ncs_prompt_abandon(p);
        if (p->tutor)
            tutor_empty_line(p);
        return NCS_PROMPT_LINE;
    }
    if (!p->to && (advise(p, line) || help_without_ranks(p, line) || (p->tutor && tutor_takes_answer(p, line))))
        return NCS_PROMPT_LINE;
    ncs_str_add(&p->begun, line);
    return feed_lua(p);
}

void ncs_prompt_end(struct ncs_prompt *p)
{
    if (p->shell.writing)
        prompt_put(p, "error: %s was not written: the input ends before a line with a dot", p->shell.writing);
    shell_forget(&p->shell);
    if (ncs_prompt_abandon(p))
        prompt_put(p, "error: the input ends in the middle of a statement");
}
