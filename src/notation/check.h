/* The parts of the check. Each adds its errors to the scope's list of complaints. */
#ifndef NCS_NOTATION_CHECK_H
#define NCS_NOTATION_CHECK_H

#include "notation/scope.h"

enum ncs_scope_kind {
    NCS_SCOPE_STEPS,    /* on a rank */
    NCS_SCOPE_ELEMENTS, /* and for each element i */
    NCS_SCOPE_PARAM,    /* before there are ranks: param alone */
    NCS_SCOPE_RUN,      /* param, nranks, run */
};

/* Checks the whole file; true if it has no errors. Leaves the names of the file in the scope. */
bool ncs_check_scope(struct ncs_scope *s);

/* Checks one value of a field; `owner` is the verb or key that it belongs to. */
void ncs_check_value(struct ncs_scope *s, const char *owner, const struct ncs_schema_field *field,
                     const struct ncs_yaml_node *node);

/* Checks a literal number or boolean against the bounds of its field, if it has some. False: it was reported. */
bool ncs_check_bounds(struct ncs_scope *s, const char *owner, const struct ncs_schema_field *field,
                      const struct ncs_yaml_node *node);

/* Checks a map against its fields: unknown keys, missing ones, values. Errors about missing keys point at `at`. */
void ncs_check_fields(struct ncs_scope *s, const char *owner, struct ncs_span at, const struct ncs_schema_field *fields,
                      const struct ncs_yaml_node *map);

void ncs_check_expression(struct ncs_scope *s, const char *owner, enum ncs_scope_kind scope, const struct ncs_yaml_node *node);
void ncs_check_text(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node);
void ncs_check_chunk(struct ncs_scope *s, const struct ncs_yaml_node *node);

/* Checks a name that refers to a thing of a kind. */
void ncs_check_reference(struct ncs_scope *s, const char *owner, const struct ncs_schema_field *field,
                         const struct ncs_yaml_node *node);
void ncs_check_declared(struct ncs_scope *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node);
void ncs_check_matrix(struct ncs_scope *s, const struct ncs_yaml_node *node);
void ncs_check_exclude(struct ncs_scope *s, const struct ncs_yaml_node *node);
void ncs_check_steps(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *list);
/* Registers the names that steps make; counts the steps. */
void ncs_check_step_names(struct ncs_scope *s, const struct ncs_yaml_node *list);

/* Gives a name to a new thing; false if the name is not allowed, which has been reported. */
bool ncs_check_new_name(struct ncs_scope *s, enum ncs_thing_kind kind, const struct ncs_yaml_node *name);

/* Reports a value of the wrong kind: "recv must be a buffer, got a list", with a hint if the intention can
 * be guessed. Returns false. */
bool ncs_check_wrong(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *node, const char *expected);
/* True if an unknown key of the map is probably a misspelling of this field. */
bool ncs_check_is_misspelt(const struct ncs_schema_field *fields, const struct ncs_yaml_node *map, const char *name);
/* Adds the nearest name as the hint of the last complaint; false if no name is near. */
bool ncs_check_near(struct ncs_scope *s, const char *word, const char *const *names, size_t count);
/* Report a word that is not among the names, with the nearest name. */
void ncs_check_unknown_key(struct ncs_scope *s, const char *owner, const struct ncs_yaml_node *key, const char *const *names,
                           size_t count);
bool ncs_check_unknown(struct ncs_scope *s, struct ncs_span at, const char *what, const char *word, const char *where,
                       const char *const *names, size_t count);

#endif
