#include "base/mem.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"

void (*ncs_mem_exhausted)(size_t bytes);

void ncs_mem_no_more(size_t bytes)
{
    if (ncs_mem_exhausted)
        ncs_mem_exhausted(bytes);
    static const char text[] = "ncclscript: no memory is left\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(NCS_MEM_EXIT);
}

/* The allocator knows the size of each block, so counting its release needs no header of our own. */
void *ncs_new(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        ncs_mem_no_more(bytes);
    ncs_budget_count(malloc_usable_size(p));
    return p;
}

void *ncs_resize(void *p, size_t bytes)
{
    size_t before = malloc_usable_size(p);
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        ncs_mem_no_more(bytes);
    ncs_budget_give(before);
    ncs_budget_count(malloc_usable_size(q));
    return q;
}

void *ncs_room(size_t bytes)
{
    if (!ncs_budget_take(bytes))
        return NULL;
    void *p = malloc(bytes ? bytes : 1);
    ncs_budget_give(bytes);
    ncs_budget_count(malloc_usable_size(p));
    return p;
}

char *ncs_copy_text(const char *text)
{
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    return memcpy(ncs_new(bytes), text, bytes);
}

void ncs_free(void *p)
{
    if (!p)
        return;
    ncs_budget_give(malloc_usable_size(p));
    free(p);
}

void *ncs_grown(void *items, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return items;
    size_t wide = *room ? *room * 2 : 8;
    while (wide < need)
        wide *= 2;
    *room = wide;
    return ncs_resize(items, wide * size);
}

void ncs_mem_begin(void)
{
#ifdef M_MXFAST
    mallopt(M_MXFAST, 0);
#endif
}
