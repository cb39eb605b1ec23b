#include "base/mem.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/sanitizer.h"

void (*ncs_mem_exhausted)(size_t bytes);

void ncs_mem_no_more(size_t bytes)
{
    if (ncs_mem_exhausted)
        ncs_mem_exhausted(bytes);
    static const char text[] = "ncclscript: no memory is left\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    ncs_mem_end();
}

void ncs_mem_end(void)
{
    _exit(NCS_MEM_EXIT);
}

void ncs_set_variable(const char *name, const char *value)
{
    if (!value)
        unsetenv(name);
    else if (setenv(name, value, 1) != 0 && errno == ENOMEM)
        ncs_mem_no_more(strlen(name) + strlen(value));
}

/* ---- spare blocks ----
 *
 * Each call of NCCL allocates and frees a dozen small records. A third of its instructions was malloc's: its
 * own cache holds seven blocks of a size and does not serve calloc. So each thread keeps small blocks that it
 * frees, by the sizes that glibc really allocates: 24, 40, 56 ... bytes. They do not count as used. */

enum {
    SPARE_SIZES = 64,             /* up to 1032 bytes */
    SPARE_BYTES = 64 << 10,       /* most of one size that the first thread keeps, which runs all fibers */
    SPARE_BYTES_OTHERS = 1 << 10, /* other threads may be many */
};

struct spares {
    void *list[SPARE_SIZES];    /* linked through their first word */
    unsigned left[SPARE_SIZES]; /* how many more may be kept */
};

/* A pointer, because a library that is opened at run time gets little room for variables of threads. NULL: the
 * thread keeps nothing yet, or is ending. */
static _Thread_local struct spares *spares __attribute__((tls_model("initial-exec")));
static pthread_key_t spares_key; /* its destructor empties the lists of a thread that ends */
static pthread_once_t spares_once = PTHREAD_ONCE_INIT;
static atomic_bool spares_taken; /* the first thread has opened its lists */

static size_t block_bytes(size_t size)
{
    return 24 + 16 * size;
}

static void drop_spares(void *of_thread)
{
    struct spares *s = of_thread;
    spares = NULL;
    for (size_t i = 0; i < SPARE_SIZES; i++)
        for (void *next, *p = s->list[i]; p; p = next) {
            next = *(void **)p;
            free(p);
        }
    free(s);
}

static void make_spares_key(void)
{
    pthread_key_create(&spares_key, drop_spares);
}

/* False while there is no memory for the lists. */
static bool open_spares(void)
{
    unsigned most = atomic_exchange(&spares_taken, true) ? SPARE_BYTES_OTHERS : SPARE_BYTES;
    pthread_once(&spares_once, make_spares_key);
    spares = calloc(1, sizeof *spares);
    if (!spares || pthread_setspecific(spares_key, spares) != 0)
        return false;
    for (size_t i = 0; i < SPARE_SIZES; i++)
        spares->left[i] = most / (unsigned)block_bytes(i);
    return true;
}

/* A sanitizer must see each block come and go. */
enum { KEEPS_SPARES = !NCS_ASAN && !NCS_TSAN };

/* A kept block of at least so many bytes; NULL = none. */
static void *take_spare(size_t bytes)
{
    size_t size = bytes <= 24 ? 0 : (bytes - 9) / 16;
    if (size >= SPARE_SIZES || !spares || !spares->list[size])
        return NULL;
    void *p = spares->list[size];
    spares->list[size] = *(void **)p;
    spares->left[size]++;
    ncs_budget_count(block_bytes(size));
    return p;
}

/* True if the block, of so many usable bytes, is kept. */
static bool keep_spare(void *p, size_t usable)
{
    size_t size = (usable - 24) / 16;
    if (!KEEPS_SPARES || usable < 24 || size >= SPARE_SIZES || usable != block_bytes(size))
        return false;
    if ((!spares && !open_spares()) || spares->left[size] == 0)
        return false;
    spares->left[size]--;
    *(void **)p = spares->list[size];
    spares->list[size] = p;
    return true;
}

/* ---- blocks ---- */

/* The allocator knows the size of each block, so counting its release needs no header of our own. */
void *ncs_new(size_t bytes)
{
    void *p = take_spare(bytes);
    if (p)
        return memset(p, 0, bytes);
    p = calloc(1, bytes ? bytes : 1);
    if (!p)
        ncs_mem_no_more(bytes);
    ncs_budget_count(malloc_usable_size(p));
    return p;
}

void *ncs_resize(void *p, size_t bytes)
{
    size_t before = p ? malloc_usable_size(p) : 0;
    if (KEEPS_SPARES && p && bytes <= before && before <= block_bytes(SPARE_SIZES))
        return p;
    void *q = take_spare(bytes);
    if (q) {
        if (p)
            memcpy(q, p, before < bytes ? before : bytes);
        ncs_free(p);
        return q;
    }
    q = realloc(p, bytes ? bytes : 1);
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
    size_t usable = malloc_usable_size(p);
    ncs_budget_give(usable);
    if (!keep_spare(p, usable))
        free(p);
}

void *ncs_grown(void *items, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return items;
    size_t wide = *room ? *room * 2 : size > 16 ? 1 : 8; /* large elements mostly stay alone */
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

void ncs_free_list(void *list, size_t count, size_t size, size_t at)
{
    for (size_t i = 0; list && i < count; i++) {
        void *owned;
        memcpy(&owned, (char *)list + i * size + at, sizeof owned);
        ncs_free(owned);
    }
    ncs_free(list);
}
