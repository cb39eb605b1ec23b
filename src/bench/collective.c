#include "bench/collective.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"

/* ---- sizes ---- */

/* The part of one rank, cut to a multiple of 16 bytes. */
static size_t block_of(size_t count, size_t bytes, int nranks)
{
    size_t grain = 16 / bytes;
    return count / (size_t)nranks / grain * grain;
}

static struct ncs_bench_shape shape_whole(size_t count, size_t bytes, int nranks)
{
    (void)bytes, (void)nranks;
    return (struct ncs_bench_shape){ .send = count, .recv = count, .count = count };
}

static struct ncs_bench_shape shape_gather(size_t count, size_t bytes, int nranks)
{
    size_t block = block_of(count, bytes, nranks);
    return (struct ncs_bench_shape){ .send = block, .recv = block * (size_t)nranks, .count = block, .send_step = block };
}

static struct ncs_bench_shape shape_scatter(size_t count, size_t bytes, int nranks)
{
    size_t block = block_of(count, bytes, nranks);
    return (struct ncs_bench_shape){ .send = block * (size_t)nranks, .recv = block, .count = block, .recv_step = block };
}

static struct ncs_bench_shape shape_exchange(size_t count, size_t bytes, int nranks)
{
    size_t block = block_of(count, bytes, nranks), all = block * (size_t)nranks;
    return (struct ncs_bench_shape){ .send = all, .recv = all, .count = block };
}

/* ---- bandwidths ---- */

static double just_once(int nranks)
{
    (void)nranks;
    return 1;
}

static double each_rank(int nranks)
{
    return nranks;
}

static double each_other(int nranks)
{
    return nranks - 1;
}

/* The share of the data that crosses a link. */
static double crossing(int nranks)
{
    return (nranks - 1) / (double)nranks;
}

/* An all-reduce sends that share twice: to be reduced, and as result. */
static double crossing_twice(int nranks)
{
    return 2 * crossing(nranks);
}

/* ---- calls ---- */

static ncclResult_t call_all_reduce(const struct ncs_bench_call *c)
{
    return c->api->ncclAllReduce(c->send, c->recv, c->count, c->type, c->op, c->comm, c->stream);
}

static ncclResult_t call_all_gather(const struct ncs_bench_call *c)
{
    return c->api->ncclAllGather(c->send, c->recv, c->count, c->type, c->comm, c->stream);
}

static ncclResult_t call_reduce_scatter(const struct ncs_bench_call *c)
{
    return c->api->ncclReduceScatter(c->send, c->recv, c->count, c->type, c->op, c->comm, c->stream);
}

static ncclResult_t call_broadcast(const struct ncs_bench_call *c)
{
    return c->api->ncclBroadcast(c->send, c->recv, c->count, c->type, c->root, c->comm, c->stream);
}

static ncclResult_t call_reduce(const struct ncs_bench_call *c)
{
    return c->api->ncclReduce(c->send, c->recv, c->count, c->type, c->op, c->root, c->comm, c->stream);
}

static const void *block_at(const void *base, const struct ncs_bench_call *c, int block)
{
    return (const char *)base + (size_t)block * c->count * ncs_dtype_bytes(c->type);
}

static void *block_to(void *base, const struct ncs_bench_call *c, int block)
{
    return (char *)base + (size_t)block * c->count * ncs_dtype_bytes(c->type);
}

static ncclResult_t send_block(const struct ncs_bench_call *c, int block, int peer)
{
    return c->api->ncclSend(block_at(c->send, c, block), c->count, c->type, peer, c->comm, c->stream);
}

static ncclResult_t recv_block(const struct ncs_bench_call *c, int block, int peer)
{
    return c->api->ncclRecv(block_to(c->recv, c, block), c->count, c->type, peer, c->comm, c->stream);
}

/* The messages of one rank between a group's start and end; rc is that of the first that failed. */
static ncclResult_t in_group(const struct ncs_bench_call *c, ncclResult_t (*messages)(const struct ncs_bench_call *c))
{
    ncclResult_t rc = c->api->ncclGroupStart();
    if (rc != ncclSuccess)
        return rc;
    rc = messages(c);
    ncclResult_t end = c->api->ncclGroupEnd();
    return rc != ncclSuccess ? rc : end;
}

static ncclResult_t messages_of_alltoall(const struct ncs_bench_call *c)
{
    ncclResult_t rc = ncclSuccess;
    for (int r = 0; r < c->nranks && rc == ncclSuccess; r++)
        if ((rc = send_block(c, r, r)) == ncclSuccess)
            rc = recv_block(c, r, r);
    return rc;
}

static ncclResult_t messages_of_gather(const struct ncs_bench_call *c)
{
    ncclResult_t rc = send_block(c, 0, c->root);
    for (int r = 0; c->rank == c->root && r < c->nranks && rc == ncclSuccess; r++)
        rc = recv_block(c, r, r);
    return rc;
}

static ncclResult_t messages_of_scatter(const struct ncs_bench_call *c)
{
    ncclResult_t rc = ncclSuccess;
    for (int r = 0; c->rank == c->root && r < c->nranks && rc == ncclSuccess; r++)
        rc = send_block(c, r, r);
    return rc == ncclSuccess ? recv_block(c, 0, c->root) : rc;
}

