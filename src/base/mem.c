#include "base/mem.h"

#if defined(__linux__)
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void (*ncs_mem_exhausted)(size_t bytes);

static void exhausted(size_t bytes)
{
    if (ncs_mem_exhausted)
        ncs_mem_exhausted(bytes);
    static const char text[] = "ncclscript: out of memory\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(70);
    _exit(70);
}

void *ncs_new(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        exhausted(bytes);
    return p;
}

void *ncs_resize(void *p, size_t bytes)
{
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        exhausted(bytes);
    return q;
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
