/* Opens a driver by name. */
#ifndef NCS_DRIVER_DRIVER_H
#define NCS_DRIVER_DRIVER_H

#include "api/driver.h"
#include "base/error.h"
#include "driver/library.h"

struct ncs_driver_choice {
    const char *name;     /* "sim", "nccl", "dry-run" (dry_run.h) */
    const char *nccl_lib; /* of driver nccl: paths of the libraries; NULL: search the usual places */
    const char *cudart_lib;
};

/* Opens a driver. NULL and err for an unknown name and for a driver that cannot run here. Driver nccl,
 * once opened, stays: a process has one NCCL and one CUDA runtime. */
const struct ncs_driver *ncs_driver_open(const struct ncs_driver_choice *choice, struct ncs_error *err);

/* Only opens the libraries of driver nccl; needs no device. */
bool ncs_driver_load(const struct ncs_driver_choice *choice, struct ncs_error *err);
const struct ncs_api *ncs_driver_real_api(void); /* the libraries' functions; a missing one is NULL */

/* Driver nccl in a job of many processes (team/team.h): rank i of a run belongs to process place[i].process, whose device
 * place[i].device it has from the start. The process that leads calls ncs_driver_lead before it opens the driver, and all runs
 * of it are made so; each other process serves. lack: why no run is possible, which each run then says; NULL = nothing. */
struct ncs_team;
struct ncs_driver_place {      /* in order of the processes */
    int process, host, device; /* host: any number that the processes of one host have in common */
};
struct ncs_driver_job {
    struct ncs_team *team;
    const struct ncs_driver_place *place; /* copied */
    int ranks, gpus;                      /* of all hosts */
    const struct ncs_error *lack;
};
bool ncs_driver_lead(const struct ncs_driver_job *job, struct ncs_error *err);
/* Calls of the calling thread that no handle leads to another process run in the process of this handle from now on. */
void ncs_driver_follow(const void *handle);
/* True if the address lies in another process of the job: its bytes are then copied here, or are zero if the process is gone. */
bool ncs_driver_fetch(void *to, const void *from, size_t bytes);
/* GPUs of the run: `here`, or those of all hosts of the job. */
int ncs_driver_all_devices(int here);
/* After ncs_driver_open. Makes calls for the leader until that ends the job, and returns the job's exit status; -1 and err if the
 * leader is gone. Threads may be inside of calls: the process can only exit. */
int ncs_driver_serve(struct ncs_team *team, struct ncs_error *err);

/* The libraries of driver nccl as last opened, or attempted: an array of two, NCCL first. */
const struct ncs_library *ncs_driver_libraries(void);

/* The variable of the environment as all ranks have it: without what is set here for a rank of this process only. */
const char *ncs_driver_variable(const char *name);
/* The number of devices that the CUDA runtime sees; -1 and the reason if it cannot be known. */
int ncs_driver_devices(const struct ncs_api *api, const char **why);

#endif
