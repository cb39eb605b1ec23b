#include "base/launcher.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pmix.h"
#include "base/quantity.h"

struct launcher_row {
    const char *name;
    const char *number, *processes; /* variables */
    const char *local, *locals;
    const char *job[3]; /* joined they are the job's name */
    const char *host, *port;
    const char *needs[2];                 /* it is this launcher only if these are set, too */
    void (*more)(struct ncs_launcher *l); /* what takes more than reading a number */
};

static void slurm_more(struct ncs_launcher *l);
static void torchrun_more(struct ncs_launcher *l);
static void hydra_more(struct ncs_launcher *l);
static void pmix_more(struct ncs_launcher *l);

#define TORCHRUN                                                                                                              \
    "torchrun", .number = "RANK", .processes = "WORLD_SIZE", .local = "LOCAL_RANK", .locals = "LOCAL_WORLD_SIZE",             \
                .job = { "TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT" }, .host = "MASTER_ADDR", .port = "MASTER_PORT", \
                .more = torchrun_more

/* A launcher inside another one comes first: its variables stand beside those that the outer one has left in the environment.
 * mpirun starts its own helpers by srun. torchrun always sets TORCHELASTIC_RUN_ID; without it, its other variables may be
 * anyone's, as those that Kubernetes sets for a whole pod. */
static const struct launcher_row launchers[] = {
    { TORCHRUN, .needs = { "MASTER_ADDR", "TORCHELASTIC_RUN_ID" } },
    { "Open MPI", .number = "OMPI_COMM_WORLD_RANK", .processes = "OMPI_COMM_WORLD_SIZE", .local = "OMPI_COMM_WORLD_LOCAL_RANK",
      .locals = "OMPI_COMM_WORLD_LOCAL_SIZE", .job = { "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid" } },
    { "MPICH", .number = "PMI_RANK", .processes = "PMI_SIZE", .local = "MPI_LOCALRANKID", .locals = "MPI_LOCALNRANKS",
      .more = hydra_more },
    { "Slurm", .number = "SLURM_PROCID", .processes = "SLURM_STEP_NUM_TASKS", .local = "SLURM_LOCALID",
      .job = { "SLURM_JOB_ID", "SLURM_STEP_ID" }, .more = slurm_more },
    { "PMIx", .number = "PMIX_RANK", .processes = "PMIX_SIZE", .job = { "PMIX_NAMESPACE" }, .needs = { "PMIX_NAMESPACE" },
      .more = pmix_more },
    { TORCHRUN, .needs = { "MASTER_ADDR" } },
};

enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* ---- numbers and names ---- */

/* -1 = the variable is not set, or is no number of a process. */
static int launcher_count(const char *variable)
{
    const char *text = variable ? getenv(variable) : NULL;
    int64_t n;
    return text && ncs_parse_int(text, &n) && n >= 0 && n <= INT_MAX ? (int)n : -1;
}

static void launcher_copy(char to[256], const char *text)
{
    snprintf(to, 256, "%s", text ? text : "");
}

static void launcher_name_job(struct ncs_launcher *l, const struct launcher_row *row)
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof row->job / sizeof *row->job; i++) {
        const char *text = row->job[i] ? getenv(row->job[i]) : NULL;
        if (text && used < sizeof l->job)
            used += (size_t)snprintf(l->job + used, sizeof l->job - used, "%s%s", used ? "." : "", text);
    }
}

/* ---- Slurm ---- */

/* The first host of "node[01-04,07],gpu3": node01. A name may have several brackets. */
static void slurm_first_host(const char *list, char host[256])
{
    size_t used = 0;
    for (const char *p = list; *p && *p != ',' && used + 1 < 256; p++) {
        if (*p != '[') {
            host[used++] = *p;
            continue;
        }
        for (p++; *p && !strchr("-,]", *p) && used + 1 < 256; p++)
            host[used++] = *p;
        p += strcspn(p, "]");
        if (!*p)
            break;
    }
    host[used] = '\0';
}

/* How many tasks are on the node of this number by "4(x2),3"; -1 = the text says nothing of it. */
static int slurm_tasks_of(const char *text, int node)
{
    while (*text && node >= 0) {
        char *end;
        long tasks = strtol(text, &end, 10), times = 1;
        if (end == text || tasks < 1 || tasks > INT_MAX)
            return -1;
        if (strncmp(end, "(x", 2) == 0) {
            times = strtol(end + 2, &end, 10);
            end += *end == ')';
        }
        if (times < 1 || (*end && *end != ','))
            return -1;
        if (node < times)
            return (int)tasks;
        node -= times < INT_MAX ? (int)times : INT_MAX;
        text = end + (*end == ',');
    }
    return -1;
}

