/* Ranks of the run whose process is another one. Their scripts run here, in the process that leads; their calls of NCCL and CUDA run
 * in their own process, on a thread for each thread here that makes calls there. Without a team all ranks are of this process, and
 * these functions cost nothing. */
#ifndef NCS_DRIVER_FAR_H
#define NCS_DRIVER_FAR_H

#include "api/gen/api.h"
#include "api/journal.h"
#include "api/process.h"
#include "base/error.h"
#include "driver/driver.h"
#include "driver/far/message.h"

struct ncs_team;

/* ---- route.c ---- */

/* The functions of the libraries, each of which runs in the process of the calling rank. `local`: the libraries here. */
const struct ncs_api *far_table(const struct ncs_api *local);
/* Runs a function of the project's own in the process of the calling rank. False: that is this one. */
bool far_run_own(enum ncs_fn fn, const union ncs_arg *arg, cudaError_t *rc);

/* ---- ask.c: questions to another process ---- */

/* What is done when a process has ended before the job: called with the token, or without, by a thread of the team's. */
typedef void far_lost(int process, const char *why);
bool far_lead(struct ncs_team *team, far_lost *lost, struct ncs_error *err);

/* Sends the message, waits, and replaces it by the answer. False, without one: the process is gone, or does not answer a question
 * that is asked with the token. */
bool far_ask(int process, enum far_kind kind, struct ncs_str *message);
/* What CUDA keeps for the calling thread in that process, as far as an answer has told it. */
struct far_kept {
    bool known;
    bool clears; /* the thread has cleared the error here, and the process does so before its next call */
    int device, error;
};
struct far_kept *far_kept(int process);
/* The process writes a handle at this address, maybe later. Until far_forget_script. */
void far_expect_late(int process, const void *address);
/* The run has ended: its memory and its functions are no more. */
void far_forget_script(void);

/* ---- place.c: where ranks are ---- */

extern struct far_places {
    struct ncs_driver_place *rank;
    int ranks, gpus;
    int processes;         /* 1 without a team */
    struct ncs_error lack; /* why no run is possible */
} far_places;              /* changes by far_set_places only */
void far_set_places(const struct ncs_driver_job *job);
static inline bool far_is_on(void)
{
    return far_places.processes > 1;
}
int far_process(int rank);
int far_host(int rank);
int far_device(int rank, int gpus);
/* The process in which calls of the calling thread run that no handle leads to another one: that of its rank, or, until the next
 * far_at, the given one; -1 = that of its rank again. Returns the one before. */
int far_at(int process);
int far_here(void);

/* Reads memory of a process. False: it is gone. */
bool far_read(const void *there, void *here, size_t bytes);
/* Sets or removes a variable of the environment in all other processes: "NAME=value", "NAME"; "" gives all of them the values that
 * they had at first. */
void far_put_variable(const char *setting);
/* False and err: ranks of one process, which share its environment, are to have different variables. */
bool far_can_own(const struct ncs_owns *owns, int ranks, struct ncs_error *err);
/* Sets variables of single ranks in their processes; far_take_back undoes it in this one. */
void far_put_owns(const struct ncs_owns *owns);

/* ---- serve.c: a process that makes the calls of its ranks for the process that leads ---- */

/* Serves until the leader ends the job. Returns the job's exit status; -1 and err if the leader is gone. Threads may still be in
 * calls then: the process can only exit. api: the libraries' functions, and the project's own. */
int far_serve(struct ncs_team *team, const struct ncs_api *api, struct ncs_error *err);

/* ---- variable.c ---- */

/* Sets or removes a variable of this process: "NAME=value", "NAME". */
void far_put_here(const char *setting);
void far_take_back(void);

#endif
