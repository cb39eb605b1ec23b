/* What the environments of launchers say. */
#include "base/launcher.h"
#include "harness.h"
#include "base/mem.h"

#include <string.h>

enum { VARIABLES = 14 };

struct row {
    const char *variables[VARIABLES]; /* "NAME=VALUE" */
    struct ncs_launcher is;           /* no name: none is found */
};

#define ELASTIC "RANK=9", "WORLD_SIZE=16", "LOCAL_RANK=1", "LOCAL_WORLD_SIZE=8", "MASTER_ADDR=node1", "MASTER_PORT=29500"
#define SLURM \
    "SLURM_PROCID=9", "SLURM_STEP_NUM_TASKS=11", "SLURM_LOCALID=1", "SLURM_NODEID=2", "SLURM_JOB_ID=77", "SLURM_STEP_ID=0"

static const struct row rows[] = {
    { { NULL }, { .name = NULL } },
    { { "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2",
        "OMPI_MCA_ess_base_jobid=165" },
      { "Open MPI", "OMPI_COMM_WORLD_SIZE", 1, 4, 1, 2, "", 0, "165" } },
    { { "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1" }, { .name = NULL } },
    { { "OMPI_COMM_WORLD_RANK=4", "OMPI_COMM_WORLD_SIZE=4" }, { .name = NULL } },
    { { "OMPI_COMM_WORLD_RANK=-1", "OMPI_COMM_WORLD_SIZE=4" }, { .name = NULL } },
    { { "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=four" }, { .name = NULL } },
    { { "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=99999999999" }, { .name = NULL } },
    { { "OMPI_COMM_WORLD_SIZE=4" }, { .name = NULL } },
    /* Local numbers that contradict each other are none. */
    { { "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_RANK=2", "OMPI_COMM_WORLD_LOCAL_SIZE=2" },
      { "Open MPI", "OMPI_COMM_WORLD_SIZE", 1, 4, -1, -1, "", 0, "" } },
    { { "PMI_RANK=3", "PMI_SIZE=8", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2" }, { "MPICH", "PMI_SIZE", 3, 8, 1, 2, "", 0, "" } },
    { { SLURM, "SLURM_STEP_TASKS_PER_NODE=4(x2),3", "SLURM_STEP_NODELIST=node[01-02],gpu3" },
      { "Slurm", "SLURM_STEP_NUM_TASKS", 9, 11, 1, 3, "node01", 0, "77.0" } },
    /* A batch script is no step. */
    { { "SLURM_PROCID=0", "SLURM_NTASKS=11", "SLURM_JOB_ID=77" }, { .name = NULL } },
    { { SLURM, "SLURM_STEP_TASKS_PER_NODE=nonsense", "SLURM_STEP_NODELIST=gpu3" },
      { "Slurm", "SLURM_STEP_NUM_TASKS", 9, 11, -1, -1, "gpu3", 0, "77.0" } },
    { { SLURM, "SLURM_STEP_TASKS_PER_NODE=4(x0),11", "SLURM_STEP_NODELIST=" },
      { "Slurm", "SLURM_STEP_NUM_TASKS", 9, 11, -1, -1, "", 0, "77.0" } },
    { { SLURM, "SLURM_STEP_TASKS_PER_NODE=4,4,3", "SLURM_STEP_NODELIST=a[1,3]b[07-09]-ib,c" },
      { "Slurm", "SLURM_STEP_NUM_TASKS", 9, 11, 1, 3, "a1b07-ib", 0, "77.0" } },
    { { SLURM, "SLURM_STEP_TASKS_PER_NODE=4", "SLURM_STEP_NODELIST=node[" },
      { "Slurm", "SLURM_STEP_NUM_TASKS", 9, 11, -1, -1, "node", 0, "77.0" } },
    { { ELASTIC, "TORCHELASTIC_RUN_ID=none" }, { "torchrun", "WORLD_SIZE", 9, 16, 1, 8, "node1", 29500, "none.node1.29500" } },
    { { ELASTIC, "TORCHELASTIC_RUN_ID=none", "TORCHELASTIC_USE_AGENT_STORE=True" },
      { "torchrun", "WORLD_SIZE", 9, 16, 1, 8, "node1", 0, "none.node1.29500" } },
    { { ELASTIC, "TORCHELASTIC_USE_AGENT_STORE=False" },
      { "torchrun", "WORLD_SIZE", 9, 16, 1, 8, "node1", 29500, "node1.29500" } },
    { { "RANK=1", "WORLD_SIZE=2" }, { .name = NULL } },
    { { "RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=a", "MASTER_PORT=70000" },
      { "torchrun", "WORLD_SIZE", 1, 2, -1, -1, "a", 0, "a.70000" } },
    /* torchrun inside mpirun, and a pod whose variables are not those of mpirun inside it. */
    { { ELASTIC, "TORCHELASTIC_RUN_ID=x", "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2" },
      { "torchrun", "WORLD_SIZE", 9, 16, 1, 8, "node1", 29500, "x.node1.29500" } },
    { { "RANK=0", "WORLD_SIZE=2", "MASTER_ADDR=a", "OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4" },
      { "Open MPI", "OMPI_COMM_WORLD_SIZE", 3, 4, -1, -1, "", 0, "" } },
    /* mpirun starts its helpers by srun; srun --mpi=pmi2 sets the variables of both. */
    { { SLURM, "OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4" },
      { "Open MPI", "OMPI_COMM_WORLD_SIZE", 3, 4, -1, -1, "", 0, "" } },
    { { SLURM, "PMI_RANK=9", "PMI_SIZE=11", "SLURM_STEP_TASKS_PER_NODE=4(x2),3", "SLURM_STEP_NODELIST=n[5-7]" },
      { "MPICH", "PMI_SIZE", 9, 11, 1, 3, "n5", 0, "77.0" } },
    { { "PMIX_RANK=1", "PMIX_NAMESPACE=prte.1", "PMIX_SIZE=3" }, { "PMIx", "PMIX_SIZE", 1, 3, -1, -1, "", 0, "prte.1" } },
    { { "PMIX_RANK=1", "PMIX_SIZE=3" }, { .name = NULL } },
};

static void set_all(const struct row *row)
{
    clearenv();
    for (size_t i = 0; i < VARIABLES && row->variables[i]; i++)
        putenv((char *)row->variables[i]);
}

START_TEST(test_rows)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ncs_launcher l;
        const struct ncs_launcher *is = &rows[i].is;
        set_all(&rows[i]);
        ck_assert_msg(ncs_launcher_find(&l) == (is->name != NULL), "row %zu", i);
        if (!is->name)
            continue;
        ck_assert_str_eq(l.name, is->name);
        ck_assert_str_eq(l.variable, is->variable);
        ck_assert_msg(l.number == is->number && l.processes == is->processes, "row %zu: %d of %d", i, l.number, l.processes);
        ck_assert_msg(l.local == is->local && l.locals == is->locals, "row %zu: local %d of %d", i, l.local, l.locals);
        ck_assert_msg(strcmp(l.host, is->host) == 0 && l.port == is->port, "row %zu: %s:%d", i, l.host, l.port);
        ck_assert_msg(strcmp(l.job, is->job) == 0, "row %zu: job %s", i, l.job);
    }
}
END_TEST

