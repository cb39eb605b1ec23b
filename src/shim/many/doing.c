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

const char *doing_name(pid_t process, pid_t thread)
{
    char line[512], *end, state = ncs_task_state(process, thread);
    if (state == 'T' || state == 't')
        return "is stopped";
    if (!ncs_task_line(process, thread, "syscall", line, sizeof line))
        return "cannot be seen";
    long number = strtol(line, &end, 10);
    if (end == line) /* "running": MPI's libraries poll for messages without a pause, so a rank in MPI_Barrier runs */
        return ncs_process_has_mapped(process, "/libmpi") ? "runs, perhaps in MPI" : "";
    for (size_t i = 0; i < sizeof doing_calls / sizeof *doing_calls; i++)
        if (doing_calls[i].number == number)
            return doing_calls[i].name;
    return "waits in the system";
}
