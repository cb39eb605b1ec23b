/* The arguments of a recorded call as the journal reads them. Pointers of a process get the process's number, so that equal
 * addresses of two processes differ; the journal follows only pointers to what was recorded, which lies in blocks of ours. */
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/safe.h"
#include "trace/recording_play.h"

enum { OUT_BYTES = 512 }; /* more than any result that a call writes */

void *ncs_recorded_block(struct recorded_play *p, size_t bytes)
{
    void *block = ncs_new(bytes ? bytes : 1);
    struct ncs_trace *t = p->r->record->trace;
    NCS_PUSH(t->block, t->blocks, t->block_room, block);
    return block;
}

const void *ncs_recorded_pointer(int file, uint64_t word)
{
    return (const void *)(uintptr_t)(word > 0xffff ? word ^ ((uint64_t)(file + 1) << 48) : word);
}

/* An id that stands for the real one: it has the same hash on all ranks. */
static void *stand_in_id(struct recorded_play *p, uint64_t hash)
{
    void *id = ncs_recorded_block(p, sizeof(ncclUniqueId));
    memcpy(id, &hash, sizeof hash);
    return id;
}

static void *block_of_list(struct recorded_play *p, const struct recorded_call *c, int at)
{
    if (c->raw.list != at + 1 || !c->words)
        return NULL;
    void *block = ncs_recorded_block(p, c->words * sizeof *c->list);
    memcpy(block, c->list, c->words * sizeof *c->list);
    return block;
}

static int *block_of_devices(struct recorded_play *p, const struct recorded_call *c)
{
    const uint64_t *from = ncs_recorded_devices(c);
    int *device = from ? ncs_recorded_block(p, c->words / 2 * sizeof *device) : NULL;
    for (size_t k = 0; from && k < c->words / 2; k++)
        device[k] = (int)from[k];
    return device;
}

/* A configuration that has the communicator's name, and nothing else that the journal reads. */
static ncclConfig_t *config_of_name(struct recorded_play *p, const struct recorded_call *c, int at)
{
    char *name = block_of_list(p, c, at);
    if (!name)
        return NULL;
    ncclConfig_t *config = ncs_recorded_block(p, sizeof *config);
    struct ncs_str safe = { 0 };
    name[c->words * sizeof *c->list - 1] = '\0';
    ncs_safe_utf8(&safe, name, strlen(name));
    char *kept = ncs_recorded_block(p, 2 * safe.bytes + 64);
    struct ncs_str line = { 0 };
    ncs_safe_line(&line, safe.text ? safe.text : "");
    snprintf(kept, 2 * safe.bytes + 64, "%s", line.text ? line.text : "");
    ncs_str_free(&line);
    ncs_str_free(&safe);
    config->size = sizeof *config;
    config->magic = NCCL_CONFIG_MAGIC;
    config->commName = kept;
    return config;
}

/* The default streams of devices have one handle. */
static const void *played_stream(const struct recorded_play *p, const struct recorded_call *c, uint64_t word)
{
    enum { FIRST = 0x10000 }; /* no address is as low */
    bool shared = p->r->file[c->file].as_one && word <= (uint64_t)(uintptr_t)cudaStreamPerThread && c->rank >= 0;
    return ncs_recorded_pointer(c->file, shared ? FIRST + 4 * (uint64_t)c->rank + word : word);
}

static void set_one(struct recorded_play *p, const struct recorded_call *c, int i, union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    uint64_t word = c->raw.arg[i];
    bool immediate = info->at[NCS_ARG_RESIDENCE] && (int)c->raw.arg[info->at[NCS_ARG_RESIDENCE] - 1] == ncclScalarHostImmediate;
    enum ncs_kind kind = info->arg[i].kind;
    arg->u = word;
    switch ((int)kind) {
    case NCS_ARG_IN:
    case NCS_ARG_OUT:
    case NCS_ARG_INOUT:
    case NCS_ARG_MEMORY:
    case NCS_ARG_COMM:
    case NCS_ARG_EVENT:
    case NCS_ARG_WINDOW:
    case NCS_ARG_REGISTRATION: arg->p = ncs_recorded_pointer(c->file, word); break;
    case NCS_ARG_STREAM: arg->p = played_stream(p, c, word); break;
    case NCS_ARG_DTYPE:
    case NCS_ARG_REDOP:
    case NCS_ARG_ROOT:
    case NCS_ARG_PEER:
    case NCS_ARG_RESIDENCE:
    case NCS_ARG_INT:
    case NCS_ARG_NRANKS:
    case NCS_ARG_RANK:
    case NCS_ARG_DEVICE:
    case NCS_ARG_ITEMS:
    case NCS_ARG_COLOR: arg->i = (int)word; break;
    case NCS_ARG_ID:
    case NCS_ARG_IDS: arg->p = stand_in_id(p, word); break;
    case NCS_ARG_ID_IN: arg->p = word ? stand_in_id(p, word) : NULL; break;
    case NCS_ARG_RANKS:
    case NCS_ARG_WAITS: arg->p = block_of_list(p, c, i); break;
    case NCS_ARG_CONFIG: arg->p = config_of_name(p, c, i); break;
    case NCS_ARG_DEVICES: arg->p = block_of_devices(p, c); break;
    case NCS_ARG_TEXT:
    case NCS_ARG_SIMINFO: arg->p = NULL; break;
    case NCS_ARG_SCALAR: {
        uint64_t *value = ncs_recorded_block(p, sizeof *value);
        *value = word;
        arg->p = immediate ? value : ncs_recorded_pointer(c->file, word);
        break;
    }
    case NCS_ARG_COMMS_OUT: arg->p = ncs_recorded_block(p, (c->words + 1) * sizeof(void *)); break;
    default:
        if (ncs_kind_is_out(kind))
            arg->p = ncs_recorded_block(p, OUT_BYTES);
    }
}

