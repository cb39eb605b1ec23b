#include "cli/job.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/launcher.h"
#include "base/mem.h"
#include "base/pmix.h"
#include "cli/output.h"
#include "team/team.h"

/* How long processes wait for each other: some launchers start them minutes after one another. */
#define JOB_PATIENCE ((int64_t)60 * 1000000000)

/* Seconds for which a process goes on after SIGTERM, so that the leader can report what the others did. */
enum { JOB_GRACE = 5 };

static struct ncs_team *_Atomic job_team; /* that this process leads */

/* ---- what a process says of itself ---- */

struct job_hello {
    int32_t gpus;   /* 0 = its driver cannot be opened: */
    int32_t shares; /* several ranks may use one GPU */
    char why[1024];
};

static void job_fill_hello(const struct ncs_driver_choice *choice, struct job_hello *hello)
{
    const char *shares = getenv("NCCL_MULTI_RANK_GPU_ENABLE"), *why = NULL;
    struct ncs_error err = { 0 };
    memset(hello, 0, sizeof *hello);
    const struct ncs_driver *driver = ncs_driver_open(choice, &err);
    if (driver && driver->real)
        hello->gpus = ncs_driver_devices(ncs_driver_real_api(), &why);
    hello->shares = shares && strcmp(shares, "1") == 0;
    if (driver && !driver->real)
        snprintf(hello->why, sizeof hello->why, "it runs with --driver %s, and all processes need the same command",
                 driver->name);
    if (!driver)
        snprintf(hello->why, sizeof hello->why, "%s", err.text);
}

/* ---- the leader: where ranks are ---- */

static void job_hello_of(const struct ncs_team *team, int process, struct job_hello *hello)
{
    const struct ncs_peer *peer = ncs_team_peer(team, process);
    memset(hello, 0, sizeof *hello);
    if (peer->hello_bytes == sizeof *hello)
        memcpy(hello, peer->hello, sizeof *hello);
    hello->why[sizeof hello->why - 1] = '\0';
}

/* One rank in each process; or, where each is alone on its host, one for each of its GPUs. */
static int job_ranks_of(const struct ncs_team *team, int process, int wanted)
{
    struct job_hello hello;
    int size = ncs_team_size(team);
    bool alone = true;
    for (int p = 0; p < size; p++)
        alone &= ncs_team_peer(team, p)->locals == 1;
    job_hello_of(team, process, &hello);
    if (wanted > 0)
        return wanted / size + (process < wanted % size);
    return alone && hello.gpus > 1 ? hello.gpus : 1;
}

/* Of the processes of this one's host that are numbered below `end`. */
static int job_ranks_of_host(const struct ncs_team *team, int process, int end, int wanted)
{
    int ranks = 0;
    for (int p = 0; p < end; p++)
        if (strcmp(ncs_team_peer(team, p)->host, ncs_team_peer(team, process)->host) == 0)
            ranks += job_ranks_of(team, p, wanted);
    return ranks;
}

/* The first process of this one's host. */
static int job_host(const struct ncs_team *team, int process)
{
    int first = 0;
    while (strcmp(ncs_team_peer(team, first)->host, ncs_team_peer(team, process)->host) != 0)
        first++;
    return first;
}

/* A process that sees one GPU of its host's is taken to have it for itself. */
static int job_gpus(const struct ncs_team *team)
{
    int gpus = 0;
    for (int p = 0; p < ncs_team_size(team); p++) {
        struct job_hello hello;
        job_hello_of(team, p, &hello);
        if (hello.gpus == 1 || ncs_team_peer(team, p)->local == 0)
            gpus += hello.gpus;
    }
    return gpus;
}

/* Why the process cannot have so many ranks. A single GPU may be one that the others of its host do not see. False: it can. */
static bool job_lacks(const struct ncs_team *team, int process, int ranks, int wanted, struct ncs_error *err)
{
    const struct ncs_peer *peer = ncs_team_peer(team, process);
    struct job_hello hello;
    job_hello_of(team, process, &hello);
    int on_host = hello.gpus > 1 ? job_ranks_of_host(team, process, ncs_team_size(team), wanted) : ranks;
    if (ranks == 0)
        return false;
    if (hello.gpus < 1)
        ncs_fail(err, NCS_NO_DEVICE, "process %d on host %s: %s", process, peer->host, hello.why);
    else if (on_host > hello.gpus && !hello.shares)
        ncs_fail(err, NCS_NO_DEVICE, "driver nccl: %d ranks on host %s need %d GPUs, process %d has %d there", on_host,
                 peer->host, on_host, process, hello.gpus);
    return err->status != NCS_OK;
}

