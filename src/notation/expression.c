#include "notation/expression.h"

#include <ctype.h>
#include <string.h>

#include "notation/schema.h"

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the name at the beginning of the text; 0 = no name. */
static size_t name_bytes(const char *text, size_t bytes)
{
    size_t n = 0;
    if (bytes == 0 || isdigit((unsigned char)*text))
        return 0;
    while (n < bytes && is_name_byte(text[n]))
        n++;
    return n;
}

static bool is_keyword(const char *text, size_t bytes)
{
    for (const char *const *w = ncs_schema_keywords; *w; w++)
        if (**w == *text && strlen(*w) == bytes && memcmp(*w, text, bytes) == 0)
            return true;
    return false;
}

bool ncs_is_identifier(const char *text, size_t bytes)
{
    return bytes > 0 && name_bytes(text, bytes) == bytes && !is_keyword(text, bytes);
}

bool ncs_expression_names(const char *text, size_t bytes, void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                          struct ncs_lint_error *err)
{
    if (!ncs_is_identifier(text, bytes))
        return ncs_lint_expression(text, bytes, on_name, arg, err);
    on_name(arg, &(struct ncs_lint_name){ .name = text, .at = { 0, bytes } });
    return true;
}

/* The position after the quoted text that begins at `at`. */
static size_t skip_quoted(const char *text, size_t bytes, size_t at)
{
    char quote = text[at++];
    for (; at < bytes && text[at] != quote; at++)
        if (text[at] == '\\')
            at++;
    return at < bytes ? at + 1 : bytes;
}

/* The position after the bracket that closes the one at `at`; 0 if none closes it. */
static size_t expression_skip_brackets(const char *text, size_t bytes, size_t at)
{
    int depth = 0;
    while (at < bytes) {
        char c = text[at];
        if (c == '"' || c == '\'') {
            at = skip_quoted(text, bytes, at);
            continue;
        }
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        at++;
        if (depth == 0)
            return at;
    }
    return 0;
}

bool ncs_is_prefix(const char *text, size_t bytes)
{
    size_t at = name_bytes(text, bytes);
    if (at == 0 || is_keyword(text, at) || memchr(text, '\n', bytes) || strstr(text, "--"))
        return false;
    while (at < bytes) {
        if (text[at] == '.' || text[at] == ':') {
            size_t n = name_bytes(text + at + 1, bytes - at - 1);
            if (n == 0)
                return false;
            at += n + 1;
        } else if (text[at] == '(' || text[at] == '[') {
            at = expression_skip_brackets(text, bytes, at);
            if (at == 0)
                return false;
        } else {
            return false;
        }
    }
    return true;
}

enum ncs_text_part ncs_text_next(const char *text, size_t bytes, size_t *at, struct ncs_span *part)
{
    size_t from = *at, end = from;
    if (from >= bytes)
        return NCS_TEXT_END;
    if (from + 1 < bytes && text[from] == '$' && text[from + 1] == '{') {
        size_t close = expression_skip_brackets(text, bytes, from + 1);
        *at = close ? close : bytes;
        *part = close ? (struct ncs_span){ from + 2, close - from - 3 } : (struct ncs_span){ from, 2 };
        return close ? NCS_TEXT_EXPRESSION : NCS_TEXT_OPEN;
    }
    while (end < bytes && !(text[end] == '$' && end + 1 < bytes && text[end + 1] == '{'))
        end++;
    *part = (struct ncs_span){ from, end - from };
    *at = end;
    return NCS_TEXT_PLAIN;
}
