/* The YAML notation of scenarios: its form as one table, from which files are checked, translated to
 * the Lua that does the same, and the JSON Schema is written. There is no second engine: what runs is
 * the translation. */
#ifndef NCS_NOTATION_NOTATION_H
#define NCS_NOTATION_NOTATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/complaint.h"
#include "base/source.h"
#include "base/str.h"

/* "scenario.yaml", "x.yml": a file in this notation, by its name. */
bool ncs_notation_is(const char *file);

/* A key of what the file declares, by its name in Lua. */
struct ncs_key_line {
    char *name;
    int line, depth; /* of the source; 0 = at the top level */
};

struct ncs_translation {
    struct ncs_str lua; /* a scenario of its own, as a person would write it */
    int *line;          /* of the source, for each line of lua */
    size_t lines;
    struct ncs_key_line *key; /* in their order: lua may have several on one line */
    size_t keys;
};

/* Checks the whole file and translates it. False when there are errors in c: all that can be found
 * without running it. `unsafe`: its env may be what runs take only with --unsafe. */
bool ncs_notation_translate(const struct ncs_source *source, bool unsafe,
                            struct ncs_translation *out, struct ncs_complaints *c);
void ncs_translation_free(struct ncs_translation *t);

/* The JSON Schema (draft-07) of the notation. */
void ncs_notation_schema(struct ncs_str *out);

#endif
