/* Large device memory of a program from outside, in chunks. Chunks of equal contents are stored once, in
 * a file in memory, and mapped where they are used; the system gives a writer private pages. So a large
 * copy costs little more than comparing, and untouched memory costs nothing. */
#ifndef NCS_SIM_PAGES_H
#define NCS_SIM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation;

#define PAGES_CHUNK ((size_t)2 << 20)
/* Allocations of this size or more lie on chunks. Smaller copies are not worth a comparison. */
#define PAGES_LEAST (8 * PAGES_CHUNK)

/* The chunks of an allocation that are mapped from the file: 1 + their number
 * there; 0 = not mapped. */
struct pages {
    uint32_t *chunk;
    size_t chunks;
};

/* As memmove and memset. False if sharing chunks would not help: then nothing was written. */
bool sim_pages_copy(void *dst, const void *src, size_t bytes);
bool sim_pages_set(void *dst, int byte, size_t bytes);

/* Large memory that is about to be overwritten as a whole gets pages of its own: large ones, all at once, where writes
 * would make small ones, one fault each. `keep`: the contents are read first. */
void sim_pages_take(void *dst, size_t bytes, bool keep);

/* The allocation is unmapped. */
void sim_pages_release(struct pages *pages);
/* Frees the file. Nothing may be mapped from it any more. */
void sim_pages_trim(void);

#endif
