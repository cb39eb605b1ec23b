/* Reads expressions, and reports the free names in them. */
#include "base/hash.h"
#include "base/map.h"
#include "notation/lint/reader.h"

/* ---- words ---- */

bool ncs_lint_is(const struct ncs_reader *r, int word)
{
    return r->x.word == word;
}

bool ncs_lint_take(struct ncs_reader *r, int word)
{
    if (r->x.word != word || r->x.failed)
        return false;
    ncs_lint_next(&r->x);
    return true;
}

void ncs_lint_want(struct ncs_reader *r, int word, const char *shown)
{
    if (!ncs_lint_take(r, word))
        ncs_lint_unexpected(&r->x, shown);
}

void ncs_lint_want_close(struct ncs_reader *r, int word, const char *shown, struct ncs_span opening)
{
    if (ncs_lint_take(r, word))
        return;
    struct ncs_lint_error *err = ncs_lint_unexpected(&r->x, shown);
    if (err) {
        err->open = opening;
        err->has_open = true;
    }
}

struct ncs_span ncs_lint_want_name(struct ncs_reader *r, const char *wanted)
{
    struct ncs_span at = r->x.span;
    if (!ncs_lint_take(r, NCS_W_NAME))
        ncs_lint_unexpected(&r->x, wanted);
    return at;
}

struct ncs_lint_word_of ncs_lint_word_at(const struct ncs_reader *r, struct ncs_span at)
{
    return (struct ncs_lint_word_of){ r->x.text + at.at, at.bytes };
}

bool ncs_lint_enter(struct ncs_reader *r)
{
    if (++r->depth < NCS_LINT_LEVELS)
        return true;
    ncs_lint_fail(&r->x, r->x.span, "nested deeper than %d levels", NCS_LINT_LEVELS);
    return false;
}

void ncs_lint_leave(struct ncs_reader *r)
{
    r->depth--;
}

/* ---- names ---- */

void ncs_lint_report(struct ncs_reader *r, struct ncs_span at, struct ncs_span field, bool method, bool assigned, bool called)
{
    struct ncs_lint_word_of name = ncs_lint_word_at(r, at);
    if (r->x.failed || !r->on_name)
        return;
    struct ncs_lint_name found = {
        .name = name.text,
        .field = field.bytes ? r->x.text + field.at : NULL,
        .at = at,
        .field_at = field,
        .assigned = assigned,
        .method = method,
        .called = called,
    };
    r->on_name(r->arg, &found);
}

static bool begins_call(const struct ncs_reader *r)
{
    return ncs_lint_is(r, '(') || ncs_lint_is(r, '{') || ncs_lint_is(r, NCS_W_TEXT);
}

static bool begins_assignment(const struct ncs_reader *r)
{
    return ncs_lint_is(r, '=') || ncs_lint_is(r, ',');
}

/* ---- terms ---- */

/* `keys` has the byte behind the first use of each name, which is not 0. */
static void note_key(struct ncs_reader *r, struct ncs_map *keys)
{
    struct ncs_span key = r->x.span;
    uint64_t name = ncs_hash_bytes(1, r->x.text + key.at, key.bytes);
    size_t end = ncs_map_number(keys, name);
    if (end)
        r->on_twice(r->arg, key, (struct ncs_span){ end - key.bytes, key.bytes });
    else
        ncs_map_put_number(keys, name, key.at + key.bytes);
}

static void constructor(struct ncs_reader *r)
{
    struct ncs_span opening = r->x.span;
    struct ncs_map keys = { 0 };
    ncs_lint_want(r, '{', "`{`");
    while (!ncs_lint_is(r, '}') && !ncs_lint_is(r, NCS_W_END)) {
        if (ncs_lint_is(r, NCS_W_NAME) && ncs_lint_peek(&r->x) == '=') {
            if (r->on_twice)
                note_key(r, &keys);
            ncs_lint_next(&r->x);
            ncs_lint_next(&r->x);
        } else if (ncs_lint_is(r, '[')) {
            struct ncs_span bracket = r->x.span;
            ncs_lint_next(&r->x);
            ncs_lint_expr(r);
            ncs_lint_want_close(r, ']', "`]`", bracket);
            ncs_lint_want(r, '=', "`=` behind the key");
        }
        ncs_lint_expr(r);
        if (!ncs_lint_take(r, ',') && !ncs_lint_take(r, ';'))
            break;
    }
    ncs_map_free(&keys);
    ncs_lint_want_close(r, '}', "`}` or a further entry after a comma", opening);
}

