/* Shared by the files that read what `ncclras` prints: how many operations each rank of a communicator has launched. */
#ifndef NCS_TRACE_RAS_H
#define NCS_TRACE_RAS_H

#include "trace/reader.h"

enum { RAS_KINDS = 16 };

struct ras_rank {
    int rank;                /* of the communicator */
    bool missing, dead;      /* RAS has no data of it; RAS counts it as dead */
    bool left;               /* missing, but its process answers: it has left the communicator, or not joined it */
    uint64_t who;            /* hash of host, process and device; 0 = not said */
    int64_t made[RAS_KINDS]; /* by kind; -1 = not said */
};

struct ras_process { /* with one device: a rank of the run */
    char host[64];
    int64_t pid, device;
    uint64_t who;
    bool in_largest;
};

struct ras_comm {
    char name[40];
    int size; /* 0 = not said */
    struct ras_rank *of;
    size_t ranks, room;
    struct ncs_map at; /* rank + 1 -> index + 1 */
    const char *path;
    int line;
};

struct ras {
    struct record *record;
    struct ncs_error *err;
    struct ras_comm *comm;
    size_t comms, comm_room;
    struct ncs_map comm_of; /* hash of a name -> index + 1 */
    struct ras_process *process;
    size_t processes, process_room;
    struct ncs_map process_of; /* who -> index + 1 */
    enum ncs_fn kind[RAS_KINDS];
    int kinds;
    size_t timeouts; /* while RAS collected its data */
    bool text;       /* of which ranks there are, a text shows the odd ones */
};

struct ras_comm *ncs_ras_comm(struct ras *ras, const char *name, const char *path, int line); /* added if need be */
struct ras_rank *ncs_ras_rank(struct ras_comm *c, int rank);
int ncs_ras_kind(struct ras *ras, const char *name, size_t bytes); /* -1 = no collective */

bool ncs_ras_read_json(struct ras *ras, const struct trace_file *file);
void ncs_ras_read_text(struct ras *ras, const struct trace_file *file);
/* Makes calls of the counts. */
bool ncs_ras_join(struct ras *ras);

#endif
