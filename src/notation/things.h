/* The things that a YAML scenario names (variables, objects, loops), found by name. */
#ifndef NCS_NOTATION_THINGS_H
#define NCS_NOTATION_THINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "base/source.h"

enum ncs_thing_kind {
    NCS_THING_LET,
    NCS_THING_STREAM,
    NCS_THING_EVENT,
    NCS_THING_COMM,
    NCS_THING_BUFFER,
    NCS_THING_OP,
    NCS_THING_WINDOW,
    NCS_THING_THREAD,
    NCS_THING_GRAPH,
    NCS_THING_LOOP,
};

struct ncs_thing {
    struct ncs_thing *same_hash;
    enum ncs_thing_kind kind;
    bool ready_made;    /* world, stream */
    bool there;         /* defined before the place being read; a loop: contains it */
    struct ncs_span at; /* its definition; a loop: the last one with that name */
    size_t bytes;
    char name[];
};

struct ncs_things {
    struct ncs_map map;
    struct ncs_thing **item; /* in the order in which they were added */
    size_t count, room;
};

/* NULL: no such name. The name need not end with a zero byte. */
struct ncs_thing *ncs_things_find(const struct ncs_things *n, const char *name, size_t bytes);
struct ncs_thing *ncs_things_add(struct ncs_things *n, const char *name, enum ncs_thing_kind kind, struct ncs_span at);
void ncs_things_free(struct ncs_things *n);

/* The kind with its article, for messages: "a buffer", "an event". */
const char *ncs_thing_word(enum ncs_thing_kind kind);

#endif