static void slurm_more(struct ncs_launcher *l)
{
    const char *hosts = getenv("SLURM_STEP_NODELIST"), *tasks = getenv("SLURM_STEP_TASKS_PER_NODE");
    if (hosts)
        slurm_first_host(hosts, l->host);
    if (tasks)
        l->locals = slurm_tasks_of(tasks, launcher_count("SLURM_NODEID"));
}

/* ---- the others ---- */

/* The port is the launcher's own: the program may not listen at it. */
static void torchrun_more(struct ncs_launcher *l)
{
    const char *own = getenv("TORCHELASTIC_USE_AGENT_STORE");
    if (own && strcmp(own, "True") == 0)
        l->port = 0;
}

/* True if the process was started with the variable; *parent is its parent. */
static bool launcher_gave(pid_t pid, const char *variable, pid_t *parent)
{
    char path[64], line[512] = "";
    size_t bytes = strlen(variable), at = 0;
    bool gave = false, fits = true;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *in = fopen(path, "re");
    char *name_end = in && fgets(line, sizeof line, in) ? strrchr(line, ')') : NULL;
    int above = 0;
    *parent = name_end && sscanf(name_end, ") %*c %d", &above) == 1 ? above : 0;
    if (in)
        fclose(in);
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    in = fopen(path, "re");
    for (int c; in && !gave && (c = getc(in)) != EOF; at++) {
        if (c == '\0') {
            at = (size_t)-1;
            fits = true;
        } else if (fits && at == bytes) {
            gave = c == '=';
            fits = false;
        } else {
            fits = fits && at < bytes && c == variable[at];
        }
    }
    if (in)
        fclose(in);
    return gave;
}

/* Hydra gives its jobs no name. On one host, what all processes of a job have in common is the helper that has started them: the
 * nearest process above that has not their variables. */
static void hydra_more(struct ncs_launcher *l)
{
    pid_t at = getpid(), above;
    if (l->locals != l->processes)
        return;
    while (launcher_gave(at, "PMI_RANK", &above) && above > 1)
        at = above;
    snprintf(l->job, sizeof l->job, "hydra.%d", (int)at);
}

static void pmix_more(struct ncs_launcher *l)
{
    if (l->processes >= 0 || !ncs_pmix_open())
        return;
    l->processes = ncs_pmix_processes();
    l->local = ncs_pmix_local();
    l->locals = ncs_pmix_locals();
}

/* ---- which one ---- */

static bool launcher_read(const struct launcher_row *row, struct ncs_launcher *l)
{
    *l = (struct ncs_launcher){ .name = row->name, .variable = row->processes };
    for (size_t i = 0; i < sizeof row->needs / sizeof *row->needs; i++)
        if (row->needs[i] && !getenv(row->needs[i]))
            return false;
    l->number = launcher_count(row->number);
    l->processes = launcher_count(row->processes);
    l->local = launcher_count(row->local);
    l->locals = launcher_count(row->locals);
    l->port = launcher_count(row->port);
    if (l->port < 0 || l->port > 65535)
        l->port = 0;
    launcher_copy(l->host, row->host ? getenv(row->host) : NULL);
    launcher_name_job(l, row);
    if (l->number < 0)
        return false;
    if (row->more)
        row->more(l);
    if (l->local < 0 || l->locals < 1 || l->local >= l->locals || l->locals > l->processes)
        l->local = l->locals = -1;
    return l->processes > 0 && l->number < l->processes;
}

/* What one launcher does not say, another may that counts alike: srun --mpi=pmi2 sets variables of both MPICH and Slurm. */
static void launcher_complete(struct ncs_launcher *l, const struct ncs_launcher *other)
{
    if (other->number != l->number || other->processes != l->processes)
        return;
    if (l->local < 0 && other->local >= 0) {
        l->local = other->local;
        l->locals = other->locals;
    }
    if (!l->job[0])
        launcher_copy(l->job, other->job);
    if (!l->host[0]) {
        launcher_copy(l->host, other->host);
        l->port = other->port;
    }
}

bool ncs_launcher_find(struct ncs_launcher *out)
{
    struct ncs_launcher other;
    size_t i = 0;
    while (i < LAUNCHERS && !launcher_read(&launchers[i], out))
        i++;
    if (i == LAUNCHERS || out->processes < 2) {
        ncs_pmix_close();
        return false;
    }
    for (i++; i < LAUNCHERS; i++)
        if (launchers[i].more != pmix_more && launcher_read(&launchers[i], &other))
            launcher_complete(out, &other);
    return true;
}

const char *ncs_launcher_variable(bool *single)
{
    const char *found = NULL;
    *single = false;
    for (size_t i = 0; i < LAUNCHERS; i++) {
        /* The number of processes on this host is one of processes, too: some launchers pass no other. */
        const char *const variables[] = { launchers[i].locals, launchers[i].processes };
        for (size_t k = 0; k < 2; k++) {
            int count = launcher_count(variables[k]);
            if (count > 1)
                found = variables[k];
            *single |= count == 1;
        }
    }
    *single &= !found;
    return found;
}