static void arguments(struct ncs_reader *r)
{
    struct ncs_span opening = r->x.span;
    if (ncs_lint_take(r, NCS_W_TEXT))
        return;
    if (ncs_lint_is(r, '{')) {
        constructor(r);
    } else if (ncs_lint_take(r, '(')) {
        if (!ncs_lint_is(r, ')') && !ncs_lint_is(r, NCS_W_END))
            ncs_lint_expr_list(r);
        if (ncs_lint_is(r, '='))
            ncs_lint_fail(&r->x, r->x.span,
                          "unexpected symbol `=`, expected `)`: options are given in "
                          "a table, `f(x, { name = value })`");
        ncs_lint_want_close(r, ')', "`)`", opening);
    } else {
        ncs_lint_unexpected(&r->x, "the arguments of a call");
    }
}

static void index_by_value(struct ncs_reader *r)
{
    struct ncs_span opening = r->x.span;
    ncs_lint_want(r, '[', "`[`");
    ncs_lint_expr(r);
    ncs_lint_want_close(r, ']', "`]`", opening);
}

static struct ncs_lint_term primary(struct ncs_reader *r, bool *global)
{
    struct ncs_lint_term term = { .form = NCS_LINT_VALUE };
    struct ncs_span at = r->x.span;
    *global = false;
    if (ncs_lint_take(r, NCS_W_NAME)) {
        enum ncs_lint_found found = ncs_lint_find(r, ncs_lint_word_at(r, at));
        *global = found == NCS_LINT_GLOBAL;
        term = (struct ncs_lint_term){ NCS_LINT_VARIABLE, found == NCS_LINT_READONLY, at };
    } else if (ncs_lint_take(r, '(')) {
        ncs_lint_expr(r);
        ncs_lint_want_close(r, ')', "`)`", at);
    } else {
        ncs_lint_unexpected(&r->x, "an expression");
    }
    return term;
}

/* Reads the field after a free name, if there is one, and reports the name together with it. */
static enum ncs_lint_form first_field(struct ncs_reader *r, struct ncs_span at, bool target)
{
    struct ncs_span field = { 0 };
    bool method = false;
    if (ncs_lint_is(r, '.') || ncs_lint_is(r, ':')) {
        method = ncs_lint_is(r, ':');
        ncs_lint_next(&r->x);
        field = ncs_lint_want_name(r, "the name of a field");
    }
    ncs_lint_report(r, at, field, method, target && !method && begins_assignment(r), begins_call(r));
    if (method)
        arguments(r);
    return method ? NCS_LINT_CALL : NCS_LINT_VARIABLE;
}

struct ncs_lint_term ncs_lint_suffixed(struct ncs_reader *r, bool target)
{
    bool global;
    struct ncs_span at = r->x.span;
    struct ncs_lint_term term = primary(r, &global);
    bool lone = true;
    if (global) {
        size_t behind = r->x.span.at;
        term.form = first_field(r, at, target);
        lone = behind == r->x.span.at;
    }
    for (;; lone = false) {
        if (ncs_lint_take(r, '.')) {
            ncs_lint_want_name(r, "the name of a field");
            term.form = NCS_LINT_VARIABLE;
        } else if (ncs_lint_is(r, '[')) {
            index_by_value(r);
            term.form = NCS_LINT_VARIABLE;
        } else if (ncs_lint_take(r, ':')) {
            ncs_lint_want_name(r, "the name of a method");
            arguments(r);
            term.form = NCS_LINT_CALL;
        } else if (begins_call(r)) {
            arguments(r);
            term.form = NCS_LINT_CALL;
        } else {
            break;
        }
    }
    term.readonly = term.readonly && lone;
    return term;
}

