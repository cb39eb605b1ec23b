/* Shared by the files that read Flight Recorder dumps. */
#ifndef NCS_TRACE_FLIGHT_H
#define NCS_TRACE_FLIGHT_H

#include <jansson.h>

#include "trace/record.h"

struct dump {
    const char *path;
    json_t *root;         /* owned; NULL = unreadable */
    int rank;
    struct ncs_map group; /* name of a process group -> communicator + 1 */
    struct ncs_map pairs; /* ids of groups with sends or receives: their status counts these too */
    size_t unknown;       /* entries that are no calls of NCCL */
    char odd[64];         /* the name of the first of them */
};

struct flight {
    struct record *record;
    struct dump *dump; size_t dumps;
    struct ncs_map comm;  /* name and ranks -> communicator + 1 */
    struct ncs_error *err;
};

/* The groups of all dumps, of which each knows its own. */
bool ncs_flight_read_groups(struct flight *f);
int ncs_flight_group(const struct dump *d, const char *name); /* -1 = none */
/* The communicator of two ranks of a group; the group's own if they are not two ranks of it. -1 and err. */
int ncs_flight_pair(struct flight *f, int comm, int a, int b);

#endif
