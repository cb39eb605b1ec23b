/* Finds libraries of NCCL and CUDA that a program has mapped beside the drop-in ones, from inside the process. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "shim/other.h"

#include <link.h>

#include "base/str.h"
#include "shim/shim.h"

struct others {
    const char *folder; /* of ours */
    struct ncs_str lines, list;
};

static int add_library(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    struct others *o = arg;
    char ours[2 * PATH_MAX];
    (void)bytes;
    if (!info->dlpi_name || !ncs_is_other(info->dlpi_name))
        return 0;
    ncs_ours(o->folder, info->dlpi_name, ours, sizeof ours);
    ncs_str_addf(&o->lines, NCS_OTHER_SAYS, info->dlpi_name, ours);
    ncs_str_addf(&o->list, "%s%s (in place of %s)", o->list.bytes ? ", " : "", info->dlpi_name, ours);
    return 0;
}

/* True if exec's audit library runs: then it has reported them already. */
static bool is_audited(void)
{
    const char *audit = getenv("LD_AUDIT");
    return audit && strstr(audit, "libncclscript-audit.so");
}

void ncs_shim_warn_of_others(bool at_end)
{
    static const char inside;
    char folder[PATH_MAX];
    struct others o = { .folder = ncs_folder_of(&inside, folder, sizeof folder) };
    dl_iterate_phdr(add_library, &o);
    if (at_end && o.list.bytes)
        ncs_shim_warn("not simulated: calls into %s", o.list.text);
    else if (!at_end && o.lines.bytes && !is_audited())
        ncs_shim_write(STDERR_FILENO, o.lines.text, o.lines.bytes);
    ncs_str_free(&o.lines);
    ncs_str_free(&o.list);
}
