/* The program of each rank: its communicator and memory, and all sizes, types, operators and roots. */
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "bench/data.h"
#include "bench/private.h"

#define ID_KEY "ncclscript.bench" /* of the store: the unique id */

const char *const ncs_bench_ops[NCS_BENCH_OPS + 1] = { "sum", "prod", "max", "min", "avg", "mulsum", NULL };

/* ---- failures ---- */

static bool fail_call(struct ncs_bench_rank *r, enum ncs_error_kind kind, int code, const char *call)
{
    const struct ncs_api *api = ncs_run_driver_api(r->run);
    const char *name = kind == NCS_KIND_NCCL ? ncs_nccl_result_name(code) : ncs_cuda_error_name(code);
    const char *last = kind == NCS_KIND_NCCL ? api->ncclGetLastError(r->comm) : NULL;
    char text[512];
    snprintf(text, sizeof text, "%s returned %s%s%s", call, name, last && *last ? ": " : "", last ? last : "");
    ncs_run_error(r->run, &(struct ncs_run_error){
                              .kind = kind,
                              .rank = r->rank,
                              .code = code,
                              .name = ncs_copy_text(name),
                              .call = ncs_copy_text(call),
                              .message = ncs_copy_text(text),
                          });
    return false;
}

bool ncs_bench_is_fine(struct ncs_bench_rank *r, ncclResult_t rc, const char *call)
{
    return rc == ncclSuccess || fail_call(r, NCS_KIND_NCCL, rc, call);
}

bool ncs_bench_is_cuda_fine(struct ncs_bench_rank *r, cudaError_t rc, const char *call)
{
    return rc == cudaSuccess || fail_call(r, NCS_KIND_CUDA, rc, call);
}

/* ---- sizes, types, operators, roots ---- */

static size_t next_size(const struct ncs_bench_options *o, size_t size)
{
    if (o->factor <= 1)
        return size + o->step;
    return size > SIZE_MAX / o->factor ? SIZE_MAX : size * o->factor;
}

static bool measure_sizes(struct ncs_bench_rank *r, int type, int op, int root)
{
    const struct ncs_bench_options *o = &r->bench->options;
    for (int cycle = 0; o->cycles == 0 || cycle < o->cycles; cycle++)
        for (size_t size = o->least; size <= o->most; size = next_size(o, size))
            if (!ncs_bench_measure(r, size, type, op, root))
                return false;
    return true;
}

static bool measure_roots(struct ncs_bench_rank *r, int type, int op)
{
    const struct ncs_bench *b = r->bench;
    if (!b->collective->rooted)
        return measure_sizes(r, type, op, -1);
    bool all = b->options.root < 0;
    for (int root = all ? 0 : b->options.root; root < (all ? b->nranks : b->options.root + 1); root++)
        if (!measure_sizes(r, type, op, root))
            return false;
    return true;
}

static bool measure_mulsum(struct ncs_bench_rank *r, int type)
{
    const struct ncs_api *api = ncs_run_api(r->run);
    unsigned char two[8];
    ncs_bench_element(type, 2, two);
    return NCCL(r, api, ncclRedOpCreatePreMulSum, &r->mulsum, two, (ncclDataType_t)type, ncclScalarHostImmediate, r->comm) &&
           measure_roots(r, type, NCS_BENCH_MULSUM) && NCCL(r, api, ncclRedOpDestroy, r->mulsum, r->comm);
}

static bool measure_ops(struct ncs_bench_rank *r, int type)
{
    const struct ncs_bench *b = r->bench;
    if (!b->collective->reduces)
        return measure_roots(r, type, -1);
    bool all = b->options.op < 0;
    for (int op = all ? 0 : b->options.op; op < (all ? NCS_BENCH_OPS : b->options.op + 1); op++)
        if (!(op == NCS_BENCH_MULSUM ? measure_mulsum(r, type) : measure_roots(r, type, op)))
            return false;
    return true;
}

