/* The arguments of a call, by their kinds. Most are copied as they are: a pointer to memory stands for itself. The few
 * that only the process can look up are looked up. */
#include "shim/record/recorder.h"

#include <stddef.h>
#include <string.h>

#include "api/types.h"
#include "base/hash.h"

enum { NAME_WORDS = NCS_RECORDING_ARGS }; /* one entry */

static bool is_special(enum ncs_kind kind)
{
    switch ((int)kind) {
    case NCS_ARG_ID:
    case NCS_ARG_ID_IN:
    case NCS_ARG_IDS:
    case NCS_ARG_CONFIG:
    case NCS_ARG_SCALAR:
    case NCS_ARG_RANKS:
    case NCS_ARG_WAITS:
    case NCS_ARG_TEXT:
    case NCS_ARG_DEVICES: return true;
    }
    return ncs_kind_is_out(kind);
}

static int8_t at(const struct ncs_fn_info *info, enum ncs_kind kind)
{
    return (int8_t)(info->at[kind] - 1);
}

void ncs_recorder_plan(struct recorder_plan *plan, enum ncs_fn fn)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    *plan = (struct recorder_plan){
        .nargs = (uint8_t)info->nargs,
        .lasting = info->joins || info->child || info->ends == NCS_ENDS_COMM || fn == NCS_FN_ncclCommGetUniqueId,
        .looks = info->looks,
        .counted = info->counted && info->at[NCS_ARG_COMM],
        .pair = info->pair,
        .receives = fn == NCS_FN_ncclRecv,
        .closes_group = info->closes_group,
        .comm = at(info, NCS_ARG_COMM),
        .count = at(info, NCS_ARG_COUNT),
        .peer = at(info, NCS_ARG_PEER),
        .stream = info->lib == NCS_LIB_CUDA ? at(info, NCS_ARG_STREAM) : -1,
    };
    if (info->one_sided) /* meets no call: it has a number only */
        plan->count = -1;
    for (int i = 0; i < info->nargs; i++)
        plan->special |= is_special(info->arg[i].kind);
    plan->special |= info->joins || info->child;
}

static uint64_t hash_of_ids(const void *id, int64_t count)
{
    return id && count > 0 && count < 65536 ? ncs_hash_bytes(0, id, (size_t)count * sizeof(ncclUniqueId)) : 0;
}

int ncs_recorder_device(void)
{
    static int (*get)(int *);
    int device = -1;
    if (!get)
        *(void **)&get = ncs_recorder_real("cudaGetDevice");
    return get && get(&device) == 0 ? device : -1;
}

void ncs_recorder_take_in(struct ncs_recording_call *to, enum ncs_fn fn, const union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    bool immediate = info->at[NCS_ARG_RESIDENCE] && arg[info->at[NCS_ARG_RESIDENCE] - 1].i == ncclScalarHostImmediate;
    for (int i = 0; i < info->nargs; i++)
        switch ((int)info->arg[i].kind) {
        case NCS_ARG_ID:
        case NCS_ARG_ID_IN: to->arg[i] = hash_of_ids(arg[i].p, 1); break;
        case NCS_ARG_IDS: to->arg[i] = hash_of_ids(arg[i].p, arg[info->at[NCS_ARG_ITEMS] - 1].i); break;
        case NCS_ARG_SCALAR:
            if (immediate && arg[i].p && info->at[NCS_ARG_DTYPE]) {
                size_t bytes = ncs_dtype_bytes((int)arg[info->at[NCS_ARG_DTYPE] - 1].i);
                to->arg[i] = 0;
                memcpy(&to->arg[i], arg[i].p, bytes < sizeof to->arg[i] ? bytes : sizeof to->arg[i]);
            }
            break;
        default:
            if (is_special(info->arg[i].kind))
                to->arg[i] = 0;
        }
    if (info->joins || info->child) {
        to->arg[NCS_RECORDING_CHILD] = to->arg[NCS_RECORDING_CHILD + 1] = (uint64_t)-1;
        to->arg[NCS_RECORDING_DEVICE] = (uint64_t)(int64_t)ncs_recorder_device();
    }
}

