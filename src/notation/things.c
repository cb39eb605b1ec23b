#include "notation/things.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct ncs_thing *ncs_things_find(const struct ncs_things *n, const char *name, size_t bytes)
{
    struct ncs_thing *t = ncs_map_get(&n->map, ncs_hash_bytes(1, name, bytes));
    while (t && (t->bytes != bytes || memcmp(t->name, name, bytes) != 0))
        t = t->same_hash;
    return t;
}

struct ncs_thing *ncs_things_add(struct ncs_things *n, const char *name, enum ncs_thing_kind kind, struct ncs_span at)
{
    size_t bytes = strlen(name);
    struct ncs_thing *t = ncs_new(sizeof *t + bytes + 1);
    uint64_t key = ncs_hash_bytes(1, name, bytes);
    t->kind = kind;
    t->at = at;
    t->bytes = bytes;
    memcpy(t->name, name, bytes);
    t->same_hash = ncs_map_get(&n->map, key);
    ncs_map_put(&n->map, key, t);
    NCS_PUSH(n->item, n->count, n->room, t);
    return t;
}

void ncs_things_free(struct ncs_things *n)
{
    NCS_FREE_ALL(n->item, n->count);
    ncs_map_free(&n->map);
    *n = (struct ncs_things){ 0 };
}

const char *ncs_thing_word(enum ncs_thing_kind kind)
{
    static const char *const words[] = {
        [NCS_THING_LET] = "a value of let", [NCS_THING_STREAM] = "a stream",
        [NCS_THING_EVENT] = "an event",     [NCS_THING_COMM] = "a communicator",
        [NCS_THING_BUFFER] = "a buffer",    [NCS_THING_OP] = "an op",
        [NCS_THING_WINDOW] = "a window",    [NCS_THING_THREAD] = "a thread",
        [NCS_THING_GRAPH] = "a graph",      [NCS_THING_LOOP] = "the count of a repeat",
    };
    return words[kind];
}
