/* The YAML notation of scenarios. Its schema is one table; the check of files, their translation to Lua
 * and the JSON Schema follow from it. There is no second engine: ncclscript runs the translation. */
#ifndef NCS_NOTATION_NOTATION_H
#define NCS_NOTATION_NOTATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/complaint.h"
#include "base/source.h"
#include "base/str.h"

/* True for names of files in this notation: "scenario.yaml", "x.yml". */
bool ncs_notation_is(const char *file);

/* A key in a declaration, by its name in Lua. */
struct ncs_key_line {
    char *name;
    int line, depth; /* of the source; 0 = at the top level */
};

struct ncs_translation {
    struct ncs_str lua; /* a complete scenario, in the style of a person */
    int *line;          /* of the source, for each line of lua */
    size_t lines;
    struct ncs_key_line *key; /* in their order: lua may have several on one line */
    size_t keys;
};

/* Checks the whole file and translates it. Returns false and c with all errors that can be found without
 * running it. `unsafe`: its env may hold variables that need --unsafe. */
bool ncs_notation_translate(const struct ncs_source *source, bool unsafe, struct ncs_translation *out, struct ncs_complaints *c);
void ncs_translation_free(struct ncs_translation *t);

/* The JSON Schema (draft-07) of the notation. */
void ncs_notation_schema(struct ncs_str *out);

#endif