static ncclResult_t messages_of_ring(const struct ncs_bench_call *c)
{
    ncclResult_t rc = send_block(c, 0, (c->rank + 1) % c->nranks);
    return rc == ncclSuccess ? recv_block(c, 0, (c->rank + c->nranks - 1) % c->nranks) : rc;
}

/* NCCL has these three since 2.28; an older library gets the messages that they are made of. */
static ncclResult_t call_alltoall(const struct ncs_bench_call *c)
{
    if (!c->api->ncclAlltoAll)
        return in_group(c, messages_of_alltoall);
    return c->api->ncclAlltoAll(c->send, c->recv, c->count, c->type, c->comm, c->stream);
}

static ncclResult_t call_gather(const struct ncs_bench_call *c)
{
    if (!c->api->ncclGather)
        return in_group(c, messages_of_gather);
    return c->api->ncclGather(c->send, c->recv, c->count, c->type, c->root, c->comm, c->stream);
}

static ncclResult_t call_scatter(const struct ncs_bench_call *c)
{
    if (!c->api->ncclScatter)
        return in_group(c, messages_of_scatter);
    return c->api->ncclScatter(c->send, c->recv, c->count, c->type, c->root, c->comm, c->stream);
}

static ncclResult_t call_sendrecv(const struct ncs_bench_call *c)
{
    return in_group(c, messages_of_ring);
}

/* An all-gather by halves: in step k the blocks of 2^k ranks change places with those of the partner. */
static ncclResult_t call_hypercube(const struct ncs_bench_call *c)
{
    size_t bytes = c->count * ncs_dtype_bytes(c->type);
    void *mine = block_to(c->recv, c, c->rank);
    ncclResult_t rc = ncclSuccess;
    if (mine != c->send && c->api->cudaMemcpyAsync(mine, c->send, bytes, cudaMemcpyDeviceToDevice, c->stream) != cudaSuccess)
        return ncclUnhandledCudaError;
    for (int half = 1; half < c->nranks && rc == ncclSuccess; half *= 2) {
        int peer = c->rank ^ half, from = c->rank / half * half;
        if ((rc = c->api->ncclGroupStart()) != ncclSuccess)
            break;
        rc = c->api->ncclSend(block_at(c->recv, c, from), c->count * (size_t)half, c->type, peer, c->comm, c->stream);
        if (rc == ncclSuccess)
            rc = c->api->ncclRecv(block_to(c->recv, c, from ^ half), c->count * (size_t)half, c->type, peer, c->comm, c->stream);
        ncclResult_t end = c->api->ncclGroupEnd();
        rc = rc != ncclSuccess ? rc : end;
    }
    return rc;
}

/* clang-format off */
const struct ncs_bench_collective ncs_bench_collective[] = {
    { .name = "all_reduce", .other = "allreduce", .reduces = true,
      .shape = shape_whole, .volume = just_once, .factor = crossing_twice, .call = call_all_reduce },
    { .name = "all_gather", .other = "allgather",
      .shape = shape_gather, .volume = each_rank, .factor = crossing, .call = call_all_gather },
    { .name = "reduce_scatter", .other = "reducescatter", .reduces = true,
      .shape = shape_scatter, .volume = each_rank, .factor = crossing, .call = call_reduce_scatter },
    { .name = "broadcast", .other = "bcast", .rooted = true,
      .shape = shape_whole, .volume = just_once, .factor = just_once, .call = call_broadcast },
    { .name = "reduce", .reduces = true, .rooted = true,
      .shape = shape_whole, .volume = just_once, .factor = just_once, .call = call_reduce },
    { .name = "alltoall", .other = "all_to_all", .fixed_place = true,
      .shape = shape_exchange, .volume = each_rank, .factor = crossing, .call = call_alltoall },
    { .name = "gather", .rooted = true,
      .shape = shape_gather, .volume = each_rank, .factor = crossing, .call = call_gather },
    { .name = "scatter", .rooted = true,
      .shape = shape_scatter, .volume = each_rank, .factor = crossing, .call = call_scatter },
    { .name = "sendrecv", .other = "send_recv", .fixed_place = true,
      .shape = shape_whole, .volume = just_once, .factor = just_once, .call = call_sendrecv },
    { .name = "hypercube", .power_of_two = true,
      .shape = shape_gather, .volume = each_other, .factor = just_once, .call = call_hypercube },
    { 0 },
};
/* clang-format on */

const struct ncs_bench_collective *ncs_bench_find(const char *name)
{
    char plain[32];
    const char *slash = strrchr(name, '/');
    snprintf(plain, sizeof plain, "%s", slash ? slash + 1 : name);
    char *tail = strstr(plain, "_perf");
    if (tail)
        *tail = '\0';
    for (const struct ncs_bench_collective *c = ncs_bench_collective; c->name; c++)
        if (strcmp(plain, c->name) == 0 || (c->other && strcmp(plain, c->other) == 0))
            return c;
    return NULL;
}
