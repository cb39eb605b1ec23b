/* Saves the typed lines as a scenario. Lines that failed on all their ranks become comments, calls of help are left
 * out. The scenario behaves the same if every other line reached all ranks that it was typed for and ended without
 * an error. Otherwise it differs: a scenario's rank stops at an error, and waits where the prompt did not give the
 * line to the rank. */
#include <string.h>

#include "base/mem.h"
#include "notation/lint/lint.h"
#include "prompt/private.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* Names that are locals in the text written so far. */
struct names {
    char **name;
    size_t count, room;
};

static bool has(const struct names *n, const char *name, size_t bytes)
{
    for (size_t i = 0; i < n->count; i++)
        if (strlen(n->name[i]) == bytes && memcmp(n->name[i], name, bytes) == 0)
            return true;
    return false;
}

static void save_put(struct names *n, const char *name, size_t bytes)
{
    struct ncs_str copy = { 0 };
    if (has(n, name, bytes))
        return;
    ncs_str_add_bytes(&copy, name, bytes);
    char *text = ncs_str_take(&copy);
    NCS_PUSH(n->name, n->count, n->room, text);
}

static void save_drop(struct names *n)
{
    NCS_FREE_ALL(n->name, n->count);
}

struct writing {
    const char *text;       /* of the input */
    struct names *declared; /* before it */
    struct names local;     /* that the line declares */
    struct names made;      /* that the line makes without declaring them */
    struct names read;      /* that the line reads */
    size_t statements;
    bool plain_local; /* the last statement is `local NAMES` without attributes, and no function */
    size_t names_end; /* of that statement */
};

static void save_on_name(void *arg, const struct ncs_lint_name *use)
{
    struct writing *w = arg;
    if (!use->assigned)
        save_put(&w->read, use->name, use->at.bytes);
    else if (!use->field_at.bytes && !has(w->declared, use->name, use->at.bytes))
        save_put(&w->made, use->name, use->at.bytes);
}

/* Collects the names after `local`. */
static void on_statement(void *arg, const struct ncs_lint_statement *st)
{
    struct writing *w = arg;
    w->statements++;
    if (!st->local)
        return;
    w->names_end = st->names_end;
    w->plain_local = !st->function && !memchr(w->text, '<', st->names_end);
    const char *at = w->text + st->at.at + strlen("local");
    at += strspn(at, " \t\r\n");
    if (st->function)
        at += strlen("function");
    const char *end = st->function ? at + strcspn(at, "(") : w->text + st->names_end;
    while (at < end) {
        at += strcspn(at, letters);
        if (at < end && at[-1] == '<') { /* no name, but an attribute */
            at += strcspn(at, ">");
            continue;
        }
        size_t n = strspn(at, letters);
        if (at < end && n)
            save_put(&w->local, at, n);
        at += n ? n : 1;
    }
}

static void add_locals(const struct names *n, const struct names *declared, struct ncs_str *out)
{
    const char *before = "local ";
    for (size_t i = 0; i < n->count; i++) {
        if (has(declared, n->name[i], strlen(n->name[i])))
            continue;
        ncs_str_addf(out, "%s%s", before, n->name[i]);
        before = ", ";
    }
    if (*before == ',')
        ncs_str_add(out, "\n");
}

static void declare_all(struct names *to, const struct names *from)
{
    for (size_t i = 0; i < from->count; i++)
        save_put(to, from->name[i], strlen(from->name[i]));
}

/* ---- a line ---- */

/* The value of an expression, which the prompt has shown, is printed. A comment ends its line. */
static void add_print(const char *text, size_t bytes, struct ncs_str *out)
{
    while (bytes > 0 && strchr("; \t\r\n", text[bytes - 1]))
        bytes--;
    struct ncs_str value = { 0 };
    ncs_str_add_bytes(&value, text, bytes);
    const char *after = value.bytes && strstr(value.text, "--") ? "\n" : "";
    ncs_str_addf(out, "print(%s%s)\n", value.text ? value.text : "", after);
    ncs_str_free(&value);
}

static void add_statements(const char *text, struct ncs_str *out)
{
    struct ncs_lint_error e;
    size_t bytes = strlen(text);
    bool returns = strncmp(text, "return", 6) == 0 && !strchr(letters, text[6]);
    if (returns)
        add_print(text + 6 + strspn(text + 6, " \t"), bytes - 6 - strspn(text + 6, " \t"), out);
    else if (ncs_lint_chunk(text, bytes, NULL, NULL, &e))
        ncs_str_addf(out, "%s\n", text);
    else
        add_print(text, bytes, out);
}

/* True if the line is `NAMES = ...` or `function NAME ...` with new names alone: `local` in front of it then says the
 * same as a declaration of its own. A value that reads its name must find it declared. */
