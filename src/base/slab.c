#include "base/slab.h"

#include <string.h>

#include "base/mem.h"
#include "base/sanitizer.h"

/* Objects of the first block; each further block has twice as many, up to MOST. */
#define FEWEST 4
#define MOST 256

/* Each block begins with a pointer, each free object holds a link; both are aligned as malloc's memory. */
#define ALIGNED(bytes) (((bytes) + 15) & ~(size_t)15)
#define HEAD ALIGNED(sizeof(void *))

/* Under AddressSanitizer each object is an allocation of its own, so that uses after its end are found. */
#if NCS_ASAN
#define EACH_BY_ITSELF 1
#else
#define EACH_BY_ITSELF 0
#endif

static void slab_add_block(struct ncs_slab *slab, size_t size)
{
    size_t objects = slab->blocks < 6 ? (size_t)FEWEST << slab->blocks : MOST;
    char *block = ncs_new(HEAD + objects * size);
    *(void **)block = slab->block;
    slab->block = block;
    slab->blocks++;
    slab->fresh = block + HEAD;
    slab->left = objects;
}

void *ncs_slab_take(struct ncs_slab *slab)
{
    if (EACH_BY_ITSELF)
        return ncs_new(slab->bytes);
    size_t size = ALIGNED(slab->bytes);
    void *object = slab->spare;
    if (object) {
        slab->spare = *(void **)object;
        return memset(object, 0, slab->bytes);
    }
    if (slab->left == 0)
        slab_add_block(slab, size);
    object = slab->fresh;
    slab->fresh += size;
    slab->left--;
    return object;
}

void ncs_slab_give(struct ncs_slab *slab, void *object)
{
    if (EACH_BY_ITSELF) {
        ncs_free(object);
        return;
    }
    *(void **)object = slab->spare;
    slab->spare = object;
}

void ncs_slab_free(struct ncs_slab *slab)
{
    for (char *block = slab->block, *next; block; block = next) {
        next = *(void **)block;
        ncs_free(block);
    }
    *slab = (struct ncs_slab){ .bytes = slab->bytes };
}
