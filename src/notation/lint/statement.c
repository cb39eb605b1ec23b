/* Reads statements and chunks. */
#include <string.h>

#include "base/mem.h"
#include "notation/lint/reader.h"

static const struct ncs_span nowhere;

static bool block_ends(const struct ncs_reader *r, bool at_until)
{
    switch (r->x.word) {
    case NCS_W_END:
    case NCS_W_END_BLOCK:
    case NCS_W_ELSE:
    case NCS_W_ELSEIF: return true;
    case NCS_W_UNTIL: return at_until;
    default: return false;
    }
}

static void block(struct ncs_reader *r)
{
    struct ncs_lint_block b;
    ncs_lint_open_block(r, &b, false);
    ncs_lint_statements(r);
    ncs_lint_close_block(r);
}

static void condition(struct ncs_reader *r, int word, const char *shown)
{
    ncs_lint_next(&r->x);
    ncs_lint_expr(r);
    ncs_lint_want(r, word, shown);
}

static void if_statement(struct ncs_reader *r, struct ncs_span opening)
{
    condition(r, NCS_W_THEN, "`then`");
    block(r);
    while (ncs_lint_is(r, NCS_W_ELSEIF)) {
        condition(r, NCS_W_THEN, "`then`");
        block(r);
    }
    if (ncs_lint_take(r, NCS_W_ELSE))
        block(r);
    ncs_lint_want_close(r, NCS_W_END_BLOCK, "`end`", opening);
}

static void while_statement(struct ncs_reader *r, struct ncs_span opening)
{
    struct ncs_lint_block loop;
    ncs_lint_next(&r->x);
    ncs_lint_expr(r);
    ncs_lint_open_block(r, &loop, true);
    ncs_lint_want(r, NCS_W_DO, "`do`");
    block(r);
    ncs_lint_want_close(r, NCS_W_END_BLOCK, "`end`", opening);
    ncs_lint_close_block(r);
}

static void repeat_statement(struct ncs_reader *r, struct ncs_span opening)
{
    struct ncs_lint_block loop, inner;
    ncs_lint_open_block(r, &loop, true);
    ncs_lint_open_block(r, &inner, false);
    ncs_lint_next(&r->x);
    ncs_lint_statements(r);
    ncs_lint_want_close(r, NCS_W_UNTIL, "`until`", opening);
    ncs_lint_expr(r); /* sees the locals of the block */
    ncs_lint_close_block(r);
    ncs_lint_close_block(r);
}

static void declare_name(struct ncs_reader *r, struct ncs_span name)
{
    ncs_lint_declare(r, ncs_lint_word_at(r, name), false);
}

/* Reads from `do`; the variables have been declared. */
static void for_body(struct ncs_reader *r)
{
    struct ncs_lint_block b;
    ncs_lint_want(r, NCS_W_DO, "`do`");
    ncs_lint_activate(r);
    ncs_lint_open_block(r, &b, false);
    ncs_lint_statements(r);
    ncs_lint_close_block(r);
}

static void for_statement(struct ncs_reader *r, struct ncs_span opening)
{
    struct ncs_lint_block loop;
    ncs_lint_open_block(r, &loop, true);
    ncs_lint_next(&r->x);
    struct ncs_span name = ncs_lint_want_name(r, "the variable of the loop");
    if (ncs_lint_is(r, '=')) {
        ncs_lint_declare_hidden(r, 3);
        declare_name(r, name);
        ncs_lint_next(&r->x);
        ncs_lint_expr(r);
        ncs_lint_want(r, ',', "`,` and the last value");
        ncs_lint_expr(r);
        if (ncs_lint_take(r, ','))
            ncs_lint_expr(r);
    } else if (ncs_lint_is(r, ',') || ncs_lint_is(r, NCS_W_IN)) {
        ncs_lint_declare_hidden(r, 4);
        declare_name(r, name);
        while (ncs_lint_take(r, ','))
            declare_name(r, ncs_lint_want_name(r, "a variable of the loop"));
        ncs_lint_want(r, NCS_W_IN, "`in`");
        ncs_lint_expr_list(r);
    } else {
        ncs_lint_unexpected(&r->x, "`=` or `in`");
    }
    for_body(r);
    ncs_lint_want_close(r, NCS_W_END_BLOCK, "`end`", opening);
    ncs_lint_close_block(r);
}

static void fail_readonly(struct ncs_reader *r, struct ncs_span name)
{
    char shown[NCS_LINT_SHOWN];
    ncs_lint_fail(&r->x, name, "`%s` is constant and cannot be assigned", ncs_lint_shown(r->x.text + name.at, name.bytes, shown));
}

