#include "shim/exec/left.h"

#include "base/mem.h"
#include "base/quantity.h"
#include "shim/exec/misuse.h"
#include "sim/cuda/outside.h"

static void add_item(struct ncs_str *out, uint64_t n, const char *what)
{
    if (n > 0)
        ncs_str_addf(out, "%s%llu %s%s", out->bytes ? ", " : "", (unsigned long long)n, what,
                     n == 1 ? "" : "s");
}

/* Ranks of the communicator that have neither destroyed nor aborted it. */
static size_t ranks_left(const struct ncs_comm_info *info, int *rank)
{
    size_t count = 0;
    for (int r = 0; r < info->members; r++)
        if (info->member[r].handle && !info->member[r].gone)
            rank[count++] = r;
    return count;
}

static void add_comms(const struct ncs_journal *journal, struct ncs_str *out)
{
    struct ncs_str names = { 0 };
    uint64_t count = 0;
    for (size_t i = 0; i < journal->comms; i++) {
        const struct ncs_comm_info *info = journal->comm[i];
        int *rank = ncs_new((size_t)info->members * sizeof *rank);
        size_t ranks = ranks_left(info, rank);
        if (ranks > 0) {
            ncs_str_addf(&names, "%s%s: rank%s ", count++ ? "; " : "", info->name,
                         ranks == 1 ? "" : "s");
            ncs_str_add_ranks(&names, rank, ranks);
        }
        ncs_free(rank);
    }
    add_item(out, count, "communicator");
    if (count > 0)
        ncs_str_addf(out, " (%s)", names.text);
    ncs_str_free(&names);
}

static uint64_t operators_left(const struct ncs_journal *journal)
{
    uint64_t count = 0;
    for (size_t i = 0; i < journal->comms; i++)
        for (const struct ncs_redop *op = journal->comm[i]->redops; op; op = op->next)
            count += op->destroyed == 0;
    return count;
}

void ncs_exec_left(const struct ncs_journal *journal, struct ncs_str *out)
{
    struct outside_left left;
    char size[32];
    sim_outside_count_left(&left);
    add_comms(journal, out);
    add_item(out, operators_left(journal), "reduction operator");
    add_item(out, ncs_misuse_registered(), "registered buffer");
    add_item(out, ncs_misuse_windows(), "window");
    add_item(out, left.device_blocks, "allocation");
    if (left.device_blocks > 0)
        ncs_str_addf(out, " of device memory (%s)",
                     ncs_format_size(left.device_bytes, size, sizeof size));
    add_item(out, left.pinned_blocks, "allocation");
    if (left.pinned_blocks > 0)
        ncs_str_add(out, " of pinned memory");
    add_item(out, left.streams - left.unused_streams, "stream");
    add_item(out, left.unused_streams, "stream");
    if (left.unused_streams > 0)
        ncs_str_add(out, left.unused_streams == 1 ? " that was never used" : " that were never used");
    add_item(out, left.events, "event");
}
