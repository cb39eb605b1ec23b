#include "trace/flight_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* What a name begins with, without the prefix of its library and underscores before it: the longer words
 * stand before those that they begin with. */
static const struct {
    const char *begins;
    enum flight_word word;
    enum ncs_fn fn;
} words[] = {
    { "all_reduce", FLIGHT_CALL, NCS_FN_ncclAllReduce },
    { "allreduce", FLIGHT_CALL, NCS_FN_ncclAllReduce },
    { "barrier", FLIGHT_CALL, NCS_FN_ncclAllReduce },
    { "reduce_scatter", FLIGHT_CALL, NCS_FN_ncclReduceScatter },
    { "reducescatter", FLIGHT_CALL, NCS_FN_ncclReduceScatter },
    { "reduce", FLIGHT_CALL, NCS_FN_ncclReduce },
    { "all_gather", FLIGHT_CALL, NCS_FN_ncclAllGather },
    { "allgather", FLIGHT_CALL, NCS_FN_ncclAllGather },
    { "all_to_all", FLIGHT_CALL, NCS_FN_ncclAlltoAll },
    { "alltoall", FLIGHT_CALL, NCS_FN_ncclAlltoAll },
    { "broadcast", FLIGHT_CALL, NCS_FN_ncclBroadcast },
    { "gather", FLIGHT_CALL, NCS_FN_ncclGather },
    { "scatter", FLIGHT_CALL, NCS_FN_ncclScatter },
    { "send", FLIGHT_P2P, NCS_FN_ncclSend },
    { "recv", FLIGHT_P2P, NCS_FN_ncclRecv },
    { "coalesced", FLIGHT_CLOSES, NCS_FN_ncclGroupEnd },
    { "split", FLIGHT_OTHER, NCS_FN_ncclCommSplit },
    { "new_window", FLIGHT_OTHER, NCS_FN_ncclCommWindowRegister },
};

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
    return FLIGHT_UNKNOWN;
}

static const struct {
    const char *name;
    int dtype, factor;
} types[] = {
    { "Char", ncclInt8, 1 },      { "Byte", ncclUint8, 1 },       { "Bool", ncclUint8, 1 },
    { "Int", ncclInt32, 1 },      { "Long", ncclInt64, 1 },       { "Half", ncclFloat16, 1 },
    { "Float", ncclFloat32, 1 },  { "Double", ncclFloat64, 1 },   { "BFloat16", ncclBfloat16, 1 },
    { "UInt32", ncclUint32, 1 },  { "UInt64", ncclUint64, 1 },    { "Float8_e4m3fn", ncclFloat8e4m3, 1 },
    { "Float8_e5m2", ncclFloat8e5m2, 1 },
    { "ComplexHalf", ncclFloat16, 2 }, { "ComplexFloat", ncclFloat32, 2 },
    { "ComplexDouble", ncclFloat64, 2 },
};

int ncs_flight_dtype(const char *name, int *factor)
{
    *factor = 1;
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) {
            *factor = types[i].factor;
            return types[i].dtype;
        }
    return -1;
}

bool ncs_flight_is_users(const char *file)
{
    static const char *const others[] = { "/torch/", "torch/", "/site-packages/", "/dist-packages/", "/lib/python",
                                          "<frozen", "<string>", "??", NULL };
    for (size_t i = 0; others[i]; i++) {
        bool inside = others[i][0] == '/';
        if (inside ? strstr(file, others[i]) != NULL
                   : strncmp(file, others[i], strlen(others[i])) == 0)
            return false;
    }
    size_t bytes = strlen(file);
    return bytes > 3 && strcmp(file + bytes - 3, ".py") == 0;
}
