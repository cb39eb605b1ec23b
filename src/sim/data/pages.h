/* Large memory of devices for a program from outside, by chunks: equal contents are kept once, in a
 * file in memory, and mapped where they are wanted; whoever writes to one gets pages of his own from
 * the system. So a large copy costs little more than a look at what is copied, and what was never
 * touched costs nothing, copied or not. */
#ifndef NCS_SIM_PAGES_H
#define NCS_SIM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation;

#define PAGES_CHUNK ((size_t)2 << 20)
/* Allocations from here on lie on chunks; smaller copies are not worth a look. */
#define PAGES_LEAST (8 * PAGES_CHUNK)

/* The chunks of an allocation that are mapped from the file: 1 + their number there; 0 = memory of
 * its own. */
struct pages {
    uint32_t *chunk;
    size_t chunks;
};

/* As memmove and memset. False, and nothing is done, where this is of no use. */
bool sim_pages_copy(void *dst, const void *src, size_t bytes);
bool sim_pages_set(void *dst, int byte, size_t bytes);

/* The allocation is unmapped. */
void sim_pages_release(struct pages *pages);
/* Gives the file back; nothing is mapped from it any more. */
void sim_pages_trim(void);

#endif
