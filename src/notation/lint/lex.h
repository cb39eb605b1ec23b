/* The words of Lua 5.4 with their places. Only for the wing lint. */
#ifndef NCS_LINT_LEX_H
#define NCS_LINT_LEX_H

#include "notation/lint/lint.h"

/* A word of one byte has the byte as its value; so has a byte that begins no word. */
/* clang-format off */
enum ncs_lint_word {
    NCS_W_END = 256, NCS_W_NAME, NCS_W_NUMBER, NCS_W_TEXT,
    /* the reserved words, in alphabetical order */
    NCS_W_AND, NCS_W_BREAK, NCS_W_DO, NCS_W_ELSE, NCS_W_ELSEIF, NCS_W_END_BLOCK, NCS_W_FALSE,
    NCS_W_FOR, NCS_W_FUNCTION, NCS_W_GOTO, NCS_W_IF, NCS_W_IN, NCS_W_LOCAL, NCS_W_NIL, NCS_W_NOT,
    NCS_W_OR, NCS_W_REPEAT, NCS_W_RETURN, NCS_W_THEN, NCS_W_TRUE, NCS_W_UNTIL, NCS_W_WHILE,
    /* symbols of more than one byte */
    NCS_W_DIVIDE, NCS_W_CONCAT, NCS_W_DOTS, NCS_W_EQUAL, NCS_W_AT_LEAST, NCS_W_AT_MOST,
    NCS_W_DIFFERS, NCS_W_LEFT, NCS_W_RIGHT, NCS_W_LABEL,
};
/* clang-format on */

struct ncs_lexer {
    const char *text;
    size_t bytes;
    size_t at;            /* behind the current word */
    int word;             /* the current one */
    struct ncs_span span; /* its place */
    bool failed;          /* err is filled; every further word is the end */
    struct ncs_lint_error *err;
};

/* Moves to the next word. */
void ncs_lint_next(struct ncs_lexer *x);
/* The word after the current one, without moving. */
int ncs_lint_peek(const struct ncs_lexer *x);

/* Records the first error, which ends the text. Returns x->err for details; NULL if there was an error before. */
struct ncs_lint_error *ncs_lint_fail(struct ncs_lexer *x, struct ncs_span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports "unexpected symbol `)`, expected WANTED" at the current word. */
struct ncs_lint_error *ncs_lint_unexpected(struct ncs_lexer *x, const char *wanted);

/* Formats a piece of the text for messages: one line, cut if long. Returns shown. */
#define NCS_LINT_SHOWN 48
const char *ncs_lint_shown(const char *text, size_t bytes, char shown[NCS_LINT_SHOWN]);

#endif