/* Hydra has no name for its jobs: on one host it is the process that has no number of its own. */
START_TEST(test_hydra)
{
    struct ncs_launcher l;
    clearenv();
    putenv((char *)"PMI_RANK=1");
    putenv((char *)"PMI_SIZE=2");
    putenv((char *)"MPI_LOCALRANKID=1");
    putenv((char *)"MPI_LOCALNRANKS=2");
    ck_assert(ncs_launcher_find(&l));
    ck_assert_msg(strncmp(l.job, "hydra.", 6) == 0, "job %s", l.job);
}
END_TEST

START_TEST(test_variable)
{
    static const struct {
        const char *variables[VARIABLES], *found;
        bool single;
    } cases[] = {
        { { NULL }, NULL, false },
        { { "WORLD_SIZE=2" }, "WORLD_SIZE", false },
        { { "WORLD_SIZE=1" }, NULL, true },
        { { "WORLD_SIZE=1", "PMI_SIZE=2" }, "PMI_SIZE", false },
        { { "MPI_LOCALNRANKS=2" }, "MPI_LOCALNRANKS", false },
        { { "OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_LOCAL_SIZE=1" }, "OMPI_COMM_WORLD_SIZE", false },
        { { "SLURM_STEP_NUM_TASKS=3" }, "SLURM_STEP_NUM_TASKS", false },
        { { "PMIX_SIZE=3" }, "PMIX_SIZE", false },
        { { "SLURM_NTASKS=3", "WORLD_SIZE=x" }, NULL, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct row row = { .is.name = NULL };
        bool single;
        memcpy(row.variables, cases[i].variables, sizeof row.variables);
        set_all(&row);
        const char *found = ncs_launcher_variable(&single);
        ck_assert_msg(single == cases[i].single && !found == !cases[i].found && (!found || strcmp(found, cases[i].found) == 0),
                      "case %zu: %s", i, found ? found : "none");
    }
}
END_TEST

NCS_TEST_MAIN("launcher", test_rows, test_hydra, test_variable)
