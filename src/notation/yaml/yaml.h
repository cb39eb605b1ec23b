/* YAML 1.2 core as a tree in which each node knows its place. libyaml scans; types, duplicate keys,
 * aliases and limits are handled here. Knows nothing of scenarios. */
#ifndef NCS_YAML_YAML_H
#define NCS_YAML_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/source.h"

/* Limits. A file larger than NCS_YAML_BYTES need not be read at all: ncs_yaml_read would refuse it. */
enum {
    NCS_YAML_BYTES = 16 << 20,
    NCS_YAML_DEPTH = 64,
    NCS_YAML_NODES = 2000000,
    NCS_YAML_EXPANDED = 10000000, /* nodes with aliases expanded */
};

enum ncs_yaml_kind { NCS_YAML_NULL, NCS_YAML_BOOL, NCS_YAML_INT, NCS_YAML_FLOAT, NCS_YAML_TEXT, NCS_YAML_LIST, NCS_YAML_MAP };

struct ncs_yaml_node {
    enum ncs_yaml_kind kind; /* of a plain scalar: by the core schema, but 017 is TEXT (see
                               * ncs_yaml_old_form) and an integer beyond int64 a FLOAT */
    bool plain;              /* a scalar without quotes, not a block */
    struct ncs_span at;      /* its place, quotes included; of an alias: the alias's own place */
    const char *text;        /* of a scalar: its value, with escapes resolved, zero at its end */
    size_t bytes;
    int64_t i;                         /* INT; BOOL: 0 or 1 */
    double d;                          /* FLOAT, INT */
    const struct ncs_yaml_node **item; /* LIST: items; MAP: key, value, key, value ... */
    size_t items;                      /* LIST: of items, MAP: of pairs */
    const struct ncs_yaml_node *of;    /* of an alias: the node it refers to (and shares content with); else NULL */
};

struct ncs_yaml;

/* Reads a source that holds one document into a tree; NULL if c has errors. Stops at the first syntax
 * error and at a limit; reports all other errors at once (duplicate keys, tags, merge keys, keys that are
 * no scalars, aliases of missing or unfinished nodes). Keys are scalars with a text, and all different. An
 * empty document is a NULL node. The caller keeps the source, which must live as long as the tree. */
struct ncs_yaml *ncs_yaml_read(const struct ncs_source *source, struct ncs_complaints *c);
const struct ncs_yaml_node *ncs_yaml_root(const struct ncs_yaml *y);
void ncs_yaml_free(struct ncs_yaml *y);

/* An INT or a FLOAT. */
bool ncs_yaml_is_number(const struct ncs_yaml_node *node);
/* The value of a key of a MAP, or NULL. */
const struct ncs_yaml_node *ncs_yaml_get(const struct ncs_yaml_node *map, const char *key);

/* The place in the source of a part of a scalar's text, mapped through escapes and continued lines. For an
 * alias, and where the text cannot be followed (some folded blocks): the place of the whole scalar. */
struct ncs_span ncs_yaml_part(const struct ncs_yaml *y, const struct ncs_yaml_node *scalar, size_t at, size_t bytes);

/* ---- hints for readers used to YAML 1.1 ---- */

/* Why an unquoted text is no number or boolean although YAML 1.1 had it as one (yes, off, 017, 1_000,
 * 12:30:45, 0b101), and how to write it; NULL for every other node. */
const char *ncs_yaml_old_form(const struct ncs_yaml_node *node);

/* Asks whether a blank is missing in an unquoted text such as "count:1" or "-barrier"; NULL for every
 * other node. For an unknown key, and for a text where a map or list is expected. */
const char *ncs_yaml_blank_missing(const struct ncs_yaml_node *node);

#endif
