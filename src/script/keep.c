/* Lines at the prompt: the names that one makes local stay for the next. */
#include <string.h>

#include "notation/lint/lint.h"
#include "script/session.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* Copies a text of statements so that the names which they make local stay; the pieces in between
 * are copied unchanged. */
struct keeping {
    const char *text;
    size_t at;                   /* up to where it has been copied */
    struct ncs_str *out, *names; /* names NULL: not wanted */
};

static void copy_up_to(struct keeping *k, size_t end)
{
    ncs_str_add_bytes(k->out, k->text + k->at, end - k->at);
    k->at = end;
}

/* Bytes of `<const>` or `<close>` at the text; 0 = neither. */
static size_t constant(const char *text)
{
    static const char blanks[] = " \t\r\n";
    if (*text != '<')
        return 0;
    size_t n = 1 + strspn(text + 1, blanks);
    if (strncmp(text + n, "const", 5) != 0 && strncmp(text + n, "close", 5) != 0)
        return 0;
    n += 5 + strspn(text + n + 5, blanks);
    return text[n] == '>' ? n + 1 : 0;
}

/* Copies the names up to `end` without their attributes: a name that stays can get another value,
 * and is never closed. */
static void keep_names(struct keeping *k, size_t end)
{
    while (k->at < end) {
        size_t n = strspn(k->text + k->at, letters), left_out = constant(k->text + k->at);
        if (n && k->names) {
            ncs_str_add_bytes(k->names, k->text + k->at, n);
            ncs_str_add(k->names, " ");
        }
        if (left_out)
            k->at += left_out;
        else
            copy_up_to(k, k->at + (n ? n : 1));
    }
    size_t blanks = strspn(k->text + k->at, " \t\r\n");
    k->at += constant(k->text + k->at + blanks) ? blanks + constant(k->text + k->at + blanks) : 0;
}

static void keep_local(void *arg, const struct ncs_lint_statement *st)
{
    struct keeping *k = arg;
    if (!st->local)
        return;
    copy_up_to(k, st->at.at);
    ncs_str_add(k->out, "     "); /* "local" */
    k->at = st->at.at + 5;
    if (st->function)
        return;
    keep_names(k, st->names_end);
    ncs_str_add(k->out, st->valued ? " " : " = nil");
}

void ncs_session_keep_names(const char *text, size_t bytes, struct ncs_str *out, struct ncs_str *names)
{
    struct keeping k = { .text = text, .out = out, .names = names };
    struct ncs_lint_error e;
    ncs_lint_split(text, bytes, keep_local, &k, &e);
    ncs_str_add_bytes(out, text + k.at, bytes - k.at);
}

void ncs_session_keep(const char *text, size_t bytes, struct ncs_str *out)
{
    ncs_session_keep_names(text, bytes, out, NULL);
}
