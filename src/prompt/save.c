/* Saves the typed lines as a scenario. The scenario behaves the same if every line reached all ranks that
 * it was typed for and ended without an error. Otherwise it differs: a scenario's rank stops at an error,
 * and waits where the prompt did not give the line to the rank. */
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
    for (size_t i = 0; i < n->count; i++)
        ncs_free(n->name[i]);
    ncs_free(n->name);
}

struct writing {
    const char *text;       /* of the input */
    struct names *declared; /* before it */
    struct names local;     /* that the line declares */
    struct names made;      /* that the line makes without declaring them */
};

static void save_on_name(void *arg, const struct ncs_lint_name *use)
{
    struct writing *w = arg;
    if (use->assigned && !use->field_at.bytes && !has(w->declared, use->name, use->at.bytes))
        save_put(&w->made, use->name, use->at.bytes);
}

/* Collects the names after `local`. */
static void on_statement(void *arg, const struct ncs_lint_statement *st)
{
    struct writing *w = arg;
    if (!st->local)
        return;
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

/* Writes statements. An expression, whose value the prompt has shown, becomes a print. */
static void add_statements(const char *text, struct ncs_str *out)
{
    struct ncs_lint_error e;
    size_t bytes = strlen(text);
    bool returns = strncmp(text, "return", 6) == 0 && !strchr(letters, text[6]);
    if (!returns && ncs_lint_chunk(text, bytes, NULL, NULL, &e)) {
        ncs_str_addf(out, "%s\n", text);
        return;
    }
    while (bytes > 0 && strchr("; \t\r\n", text[bytes - 1]))
        bytes--;
    size_t from = returns ? 6 : 0; /* a comment may end the line */
    ncs_str_addf(out, "print(%.*s\n)\n", (int)(bytes - from), text + from);
}

static void add_where(const struct input *in, struct ncs_str *out)
{
    ncs_str_add(out, "if ");
    for (size_t i = 0; i < in->ranks; i++)
        ncs_str_addf(out, "%srank == %d", i ? " or " : "", in->rank[i]);
    ncs_str_add(out, " then\n");
}

static void add_input(const struct input *in, struct names *declared, struct ncs_str *out)
{
    struct writing w = { .text = in->text, .declared = declared };
    struct ncs_lint_error e;
    size_t bytes = strlen(in->text);
    ncs_lint_chunk(in->text, bytes, save_on_name, &w, &e);
    ncs_lint_split(in->text, bytes, on_statement, &w, &e);
    add_locals(&w.made, declared, out);
    declare_all(declared, &w.made);
    if (in->rank) {
        struct ncs_str kept = { 0 };
        add_locals(&w.local, declared, out); /* locals of a block would end with the block */
        ncs_session_keep(in->text, bytes, &kept);
        add_where(in, out);
        add_statements(kept.text ? kept.text : "", out);
        ncs_str_add(out, "end\n");
        ncs_str_free(&kept);
    } else {
        add_statements(in->text, out);
    }
    declare_all(declared, &w.local);
    save_drop(&w.made);
    save_drop(&w.local);
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

void prompt_scenario(struct ncs_prompt *p, struct ncs_str *out)
{
    struct names declared = { 0 };
    save_add_head(p, out);
    for (size_t i = 0; i < p->inputs; i++)
        if (p->input[i].kind == INPUT_LINE)
            add_input(&p->input[i], &declared, out);
    save_drop(&declared);
}