static void parameters(struct ncs_reader *r)
{
    struct ncs_span opening = r->x.span;
    ncs_lint_want(r, '(', "`(` and the parameters");
    while (!r->x.failed && !ncs_lint_is(r, ')')) {
        if (ncs_lint_take(r, NCS_W_DOTS)) {
            r->function->varargs = true;
            break;
        }
        struct ncs_span name = ncs_lint_want_name(r, "the name of a parameter");
        ncs_lint_declare(r, ncs_lint_word_at(r, name), false);
        if (!ncs_lint_take(r, ','))
            break;
        if (ncs_lint_is(r, ')'))
            ncs_lint_unexpected(&r->x, "the name of a parameter");
    }
    ncs_lint_want_close(r, ')', "`)`", opening);
}

void ncs_lint_body(struct ncs_reader *r, bool method, struct ncs_span opening)
{
    struct ncs_lint_function f;
    struct ncs_lint_block b;
    ncs_lint_open_function(r, &f, false);
    ncs_lint_open_block(r, &b, false);
    if (method)
        ncs_lint_declare(r, (struct ncs_lint_word_of){ "self", 4 }, false);
    parameters(r);
    ncs_lint_activate(r);
    ncs_lint_statements(r);
    ncs_lint_want_close(r, NCS_W_END_BLOCK, "`end`", opening);
    ncs_lint_close_block(r);
    ncs_lint_close_function(r);
}

static void simple(struct ncs_reader *r)
{
    struct ncs_span at = r->x.span;
    switch (r->x.word) {
    case NCS_W_NUMBER:
    case NCS_W_TEXT:
    case NCS_W_NIL:
    case NCS_W_TRUE:
    case NCS_W_FALSE: ncs_lint_next(&r->x); return;
    case NCS_W_DOTS:
        if (!r->function->varargs)
            ncs_lint_fail(&r->x, at, "`...` outside of a function with `...`");
        ncs_lint_next(&r->x);
        return;
    case '{': constructor(r); return;
    case NCS_W_FUNCTION:
        ncs_lint_next(&r->x);
        ncs_lint_body(r, false, at);
        return;
    default: ncs_lint_suffixed(r, false);
    }
}

/* ---- operators ---- */

/* How strongly an operator binds to its left and right; Lua's compiler limits nesting by it. */
/* clang-format off */
static const struct { int word; unsigned char left, right; } operators[] = {
    { NCS_W_OR, 1, 1 },        { NCS_W_AND, 2, 2 },       { '<', 3, 3 },
    { '>', 3, 3 },             { NCS_W_AT_MOST, 3, 3 },   { NCS_W_AT_LEAST, 3, 3 },
    { NCS_W_DIFFERS, 3, 3 },   { NCS_W_EQUAL, 3, 3 },     { '|', 4, 4 },
    { '~', 5, 5 },             { '&', 6, 6 },             { NCS_W_LEFT, 7, 7 },
    { NCS_W_RIGHT, 7, 7 },     { NCS_W_CONCAT, 9, 8 },    { '+', 10, 10 },
    { '-', 10, 10 },           { '*', 11, 11 },           { '/', 11, 11 },
    { NCS_W_DIVIDE, 11, 11 },  { '%', 11, 11 },           { '^', 14, 13 },
};
/* clang-format on */
enum { OPERATORS = sizeof operators / sizeof *operators, UNARY = 12 };

static int operator_at(const struct ncs_reader *r)
{
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].word == r->x.word)
            return i;
    return -1;
}

static void above(struct ncs_reader *r, int limit)
{
    if (!ncs_lint_enter(r))
        return;
    if (ncs_lint_take(r, NCS_W_NOT) || ncs_lint_take(r, '-') || ncs_lint_take(r, '~') || ncs_lint_take(r, '#'))
        above(r, UNARY);
    else
        simple(r);
    for (int i; (i = operator_at(r)) >= 0 && operators[i].left > limit;) {
        ncs_lint_next(&r->x);
        above(r, operators[i].right);
    }
    ncs_lint_leave(r);
}

void ncs_lint_expr(struct ncs_reader *r)
{
    above(r, 0);
}

void ncs_lint_expr_list(struct ncs_reader *r)
{
    do
        ncs_lint_expr(r);
    while (ncs_lint_take(r, ','));
}
