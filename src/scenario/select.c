/* The expression is parsed into postfix order. To evaluate it, a part pushes whether the name contains it,
 * and operators combine the topmost values. */
#include "scenario/select.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { DEEPEST = 100 }; /* parentheses and `not`s inside one another */

enum kind { PART, AND, OR, NOT, OPEN, CLOSE, END };

struct step {
    enum kind kind; /* PART AND OR NOT */
    char *part;     /* lower case */
};

struct ncs_select {
    struct step *step;
    size_t steps, room, deepest; /* the most that is ever on the stack */
};

struct parser {
    const char *text, *at; /* `at`: behind the token */
    const char *begin;     /* of the token */
    enum kind kind;
    struct ncs_str part;
    struct ncs_select *out;
    size_t depth, stacked;
    struct ncs_error *err;
};

/* ---- tokens ---- */

/* The column of a byte, from 1, in code points. */
static int select_column_of(const struct parser *p, const char *byte)
{
    int column = 1;
    for (const char *c = p->text; c < byte; c++)
        column += ((unsigned char)*c & 0xc0) != 0x80;
    return column;
}

static bool select_complain(struct parser *p, const char *expected)
{
    if (p->err->status != NCS_OK)
        return false;
    if (p->kind == END)
        ncs_fail(p->err, NCS_BAD_INPUT, "expected %s at the end", expected);
    else
        ncs_fail(p->err, NCS_BAD_INPUT, "expected %s at character %d, got `%.*s`", expected, select_column_of(p, p->begin),
                 (int)(p->at - p->begin), p->begin);
    p->err->column = select_column_of(p, p->begin);
    return false;
}

static void add_lower(struct ncs_str *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        char c = (char)tolower((unsigned char)text[i]);
        ncs_str_add_bytes(out, &c, 1);
    }
}

static bool next_quoted(struct parser *p)
{
    const char *close = strchr(p->begin + 1, *p->begin);
    if (!close) {
        p->at = p->begin + 1;
        ncs_fail(p->err, NCS_BAD_INPUT, "the quote at character %d is not closed", select_column_of(p, p->begin));
        p->err->column = select_column_of(p, p->begin);
        return false;
    }
    p->at = close + 1;
    p->kind = PART;
    add_lower(&p->part, p->begin + 1, (size_t)(close - p->begin) - 1);
    return true;
}

static bool select_next(struct parser *p)
{
    static const struct {
        const char *word;
        enum kind kind;
    } words[] = {
        { "and", AND },
        { "or", OR },
        { "not", NOT },
    };
    p->begin = p->at + strspn(p->at, " \t\n");
    ncs_str_clear(&p->part);
    ncs_str_add(&p->part, "");
    p->at = p->begin + 1;
    switch (*p->begin) {
    case '\0':
        p->at = p->begin;
        p->kind = END;
        return true;
    case '(': p->kind = OPEN; return true;
    case ')': p->kind = CLOSE; return true;
    case '"':
    case '\'': return next_quoted(p);
    }
    size_t bytes = strcspn(p->begin, " \t\n()");
    p->at = p->begin + bytes;
    p->kind = PART;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == bytes && memcmp(words[i].word, p->begin, bytes) == 0)
            p->kind = words[i].kind;
    add_lower(&p->part, p->begin, bytes);
    return true;
}

/* ---- the grammar: or < and < not < part ---- */

static void emit(struct parser *p, enum kind kind)
{
    struct step step = { .kind = kind };
    if (kind == PART) {
        step.part = ncs_copy_text(p->part.text);
        if (++p->stacked > p->out->deepest)
            p->out->deepest = p->stacked;
    } else if (kind != NOT) {
        p->stacked--;
    }
    NCS_PUSH(p->out->step, p->out->steps, p->out->room, step);
}

static bool either(struct parser *p);

static bool select_single(struct parser *p)
{
    bool ok = false;
    if (p->depth++ == DEEPEST)
        return select_complain(p, "fewer parentheses");
    if (p->kind == NOT) {
        ok = select_next(p) && select_single(p);
        emit(p, NOT);
    } else if (p->kind == OPEN) {
        ok = select_next(p) && either(p) && (p->kind == CLOSE || select_complain(p, "`and`, `or` or `)`")) && select_next(p);
    } else if (p->kind == PART) {
        emit(p, PART);
        ok = select_next(p);
    } else {
        select_complain(p, "a part of a name, `not` or `(`");
    }
    p->depth--;
    return ok;
}

static bool both(struct parser *p)
{
    if (!select_single(p))
        return false;
    while (p->kind == AND) {
        if (!select_next(p) || !select_single(p))
            return false;
        emit(p, AND);
    }
    return true;
}

static bool either(struct parser *p)
{
    if (!both(p))
        return false;
    while (p->kind == OR) {
        if (!select_next(p) || !both(p))
            return false;
        emit(p, OR);
    }
    return true;
}

struct ncs_select *ncs_select_parse(const char *text, struct ncs_error *err)
{
    struct parser p = { .text = text, .at = text, .begin = text, .out = ncs_new(sizeof *p.out), .err = err };
    err->status = NCS_OK;
    bool ok = select_next(&p) && either(&p) && (p.kind == END || select_complain(&p, "`and` or `or`"));
    ncs_str_free(&p.part);
    if (ok)
        return p.out;
    ncs_select_free(p.out);
    return NULL;
}

void ncs_select_free(struct ncs_select *s)
{
    if (!s)
        return;
    NCS_FREE_EACH(s->step, s->steps, part);
    ncs_free(s);
}

bool ncs_select_matches(const struct ncs_select *s, const char *name)
{
    struct ncs_str lower = { 0 };
    ncs_str_add(&lower, "");
    add_lower(&lower, name, strlen(name));
    bool *stack = ncs_new(s->deepest * sizeof *stack);
    size_t top = 0;
    for (size_t i = 0; i < s->steps; i++) {
        const struct step *step = &s->step[i];
        if (step->kind == PART) {
            stack[top++] = strstr(lower.text, step->part) != NULL;
        } else if (step->kind == NOT) {
            stack[top - 1] = !stack[top - 1];
        } else {
            top--;
            stack[top - 1] = step->kind == AND ? stack[top - 1] && stack[top] : stack[top - 1] || stack[top];
        }
    }
    bool matches = stack[0];
    ncs_free(stack);
    ncs_str_free(&lower);
    return matches;
}
