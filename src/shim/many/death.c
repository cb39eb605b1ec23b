#define _GNU_SOURCE
#include "shim/many/server.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

/* Of Linux 6.15 and later (linux/pidfd.h: PIDFD_GET_INFO), which also tells of a process that its parent has reaped. */
struct death_info {
    uint64_t mask, group;
    uint32_t numbers[11];
    int32_t exit_code;
};
#define DEATH_EXIT ((uint64_t)1 << 3)
#define DEATH_GET_INFO _IOWR(0xff, 11, struct death_info)

/* The last field of a process that nobody has reaped so far (proc(5), exit_code). */
static bool death_from_stat(int pid, int *status)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    bool read = f && fgets(line, sizeof line, f);
    if (f)
        fclose(f);
    const char *state = read ? strrchr(line, ')') : NULL, *last = read ? strrchr(line, ' ') : NULL;
    return state && last && state[1] == ' ' && state[2] == 'Z' && sscanf(last, "%d", status) == 1;
}

bool death_of(int pidfd, int pid, bool exits, struct ncs_str *out)
{
    struct death_info info = { .mask = DEATH_EXIT };
    int status;
    bool known = ioctl(pidfd, DEATH_GET_INFO, &info) == 0 && info.mask & DEATH_EXIT;
    status = info.exit_code;
    known = known || death_from_stat(pid, &status);
    if (!known && exits)
        return false;
    if (!known)
        ncs_str_add(out, "a signal, or its own _exit");
    else if (WIFSIGNALED(status))
        ncs_str_addf(out, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        ncs_str_addf(out, "its exit with status %d", WEXITSTATUS(status));
    else
        return false;
    return true;
}
