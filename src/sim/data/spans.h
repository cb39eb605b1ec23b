/* Spans of bytes, sorted and apart, each with the origin of what is in them. A list is bounded: what it cannot hold
 * counts as if it had been taken out, the smallest piece first. */
#ifndef NCS_SIM_SPANS_H
#define NCS_SIM_SPANS_H

#include <stddef.h>

#define SPANS_MOST 256

struct origin; /* sim/data/unwritten.h */

struct span {
    size_t from, to;       /* up to, but not including, to */
    struct origin *origin; /* referenced */
};

struct spans {
    struct span *span;
    size_t count, room;
};

/* From now on [from, to) is one span of that origin; NULL = it is in no span. Neighbours of one origin are joined. */
void sim_spans_put(struct spans *s, size_t from, size_t to, struct origin *origin);
/* Puts the pieces within [from, to) into `out`, so moved that `from` comes to `at`. */
void sim_spans_cut(const struct spans *s, size_t from, size_t to, size_t at, struct spans *out);
/* Index of the first span that ends beyond `at`; `count` if there is none. */
size_t sim_spans_beyond(const struct spans *s, size_t at);
void sim_spans_free(struct spans *s);

#endif
