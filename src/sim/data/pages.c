#define _GNU_SOURCE /* memfd_create, fallocate */
#include "sim/data/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "sim/data/memory.h"

/* Each chunk may be a mapping of its own, and Linux gives a process 65530 mappings by default. */
#define MAPPED_MOST 24000

/* Bits of a page's entry in /proc/self/pagemap. */
#define PAGE_PRESENT ((uint64_t)1 << 63)
#define PAGE_SWAPPED ((uint64_t)1 << 62)
#define PAGE_OF_FILE ((uint64_t)1 << 61)

#define PAGE 4096
#define CHUNK_PAGES (PAGES_CHUNK / PAGE)

struct stored {
    uint64_t hash;
    uint32_t users;
    uint32_t next_free; /* 1 + the next one without users; 0 = none */
};

static struct {
    bool opened;
    int file, pagemap;   /* -1 = cannot be had: nothing is shared */
    const char *content; /* the whole file */
    struct stored *stored;
    size_t count, room;
    uint32_t first_free;
    struct ncs_map by_hash; /* 1 + the chunk stored last with that hash */
    size_t mapped;          /* chunks of allocations that are mapped from the file */
} store = { .file = -1, .pagemap = -1 };

/* ---- the file ---- */

static bool open_store(void)
{
    size_t most = MAPPED_MOST * PAGES_CHUNK;
    if (store.opened)
        return store.content != NULL;
    store.opened = true;
    if (sysconf(_SC_PAGESIZE) != PAGE)
        return false;
    store.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    store.file = memfd_create("ncclscript device memory", MFD_CLOEXEC);
    if (store.pagemap < 0 || store.file < 0 || ftruncate(store.file, (off_t)most) != 0)
        return false;
    void *content = mmap(NULL, most, PROT_READ, MAP_SHARED | MAP_NORESERVE, store.file, 0);
    store.content = content == MAP_FAILED ? NULL : content;
    return store.content != NULL;
}

static const char *content_of(uint32_t chunk)
{
    return store.content + chunk * PAGES_CHUNK;
}

