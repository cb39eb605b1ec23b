/* Shared by the files of the wing lint: a chunk while it is read, with its functions, blocks and locals. */
#ifndef NCS_LINT_READER_H
#define NCS_LINT_READER_H

#include "notation/lint/lex.h"

/* Limits of Lua's compiler. */
#define NCS_LINT_LEVELS 200
#define NCS_LINT_LOCALS 200
#define NCS_LINT_UPVALUES 255

struct ncs_lint_word_of { /* a name; of the text or our own */
    const char *text;
    size_t bytes;
};

struct ncs_lint_local {
    struct ncs_lint_word_of name;
    bool readonly; /* <const>, <close> */
};

struct ncs_lint_label {
    struct ncs_lint_word_of name;
    struct ncs_span at;
    size_t active; /* locals of the function that were there */
};

struct ncs_lint_block {
    struct ncs_lint_block *outer;
    size_t active, first_label, first_jump;
    bool loop;
};

struct ncs_lint_function {
    struct ncs_lint_function *outer;
    struct ncs_lint_block *block;
    size_t first_local, active, first_label; /* active: locals in scope, of its own */
    struct ncs_lint_local *upvalue;
    size_t upvalues, upvalue_room;
    bool varargs;
};

struct ncs_reader {
    struct ncs_lexer x;
    int depth;
    struct ncs_lint_function *function;
    struct ncs_lint_local *local; /* of all functions that are open, outermost first */
    struct ncs_lint_label *label; /* that a goto can see, or its function's blocks */
    struct ncs_lint_label *jump;  /* gotos without a label so far; name.text NULL: a break */
    size_t locals, local_room, labels, label_room, jumps, jump_room;
    void (*on_name)(void *arg, const struct ncs_lint_name *name);
    void (*on_twice)(void *arg, struct ncs_span key, struct ncs_span first);
    void (*on_statement)(void *arg, const struct ncs_lint_statement *s);
    struct ncs_lint_statement own; /* the chunk's own that is being read */
    void *arg;
};

/* ---- scope.c ---- */

void ncs_lint_open_function(struct ncs_reader *r, struct ncs_lint_function *f, bool varargs);
void ncs_lint_close_function(struct ncs_reader *r);
void ncs_lint_open_block(struct ncs_reader *r, struct ncs_lint_block *b, bool loop);
void ncs_lint_close_block(struct ncs_reader *r);

/* Declares a local; it is in scope only once it is activated, with all others before it. */
void ncs_lint_declare(struct ncs_reader *r, struct ncs_lint_word_of name, bool readonly);
void ncs_lint_declare_hidden(struct ncs_reader *r, int count);
void ncs_lint_activate(struct ncs_reader *r);

enum ncs_lint_found {
    NCS_LINT_GLOBAL, /* a name of the environment */
    NCS_LINT_FIELD,  /* a field of an _ENV of the script's own */
    NCS_LINT_LOCAL,
    NCS_LINT_READONLY,
};
enum ncs_lint_found ncs_lint_find(struct ncs_reader *r, struct ncs_lint_word_of name);

void ncs_lint_label(struct ncs_reader *r, struct ncs_span name, bool last);
/* Records a goto; name.text NULL: a break. */
void ncs_lint_jump(struct ncs_reader *r, struct ncs_lint_word_of name, struct ncs_span at);

/* ---- expression.c ---- */

enum ncs_lint_form { NCS_LINT_VALUE, NCS_LINT_VARIABLE, NCS_LINT_CALL };
struct ncs_lint_term {
    enum ncs_lint_form form;
    bool readonly;        /* a local that may not be assigned */
    struct ncs_span name; /* of a lone local */
};

void ncs_lint_expr(struct ncs_reader *r);
void ncs_lint_expr_list(struct ncs_reader *r);
/* Reads a variable or call; `target`: it may be the left side of an assignment. */
struct ncs_lint_term ncs_lint_suffixed(struct ncs_reader *r, bool target);
/* Reads a function's parameters and block, up to its end; `opening` is the word that began it. */
void ncs_lint_body(struct ncs_reader *r, bool method, struct ncs_span opening);
/* Passes a free name to on_name; the current word follows it and its field. */
void ncs_lint_report(struct ncs_reader *r, struct ncs_span at, struct ncs_span field, bool method, bool assigned, bool called);

/* Enters one level of nesting; false, after an error, at Lua's limit. */
bool ncs_lint_enter(struct ncs_reader *r);
void ncs_lint_leave(struct ncs_reader *r);

bool ncs_lint_is(const struct ncs_reader *r, int word);
/* Skips the current word if it is this one. */
bool ncs_lint_take(struct ncs_reader *r, int word);
void ncs_lint_want(struct ncs_reader *r, int word, const char *shown);
/* As ncs_lint_want, for a word that closes an opened one. */
void ncs_lint_want_close(struct ncs_reader *r, int word, const char *shown, struct ncs_span opening);
struct ncs_span ncs_lint_want_name(struct ncs_reader *r, const char *wanted);
struct ncs_lint_word_of ncs_lint_word_at(const struct ncs_reader *r, struct ncs_span at);

/* ---- statement.c ---- */

void ncs_lint_statements(struct ncs_reader *r);

#endif
