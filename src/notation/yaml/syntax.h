/* Where libyaml stumbled, for those who say why. */
#ifndef NCS_YAML_SYNTAX_H
#define NCS_YAML_SYNTAX_H

#include "notation/yaml/private.h"

struct ncs_trouble {
    const yaml_parser_t *parser;
    const struct ncs_source *source;
    struct ncs_complaints *c;
    size_t at;            /* the byte that libyaml did not like */
    size_t from;          /* where that began in which it stands; `at` when libyaml does not say */
    size_t bracket;       /* the innermost bracket or block that is open; SIZE_MAX = none */
    const struct ncs_yaml_node *last; /* the scalar before, or NULL */
};

/* ---- lines (layout.c); of a line is meant the byte at which it begins ---- */

size_t ncs_line_of(const struct ncs_source *s, size_t at);
size_t ncs_line_indent(const struct ncs_source *s, size_t line); /* in blanks */
/* Where a line's text begins, behind its blanks and the "- " of items. */
size_t ncs_line_content(const struct ncs_source *s, size_t line);
/* The nearest line above that is neither empty nor a comment; SIZE_MAX = none. */
size_t ncs_line_above(const struct ncs_source *s, size_t line);
/* From `at` to the end of the text of its line, without a comment. */
struct ncs_span ncs_line_rest(const struct ncs_source *s, size_t at);
/* The word at `at`; of length 1 where there is none. */
struct ncs_span ncs_line_word(const struct ncs_source *s, size_t at);
/* Where the first ": " (or ":" at the end) between two bytes is; `to` = there is none. */
size_t ncs_line_colon(const struct ncs_source *s, size_t from, size_t to);

/* Hints "WHAT: 'value'", when the value is short and quoting it is that simple, else "WHAT". */
void ncs_trouble_quote(const struct ncs_trouble *t, const char *what, struct ncs_span value);

/* What is wrong with the indentation or the keys of a block (blocks.c). */
void ncs_trouble_key(const struct ncs_trouble *t);    /* no key where one must be */
void ncs_trouble_item(const struct ncs_trouble *t);   /* no '-' where one must be */
void ncs_trouble_colon(const struct ncs_trouble *t);  /* a ':' where none can be */
void ncs_trouble_no_colon(const struct ncs_trouble *t);
void ncs_trouble_after(const struct ncs_trouble *t, const struct ncs_yaml_node *root);

#endif
