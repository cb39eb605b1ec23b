/* The names of resources, and of the functions that free them. */
#include "diagnose/ledger/ledger.h"

#include "base/quantity.h"

static const struct {
    const char *name;          /* of any number of them */
    const char *one, *several; /* NULL: the name says it */
    bool sized;                /* its bytes are its own */
} resource_words[NCS_RESOURCES] = {
    [NCS_RESOURCE_MEMORY] = { "device memory", "allocation", "allocations", true },
    [NCS_RESOURCE_PINNED] = { "pinned memory", "allocation", "allocations", true },
    [NCS_RESOURCE_REGISTERED] = { "host memory that was pinned", "range", "ranges", true },
    [NCS_RESOURCE_IMPORT] = { "memory of other processes", "mapping", "mappings", false },
    [NCS_RESOURCE_STREAM] = { "streams", "stream", "streams", false },
    [NCS_RESOURCE_EVENT] = { "events", "event", "events", false },
    [NCS_RESOURCE_GRAPH] = { "graphs", "graph", "graphs", false },
    [NCS_RESOURCE_EXECUTABLE] = { "executable graphs", "executable graph", "executable graphs", false },
    [NCS_RESOURCE_POOL] = { "memory pools", "memory pool", "memory pools", false },
    [NCS_RESOURCE_OPERATOR] = { "reduction operators", "reduction operator", "reduction operators", false },
    [NCS_RESOURCE_REGISTRATION] = { "registered buffers", "registered buffer", "registered buffers", false },
    [NCS_RESOURCE_WINDOW] = { "windows", "window", "windows", false },
    [NCS_RESOURCE_COMM] = { "communicators", "communicator", "communicators", false },
};

const char *ncs_resource_name(enum ncs_resource kind)
{
    return resource_words[kind].name;
}

/* True for allocations of memory and the like: "3 allocations of device memory". */
static bool has_own_noun(enum ncs_resource kind)
{
    return kind <= NCS_RESOURCE_IMPORT;
}

void ncs_resource_format(struct ncs_str *out, enum ncs_resource kind, uint64_t count, uint64_t bytes, bool each)
{
    char size[32];
    ncs_str_addf(out, "%llu %s", (unsigned long long)count, count == 1 ? resource_words[kind].one : resource_words[kind].several);
    if (has_own_noun(kind))
        ncs_str_addf(out, " of %s", resource_words[kind].name);
    if (each)
        ncs_str_add(out, " each");
    if (resource_words[kind].sized)
        ncs_str_addf(out, " (%s)", ncs_format_size(bytes, size, sizeof size));
}

void ncs_left_format(struct ncs_str *out, const struct ncs_left *left)
{
    const struct ncs_fn_info *info = &ncs_fn_info[left->fn];
    bool each = left->ranks > 1 && left->even;
    uint64_t share = each ? left->ranks : 1;
    ncs_resource_format(out, left->kind, left->count / share, left->bytes / share, each);
    ncs_str_addf(out, ", made by %s", left->raw || !info->lua_name ? info->name : info->lua_name);
    if (left->place.line)
        ncs_str_addf(out, " at line %d", left->place.line);
}

/* Memory has one function for each way to allocate it; else the first row that frees the kind. */
const char *ncs_resource_freer(enum ncs_fn made)
{
    enum ncs_resource kind = ncs_fn_info[made].makes;
    bool nccl = ncs_fn_info[made].lib == NCS_LIB_NCCL;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        if (ncs_fn_info[fn].frees == kind && (ncs_fn_info[fn].lib == NCS_LIB_NCCL) == nccl)
            return ncs_fn_info[fn].name;
    return NULL;
}
