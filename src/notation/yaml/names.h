/* A map from texts to numbers: the keys of one map, the anchors of a document. */
#ifndef NCS_YAML_NAMES_H
#define NCS_YAML_NAMES_H

#include <stddef.h>

struct ncs_names {
    struct ncs_name_slot *slot;
    size_t room, mask, count; /* mask + 1 of the slots are in use now */
};

/* Empties the set, for about `count` names. */
void ncs_names_clear(struct ncs_names *n, size_t count);
/* Pointer to the number of a text; NULL = absent. */
size_t *ncs_names_find(const struct ncs_names *n, const char *text, size_t bytes);
/* Adds a text (borrowed) with `number` unless the text is present; returns the stored number. */
size_t *ncs_names_put(struct ncs_names *n, const char *text, size_t bytes, size_t number);
void ncs_names_free(struct ncs_names *n);

#endif
