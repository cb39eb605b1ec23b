/* Writes JSON for people: indented, members in the order of the calls. */
#ifndef NCS_NOTATION_JSON_H
#define NCS_NOTATION_JSON_H

#include <stdbool.h>

#include "base/str.h"

struct ncs_json {
    struct ncs_str *out;
    int depth;
    bool filled; /* the innermost brackets have content */
    bool named;  /* a name waits for its value */
};

void ncs_json_open(struct ncs_json *j, char bracket);  /* '{' or '[' */
void ncs_json_close(struct ncs_json *j, char bracket); /* '}' or ']' */
void ncs_json_name(struct ncs_json *j, const char *name);
void ncs_json_text(struct ncs_json *j, const char *text);
/* Writes a name and a text; a name and a raw value. */
void ncs_json_pair(struct ncs_json *j, const char *name, const char *text);
void ncs_json_pair_raw(struct ncs_json *j, const char *name, const char *value);

#endif