/* The rank of the caller in a new communicator, and how many ranks that has. */
static void take_child(struct ncs_recording_call *to, void *comm)
{
    static int (*rank_of)(void *, int *), (*count_of)(void *, int *);
    int rank = -1, nranks = -1;
    if (!rank_of || !count_of) {
        *(void **)&rank_of = ncs_recorder_real("ncclCommUserRank");
        *(void **)&count_of = ncs_recorder_real("ncclCommCount");
    }
    if (!rank_of || !count_of || rank_of(comm, &rank) != 0 || count_of(comm, &nranks) != 0)
        return;
    to->arg[NCS_RECORDING_CHILD] = (uint64_t)rank;
    to->arg[NCS_RECORDING_CHILD + 1] = (uint64_t)nranks;
}

void ncs_recorder_take_out(struct ncs_recording_call *to, enum ncs_fn fn, const union ncs_arg *arg, int rc)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    bool ok = rc == ncclSuccess || rc == ncclInProgress;
    for (int i = 0; ok && i < info->nargs; i++) {
        if (!arg[i].p)
            continue;
        switch ((int)info->arg[i].kind) {
        case NCS_ARG_COMM_OUT:
        case NCS_ARG_WINDOW_OUT:
        case NCS_ARG_MEMORY_OUT:
        case NCS_ARG_REGISTRATION_OUT: to->arg[i] = (uint64_t)(uintptr_t) * (void *const *)arg[i].p; break;
        case NCS_ARG_ID_OUT: to->arg[i] = hash_of_ids(arg[i].p, 1); break;
        case NCS_ARG_REDOP_OUT:
        case NCS_ARG_RESULT_OUT:
        case NCS_ARG_INT_OUT: to->arg[i] = (uint64_t)(int64_t) * (const int *)arg[i].p; break;
        }
        if (info->child && info->arg[i].kind == NCS_ARG_COMM_OUT && to->arg[i] && rc == ncclSuccess)
            take_child(to, (void *)(uintptr_t)to->arg[i]);
    }
}

/* The name that a program gives a communicator (NCCL 2.27 and newer), as words. */
static int name_in_config(const ncclConfig_t *config, uint64_t *word, int most)
{
    if (!config || config->magic != NCCL_CONFIG_MAGIC ||
        config->size < offsetof(ncclConfig_t, commName) + sizeof config->commName || !config->commName)
        return 0;
    size_t room = (size_t)(most < NAME_WORDS ? most : NAME_WORDS) * sizeof *word;
    memset(word, 0, room);
    memcpy(word, config->commName, strnlen(config->commName, room - 1));
    return (int)(room / sizeof *word);
}

int ncs_recorder_list(enum ncs_fn fn, const union ncs_arg *arg, bool ended, uint64_t *word, int most, uint8_t *which)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    if (!ended && info->joins && info->at[NCS_ARG_CONFIG]) {
        *which = info->at[NCS_ARG_CONFIG];
        return name_in_config(arg[info->at[NCS_ARG_CONFIG] - 1].p, word, most);
    }
    enum ncs_kind kind = ended ? NCS_ARG_COMMS_OUT : info->at[NCS_ARG_RANKS] ? NCS_ARG_RANKS : NCS_ARG_WAITS;
    int place = info->at[kind] - 1, length = info->at[ended ? NCS_ARG_NRANKS : NCS_ARG_ITEMS] - 1;
    if (place < 0 || length < 0 || !arg[place].p || arg[length].i < 0)
        return 0;
    int64_t items = arg[length].i;
    size_t bytes = kind == NCS_ARG_RANKS ? sizeof(int) : kind == NCS_ARG_WAITS ? sizeof(ncclWaitSignalDesc_t) : sizeof(void *);
    if (items > most || (size_t)items * bytes > (size_t)most * sizeof *word)
        items = (int64_t)((size_t)most * sizeof *word / bytes);
    *which = (uint8_t)(place + 1);
    memset(word, 0, ((size_t)items * bytes + 7) / 8 * 8);
    memcpy(word, arg[place].p, (size_t)items * bytes);
    if (info->joins == NCS_JOINS_ALL && items <= most / 2) { /* behind the communicators, their devices */
        const int *device = arg[info->at[NCS_ARG_DEVICES] - 1].p;
        for (int64_t i = 0; i < items; i++)
            word[items + i] = (uint64_t)(device ? device[i] : i);
        items *= 2;
    }
    return (int)(((size_t)items * bytes + 7) / 8);
}
