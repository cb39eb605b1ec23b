/* Watches the ranks' uses of memory for missing order, from the journal's calls and from the host's
 * other waits, and reports hazards to the diagnosis. */
#include <string.h>

#include "base/mem.h"
#include "run/private.h"

static int device_of_thread(void *arg)
{
    const struct ncs_run *run = arg;
    const struct ncs_api *api = run->driver->api;
    int device = 0;
    return api->cudaGetDevice && api->cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

void ncs_run_hazards_open(struct ncs_run *run)
{
    if (strcmp(run->driver->name, "dry-run") == 0) /* a dry run executes nothing */
        return;
    run->hazards = ncs_hazards_open(run->journal, device_of_thread, run);
}

void ncs_run_waited(struct ncs_run *run)
{
    if (run->hazards && !run->closed && ncs_local)
        ncs_hazards_waited(run->hazards, ncs_local->rank);
}

void ncs_run_compared(struct ncs_run *run, bool held)
{
    if (run->hazards && ncs_local)
        ncs_hazards_compared(run->hazards, ncs_local->rank, held);
}

void ncs_run_hazards_report(struct ncs_run *run)
{
    size_t count, wrongs;
    uint64_t all;
    if (!run->hazards)
        return;
    const struct ncs_wrong *wrong = run->verify ? ncs_verify_wrong(run->verify, &wrongs, &all) : NULL;
    for (size_t i = 0; wrong && i < wrongs; i++)
        ncs_hazards_wrong(run->hazards, wrong[i].call);
    const struct ncs_hazard *found = ncs_hazards_found(run->hazards, &count);
    for (size_t i = 0; i < count; i++) {
        struct ncs_call *const calls[] = { found[i].earlier, found[i].later };
        struct ncs_notice *n = ncs_notices_add(&run->notices, NCS_NOTICE_HAZARD, calls, 2, NULL);
        if (!n)
            return;
        n->hazard = &found[i];
        n->felt = found[i].felt && run->result.stop == NCS_STOP_DONE;
    }
}

void ncs_run_hazards_close(struct ncs_run *run)
{
    ncs_hazards_close(run->hazards);
    run->hazards = NULL;
}