static bool measure_types(struct ncs_bench_rank *r)
{
    const struct ncs_bench_options *o = &r->bench->options;
    bool all = o->type < 0;
    for (int type = all ? 0 : o->type; type < (all ? ncclNumTypes : o->type + 1); type++)
        if (!measure_ops(r, type))
            return false;
    return true;
}

/* ---- a rank from its device to its end ---- */

/* All of the device's memory that is in use, at a point that all ranks have reached. */
static bool read_used(struct ncs_bench_rank *r, enum ncs_bench_stage stage)
{
    const struct ncs_api *api = ncs_run_api(r->run);
    size_t left = 0, total = 0;
    if (!r->bench->options.memory)
        return true;
    if (!ncs_run_barrier(r->run, NULL, 0, -1) || !CUDA(r, api, cudaMemGetInfo, &left, &total))
        return false;
    if (r->rank == 0)
        r->bench->used[stage] = (int64_t)(total - left);
    return ncs_run_barrier(r->run, NULL, 0, -1);
}

static bool share_id(struct ncs_bench_rank *r, ncclUniqueId *id)
{
    const struct ncs_api *api = ncs_run_api(r->run);
    ncclUniqueId *found = NULL;
    size_t bytes;
    if (r->rank == 0 && !NCCL(r, api, ncclGetUniqueId, id))
        return false;
    if (r->rank == 0 && !ncs_run_store_set(r->run, ID_KEY, id, sizeof *id))
        ncs_mem_no_more(sizeof *id); /* the others would wait for it */
    if (!ncs_run_store_get(r->run, ID_KEY, -1, (void **)&found, &bytes))
        return false;
    *id = *found;
    ncs_free(found);
    return true;
}

static bool bench_join(struct ncs_bench_rank *r)
{
    const struct ncs_api *api = ncs_run_api(r->run);
    const int policy = r->bench->options.cta_policy, nranks = r->bench->nranks;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    int devices = 1;
    if (!share_id(r, &id) || !CUDA(r, api, cudaGetDeviceCount, &devices) || !CUDA(r, api, cudaSetDevice, r->rank % devices) ||
        !read_used(r, NCS_BENCH_STARTED))
        return false;
    if (policy >= 0)
        config.CTAPolicy = policy;
    if (policy >= 0 ? !NCCL(r, api, ncclCommInitRankConfig, &r->comm, nranks, id, r->rank, &config)
                    : !NCCL(r, api, ncclCommInitRank, &r->comm, nranks, id, r->rank))
        return false;
    return read_used(r, NCS_BENCH_INITIALIZED);
}

/* Symmetric windows need memory of ncclMemAlloc. */
static bool is_symmetric(const struct ncs_bench_rank *r)
{
    return r->bench->options.registration == NCS_BENCH_SYMMETRIC && ncs_run_driver_api(r->run)->ncclCommWindowRegister;
}

static bool bench_register(struct ncs_bench_rank *r, int which)
{
    const struct ncs_api *api = ncs_run_api(r->run);
    char *buffer = which == 0 ? r->send : r->recv;
    if (is_symmetric(r))
        return NCCL(r, api, ncclCommWindowRegister, r->comm, buffer, r->room, &r->window[which], NCCL_WIN_COLL_SYMMETRIC);
    return r->bench->options.registration == NCS_BENCH_UNREGISTERED ||
           NCCL(r, api, ncclCommRegister, r->comm, buffer, r->room, &r->registered[which]);
}

static bool allocate(struct ncs_bench_rank *r)
{
    const struct ncs_api *api = ncs_run_api(r->run);
    const struct ncs_bench_options *o = &r->bench->options;
    void **const buffer[] = { (void **)&r->send, (void **)&r->recv };
    r->room = ncs_bench_memory(r->bench->collective, o, r->bench->nranks) / 2;
    size_t period = NCS_BENCH_PERIOD * sizeof(double);
    r->host = ncs_new(r->room < period ? r->room : period);
    if (o->each)
        r->each = ncs_new((size_t)o->iters * sizeof *r->each);
    if (!o->null_stream && !CUDA(r, api, cudaStreamCreateWithFlags, &r->stream, cudaStreamNonBlocking))
        return false;
    for (int i = 0; i < 2; i++)
        if (!(is_symmetric(r) ? NCCL(r, api, ncclMemAlloc, buffer[i], r->room) : CUDA(r, api, cudaMalloc, buffer[i], r->room)))
            return false;
    return bench_register(r, 0) && bench_register(r, 1) && read_used(r, NCS_BENCH_ALLOCATED);
}