/* The list has as many items as were recorded. */
static void set_items(const struct recorded_call *c, struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    if (!info->at[NCS_ARG_ITEMS])
        return;
    union ncs_arg *items = &call->arg[info->at[NCS_ARG_ITEMS] - 1];
    size_t bytes = info->at[NCS_ARG_WAITS] ? sizeof(ncclWaitSignalDesc_t) : sizeof(int);
    int64_t most = (int64_t)(c->words * sizeof *c->list / bytes);
    if (info->at[NCS_ARG_IDS])
        items->i = 1; /* one hash stands for all ids */
    else if (items->i > most || items->i < 0)
        items->i = most;
}

void ncs_recorded_set_arguments(struct recorded_play *p, const struct recorded_call *c, struct ncs_call *call)
{
    for (int i = 0; i < ncs_fn_info[c->fn].nargs; i++)
        set_one(p, c, i, &call->arg[i]);
    set_items(c, call);
}

void ncs_recorded_set_results(const struct recorded_call *c, struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    for (int i = 0; i < info->nargs; i++) {
        void *to = (void *)(uintptr_t)call->arg[i].p;
        uint64_t word = c->raw.arg[i];
        const void *pointer = ncs_recorded_pointer(c->file, word);
        int number = (int)word;
        switch ((int)info->arg[i].kind) {
        case NCS_ARG_COMM_OUT:
        case NCS_ARG_WINDOW_OUT:
        case NCS_ARG_REGISTRATION_OUT:
        case NCS_ARG_MEMORY_OUT: memcpy(to, &pointer, sizeof pointer); break;
        case NCS_ARG_ID_OUT: memcpy(to, &word, sizeof word); break;
        case NCS_ARG_REDOP_OUT:
        case NCS_ARG_RESULT_OUT:
        case NCS_ARG_INT_OUT: memcpy(to, &number, sizeof number); break;
        case NCS_ARG_COMMS_OUT:
            for (size_t k = 0; k < c->words; k++)
                ((const void **)to)[k] = ncs_recorded_pointer(c->file, c->list[k]);
            break;
        }
    }
}

/* ---- what a sound call has ---- */

static bool waits_fit(const struct recorded_call *c, int nranks)
{
    for (size_t i = 0; i + 1 < c->words; i += 2) {
        ncclWaitSignalDesc_t d;
        memcpy(&d, &c->list[i], sizeof d);
        if (d.peer < 0 || d.peer >= nranks)
            return false;
    }
    return true;
}

/* Bounds the memory that the journal takes for a communicator. */
static bool ranks_fit(const struct recorded_call *c)
{
    const unsigned char *at = ncs_fn_info[c->fn].at;
    bool child = ncs_fn_info[c->fn].child;
    int nranks = at[NCS_ARG_NRANKS] ? (int)c->raw.arg[at[NCS_ARG_NRANKS] - 1] : 0;
    int rank = at[NCS_ARG_RANK]                       ? (int)c->raw.arg[at[NCS_ARG_RANK] - 1]
               : at[NCS_ARG_ID_IN] && at[NCS_ARG_INT] ? (int)c->raw.arg[at[NCS_ARG_INT] - 1] /* of ncclCommGrow */
                                                      : 0;
    int children = child ? (int)c->raw.arg[NCS_RECORDING_CHILD + 1] : 0;
    return nranks <= NCS_RECORD_RANKS && rank < NCS_RECORD_RANKS && children <= NCS_RECORD_RANKS;
}

bool ncs_recorded_is_sound(const struct ncs_journal *j, const struct recorded_call *c)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    int comm, comm_rank, nranks = 0;
    if (!ranks_fit(c))
        return false;
    if (c->raw.rc != ncclSuccess && c->raw.rc != ncclInProgress)
        return info->joins != NCS_JOINS_ALL;
    if (info->joins == NCS_JOINS_ALL)
        return c->end == UINT64_MAX || ncs_recorded_devices(c) ||
               (c->words > 0 && (uint64_t)(int)c->raw.arg[info->at[NCS_ARG_NRANKS] - 1] == c->words);
    if (info->at[NCS_ARG_DTYPE] && !ncs_dtype_bytes((int)c->raw.arg[info->at[NCS_ARG_DTYPE] - 1]))
        return false;
    if (info->at[NCS_ARG_COMM] &&
        ncs_journal_find(j, ncs_recorded_pointer(c->file, c->raw.arg[info->at[NCS_ARG_COMM] - 1]), &comm, &comm_rank))
        nranks = j->comm[comm]->nranks;
    for (int i = 0; i < info->nargs && nranks; i++) {
        bool ranked = info->arg[i].kind == NCS_ARG_ROOT || info->arg[i].kind == NCS_ARG_PEER;
        if (ranked && ((int)c->raw.arg[i] < 0 || (int)c->raw.arg[i] >= nranks))
            return false;
    }
    return !info->at[NCS_ARG_WAITS] || waits_fit(c, nranks);
}
