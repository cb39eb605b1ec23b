/* Memory for bookkeeping: never NULL, zeroed. What has a size that the user chooses comes from
 * ncs_room; who allocates that reports the failure. All of it is counted (base/budget.h). */
#ifndef NCS_BASE_MEM_H
#define NCS_BASE_MEM_H

#include <stddef.h>

enum { NCS_MEM_EXIT = 7 }; /* the exit status of a process that has no memory left */

/* Called when the host has no memory left; must not return. The program installs its own. Without
 * one the process ends with NCS_MEM_EXIT after a line on standard error. */
extern void (*ncs_mem_exhausted)(size_t bytes);
/* Calls that; does not return. */
void ncs_mem_no_more(size_t bytes) __attribute__((noreturn));

/* For a program to call first: what is freed is joined at once and not, all that a run has left, in
 * the middle of the report. */
void ncs_mem_begin(void);

void *ncs_new(size_t bytes);                       /* zeroed; ncs_new(0) is a valid pointer */
void *ncs_resize(void *p, size_t bytes);           /* realloc; new bytes are undefined */
char *ncs_copy_text(const char *text);             /* NULL gives NULL */
void ncs_free(void *p);

/* So many bytes, undefined, for ncs_free; NULL when the budget or the host has no room for them. */
void *ncs_room(size_t bytes);

/* Returns `items` (an array of elements of `size` bytes with room for *room) with room for `need`. */
void *ncs_grown(void *items, size_t *room, size_t need, size_t size);

/* Appends a value to the array `items` that has `count` elements and room for `room`. */
#define NCS_PUSH(items, count, room, value)                                        \
    do {                                                                           \
        (items) = ncs_grown((items), &(room), (count) + 1, sizeof *(items));       \
        (items)[(count)++] = (value);                                              \
    } while (0)

#endif
