/* Memory for bookkeeping: never NULL, zeroed. Memory whose size a user chooses comes from ncs_room, and
 * the caller reports its failure. All of it is counted (base/budget.h). */
#ifndef NCS_BASE_MEM_H
#define NCS_BASE_MEM_H

#include <stddef.h>

enum { NCS_MEM_EXIT = 7 }; /* the exit status of a process that has no memory left */

/* Called when the host has no memory left; must not return. The program installs its own. Without one the
 * process ends with NCS_MEM_EXIT after a line on standard error. */
extern void (*ncs_mem_exhausted)(size_t bytes);
/* Calls ncs_mem_exhausted; does not return. */
void ncs_mem_no_more(size_t bytes) __attribute__((noreturn));
/* Ends the process as above, after the caller's own line: threads or descriptors are used up. */
void ncs_mem_end(void) __attribute__((noreturn));

/* A program calls this first: the allocator then joins freed blocks at once. Otherwise it may join all
 * that a run freed in the middle of the report, which takes long. */
void ncs_mem_begin(void);

/* Sets a variable of the environment, NULL removes it; without memory the process ends, too. */
void ncs_set_variable(const char *name, const char *value);

void *ncs_new(size_t bytes);             /* zeroed; ncs_new(0) is a valid pointer */
void *ncs_resize(void *p, size_t bytes); /* realloc; new bytes are undefined */
char *ncs_copy_text(const char *text);   /* NULL gives NULL */
void ncs_free(void *p);
/* Frees a list and what its elements own: each of the count elements, `size` bytes long, has at byte `at` a pointer. */
void ncs_free_list(void *list, size_t count, size_t size, size_t at);
#define NCS_FREE_ALL(list, count) ncs_free_list((list), (size_t)(count), sizeof *(list), 0) /* of pointers */
#define NCS_FREE_EACH(list, count, member) \
    ncs_free_list((list), (size_t)(count), sizeof *(list), offsetof(__typeof__(*(list)), member))

/* `bytes` bytes, undefined, released with ncs_free; NULL if the budget or the host refuses them. */
void *ncs_room(size_t bytes);

/* Returns the array `items` (elements of `size` bytes, capacity *room) grown to a capacity of at least `need`. */
void *ncs_grown(void *items, size_t *room, size_t need, size_t size);

/* Appends a value to the array `items`, which has `count` elements and capacity `room`. */
#define NCS_PUSH(items, count, room, value)                                  \
    do {                                                                     \
        (items) = ncs_grown((items), &(room), (count) + 1, sizeof *(items)); \
        (items)[(count)++] = (value);                                        \
    } while (0)

#endif
