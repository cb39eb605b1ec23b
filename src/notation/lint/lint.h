/* Reads Lua 5.4 without running it: its syntax, and every name that is not a local. */
#ifndef NCS_LINT_LINT_H
#define NCS_LINT_LINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/complaint.h"
#include "base/source.h"

/* A use of a free name with the constant field after it: `nccl.group` or `cuda.buffer(...)`. */
struct ncs_lint_name {
    const char *name, *field;     /* field NULL: none; not terminated, the spans have the lengths */
    struct ncs_span at, field_at; /* in the text that was given */
    bool assigned;                /* is on the left side of an assignment */
    bool method;                  /* name:field */
    bool called;                  /* the name, or the field if there is one, is called */
};

struct ncs_lint_error {
    struct ncs_span at;
    char text[200];       /* "unexpected symbol `)`, expected an expression" */
    struct ncs_span open; /* of an unclosed bracket, text or block: its beginning */
    bool has_open;
};

/* Calls on_name for every use of a free name of a chunk or of one expression, in the order of the text.
 * Returns false and *err for text that is not Lua. Refuses nesting deeper than 200 levels, as Lua does.
 * Safe for any bytes. */
bool ncs_lint_chunk(const char *text, size_t bytes, void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                    struct ncs_lint_error *err);
bool ncs_lint_expression(const char *text, size_t bytes, void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                         struct ncs_lint_error *err);

/* Calls on_twice for every name that is a key of one table constructor for the second time: Lua keeps only the last
 * value. Otherwise as ncs_lint_chunk. */
bool ncs_lint_repeated_keys(const char *text, size_t bytes,
                            void (*on_twice)(void *arg, struct ncs_span key, struct ncs_span first), void *arg,
                            struct ncs_lint_error *err);

/* True if the chunk contains only statements that call the function `name`, as `name { ... }`. */
bool ncs_lint_only_calls(const char *text, size_t bytes, const char *name);

/* A statement at the top level of a chunk, outside all blocks. */
struct ncs_lint_statement {
    struct ncs_span at; /* ends where the next word begins */
    bool local;         /* local NAMES, local NAMES = ..., local function NAME */
    bool function;      /* a local function */
    bool closes;        /* has <close> after a name */
    bool valued;        /* has `=` after the names */
    size_t names_end;   /* of a local variable: the end of its names */
};

/* Calls on_statement for these statements in order, otherwise as ncs_lint_chunk. Statements before an
 * error have been passed to it. */
bool ncs_lint_split(const char *text, size_t bytes, void (*on_statement)(void *arg, const struct ncs_lint_statement *s),
                    void *arg, struct ncs_lint_error *err);

/* Adds the error to the complaints about a source in which the chunk begins at byte `skip`. */
void ncs_lint_complain(const struct ncs_lint_error *e, size_t skip, struct ncs_complaints *c);

#endif
