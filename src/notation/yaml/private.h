/* Shared by the files of the wing yaml. */
#ifndef NCS_YAML_PRIVATE_H
#define NCS_YAML_PRIVATE_H

#include <yaml.h>

#include "base/arena.h"
#include "notation/yaml/names.h"
#include "notation/yaml/yaml.h"

/* As much of a text as a message shows: for "%.*s". */
enum { NCS_SHOWN_BYTES = 60 };
int ncs_shown(const char *text, size_t bytes);
#define NCS_SHOWN(s, span) ncs_shown((s)->text + (span).at, (span).bytes), (s)->text + (span).at

struct ncs_yaml {
    const struct ncs_source *source;
    const struct ncs_yaml_node *root;
    struct ncs_arena arena;
};

/* libyaml counts code points after the byte order mark; everything else here counts bytes. */
struct ncs_marks {
    const struct ncs_source *source;
    size_t base; /* bytes of the byte order mark */
    bool ascii;
    size_t *byte; /* of each 256th code point */
    size_t count, room;
    size_t index, at; /* the last lookup: the next one is usually close to it */
};

/* Checks that the source is UTF-8 text without control characters, and indexes it. */
bool ncs_marks_init(struct ncs_marks *m, const struct ncs_source *source, struct ncs_complaints *c);
size_t ncs_marks_byte(struct ncs_marks *m, size_t index);
void ncs_marks_free(struct ncs_marks *m);

/* Gives a plain scalar its kind and value. */
void ncs_yaml_type(struct ncs_yaml_node *node);

/* Warns about an unquoted text that is valid YAML, but probably not intended. */
void ncs_yaml_warn_text(const struct ncs_yaml_node *text, bool many_lines, struct ncs_complaints *c);

/* Anchors and aliases of one document. */
struct ncs_anchor {
    struct ncs_yaml_node *node;
    const char *name; /* in the source */
    size_t bytes;
    struct ncs_span at;
    bool open;     /* its collection has no end yet */
    uint64_t size; /* nodes in the value that an alias repeats */
};

struct ncs_anchors {
    struct ncs_anchor *item;
    size_t count, room;
    struct ncs_names names;   /* to the latest of each name */
    struct ncs_span *missing; /* aliases that were met before an anchor of their name */
    size_t missing_count, missing_room;
};

/* The properties written before a node: "&anchor", "!tag", in any order. */
struct ncs_properties {
    struct ncs_span anchor, tag; /* a length of 0 = none */
    size_t end;                  /* where the node itself begins */
};

struct ncs_properties ncs_yaml_properties(const struct ncs_source *s, size_t at, size_t end);
struct ncs_anchor *ncs_anchors_add(struct ncs_anchors *a, const struct ncs_source *s, struct ncs_span at,
                                   struct ncs_yaml_node *node);
/* NULL if the alias refers to no complete node; the complaint comes now or from ncs_anchors_complain. */
const struct ncs_anchor *ncs_anchors_find(struct ncs_anchors *a, struct ncs_span alias, struct ncs_complaints *c);
void ncs_anchors_complain(const struct ncs_anchors *a, struct ncs_complaints *c);
void ncs_anchors_free(struct ncs_anchors *a);

/* Reports the cause of libyaml's error after the scalar `last` (or NULL). */
void ncs_yaml_syntax(const yaml_parser_t *parser, struct ncs_marks *marks, const struct ncs_yaml_node *last,
                     struct ncs_complaints *c);

#endif
