/* The contents of a file of plain data, as a tree: lists, dictionaries, texts, numbers. The tree lies in an arena.
 * Parts may be shared, as pickles share them; no value contains itself. */
#ifndef NCS_TRACE_VALUE_H
#define NCS_TRACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum value_kind { VALUE_NONE, VALUE_BOOL, VALUE_WHOLE, VALUE_REAL, VALUE_TEXT, VALUE_LIST, VALUE_DICT };

struct value {
    unsigned char kind, depth; /* depth: once it is known that no value contains itself */
    bool seen;
    uint32_t count, room; /* of items; a dictionary has a key and a value for each entry */
    union {
        int64_t whole; /* a bool, too */
        double real;
        const char *text; /* valid UTF-8; NULL in no value */
        const struct value **item;
    };
};

enum { VALUE_DEPTH = 64, VALUE_TEXT_MOST = 1 << 20 };

struct value *ncs_value_new(struct ncs_arena *arena, enum value_kind kind);
struct value *ncs_value_text(struct ncs_arena *arena, const char *bytes, size_t count);
/* Appends; a dictionary gets its keys and values in turn. False: the value has too many items. */
bool ncs_value_append(struct ncs_arena *arena, struct value *into, const struct value *item);
/* False if a value contains itself, or if values are nested deeper than VALUE_DEPTH. */
bool ncs_value_is_tree(struct value *root);

/* The value of a key, which may come several times: the last one. NULL = none, or not a dictionary. */
const struct value *ncs_value_get(const struct value *v, const char *key);
/* The number of items of a list; 0 = not a list. */
size_t ncs_value_count(const struct value *list);
const struct value *ncs_value_at(const struct value *list, size_t at); /* NULL = none */
const char *ncs_value_as_text(const struct value *v);                  /* NULL = no text */
bool ncs_value_is_true(const struct value *v);
/* Reads a whole number, also one that is written as a text. */
bool ncs_value_as_whole(const struct value *v, int64_t *number);

/* Parses JSON; NULL and err with line and column. */
const struct value *ncs_value_of_json(struct ncs_arena *arena, const char *text, size_t bytes, struct ncs_error *err);

#endif
