/* Reads Lua 5.4 without running it: its syntax, and every name that is not a local. */
#ifndef NCS_LINT_LINT_H
#define NCS_LINT_LINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/complaint.h"
#include "base/source.h"

/* A use of a free name, and the constant fields behind it: `nccl.group` or `cuda.buffer(...)`. */
struct ncs_lint_name {
    const char *name, *field;        /* field NULL: none; not terminated: see bytes of the spans */
    struct ncs_span at, field_at;    /* in the text that was given */
    bool assigned;                   /* stands on the left side of an assignment */
    bool method;                     /* name:field */
    bool called;                     /* what was read is called */
};

struct ncs_lint_error {
    struct ncs_span at;
    char text[200];                  /* "unexpected symbol `)`, expected an expression" */
    struct ncs_span open;            /* of an unclosed bracket, text or block: where it began */
    bool has_open;
};

/* Calls on_name for every use of a free name of a chunk or of one expression, in the order of the
 * text. False and *err for what is not Lua. Texts nested deeper than 200 levels are refused, as Lua
 * does. Safe for any bytes. */
bool ncs_lint_chunk(const char *text, size_t bytes,
                    void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                    struct ncs_lint_error *err);
bool ncs_lint_expression(const char *text, size_t bytes,
                         void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                         struct ncs_lint_error *err);

/* Whether it has no statement but calls of the function with that name, as `name { ... }`; of a chunk. */
bool ncs_lint_only_calls(const char *text, size_t bytes, const char *name);

/* A statement of a chunk's own, in none of its blocks. */
struct ncs_lint_statement {
    struct ncs_span at;              /* up to where the next word begins */
    bool local;                      /* local NAMES, local NAMES = ..., local function NAME */
    bool function;                   /* of a local one */
    bool closes;                     /* <close> stands behind a name */
    bool valued;                     /* `=` stands behind the names */
    size_t names_end;                /* of a local one that is no function: where they end */
};

/* Calls on_statement for them in their order, then as ncs_lint_chunk. What came before an error was told. */
bool ncs_lint_split(const char *text, size_t bytes,
                    void (*on_statement)(void *arg, const struct ncs_lint_statement *s), void *arg,
                    struct ncs_lint_error *err);

/* Adds the error to the complaints about a text in which the chunk begins at `skip`. */
void ncs_lint_complain(const struct ncs_lint_error *e, size_t skip, struct ncs_complaints *c);

#endif