static void leave(struct ncs_bench_rank *r)
{
    const struct ncs_api *api = ncs_run_api(r->run);
    void *const buffer[] = { r->send, r->recv };
    if (!read_used(r, NCS_BENCH_COLLECTED))
        return;
    for (int i = 0; i < 2; i++)
        if ((r->registered[i] && !NCCL(r, api, ncclCommDeregister, r->comm, r->registered[i])) ||
            (r->window[i] && !NCCL(r, api, ncclCommWindowDeregister, r->comm, r->window[i])))
            return;
    for (int i = 0; i < 2; i++)
        if (!(is_symmetric(r) ? NCCL(r, api, ncclMemFree, buffer[i]) : CUDA(r, api, cudaFree, buffer[i])))
            return;
    if (!NCCL(r, api, ncclCommDestroy, r->comm) || !r->stream)
        return;
    CUDA(r, api, cudaStreamDestroy, r->stream);
}

static void *bench_rank_new(void *self, struct ncs_run *run, int rank, struct ncs_error *err)
{
    struct ncs_bench *b = self;
    (void)err;
    struct ncs_bench_rank *r = ncs_new(sizeof *r);
    *r = (struct ncs_bench_rank){ .bench = b, .run = run, .rank = rank };
    b->rank[rank] = r;
    return r;
}

static void bench_rank_main(void *rank)
{
    struct ncs_bench_rank *r = rank;
    if (bench_join(r) && allocate(r) && measure_types(r))
        leave(r);
    ncs_run_script_over(r->run);
}

static void bench_rank_free(void *rank)
{
    struct ncs_bench_rank *r = rank;
    ncs_free(r->host);
    ncs_free(r->each);
    ncs_free(r);
}

int64_t ncs_bench_used(const struct ncs_bench *bench, enum ncs_bench_stage stage)
{
    return stage == NCS_BENCH_STARTED ? 0 : bench->used[stage] - bench->used[stage - 1];
}

size_t ncs_bench_memory(const struct ncs_bench_collective *collective, const struct ncs_bench_options *options, int nranks)
{
    struct ncs_bench_shape s = collective->shape(options->most, 1, nranks);
    size_t most = s.send > s.recv ? s.send : s.recv;
    return 2 * (most + options->unalign * sizeof(double));
}

struct ncs_bench *ncs_bench_new(const struct ncs_bench_collective *collective, const struct ncs_bench_options *options,
                                const struct ncs_run_options *run, ncs_bench_on_row on_row, void *arg)
{
    struct ncs_bench *b = ncs_new(sizeof *b);
    b->collective = collective;
    b->options = *options;
    b->nranks = run->ranks;
    b->real = strcmp(run->driver, "sim") != 0;
    b->on_row = on_row;
    b->arg = arg;
    b->rank = ncs_new((size_t)run->ranks * sizeof *b->rank);
    struct ncs_program program = {
        .self = b,
        .rank_new = bench_rank_new,
        .rank_main = bench_rank_main,
        .rank_free = bench_rank_free,
    };
    b->run = ncs_run_new(run, &program, NULL, NULL);
    return b;
}

const struct ncs_result *ncs_bench_execute(struct ncs_bench *bench)
{
    return ncs_run_execute(bench->run);
}

void ncs_bench_free(struct ncs_bench *bench)
{
    if (!bench)
        return;
    ncs_run_free(bench->run);
    ncs_free(bench->rank);
    ncs_free(bench);
}
