/* Shared by the files that write dumps: the calls of each rank, with their states. */
#ifndef NCS_REPORT_DUMP_PRIVATE_H
#define NCS_REPORT_DUMP_PRIVATE_H

#include "base/json.h"

#include "report/dump/dump.h"
#include "run/timeline/timeline.h"

enum {
#define NCS_DUMP(id, ...) DUMP_##id,
#include "report/dump/dump_formats.def"
#undef NCS_DUMP
    DUMP_FORMATS
};

/* Virtual time 0, 2025-01-01 in UTC: dumps have times of day. */
#define DUMP_EPOCH_S ((int64_t)1735689600)
#define DUMP_EPOCH_NS (DUMP_EPOCH_S * 1000000000)

enum dump_state { DUMP_SCHEDULED, DUMP_STARTED, DUMP_COMPLETED };

/* A collective, send or receive. */
struct dump_call {
    const struct ncs_call *call;
    const struct ncs_device_span *work; /* NULL = not launched */
    enum dump_state state;
    int64_t made; /* time of the call */
    size_t batch; /* calls with the same number were made together, from 1; 0 = alone */
    bool open;    /* its group has not been closed */
};

struct dump_rank {
    struct dump_call *call; /* as they were made */
    size_t calls, room;
    bool killed; /* its process is gone, with all that it knew */
};

struct dump_run {
    const struct ncs_result *result;
    struct dump_rank *rank;
    int ranks;
    int **member; /* by number of a communicator and rank in it: the rank */
};

void ncs_dump_run_open(struct dump_run *run, const struct ncs_result *result);
void ncs_dump_run_close(struct dump_run *run);

/* The rank of a communicator's rank in the dump, as its processes would be numbered. */
int ncs_dump_rank_of(const struct dump_run *run, const struct ncs_comm_info *info, int comm_rank);

/* Appends a JSON value as a pickle of protocol 2. The array of a key in `tuples` (NULL at the end) becomes a tuple. */
void ncs_dump_pickle(const json_t *value, const char *const *tuples, struct ncs_str *out);

#endif