static bool write_chunk(uint32_t chunk, const char *from)
{
    size_t done = 0;
    while (done < PAGES_CHUNK) {
        ssize_t n = pwrite(store.file, from + done, PAGES_CHUNK - done, (off_t)(chunk * PAGES_CHUNK + done));
        if (n <= 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void drop_content(uint32_t chunk)
{
    fallocate(store.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(chunk * PAGES_CHUNK), (off_t)PAGES_CHUNK);
}

static void unuse(uint32_t chunk)
{
    struct stored *s = &store.stored[chunk];
    store.mapped--;
    if (--s->users > 0)
        return;
    if (ncs_map_get(&store.by_hash, s->hash) == (void *)(uintptr_t)(chunk + 1))
        ncs_map_remove(&store.by_hash, s->hash);
    drop_content(chunk);
    s->next_free = store.first_free;
    store.first_free = chunk + 1;
}

/* Finds a stored chunk equal to the one at `from`, or stores it. */
static bool find_or_store(const char *from, uint64_t hash, uint32_t *chunk)
{
    uintptr_t found = (uintptr_t)ncs_map_get(&store.by_hash, hash);
    if (found && memcmp(content_of((uint32_t)found - 1), from, PAGES_CHUNK) == 0) {
        *chunk = (uint32_t)found - 1;
        return true;
    }
    if (store.first_free) {
        *chunk = store.first_free - 1;
        store.first_free = store.stored[*chunk].next_free;
    } else {
        *chunk = (uint32_t)store.count;
        NCS_PUSH(store.stored, store.count, store.room, (struct stored){ 0 });
    }
    store.stored[*chunk] = (struct stored){ .hash = hash };
    if (!write_chunk(*chunk, from)) { /* the host has no memory left for it */
        drop_content(*chunk);
        store.stored[*chunk].next_free = store.first_free;
        store.first_free = *chunk + 1;
        return false;
    }
    ncs_map_put(&store.by_hash, hash, (void *)(uintptr_t)(*chunk + 1));
    return true;
}

/* ---- chunks of allocations ---- */

static uint32_t *slot_of(struct allocation *a, const char *p)
{
    struct pages *pages = &a->pages;
    if (!pages->chunk) {
        pages->chunks = a->bytes / PAGES_CHUNK + 1;
        pages->chunk = ncs_new(pages->chunks * sizeof *pages->chunk);
    }
    return &pages->chunk[(size_t)(p - a->base) / PAGES_CHUNK];
}

static void chunk_forget(uint32_t *slot)
{
    if (*slot)
        unuse(*slot - 1);
    *slot = 0;
}

static bool map_stored(char *dst, uint32_t *slot, uint32_t chunk)
{
    void *p = mmap(dst, PAGES_CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, store.file,
                   (off_t)(chunk * PAGES_CHUNK));
    if (p == MAP_FAILED)
        return false;
    store.stored[chunk].users++;
    store.mapped++;
    chunk_forget(slot);
    *slot = chunk + 1;
    return true;
}

static bool map_zeros(char *dst, uint32_t *slot)
{
    void *p = mmap(dst, PAGES_CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    madvise(p, PAGES_CHUNK, MADV_HUGEPAGE); /* as the allocation itself (new_block in memory.c) */
    chunk_forget(slot);
    return true;
}

/* True if nobody has written to the chunk since it was mapped: no page of it is a private copy
 * (/proc/self/pagemap). */
static bool is_untouched(const char *p)
{
    uint64_t page[CHUNK_PAGES];
    off_t at = (off_t)((uintptr_t)p / PAGE * sizeof *page);
    if (pread(store.pagemap, page, sizeof page, at) != (ssize_t)sizeof page)
        return false;
    for (size_t i = 0; i < CHUNK_PAGES; i++)
        if (page[i] & PAGE_SWAPPED || (page[i] & PAGE_PRESENT && !(page[i] & PAGE_OF_FILE)))
            return false;
    return true;
}

/* The allocation that lies on chunks at p; NULL = none. */
static struct allocation *on_chunks(const void *p)
{
    struct allocation *a = sim_memory_find(p);
    return a && a->kind == MEMORY_DEVICE && a->mapped && a->bytes >= PAGES_LEAST ? a : NULL;
}

/* The whole chunks in [dst, dst + bytes). False: too few to be worth sharing. */
static bool whole_chunks(const struct allocation *a, const char *dst, size_t bytes, size_t *head, size_t *chunks)
{
    size_t offset = (size_t)(dst - a->base) % PAGES_CHUNK;
    *head = offset ? PAGES_CHUNK - offset : 0;
    *chunks = bytes > *head ? (bytes - *head) / PAGES_CHUNK : 0;
    return bytes >= PAGES_LEAST && store.mapped + *chunks <= MAPPED_MOST;
}

/* ---- what is written ---- */

static bool chunk_is_zero(const char *p)
{
    return *(const uint64_t *)p == 0 && memcmp(p, p + 8, PAGES_CHUNK - 8) == 0;
}

/* A hash in four lanes, as fast as memory is read. Chunks with equal hashes are
 * compared byte by byte. */
static uint64_t digest(const char *p)
{
    uint64_t lane[4] = { 1, 2, 3, 4 }, word[4], hash = 0;
    for (size_t at = 0; at < PAGES_CHUNK; at += sizeof word) {
        memcpy(word, p + at, sizeof word);
        for (int i = 0; i < 4; i++) {
            lane[i] ^= word[i];
            lane[i] = (lane[i] << 29 | lane[i] >> 35) * 0x9e3779b97f4a7c15u;
        }
    }
    for (int i = 0; i < 4; i++)
        hash = ncs_hash(hash, lane[i]);
    return hash;
}

struct look {
    const char *from;
    uint64_t *hash;    /* by chunk; 0 = all zero */
    const bool *known; /* chunks that need no hash */
};

static void chunk_look(size_t begin, size_t end, void *arg)
{
    const struct look *l = arg;
    for (size_t i = begin; i < end; i++) {
        const char *p = l->from + i * PAGES_CHUNK;
        if (!l->known[i])
            l->hash[i] = chunk_is_zero(p) ? 0 : digest(p) | 1;
    }
}

static void put_chunk(char *dst, uint32_t *slot, const char *from, uint64_t hash)
{
    uint32_t chunk;
    bool done = hash == 0 ? map_zeros(dst, slot) : find_or_store(from, hash, &chunk) && map_stored(dst, slot, chunk);
    if (!done)
        memcpy(dst, from, PAGES_CHUNK);
}

/* Maps a chunk again instead of copying it, if nobody has written it since it was mapped. */
static bool map_again(char *dst, uint32_t *slot, struct allocation *from, const char *src)
{
    uint32_t *there = slot_of(from, src);
    if (!is_untouched(src))
        return false;
    return *there ? map_stored(dst, slot, *there - 1) : map_zeros(dst, slot);
}

static void copy_chunks(struct allocation *a, char *dst, const char *src, size_t chunks)
{
    struct allocation *from = on_chunks(src);
    if (from && (size_t)(src - from->base) % PAGES_CHUNK != 0)
        from = NULL;
    bool *known = ncs_new(chunks * sizeof *known);
    struct look l = { .from = src, .hash = ncs_new(chunks * sizeof *l.hash), .known = known };
    for (size_t i = 0; from && i < chunks; i++) {
        size_t offset = i * PAGES_CHUNK;
        known[i] = map_again(dst + offset, slot_of(a, dst + offset), from, src + offset);
    }
    ncs_parallel(chunks, 2, chunk_look, &l);
    for (size_t i = 0; i < chunks; i++) {
        size_t offset = i * PAGES_CHUNK;
        if (!known[i])
            put_chunk(dst + offset, slot_of(a, dst + offset), src + offset, l.hash[i]);
    }
    ncs_free(l.hash);
    ncs_free(known);
}

bool sim_pages_copy(void *dst, const void *src, size_t bytes)
{
    struct allocation *a = bytes >= PAGES_LEAST ? on_chunks(dst) : NULL;
    size_t head, chunks, apart = (size_t)llabs((char *)dst - (const char *)src);
    if (!a || apart < bytes || !open_store() || !whole_chunks(a, dst, bytes, &head, &chunks))
        return false;
    size_t tail = head + chunks * PAGES_CHUNK;
    memcpy(dst, src, head);
    copy_chunks(a, (char *)dst + head, (const char *)src + head, chunks);
    memcpy((char *)dst + tail, (const char *)src + tail, bytes - tail);
    return true;
}

bool sim_pages_set(void *dst, int byte, size_t bytes)
{
    struct allocation *a = bytes >= PAGES_LEAST ? on_chunks(dst) : NULL;
    size_t head, chunks;
    if (!a || !open_store() || !whole_chunks(a, dst, bytes, &head, &chunks))
        return false;
    char *pattern = ncs_new(PAGES_CHUNK);
    bool known = false;
    uint64_t hash;
    memset(pattern, byte, PAGES_CHUNK);
    chunk_look(0, 1, &(struct look){ .from = pattern, .hash = &hash, .known = &known });
    for (size_t i = 0; i < chunks; i++) {
        char *p = (char *)dst + head + i * PAGES_CHUNK;
        put_chunk(p, slot_of(a, p), pattern, hash);
    }
    size_t tail = head + chunks * PAGES_CHUNK;
    memset(dst, byte, head);
    memset((char *)dst + tail, byte, bytes - tail);
    ncs_free(pattern);
    return true;
}

void sim_pages_take(void *dst, size_t bytes, bool keep)
{
    struct allocation *a = bytes >= PAGES_LEAST ? on_chunks(dst) : NULL;
    size_t head, chunks;
    if (!a || !a->pages.chunk || !whole_chunks(a, dst, bytes, &head, &chunks))
        return;
    char *contents = keep ? ncs_new(PAGES_CHUNK) : NULL;
    for (size_t i = 0; i < chunks; i++) {
        char *p = (char *)dst + head + i * PAGES_CHUNK;
        uint32_t *slot = slot_of(a, p);
        if (*slot == 0)
            continue;
        if (keep)
            memcpy(contents, p, PAGES_CHUNK);
        if (map_zeros(p, slot) && keep)
            memcpy(p, contents, PAGES_CHUNK);
    }
    ncs_free(contents);
}

void sim_pages_release(struct pages *pages)
{
    for (size_t i = 0; i < pages->chunks; i++)
        chunk_forget(&pages->chunk[i]);
    ncs_free(pages->chunk);
    *pages = (struct pages){ 0 };
}

void sim_pages_trim(void)
{
    if (store.content)
        munmap((void *)store.content, MAPPED_MOST * PAGES_CHUNK);
    if (store.file >= 0)
        close(store.file);
    if (store.pagemap >= 0)
        close(store.pagemap);
    ncs_free(store.stored);
    ncs_map_free(&store.by_hash);
    memset(&store, 0, sizeof store);
    store.file = store.pagemap = -1;
}
