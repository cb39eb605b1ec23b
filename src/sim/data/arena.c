#define _GNU_SOURCE /* memfd_create, fallocate */
#include "sim/data/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

#define PAGE ((size_t)4096)

/* A piece of the arena, from offset to offset + bytes; those in use and those that are free take turns without a gap. */
struct span {
    size_t offset, bytes;
    bool used;
};

static struct {
    int file;
    char *base;        /* NULL = not open */
    struct span *span; /* by offset */
    size_t spans, room;
    size_t first_free; /* no span before this one is free */
} arena = { .file = -1 };

static bool arena_map(int file)
{
    void *at = (void *)SIM_ARENA_ADDRESS; /* an address, as both processes know it */
    void *p = mmap(at, SIM_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
    if (p == at)
        return true;
    if (p != MAP_FAILED) { /* a kernel before 4.17 takes the address as a hint */
        munmap(p, SIM_ARENA_BYTES);
        errno = EEXIST;
    }
    return false;
}

int sim_arena_open(void)
{
    int file = memfd_create("ncclscript memory", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    if (ftruncate(file, (off_t)SIM_ARENA_BYTES) != 0 || !arena_map(file)) {
        int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    arena.file = file;
    arena.base = (char *)SIM_ARENA_ADDRESS;
    struct span whole = { .bytes = SIM_ARENA_BYTES };
    NCS_PUSH(arena.span, arena.spans, arena.room, whole);
    return file;
}

bool sim_arena_join(int file)
{
    return arena_map(file);
}

bool sim_arena_is_open(void)
{
    return arena.base != NULL;
}

static void span_insert(size_t at, struct span given)
{
    NCS_PUSH(arena.span, arena.spans, arena.room, given);
    memmove(arena.span + at + 1, arena.span + at, (arena.spans - 1 - at) * sizeof *arena.span);
    arena.span[at] = given;
}

static void span_remove(size_t at)
{
    memmove(arena.span + at, arena.span + at + 1, (arena.spans - 1 - at) * sizeof *arena.span);
    arena.spans--;
}

/* The first free span with room; `spans` if there is none. */
static size_t span_fit(size_t bytes)
{
    size_t at = arena.first_free;
    while (at < arena.spans && (arena.span[at].used || arena.span[at].bytes < bytes))
        at++;
    return at;
}

void *sim_arena_take(size_t bytes)
{
    size_t whole = (bytes + PAGE - 1) & ~(PAGE - 1);
    size_t at = whole < bytes ? arena.spans : span_fit(whole);
    if (at == arena.spans)
        return NULL;
    struct span rest = arena.span[at];
    char *block = arena.base + rest.offset;
    arena.span[at] = (struct span){ rest.offset, whole, true };
    if (rest.bytes > whole)
        span_insert(at + 1, (struct span){ rest.offset + whole, rest.bytes - whole, false });
    while (arena.first_free < arena.spans && arena.span[arena.first_free].used)
        arena.first_free++;
    return block;
}

static size_t arena_span_at(size_t offset)
{
    size_t low = 0, high = arena.spans;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (arena.span[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The system takes the pages back, and gives zero ones at the next use. */
void sim_arena_give(void *block)
{
    size_t at = arena_span_at((size_t)((char *)block - arena.base));
    struct span *s = &arena.span[at];
    fallocate(arena.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->offset, (off_t)s->bytes);
    s->used = false;
    if (at + 1 < arena.spans && !arena.span[at + 1].used) {
        s->bytes += arena.span[at + 1].bytes;
        span_remove(at + 1);
    }
    if (at > 0 && !arena.span[at - 1].used) {
        arena.span[at - 1].bytes += arena.span[at].bytes;
        span_remove(at);
        at--;
    }
    arena.first_free = at < arena.first_free ? at : arena.first_free;
}
