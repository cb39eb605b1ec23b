/* Recognises texts that only call one function. */
#include <string.h>

#include "notation/lint/lex.h"

/* Skips to after the bracket that closes the current one. */
static void skip_brackets(struct ncs_lexer *x)
{
    size_t depth = 0;
    do {
        depth += x->word == '(' || x->word == '{' || x->word == '[';
        depth -= x->word == ')' || x->word == '}' || x->word == ']';
        ncs_lint_next(x);
    } while (depth > 0 && x->word != NCS_W_END);
    x->failed |= depth > 0;
}

static bool is_name(const struct ncs_lexer *x, const char *name)
{
    return x->word == NCS_W_NAME && x->span.bytes == strlen(name) && memcmp(x->text + x->span.at, name, x->span.bytes) == 0;
}

bool ncs_lint_only_calls(const char *text, size_t bytes, const char *name)
{
    struct ncs_lint_error err = { 0 };
    struct ncs_lexer x = { .text = text, .bytes = bytes, .err = &err };
    ncs_lint_next(&x);
    while (x.word != NCS_W_END) {
        if (x.word == ';') {
            ncs_lint_next(&x);
            continue;
        }
        int next = ncs_lint_peek(&x);
        if (!is_name(&x, name) || (next != '{' && next != '('))
            return false;
        ncs_lint_next(&x);
        skip_brackets(&x);
    }
    return !x.failed;
}
