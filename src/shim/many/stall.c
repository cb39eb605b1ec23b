#define _GNU_SOURCE /* memfd_create */
#include "shim/many/server.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/str.h"
#include "shim/many/job.h"
#include "shim/shim.h"
#include "sim/kernel/foreign.h"

static int stall_file = -1;

int stall_report(void)
{
    return stall_file;
}

static void report_stall(int64_t silence)
{
    struct ncs_str why = { 0 };
    char time[32];
    ncs_str_addf(&why, "nothing has changed for %s", ncs_format_duration(silence, time, sizeof time));
    job_list_outside(&why);
    ncs_str_add(&why, "; the program goes on");
    ncs_shim_above()->stalled(why.text);
}

#define COPY_LOOKS 1000
#define COPY_LOOK_NS 10000000

/* A copy of the process makes the report: it has the token, and no other thread. */
static void report_stall_in_copy(int64_t silence)
{
    stall_file = memfd_create("ncclscript report", MFD_CLOEXEC); /* the report of a hang need not repeat it */
    pid_t copy = ncs_shim_copy();
    if (copy == 0)
        report_stall(silence);
    bool reports = copy > 0;
    for (int i = 0; reports && i < COPY_LOOKS && (reports = waitpid(copy, NULL, WNOHANG) == 0); i++)
        nanosleep(&(struct timespec){ .tv_nsec = COPY_LOOK_NS }, NULL);
    if (reports) /* the job goes on, whatever becomes of the report */
        kill(copy, SIGKILL);
}

void stall_look(int64_t limit)
{
    static bool told;
    int64_t silence = sim_foreign_watch();
    if (!told && ncs_shim_above() && silence >= limit && sim_foreign_some_wait() && job_is_stalled()) {
        told = true;
        report_stall_in_copy(silence);
    }
    sim_foreign_unwatch();
}