/* Reads function a.b.c:d() end. */
static void function_statement(struct ncs_reader *r, struct ncs_span opening)
{
    struct ncs_span field = nowhere;
    bool method = false, deep = false;
    ncs_lint_next(&r->x);
    struct ncs_span name = ncs_lint_want_name(r, "the name of the function");
    enum ncs_lint_found found = ncs_lint_find(r, ncs_lint_word_at(r, name));
    while (!method && (ncs_lint_is(r, '.') || ncs_lint_is(r, ':'))) {
        method = ncs_lint_is(r, ':');
        ncs_lint_next(&r->x);
        struct ncs_span part = ncs_lint_want_name(r, "the name of a field");
        deep = field.bytes > 0;
        field = deep ? field : part;
    }
    if (found == NCS_LINT_GLOBAL)
        ncs_lint_report(r, name, field, method && !deep, !deep, false);
    ncs_lint_body(r, method, opening);
    if (found == NCS_LINT_READONLY && !field.bytes)
        fail_readonly(r, name);
}

/* True outside all of the chunk's blocks and functions. */
static bool is_chunks_own(const struct ncs_reader *r)
{
    return !r->function->outer && !r->function->block->outer;
}

static void local_function(struct ncs_reader *r, struct ncs_span opening)
{
    ncs_lint_next(&r->x);
    declare_name(r, ncs_lint_want_name(r, "the name of the function"));
    ncs_lint_activate(r); /* the function may call itself */
    ncs_lint_body(r, false, opening);
    if (is_chunks_own(r))
        r->own = (struct ncs_lint_statement){ .local = true, .function = true };
}

/* Reads <const> or <close> after the name of a local; *close counts the latter. */
static bool attribute(struct ncs_reader *r, int *close)
{
    char shown[NCS_LINT_SHOWN];
    if (!ncs_lint_take(r, '<'))
        return false;
    struct ncs_span at = ncs_lint_want_name(r, "`const` or `close`");
    struct ncs_lint_word_of word = ncs_lint_word_at(r, at);
    ncs_lint_want(r, '>', "`>`");
    if (r->x.failed)
        return false;
    bool is_close = word.bytes == 5 && memcmp(word.text, "close", 5) == 0;
    if (!is_close && (word.bytes != 5 || memcmp(word.text, "const", 5) != 0))
        ncs_lint_fail(&r->x, at, "no attribute `%s`, expected `const` or `close`", ncs_lint_shown(word.text, word.bytes, shown));
    else if (is_close && (*close)++)
        ncs_lint_fail(&r->x, at, "a second `<close>` in one statement");
    return true;
}

static void local_statement(struct ncs_reader *r)
{
    struct ncs_lint_statement own = { .local = true };
    int close = 0;
    do {
        struct ncs_span name = ncs_lint_want_name(r, "the name of a local variable");
        own.names_end = name.at + name.bytes;
        bool readonly = attribute(r, &close);
        ncs_lint_declare(r, ncs_lint_word_at(r, name), readonly);
    } while (ncs_lint_take(r, ','));
    own.closes = close > 0;
    own.valued = ncs_lint_take(r, '=');
    if (own.valued)
        ncs_lint_expr_list(r);
    ncs_lint_activate(r);
    if (is_chunks_own(r))
        r->own = own;
}

static void assignment(struct ncs_reader *r, struct ncs_lint_term target)
{
    if (target.form != NCS_LINT_VARIABLE) {
        ncs_lint_fail(&r->x, r->x.span, "%s cannot be assigned, expected a variable before it",
                      target.form == NCS_LINT_CALL ? "a call" : "a value in parentheses");
        return;
    }
    if (target.readonly)
        fail_readonly(r, target.name);
    if (!ncs_lint_take(r, ',')) {
        ncs_lint_want(r, '=', "`=`");
        ncs_lint_expr_list(r);
    } else {
        struct ncs_lint_term next = ncs_lint_suffixed(r, true);
        if (ncs_lint_enter(r))
            assignment(r, next);
        ncs_lint_leave(r);
    }
}

static void expression_statement(struct ncs_reader *r)
{
    struct ncs_span at = r->x.span;
    struct ncs_lint_term term = ncs_lint_suffixed(r, true);
    if (ncs_lint_is(r, '=') || ncs_lint_is(r, ','))
        assignment(r, term);
    else if (term.form != NCS_LINT_CALL && !ncs_lint_is(r, NCS_W_END))
        ncs_lint_unexpected(&r->x, "a call or an assignment");
    else if (term.form != NCS_LINT_CALL)
        ncs_lint_fail(&r->x, at, "this is no statement, expected a call or an assignment");
}

static void return_statement(struct ncs_reader *r)
{
    ncs_lint_next(&r->x);
    if (!block_ends(r, true) && !ncs_lint_is(r, ';'))
        ncs_lint_expr_list(r);
    ncs_lint_take(r, ';');
}

static void goto_statement(struct ncs_reader *r)
{
    ncs_lint_next(&r->x);
    struct ncs_span name = ncs_lint_want_name(r, "the name of a label");
    if (!r->x.failed)
        ncs_lint_jump(r, ncs_lint_word_at(r, name), name);
}

