#include "shim/many/job.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/processes.h"

static const struct {
    long number;
    const char *name;
} doing_calls[] = {
#ifdef SYS_poll
    { SYS_poll, "waits for a message (poll)" },
#endif
#ifdef SYS_epoll_wait
    { SYS_epoll_wait, "waits for a message (epoll)" },
#endif
#ifdef SYS_select
    { SYS_select, "waits for a message, or sleeps (select)" },
#endif
    { SYS_ppoll, "waits for a message (poll)" },
    { SYS_epoll_pwait, "waits for a message (epoll)" },
    { SYS_pselect6, "waits for a message, or sleeps (select)" },
    { SYS_recvfrom, "waits for a message (recv)" },
    { SYS_recvmsg, "waits for a message (recv)" },
    { SYS_accept, "waits for a connection (accept)" },
    { SYS_accept4, "waits for a connection (accept)" },
    { SYS_connect, "waits for a connection (connect)" },
    { SYS_read, "waits for input (read)" },
    { SYS_wait4, "waits for another process (wait)" },
    { SYS_waitid, "waits for another process (wait)" },
    { SYS_futex, "waits for a lock or another thread" },
#ifdef SYS_pause
    { SYS_pause, "waits for a signal (pause)" },
#endif
    { SYS_rt_sigsuspend, "waits for a signal" },
    { SYS_rt_sigtimedwait, "waits for a signal" },
    { SYS_nanosleep, "sleeps (nanosleep)" },
    { SYS_clock_nanosleep, "sleeps (nanosleep)" },
    { SYS_flock, "waits for a lock of a file" },
};

static bool doing_read(pid_t process, pid_t thread, const char *file, char *out, size_t room)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)process, (int)thread, file);
    FILE *f = fopen(path, "r");
    bool read = f && fgets(out, (int)room, f);
    if (f)
        fclose(f);
    return read;
}

const char *doing_name(pid_t process, pid_t thread)
{
    char line[512];
    char *end;
    if (doing_read(process, thread, "stat", line, sizeof line)) {
        const char *state = strrchr(line, ')');
        if (state && state[1] == ' ' && (state[2] == 'T' || state[2] == 't'))
            return "is stopped";
    }
    if (!doing_read(process, thread, "syscall", line, sizeof line))
        return "cannot be seen";
    long number = strtol(line, &end, 10);
    if (end == line) /* "running": MPI's libraries poll for messages without a pause, so a rank in MPI_Barrier runs */
        return ncs_process_has_mapped(process, "/libmpi") ? "runs, perhaps in MPI" : "";
    for (size_t i = 0; i < sizeof doing_calls / sizeof *doing_calls; i++)
        if (doing_calls[i].number == number)
            return doing_calls[i].name;
    return "waits in the system";
}
