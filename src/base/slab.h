/* Allocates objects of one size that any thread takes and returns frequently, under the owner's lock. Blocks
 * are never freed before the slab: malloc's memory would grow if one thread allocates and another frees. */
#ifndef NCS_BASE_SLAB_H
#define NCS_BASE_SLAB_H

#include <stddef.h>

struct ncs_slab {
    size_t bytes; /* of an object; set by the owner */
    void *spare;  /* given back, linked through their first word */
    void *block;  /* the blocks, linked */
    char *fresh;  /* of the newest block, never taken so far */
    size_t left;  /* objects from there on */
    size_t blocks;
};

void *ncs_slab_take(struct ncs_slab *slab); /* zeroed */
void ncs_slab_give(struct ncs_slab *slab, void *object);
void ncs_slab_free(struct ncs_slab *slab); /* everything has been given back */

#endif
