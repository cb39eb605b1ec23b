#define _GNU_SOURCE /* process_vm_readv */
#include "sim/data/caller.h"

#include <string.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "sim/data/data.h"
#include "sim/kernel/world.h"

typedef ssize_t caller_move(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long, unsigned long);

static bool caller_move_all(caller_move *move, pid_t pid, void *here, void *there, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        struct iovec own = { (char *)here + done, bytes - done }, other = { (char *)there + done, bytes - done };
        ssize_t n = move(pid, &own, 1, &other, 1, 0);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool sim_caller_read(pid_t pid, void *here, const void *there, size_t bytes)
{
    return caller_move_all(process_vm_readv, pid, here, (void *)there, bytes);
}

bool sim_caller_write(pid_t pid, void *there, const void *here, size_t bytes)
{
    return caller_move_all(process_vm_writev, pid, (void *)here, there, bytes);
}

/* Both sides are another process's: a part at a time. */
static bool caller_copy_within(pid_t pid, void *dst, const void *src, size_t bytes)
{
    enum { PART = 1 << 20 };
    char *part = ncs_new(PART);
    bool copied = true;
    for (size_t at = 0; copied && at < bytes; at += PART) {
        size_t count = bytes - at < PART ? bytes - at : PART;
        copied = sim_caller_read(pid, part, (const char *)src + at, count) &&
                 sim_caller_write(pid, (char *)dst + at, part, count);
    }
    ncs_free(part);
    return copied;
}

bool sim_caller_copy(const struct process *process, void *dst, bool dst_is_callers, const void *src, bool src_is_callers,
                     size_t bytes)
{
    pid_t pid = process->pid;
    if (pid && process->dead && (dst_is_callers || src_is_callers)) /* another process may have its number by now */
        return false;
    if (pid && dst_is_callers && src_is_callers)
        return caller_copy_within(pid, dst, src, bytes);
    if (pid && src_is_callers)
        return sim_caller_read(pid, dst, src, bytes);
    if (pid && dst_is_callers)
        return sim_caller_write(pid, dst, src, bytes);
    sim_data_copy(dst, src, bytes);
    return true;
}
