/* What this machine has for runs: the simulator, and for real ones NCCL, the CUDA runtime, the driver and GPUs. */
#ifndef NCS_CLI_HEALTH_H
#define NCS_CLI_HEALTH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "driver/driver.h"

enum { NCS_HEALTH_DEVICES = 16 }; /* devices that are listed; others are only counted */

struct ncs_health_device {
    char name[256];
    int major, minor;
    char id[64]; /* the same for every process that sees this GPU; empty = unknown */
};

struct ncs_health {
    const char *sim_fault;     /* NULL: the simulator works */
    struct ncs_library lib[2]; /* NCCL, the CUDA runtime */
    struct ncs_error lack[2];  /* why a library is not open */
    struct ncs_api api;
    int driver;      /* CUDA version of the GPU driver; 0 = none */
    int devices;     /* -1 = there is no telling */
    const char *why; /* why there are none */
    struct ncs_health_device device[NCS_HEALTH_DEVICES];
    bool several;        /* NCCL_MULTI_RANK_GPU_ENABLE=1 */
    struct ncs_str todo; /* lines of advice for real runs; empty: none needed */
};

/* `given`: the libraries that the user names, NCCL first; NULL = search the usual places. */
void ncs_health_examine(struct ncs_health *h, const char *const given[2]);
void ncs_health_free(struct ncs_health *h);

/* The error of a library that the user named and that cannot be opened; NULL = there is none. */
const struct ncs_error *ncs_health_misnamed(const struct ncs_health *h);
bool ncs_health_can_run(const struct ncs_health *h); /* real runs */
/* True if several ranks can share a GPU, with NCCL_MULTI_RANK_GPU_ENABLE=1. */
bool ncs_health_can_share(const struct ncs_health *h);

#endif
