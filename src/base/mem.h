/* Memory for bookkeeping: never NULL, zeroed. Buffers of a size that the user chooses do not come
 * from here; who allocates those reports the failure. */
#ifndef NCS_BASE_MEM_H
#define NCS_BASE_MEM_H

#include <stddef.h>

/* Called when the host has no memory left; must not return. The program installs its own. Without
 * one the process ends with status 70 after a line on standard error. */
extern void (*ncs_mem_exhausted)(size_t bytes);

/* For a program to call first: what is freed is joined at once and not, all that a run has left, in
 * the middle of the report. */
void ncs_mem_begin(void);

void *ncs_new(size_t bytes);                       /* zeroed; ncs_new(0) is a valid pointer */
void *ncs_resize(void *p, size_t bytes);           /* realloc; new bytes are undefined */
char *ncs_copy_text(const char *text);             /* NULL gives NULL */
void ncs_free(void *p);

/* Returns `items` (an array of elements of `size` bytes with room for *room) with room for `need`. */
void *ncs_grown(void *items, size_t *room, size_t need, size_t size);

/* Appends a value to the array `items` that has `count` elements and room for `room`. */
#define NCS_PUSH(items, count, room, value)                                        \
    do {                                                                           \
        (items) = ncs_grown((items), &(room), (count) + 1, sizeof *(items));       \
        (items)[(count)++] = (value);                                              \
    } while (0)

#endif
