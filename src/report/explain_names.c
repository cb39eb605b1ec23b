/* `explain` for what NCCL and CUDA name themselves: result codes, and functions. */
#include <stdlib.h>
#include <string.h>

#include "api/gen/api.h"
#include "api/types.h"
#include "api/version.h"
#include "report/report.h"

static const struct {
    const char *name, *text;
} results[] = {
    { "ncclSuccess",
      "Of a communication call: the work is enqueued, not done. The stream says when it is.\n" },
    { "ncclUnhandledCudaError",
      "A call of CUDA's inside of NCCL failed: no driver, no device, no memory, a stream of another\n"
      "device, or an earlier kernel that touched memory that is not its own and took the device with\n"
      "it. The rank's peers are not told.\n"
      "Repair: ask cudaGetLastError and run with NCCL_DEBUG=INFO; look for the first error, which may\n"
      "be none of NCCL's.\n" },
    { "ncclSystemError",
      "A call of the operating system's failed: sockets, shared memory, limits of open files or of\n"
      "locked memory, no network interface of the name that NCCL_SOCKET_IFNAME asks for.\n"
      "Repair: run with NCCL_DEBUG=INFO, which tells the call and errno.\n" },
    { "ncclInternalError",
      "NCCL found itself in a state that it does not expect. Often that is the end of a call that\n"
      "another thread aborted, or a version that differs between ranks.\n"
      "Repair: look for an abort first, then compare the versions of all ranks.\n" },
    { "ncclInvalidArgument",
      "An argument that NCCL can check alone is wrong: NULL, a root or peer that is no rank, no such\n"
      "type or operator, a communicator that was destroyed or is still in progress. What ranks\n"
      "disagree on is never found: it hangs.\n"
      "Repair: ncclGetLastError and NCCL_DEBUG=WARN tell which argument.\n" },
    { "ncclInvalidUsage",
      "Each argument may be right, the call is not: ncclGroupEnd without a start, two ranks on one\n"
      "GPU, two threads that launch on one communicator at once, blocking and non-blocking\n"
      "communicators in one group.\n"
      "Repair: NCCL_DEBUG=WARN tells which rule.\n" },
    { "ncclRemoteError",
      "Another process ended, or the network to it did. Only its neighbours hear of it, through\n"
      "ncclCommGetAsyncError; later calls on the communicator fail with the same code.\n"
      "Repair: tell all ranks outside of NCCL, abort on each, then go on with those that are left.\n" },
    { "ncclInProgress",
      "No error: a non-blocking communicator is not ready yet, and the call goes on behind the scenes.\n"
      "Until ncclCommGetAsyncError says otherwise no other call on it may be made.\n" },
    { "ncclTimeout",
      "Of barriers on the device, from NCCL 2.30.3 on. No call of the host returns it: a host that\n"
      "waits for a rank waits for ever.\n" },
};

static bool explain_result(const char *name, struct ncs_str *out)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(results[i].name, name) == 0) {
            ncs_str_addf(out, "%s: result %d of NCCL\n\n%s", name, ncs_result_from_name(name),
                         results[i].text);
            return true;
        }
    return false;
}

static bool explain_function(const char *name, struct ncs_str *out)
{
    char since[24];
    int fn = ncs_fn_from_name(name);
    if (fn < 0)
        return false;
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    ncs_str_addf(out, "%s: %s\n\n  in C   %s(", name, info->text, name);
    for (int i = 0; i < info->nargs; i++)
        ncs_str_addf(out, "%s%s", i ? ", " : "", info->arg[i].name);
    ncs_str_addf(out, ")\n  in Lua %s%s\n", info->lua_name ? info->lua_name : "C.",
                 info->lua_name ? "" : name);
    if (info->since)
        ncs_str_addf(out, "  since  NCCL %s\n",
                     ncs_nccl_version_text(info->since, since, sizeof since));
    if (info->counted)
        ncs_str_add(out, "\nA communication call: the calls of different ranks meet in the order in "
                         "which each rank\nmakes them, and have to fit each other. It returns when it "
                         "is enqueued; the stream says\nwhen it is done.\n");
    if (info->grouped)
        ncs_str_add(out, "\nIn a group it is only queued: ncclGroupEnd carries it out, and says what "
                         "is wrong.\n");
    return true;
}

bool ncs_explain(const char *name, struct ncs_str *out)
{
    const struct ncs_topic *topic = ncs_topic(name);
    char *end;
    long code = strtol(name, &end, 10);
    if (*name && !*end && code >= 0 && code < (long)(sizeof results / sizeof *results))
        name = ncs_nccl_result_name((int)code);
    if (!topic)
        return explain_result(name, out) || explain_function(name, out);
    ncs_str_addf(out, "%s: %s\n\n%s", topic->id, topic->title, topic->text);
    return true;
}

const char *const *ncs_explained(size_t *count)
{
    static const char *names[256 + NCS_FN_COUNT];
    *count = 0;
    for (const struct ncs_topic *t = ncs_topics; t->id; t++)
        names[(*count)++] = t->id;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        names[(*count)++] = results[i].name;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        names[(*count)++] = ncs_fn_info[fn].name;
    return names;
}
