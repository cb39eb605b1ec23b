/* Watches the ranks' uses of memory for missing order, from the journal's calls and from the host's
 * other waits, and reports hazards to the diagnosis. */
#include <string.h>

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
    run->hazards = ncs_hazards_open(run->journal, &(struct ncs_hazards_options){ .device = device_of_thread, .device_arg = run });
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
    size_t wrongs = 0;
    uint64_t all;
    if (!run->hazards)
        return;
    const struct ncs_wrong *wrong = run->verify ? ncs_verify_wrong(run->verify, &wrongs, &all) : NULL;
    ncs_notices_hazards(&run->notices, run->hazards, wrong, wrongs, run->result.stop == NCS_STOP_DONE);
}

void ncs_run_hazards_close(struct ncs_run *run)
{
    ncs_hazards_close(run->hazards);
    run->hazards = NULL;
}