static void label_statement(struct ncs_reader *r);

static void statement(struct ncs_reader *r)
{
    struct ncs_span at = r->x.span;
    if (!ncs_lint_enter(r))
        return;
    switch (r->x.word) {
    case ';': ncs_lint_next(&r->x); break;
    case NCS_W_IF: if_statement(r, at); break;
    case NCS_W_WHILE: while_statement(r, at); break;
    case NCS_W_DO:
        ncs_lint_next(&r->x);
        block(r);
        ncs_lint_want_close(r, NCS_W_END_BLOCK, "`end`", at);
        break;
    case NCS_W_FOR: for_statement(r, at); break;
    case NCS_W_REPEAT: repeat_statement(r, at); break;
    case NCS_W_FUNCTION: function_statement(r, at); break;
    case NCS_W_LOCAL:
        ncs_lint_next(&r->x);
        if (ncs_lint_is(r, NCS_W_FUNCTION))
            local_function(r, at);
        else
            local_statement(r);
        break;
    case NCS_W_LABEL: label_statement(r); break;
    case NCS_W_RETURN: return_statement(r); break;
    case NCS_W_BREAK:
        ncs_lint_next(&r->x);
        ncs_lint_jump(r, (struct ncs_lint_word_of){ NULL, 0 }, at);
        break;
    case NCS_W_GOTO: goto_statement(r); break;
    default: expression_statement(r);
    }
    ncs_lint_leave(r);
}

/* At the end of its block, a goto may jump over the block's locals to a label. */
static void label_statement(struct ncs_reader *r)
{
    ncs_lint_next(&r->x);
    struct ncs_span name = ncs_lint_want_name(r, "the name of a label");
    ncs_lint_want(r, NCS_W_LABEL, "`::`");
    while (ncs_lint_is(r, ';') || ncs_lint_is(r, NCS_W_LABEL))
        statement(r);
    if (!r->x.failed)
        ncs_lint_label(r, name, block_ends(r, false));
}

void ncs_lint_statements(struct ncs_reader *r)
{
    while (!block_ends(r, true)) {
        bool is_return = ncs_lint_is(r, NCS_W_RETURN);
        bool own = r->on_statement && is_chunks_own(r);
        size_t at = r->x.span.at;
        if (own)
            r->own = (struct ncs_lint_statement){ .local = false };
        statement(r);
        if (own && !r->x.failed) {
            r->own.at = (struct ncs_span){ at, r->x.span.at - at };
            r->on_statement(r->arg, &r->own);
        }
        if (is_return)
            return;
    }
}

/* ---- whole texts ---- */

static bool read(struct ncs_reader *r, bool expression, struct ncs_lint_error *err)
{
    struct ncs_lint_error unused;
    struct ncs_lint_function main;
    struct ncs_lint_block b;
    r->x.err = err ? err : &unused;
    memset(r->x.err, 0, sizeof *r->x.err);
    ncs_lint_open_function(r, &main, !expression);
    ncs_lint_open_block(r, &b, false);
    ncs_lint_next(&r->x);
    if (expression)
        ncs_lint_expr(r);
    else
        ncs_lint_statements(r);
    if (!ncs_lint_is(r, NCS_W_END))
        ncs_lint_unexpected(&r->x,
                            expression ? "an operator or the end of the expression" : "a statement or the end of the text");
    ncs_lint_close_block(r);
    ncs_lint_close_function(r);
    ncs_free(r->local);
    ncs_free(r->label);
    ncs_free(r->jump);
    return !r->x.failed;
}

bool ncs_lint_chunk(const char *text, size_t bytes, void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                    struct ncs_lint_error *err)
{
    struct ncs_reader r = { .x = { .text = text, .bytes = bytes }, .on_name = on_name, .arg = arg };
    return read(&r, false, err);
}

bool ncs_lint_repeated_keys(const char *text, size_t bytes,
                            void (*on_twice)(void *arg, struct ncs_span key, struct ncs_span first), void *arg,
                            struct ncs_lint_error *err)
{
    struct ncs_reader r = { .x = { .text = text, .bytes = bytes }, .on_twice = on_twice, .arg = arg };
    return read(&r, false, err);
}

bool ncs_lint_split(const char *text, size_t bytes, void (*on_statement)(void *arg, const struct ncs_lint_statement *s),
                    void *arg, struct ncs_lint_error *err)
{
    struct ncs_reader r = { .x = { .text = text, .bytes = bytes }, .on_statement = on_statement, .arg = arg };
    return read(&r, false, err);
}

bool ncs_lint_expression(const char *text, size_t bytes, void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                         struct ncs_lint_error *err)
{
    struct ncs_reader r = { .x = { .text = text, .bytes = bytes }, .on_name = on_name, .arg = arg };
    return read(&r, true, err);
}
