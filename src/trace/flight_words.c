#include "trace/flight_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "api/types.h"

/* Beginnings of names that are not the name of a communicator's method. */
static const struct {
    const char *begins;
    enum flight_word word;
    enum ncs_fn fn;
} words[] = {
    { "barrier", FLIGHT_CALL, NCS_FN_ncclAllReduce },
    { "coalesced", FLIGHT_CLOSES, NCS_FN_ncclGroupEnd },
    { "split", FLIGHT_OTHER, NCS_FN_ncclCommSplit },
    { "new_window", FLIGHT_OTHER, NCS_FN_ncclCommWindowRegister },
};

/* The letters of `name` that match `word`, which may contain '_' that the name lacks; 0 = no match. */
static size_t same_letters(const char *name, const char *word)
{
    size_t n = 0;
    for (; *word; word++) {
        if (tolower((unsigned char)name[n]) == *word)
            n++;
        else if (*word != '_')
            return 0;
    }
    return n;
}

/* The call whose Lua method is the longest beginning of the name: "_reduce_scatter_base". */
static enum flight_word call_of(const char *name, enum ncs_fn *fn)
{
    size_t longest = 0;
    for (int i = 0; i < NCS_FN_COUNT; i++) {
        const struct ncs_fn_info *info = &ncs_fn_info[i];
        size_t letters = info->counted && !info->one_sided && info->lua_name
                             ? same_letters(name, info->lua_name + strlen("comm:"))
                             : 0;
        if (letters > longest) {
            longest = letters;
            *fn = (enum ncs_fn)i;
        }
    }
    return longest == 0 ? FLIGHT_UNKNOWN : ncs_fn_info[*fn].pair ? FLIGHT_P2P : FLIGHT_CALL;
}

/* A name may have a library's prefix and underscores at its beginning. */
enum flight_word ncs_flight_word(const char *name, enum ncs_fn *fn)
{
    const char *colon = strchr(name, ':');
    for (name = colon ? colon + 1 : name; *name == '_'; name++)
        continue;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(name, words[i].begins, strlen(words[i].begins)) == 0) {
            *fn = words[i].fn;
            return words[i].word;
        }
    return call_of(name, fn);
}

/* PyTorch's types that NCCL sends as `factor` elements of another type. */
static const struct {
    const char *name, *as;
    int factor;
} types[] = {
    { "Bool", "Byte", 1 },
    { "ComplexHalf", "Half", 2 },
    { "ComplexFloat", "Float", 2 },
    { "ComplexDouble", "Double", 2 },
};

int ncs_flight_dtype(const char *name, int *factor)
{
    *factor = 1;
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) {
            *factor = types[i].factor;
            return ncs_dtype_from_torch(types[i].as);
        }
    return ncs_dtype_from_torch(name);
}

bool ncs_flight_is_users(const char *file)
{
    static const char *const others[] = { "/torch/",         "torch/",      "/site-packages/",
                                          "/dist-packages/", "/lib/python", "<frozen",
                                          "<string>",        "??",          NULL };
    for (size_t i = 0; others[i]; i++) {
        bool inside = others[i][0] == '/';
        if (inside ? strstr(file, others[i]) != NULL : strncmp(file, others[i], strlen(others[i])) == 0)
            return false;
    }
    size_t bytes = strlen(file);
    return bytes > 3 && strcmp(file + bytes - 3, ".py") == 0;
}