/* The place of each rank; their number is the sum. */
static struct ncs_driver_place *job_places(const struct ncs_team *team, int wanted, bool real, int *ranks, struct ncs_error *err)
{
    struct ncs_driver_place *place = NULL;
    size_t count = 0, room = 0;
    struct job_hello hello;
    for (int p = 0; p < ncs_team_size(team); p++) {
        int here = job_ranks_of(team, p, wanted), before = job_ranks_of_host(team, p, p, wanted);
        job_hello_of(team, p, &hello);
        int gpus = hello.gpus > 0 ? hello.gpus : 1;
        if (real && err->status == NCS_OK)
            job_lacks(team, p, here, wanted, err);
        for (int i = 0; i < here; i++) {
            struct ncs_driver_place at = { .process = p, .host = job_host(team, p), .device = (before + i) % gpus };
            NCS_PUSH(place, count, room, at);
        }
    }
    *ranks = (int)count;
    return place;
}

static bool job_lead(struct ncs_team *team, const struct ncs_job_options *o, int *ranks, struct ncs_error *err)
{
    bool real = strcmp(o->driver->name, "nccl") == 0;
    struct ncs_error lack = { .status = NCS_OK };
    struct ncs_driver_place *place = job_places(team, o->ranks, real, ranks, &lack);
    struct ncs_driver_job job = {
        .team = team, .place = place, .ranks = *ranks, .gpus = job_gpus(team), .lack = lack.status == NCS_OK ? NULL : &lack
    };
    bool fine = !real || ncs_driver_lead(&job, err);
    ncs_free(place);
    atomic_store(&job_team, team);
    return fine;
}

/* ---- another process ---- */

static void job_on_term(int number)
{
    (void)number;
    signal(SIGALRM, SIG_DFL);
    alarm(JOB_GRACE);
}

/* Interrupts are for the leader, which reports and ends the job. */
static int job_serve(struct ncs_team *team, int number, const struct ncs_job_options *o)
{
    struct ncs_error err = { 0 };
    bool real = strcmp(o->driver->name, "nccl") == 0;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, job_on_term);
    int status = real ? ncs_driver_serve(team, &err) : ncs_team_serve(team, NULL, NULL, &err);
    if (status >= 0)
        return status;
    fprintf(stderr, "ncclscript %s: process %d: %s\n", o->command, number, err.text);
    return 70;
}

/* ---- both ---- */

static bool job_fail(const struct ncs_error *err, int *status)
{
    ncs_print_error(err);
    *status = 2;
    return false;
}

bool ncs_job_begin(const struct ncs_job_options *o, int *ranks, int *status)
{
    struct ncs_launcher launcher;
    struct ncs_error err = { 0 };
    struct job_hello hello;
    *ranks = o->ranks;
    if (!ncs_launcher_find(&launcher))
        return true;
    job_fill_hello(o->driver, &hello);
    struct ncs_team_options options = {
        .launcher = &launcher, .rendezvous = o->rendezvous, .patience = JOB_PATIENCE, .hello = &hello, .hello_bytes = sizeof hello
    };
    struct ncs_team *team = (launcher.number == 0 ? ncs_team_gather : ncs_team_join)(&options, &err);
    if (!team)
        return job_fail(&err, status);
    if (launcher.number > 0) {
        *status = job_serve(team, launcher.number, o);
        fflush(NULL);
        ncs_pmix_close(); /* a launcher calls it a failure if a process ends without */
        _exit(*status);   /* threads may be inside of calls */
    }
    return job_lead(team, o, ranks, &err) || job_fail(&err, status);
}

bool ncs_job_leads(void)
{
    return atomic_load(&job_team) != NULL;
}

int ncs_job_end(int status)
{
    struct ncs_team *team = atomic_exchange(&job_team, NULL);
    if (team)
        ncs_team_end(team, status);
    return status;
}

int ncs_job_drop(int status)
{
    struct ncs_team *team = atomic_load(&job_team);
    if (team)
        ncs_team_drop(team, status);
    return status;
}
