/* The words of Lua 5.4 with their places. The wing lint only. */
#ifndef NCS_LINT_LEX_H
#define NCS_LINT_LEX_H

#include "notation/lint/lint.h"

/* A word that is one byte is that byte; so is a byte that begins no word at all. */
enum ncs_lint_word {
    NCS_W_END = 256, NCS_W_NAME, NCS_W_NUMBER, NCS_W_TEXT,
    /* the reserved words, in the order of the alphabet */
    NCS_W_AND, NCS_W_BREAK, NCS_W_DO, NCS_W_ELSE, NCS_W_ELSEIF, NCS_W_END_BLOCK, NCS_W_FALSE,
    NCS_W_FOR, NCS_W_FUNCTION, NCS_W_GOTO, NCS_W_IF, NCS_W_IN, NCS_W_LOCAL, NCS_W_NIL, NCS_W_NOT,
    NCS_W_OR, NCS_W_REPEAT, NCS_W_RETURN, NCS_W_THEN, NCS_W_TRUE, NCS_W_UNTIL, NCS_W_WHILE,
    /* symbols of more than one byte */
    NCS_W_DIVIDE, NCS_W_CONCAT, NCS_W_DOTS, NCS_W_EQUAL, NCS_W_AT_LEAST, NCS_W_AT_MOST,
    NCS_W_DIFFERS, NCS_W_LEFT, NCS_W_RIGHT, NCS_W_LABEL,
};

struct ncs_lexer {
    const char *text;
    size_t bytes;
    size_t at;               /* behind the current word */
    int word;                /* the current one */
    struct ncs_span span;    /* its place */
    bool failed;             /* err is filled; every further word is the end */
    struct ncs_lint_error *err;
};

/* Goes on to the next word. */
void ncs_lint_next(struct ncs_lexer *x);
/* The word behind the current one, which stays. */
int ncs_lint_peek(const struct ncs_lexer *x);

/* The first error counts, and ends the text. Returns x->err for more, NULL when it was not the first. */
struct ncs_lint_error *ncs_lint_fail(struct ncs_lexer *x, struct ncs_span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "unexpected symbol `)`, expected WANTED", about the current word. */
struct ncs_lint_error *ncs_lint_unexpected(struct ncs_lexer *x, const char *wanted);

/* Room for a piece of the text as messages show it: one line, cut when it is long. */
#define NCS_LINT_SHOWN 48
const char *ncs_lint_shown(const char *text, size_t bytes, char shown[NCS_LINT_SHOWN]);

#endif