static bool takes_local(const struct writing *w)
{
    const char *at = w->text;
    struct names seen = { 0 };
    bool function = strncmp(at, "function ", 9) == 0, fits = w->statements == 1 && w->made.count > 0;
    for (size_t i = 0; i < w->made.count && !function; i++)
        fits = fits && !has(&w->read, w->made.name[i], strlen(w->made.name[i]));
    at += function ? 9 : 0;
    while (fits) {
        size_t n = strspn(at, letters);
        fits = n > 0 && has(&w->made, at, n);
        save_put(&seen, at, n);
        at += n + strspn(at + n, " \t");
        if (*at != ',')
            break;
        at += 1 + strspn(at + 1, " \t");
    }
    fits = fits && seen.count == w->made.count && (function ? *at == '(' : at[0] == '=' && at[1] != '=');
    save_drop(&seen);
    return fits;
}

/* The statement of ranks, between `if` and `end`: their variables are declared before. */
static void add_for_ranks(const struct input *in, const struct writing *w, struct ncs_str *out)
{
    struct ncs_str body = { 0 }, statements = { 0 };
    size_t local = strlen("local");
    if (w->statements == 1 && w->plain_local)
        ncs_str_add(&body, in->text + local + strspn(in->text + local, " \t\n"));
    else
        ncs_session_keep(in->text, strlen(in->text), &body);
    bool declares_only = w->statements == 1 && w->plain_local &&
                         !in->text[w->names_end + strspn(in->text + w->names_end, " \t\n;")];
    if (!declares_only)
        add_statements(body.text ? body.text + strspn(body.text, " ") : "", &statements);
    ncs_str_free(&body);
    if (statements.bytes) {
        for (size_t i = 0; i < in->ranks; i++)
            ncs_str_addf(out, "%srank == %d", i ? " or " : "if ", in->rank[i]);
        ncs_str_add(out, " then\n");
        bool long_text = strstr(statements.text, "[[") || strstr(statements.text, "[="); /* keeps its lines */
        for (const char *line = statements.text, *end; *line; line = end + 1) {
            end = strchr(line, '\n');
            ncs_str_addf(out, "%s%.*s\n", long_text ? "" : "  ", (int)(end - line), line);
        }
        ncs_str_add(out, "end\n");
    }
    ncs_str_free(&statements);
}

/* A line that failed on all of its ranks would end the scenario. */
static void add_comment(const struct input *in, struct ncs_str *out)
{
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "failed: %s\n%s\n", in->failure, in->text);
    for (const char *line = text.text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        ncs_str_addf(out, "-- %.*s\n", (int)(end - line), line);
    }
    ncs_str_free(&text);
}

static void add_input(const struct input *in, struct names *declared, struct ncs_str *out)
{
    struct writing w = { .text = in->text, .declared = declared };
    struct ncs_lint_error e;
    size_t bytes = strlen(in->text);
    ncs_lint_chunk(in->text, bytes, save_on_name, &w, &e);
    ncs_lint_split(in->text, bytes, on_statement, &w, &e);
    if (!in->rank && takes_local(&w))
        ncs_str_add(out, "local ");
    else
        add_locals(&w.made, declared, out);
    declare_all(declared, &w.made);
    if (in->rank) {
        add_locals(&w.local, declared, out); /* locals of a block would end with the block */
        add_for_ranks(in, &w, out);
    } else {
        add_statements(in->text, out);
    }
    declare_all(declared, &w.local);
    save_drop(&w.made);
    save_drop(&w.local);
    save_drop(&w.read);
}

static void save_add_head(struct ncs_prompt *p, struct ncs_str *out)
{
    const char *text = ncs_session_text(p->session);
    if (text) {
        ncs_str_addf(out, "%s%s", text, *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
        return;
    }
    ncs_str_addf(out, "scenario { ranks = %d", prompt_ranks(p));
    if (p->scenario->policy != NCS_POLICY_STRICT)
        ncs_str_addf(out, ", policy = \"%s\"", ncs_policy_names[p->scenario->policy]);
    ncs_str_add(out, " }\n");
}

size_t prompt_scenario(struct ncs_prompt *p, struct ncs_str *out)
{
    struct names declared = { 0 };
    size_t failed = 0;
    save_add_head(p, out);
    for (size_t i = 0; i < p->inputs; i++) {
        const struct input *in = &p->input[i];
        if (in->kind != INPUT_LINE || in->asks_help)
            continue;
        failed += in->failure != NULL;
        if (in->failure)
            add_comment(in, out);
        else
            add_input(in, &declared, out);
    }
    save_drop(&declared);
    return failed;
}
