/* YAML 1.2 core as a tree in which each node knows its place. libyaml scans; typing, duplicate keys,
 * aliases and limits are here. Knows nothing of scenarios. */
#ifndef NCS_YAML_YAML_H
#define NCS_YAML_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/source.h"

enum ncs_yaml_kind {
    NCS_YAML_NULL, NCS_YAML_BOOL, NCS_YAML_INT, NCS_YAML_FLOAT, NCS_YAML_TEXT, NCS_YAML_LIST,
    NCS_YAML_MAP
};

struct ncs_yaml_node {
    enum ncs_yaml_kind kind;
    bool plain;               /* a scalar without quotes, not a block */
    struct ncs_span at;       /* where it stands, quotes included; of an alias: where the alias does */
    const char *text;         /* of a scalar: as it is meant (escapes done), zero at its end */
    size_t bytes;
    int64_t i;                /* INT; BOOL: 0 or 1 */
    double d;                 /* FLOAT, INT */
    const struct ncs_yaml_node **item; /* LIST: items; MAP: key, value, key, value ... */
    size_t items;             /* LIST: of items, MAP: of pairs */
};

struct ncs_yaml;

/* The tree of a source that holds one document; NULL when there are errors in c. Stops at the first
 * error of syntax; all others (duplicate keys, tags, merge keys, keys that are no scalars, aliases of
 * what is not there or not closed) are said in one go. Limits: 16 MiB, 64 levels, 2 million nodes, an
 * expanded size of 10 million nodes. An empty document is a NULL node. */
struct ncs_yaml *ncs_yaml_read(const struct ncs_source *source, struct ncs_complaints *c);
const struct ncs_yaml_node *ncs_yaml_root(const struct ncs_yaml *y);
void ncs_yaml_free(struct ncs_yaml *y);

/* The value of a key of a MAP, or NULL. */
const struct ncs_yaml_node *ncs_yaml_get(const struct ncs_yaml_node *map, const char *key);

/* Where a part of a scalar's text stands in the source. Exact for plain and quoted scalars on one
 * line without escapes and for literal blocks; otherwise the place of the whole scalar. */
struct ncs_span ncs_yaml_part(const struct ncs_yaml *y, const struct ncs_yaml_node *scalar,
                              size_t at, size_t bytes);

#endif
