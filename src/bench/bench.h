/* Times collectives as nccl-tests does: for each size some calls for warming up, then `iters` calls between
 * two points where all ranks have come together; first with separate buffers, then in place. Afterwards one
 * call with known data is verified.
 *
 * The timed calls go to the driver directly; only the verified ones are journalled. On the simulator the host's
 * clock tells how fast this host simulates, and the virtual clock what the simulator's model says. */
#ifndef NCS_BENCH_BENCH_H
#define NCS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/collective.h"
#include "run/run.h"

enum ncs_bench_clock { NCS_BENCH_HOST, NCS_BENCH_VIRTUAL };

/* How the times of the ranks become one time, with the numbers of nccl-tests' -a. */
enum ncs_bench_average { NCS_BENCH_RANK0, NCS_BENCH_MEAN, NCS_BENCH_LEAST, NCS_BENCH_MOST };

/* After which calls a rank waits, with the numbers of nccl-tests' -z. */
enum ncs_bench_blocking {
    NCS_BENCH_FREE,       /* after the last */
    NCS_BENCH_EACH,       /* after each, and for all ranks */
    NCS_BENCH_EACH_ALONE, /* after each, for itself */
    NCS_BENCH_ROUNDS,     /* after each round of aggregated calls; the wait for other ranks is not timed */
};

/* What the communicator knows of the buffers, with the numbers of nccl-tests' -R. */
enum ncs_bench_registration {
    NCS_BENCH_UNREGISTERED,
    NCS_BENCH_REGISTERED, /* ncclCommRegister */
    NCS_BENCH_SYMMETRIC,  /* ncclCommWindowRegister, for all ranks; ncclCommRegister before NCCL 2.27 */
};

/* When the device's free memory is read, for -M. */
enum ncs_bench_stage {
    NCS_BENCH_STARTED,
    NCS_BENCH_INITIALIZED, /* the communicator is there */
    NCS_BENCH_ALLOCATED,   /* the buffers, too */
    NCS_BENCH_COLLECTED,   /* all collectives are through */
    NCS_BENCH_STAGES,
};

enum { NCS_BENCH_MULSUM = ncclNumOps, NCS_BENCH_OPS };     /* a pre-mul-sum as an operator */
extern const char *const ncs_bench_ops[NCS_BENCH_OPS + 1]; /* "sum" ... "mulsum", NULL */

struct ncs_bench_options {
    size_t least, most;        /* bytes */
    size_t step, factor;       /* to the next size: a factor above 1, or else a step */
    int iters, warmup, rounds; /* rounds: calls that one group aggregates, -m */
    int launches;              /* of a graph with the timed calls; 0 = they are not captured: -G */
    int cycles;
    int checks;         /* 0: nothing is verified */
    int type, op, root; /* -1 = all of them; op: an index of ncs_bench_ops */
    enum ncs_bench_average average;
    enum ncs_bench_blocking blocking;
    enum ncs_bench_clock clock;
    bool each; /* times each call by itself, too: -I */
    int skip;  /* of those times, leave out the first ones: -K */
    bool null_stream;
    bool enqueueing; /* report the time in which a rank enqueues the calls: -C */
    enum ncs_bench_registration registration;
    int cta_policy;  /* ncclConfig_t's CTAPolicy, -1 = unset */
    bool memory;     /* read how much memory is in use: -M */
    bool timestamps; /* the table says when each row was measured: -S */
    size_t unalign;  /* elements */
};

/* The times of single calls, in microseconds. */
struct ncs_bench_each {
    double *time;
    size_t times;                                       /* of all calls, in order */
    double least, most, mean, p50, p95, p99, deviation; /* without the skipped ones */
};

struct ncs_bench_figure {
    double time;         /* of one call, in microseconds */
    double algbw, busbw; /* GB/s */
    bool checked;
    uint64_t wrong;             /* elements */
    struct ncs_bench_each each; /* times 0: not asked for */
};

struct ncs_bench_row {
    const struct ncs_bench_collective *collective;
    size_t size; /* bytes of the larger buffer */
    size_t count;
    int type, op, root;              /* op, root: -1 = the collective has none */
    struct ncs_bench_figure out, in; /* out of place, in place */
};

/* Receives each row as soon as it is known, on the thread of rank 0. The row is borrowed. */
typedef void (*ncs_bench_on_row)(void *arg, const struct ncs_bench_row *row);

/* One collective, timed in one run. `run` says the driver, the ranks and what else a run needs; both options
 * are copied. Execute it once; the result belongs to the bench. */
struct ncs_bench *ncs_bench_new(const struct ncs_bench_collective *collective, const struct ncs_bench_options *options,
                                const struct ncs_run_options *run, ncs_bench_on_row on_row, void *arg);
const struct ncs_result *ncs_bench_execute(struct ncs_bench *bench);
void ncs_bench_free(struct ncs_bench *bench);

/* Bytes by which the free memory of rank 0's device shrank up to this stage, since the stage before. Ranks that
 * share the device count, too. */
int64_t ncs_bench_used(const struct ncs_bench *bench, enum ncs_bench_stage stage);

/* Bytes of device memory of one rank. */
size_t ncs_bench_memory(const struct ncs_bench_collective *collective, const struct ncs_bench_options *options, int nranks);

/* Sorts a copy of each->time and fills the rest, leaving out the first `skip` times. */
void ncs_bench_summarize(struct ncs_bench_each *each, size_t skip);

#endif
