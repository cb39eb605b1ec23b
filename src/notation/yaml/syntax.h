/* The place of libyaml's error, for the functions that explain it. */
#ifndef NCS_YAML_SYNTAX_H
#define NCS_YAML_SYNTAX_H

#include "notation/yaml/private.h"

struct ncs_trouble {
    const yaml_parser_t *parser;
    const struct ncs_source *source;
    struct ncs_complaints *c;
    size_t at;                        /* the byte at which libyaml reported the error */
    size_t from;                      /* the beginning of the construct around it; `at` if libyaml names none */
    size_t bracket;                   /* the innermost open bracket or block; SIZE_MAX = none */
    const struct ncs_yaml_node *last; /* the scalar before, or NULL */
};

/* ---- lines (layout.c); a line is given by the byte at which it begins ---- */

size_t ncs_line_of(const struct ncs_source *s, size_t at);
size_t ncs_line_indent(const struct ncs_source *s, size_t line); /* in blanks */
/* The beginning of a line's text, after its blanks and the "- " of items. */
size_t ncs_line_content(const struct ncs_source *s, size_t line);
/* The nearest line above that is neither empty nor a comment; SIZE_MAX = none. */
size_t ncs_line_above(const struct ncs_source *s, size_t line);
/* From `at` to the end of the line's text, without a comment. */
struct ncs_span ncs_line_rest(const struct ncs_source *s, size_t at);
/* The word at `at`; one byte if no word is there. */
struct ncs_span ncs_line_word(const struct ncs_source *s, size_t at);
/* The first ": " (or ":" at the end of a line) between two bytes; `to` = none. */
size_t ncs_line_colon(const struct ncs_source *s, size_t from, size_t to);

/* Hints "WHAT: 'value'" if the value is short and needs no escapes, else "WHAT". */
void ncs_trouble_quote(const struct ncs_trouble *t, const char *what, struct ncs_span value);

/* Report mistakes in the indentation or the keys of a block (blocks.c). */
void ncs_trouble_key(const struct ncs_trouble *t);   /* expected a key, found none */
void ncs_trouble_item(const struct ncs_trouble *t);  /* expected '-', found none */
void ncs_trouble_colon(const struct ncs_trouble *t); /* a ':' where none is allowed */
void ncs_trouble_no_colon(const struct ncs_trouble *t);
void ncs_trouble_after(const struct ncs_trouble *t, const struct ncs_yaml_node *root);

#endif
