#include "api/spelling.h"

#include <ctype.h>
#include <string.h>

#include "api/types.h"
#include "base/near.h"

/* Words whose nearest name by letters is the wrong one. The first row whose name exists wins. */
static const char *const aliases[][2] = {
    { "isend", "send" },
    { "irecv", "recv" },
    { "bcast", "broadcast" },
    { "new_group", "split" },
    { "synchronize", "sync" },
    { "stream_synchronize", "sync" },
    { "device_synchronize", "sync" },
    { "wait_event", "wait" },
    { "world_size", "nranks" },
    { "world_size", "ranks" },
    { "get_world_size", "nranks" },
    { "nranks", "ranks" },
    { "get_rank", "rank" },
    { "group_start", "group" },
    { "group_end", "group" },
    { "init_process_group", "world" },
    { "size", "count" },
    { "size", "nranks" },
    { "numel", "count" },
    { "zero", "fill" },
    { "copy", "copy_from" },
    { "memcpy", "copy" },
    { "memset", "fill" },
    { "tolist", "get" },
    { "redop", "op" },
    { "reduce_op", "op" },
    { "recvcount", "count" },
    { "sendcount", "count" },
    { "sendbuf", "send" },
    { "sendbuff", "send" },
    { "recvbuf", "recv" },
    { "recvbuff", "recv" },
    { "input", "send" },
    { "output", "recv" },
    { "tensor", "send" },
    { "tensor", "buffer" },
    { "buff", "buffer" },
    { "datatype", "dtype" },
    { "type", "dtype" },
    { "communicator", "comm" },
    { "group", "comm" },
    { "value", "init" },
    { "init", "value" },
    { "colour", "color" },
    { "src", "peer" },
    { "dst", "peer" },
    { "dest", "peer" },
    { "src", "root" },
    { "dst", "root" },
    { "src", "from" },
    { "dst", "to" },
    { "mean", "avg" },
    { "average", "avg" },
    { "product", "prod" },
    { "about", "scenario" },
    { "description", "scenario" },
    { "title", "scenario" },
    { "if", "where" },
    { "only", "where" },
    { "for", "repeat" },
    { "loop", "repeat" },
    { "times", "repeat" },
    { "assert", "expect" },
    { "check", "expect" },
    { "spawn", "thread" },
};

enum { ALIASES = sizeof aliases / sizeof *aliases };

bool ncs_same_letters(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '_')
            a++;
        while (*b == '_')
            b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

const char *ncs_bare_name(const char *word)
{
    const char *dot = strrchr(word, '.');
    if (dot && dot[1])
        word = dot + 1;
    bool prefixed = strncmp(word, "nccl", 4) == 0 || strncmp(word, "cuda", 4) == 0;
    return prefixed && word[4] ? word + 4 : word;
}

static const char *type_of(const char *word, const char *const *names, size_t count)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++) {
        const struct ncs_dtype_info *info = &ncs_dtype_info[dtype];
        for (size_t k = 0; info->shorter && (count ? k < count : names[k] != NULL); k++)
            if (ncs_same_letters(word, info->shorter) && strcmp(info->name, names[k]) == 0)
                return names[k];
    }
    return NULL;
}

/* Torch has several functions for one collective: its name with different endings. */
static const char *without_ending(const char *word, const char *const *names, size_t count)
{
    static const char *const endings[] = { "_into_tensor", "_tensor", "_coalesced", "_single" };
    size_t bytes = strlen(word);
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
        size_t ending = strlen(endings[e]);
        if (bytes <= ending || strcmp(word + bytes - ending, endings[e]) != 0)
            continue;
        for (size_t k = 0; count ? k < count : names[k] != NULL; k++)
            if (strlen(names[k]) == bytes - ending && strncmp(word, names[k], bytes - ending) == 0)
                return names[k];
    }
    return NULL;
}

const char *ncs_translated_name(const char *word, const char *const *names, size_t count)
{
    const char *plain = ncs_bare_name(word);
    for (size_t k = 0; count ? k < count : names[k] != NULL; k++)
        if (ncs_same_letters(plain, names[k]))
            return names[k];
    for (int i = 0; i < ALIASES; i++)
        for (size_t k = 0; count ? k < count : names[k] != NULL; k++)
            if (ncs_same_letters(plain, aliases[i][0]) && strcmp(aliases[i][1], names[k]) == 0)
                return names[k];
    const char *type = type_of(plain, names, count);
    return type ? type : without_ending(plain, names, count);
}

const char *ncs_meant_name(const char *word, const char *const *names, size_t count)
{
    const char *meant = ncs_translated_name(word, names, count);
    return meant ? meant : ncs_nearest(word, names, count);
}
