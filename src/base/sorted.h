/* Values by a 64-bit key, in the order of their keys. A sorted array in pages: to put a value or to remove one
 * moves no more than a page, however many values there are. */
#ifndef NCS_BASE_SORTED_H
#define NCS_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

struct ncs_sorted {
    struct ncs_sorted_page *page; /* none is empty */
    size_t pages, room;
};

void ncs_sorted_put(struct ncs_sorted *s, uint64_t key, void *value); /* no value has the key so far */
void *ncs_sorted_remove(struct ncs_sorted *s, uint64_t key);          /* the removed value, or NULL */

/* The value with the greatest key up to this one, and with the least key beyond it; NULL = none. */
void *ncs_sorted_at(const struct ncs_sorted *s, uint64_t key);
void *ncs_sorted_beyond(const struct ncs_sorted *s, uint64_t key);

void ncs_sorted_free(struct ncs_sorted *s); /* not the values */

#endif
