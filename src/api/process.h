/* The processes of a run, one for each rank: where each sits, and what differs between their environments. */
#ifndef NCS_API_PROCESS_H
#define NCS_API_PROCESS_H

#include <stddef.h>

#define NCS_DEVICES_USUAL 8 /* of a host */

#define NCS_CAPABILITY_USUAL 90

/* Hosts of different shape. Processes fill host 0, then host 1, and so on. */
struct ncs_shape {
    int devices; /* of each host after the first ones; 0 = the usual number */
    int *first;
    size_t firsts;       /* devices of each of the first hosts; borrowed */
    int *capability;     /* major * 10 + minor of each of the first devices, through all hosts; borrowed */
    size_t capabilities; /* further devices are like the last of these; 0 = all have the usual one */
};

int ncs_shape_devices(const struct ncs_shape *hosts, int host);
int ncs_shape_most(const struct ncs_shape *hosts); /* devices of the largest host */
int ncs_shape_capability(const struct ncs_shape *hosts, int host, int device);

struct ncs_seat {
    int host, device; /* the device that is current at first */
};

struct ncs_seat ncs_shape_seat(const struct ncs_shape *hosts, int process);

/* A setting of one process, besides those of all: a variable, or NCCL's version. */
struct ncs_own {
    int process;
    char *variable;   /* "NAME=value"; NULL: */
    int nccl_version; /* in ncclGetVersion's coding */
};

/* All of them; borrowed. */
struct ncs_owns {
    struct ncs_own *own;
    size_t count;
};

/* The process's own value of a variable; NULL = it has none. */
const char *ncs_owns_variable(const struct ncs_owns *owns, int process, const char *name);
/* The process's own version; `otherwise` if it has none. */
int ncs_owns_version(const struct ncs_owns *owns, int process, int otherwise);

#endif
