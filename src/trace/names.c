/* The rank in the name of a file. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/reader.h"

enum { NUMBERS = 8 /* of a name; the last ones count */ };

struct name_numbers {
    long of[NUMBERS]; /* the last one first; -1 = too long for a rank */
    int count;
    uint64_t shape;  /* hash of the name without its digits */
    long after_rank; /* the number after the last "rank"; -1 = none */
};

/* A name without the extensions of formats, which may contain digits. */
static size_t bare_bytes(const char *name)
{
    static const char *const formats[] = { ".gz", ".json", ".pickle", ".pkl", ".bin", ".txt", ".log", NULL };
    size_t bytes = strlen(name);
    for (size_t i = 0; formats[i]; i++) {
        size_t own = strlen(formats[i]);
        if (bytes > own && strncmp(name + bytes - own, formats[i], own) == 0)
            bytes -= own;
    }
    return bytes;
}

static long number_at(const char *text)
{
    return strspn(text, "0123456789") < 9 ? strtol(text, NULL, 10) : -1;
}

static void read_numbers(const char *path, struct name_numbers *n)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = name + bare_bytes(name);
    *n = (struct name_numbers){ .after_rank = -1, .shape = 1 };
    for (const char *p = name; *p; p++) {
        const char *digit = p + 4 + (strncasecmp(p, "rank", 4) == 0 ? strspn(p + 4, "_-.= ") : 0);
        if (strncasecmp(p, "rank", 4) == 0 && isdigit((unsigned char)*digit))
            n->after_rank = number_at(digit);
        if (!isdigit((unsigned char)*p))
            n->shape = ncs_hash(n->shape, (unsigned char)*p);
    }
    for (const char *p = end; p > name && n->count < NUMBERS;) {
        while (p > name && !isdigit((unsigned char)p[-1]))
            p--;
        const char *start = p;
        while (start > name && isdigit((unsigned char)start[-1]))
            start--;
        if (start < p)
            n->of[n->count++] = number_at(start);
        p = start;
    }
}

int ncs_rank_of_name(const char *path)
{
    struct name_numbers n;
    read_numbers(path, &n);
    return n.after_rank >= 0 ? (int)n.after_rank : n.count ? (int)n.of[0] : -1;
}

/* True if names of one shape differ in this number. */
static bool tells_apart(const struct name_numbers *all, size_t count, uint64_t shape, int at)
{
    struct ncs_map seen = { 0 };
    bool apart = true;
    for (size_t i = 0; i < count && apart; i++) {
        if (all[i].shape != shape)
            continue;
        apart = all[i].count > at && all[i].of[at] >= 0 && !ncs_map_number(&seen, (uint64_t)all[i].of[at] + 1);
        ncs_map_put_number(&seen, (uint64_t)all[i].of[at] + 1, 1);
    }
    ncs_map_free(&seen);
    return apart;
}

/* The number of the names of a shape that tells them apart, the last one first; 0 where none does. */
static int number_of_shape(const struct name_numbers *all, size_t count, const struct name_numbers *of)
{
    for (int at = 0; at < of->count; at++)
        if (tells_apart(all, count, of->shape, at))
            return at;
    return 0;
}

void ncs_rank_names(const char *const *path, size_t count, int *rank)
{
    struct name_numbers *all = ncs_new(count * sizeof *all);
    struct ncs_map chosen = { 0 }; /* shape -> the number that tells its names apart, + 1 */
    for (size_t i = 0; i < count; i++)
        read_numbers(path[i], &all[i]);
    for (size_t i = 0; i < count; i++) {
        const struct name_numbers *n = &all[i];
        size_t at = ncs_map_number(&chosen, n->shape);
        if (!at)
            ncs_map_put_number(&chosen, n->shape, at = (size_t)number_of_shape(all, count, n) + 1);
        rank[i] = n->after_rank >= 0 ? (int)n->after_rank : (int)at <= n->count ? (int)n->of[at - 1] : -1;
    }
    ncs_map_free(&chosen);
    ncs_free(all);
}
