/* Models of machines, for the simulator's virtual time: what their links carry. */
#ifndef NCS_API_MODEL_H
#define NCS_API_MODEL_H

#include <stddef.h>

/* Bandwidths in GB/s, as nccl-tests reports them for large sizes; 0 = the machine has no such link. */
struct ncs_model {
    const char *name, *about;
    int gpus; /* of a host; as many NICs as `nics` serve them */
    int nics;
    double ring;     /* bus bandwidth of a ring on one host */
    double nvls;     /* bus bandwidth of an all-reduce in the switches (NVLink SHARP) of one host */
    double ll[3];    /* most that protocol LL carries on 1, 2, more hosts */
    double nic;      /* of one NIC */
    double pair;     /* of one send on one host */
    double memory;   /* of a copy on a device: half of what its memory carries */
    double pcie;     /* of a copy between host and device */
    double overhead; /* microseconds that the host spends on each network step */
};

/* By index: 0 is the simulator's own, which has no figures. */
extern const struct ncs_model ncs_models[];
extern const char *const ncs_model_names[]; /* the names, NULL at the end */

#endif
