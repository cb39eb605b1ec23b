/* One rank's streams and buffers, and calls made by hand: nothing runs, so that only the order counts
 * that calls make. */
#ifndef NCS_TESTS_UNIT_HAZARD_LAB_H
#define NCS_TESTS_UNIT_HAZARD_LAB_H

#include "harness.h"

#include <string.h>

#include "diagnose/hazard/hazard.h"

#define RECORDS 128

static struct ncs_journal journal;
static struct ncs_comm_info comm[3], *comms[] = { &comm[0], &comm[1], &comm[2] };
static struct ncs_member member[3][2]; /* two ranks, and in the last communicator one */
static struct ncs_call records[RECORDS];
static uint64_t made;
static struct ncs_hazards *h;
static int line, rank, thread;
static char x[64], y[64], z[64], host[64];
static char handles[8];

#define S ((const void *)&handles[1]) /* streams: two that do not block, one that does */
#define T ((const void *)&handles[2])
#define B ((const void *)&handles[3])
#define E ((const void *)&handles[4])

static inline struct ncs_call *make(enum ncs_fn fn)
{
    struct ncs_call *call = &records[made % RECORDS];
    ck_assert_uint_eq(call->pins, 0); /* of what is long past nothing is kept */
    *call = (struct ncs_call){
        .id = ++made, .fn = fn, .returned = true, .rank = rank, .thread = thread, .place.line = line, .comm = -1, .comm_rank = -1
    };
    return call;
}

static inline struct ncs_call *last_made(void)
{
    return &records[(made - 1) % RECORDS];
}

static inline void tell(struct ncs_call *call)
{
    ncs_hazards_call(h, call);
}

static inline void call0(enum ncs_fn fn, const void *p)
{
    struct ncs_call *call = make(fn);
    call->arg[0].p = p;
    tell(call);
}

static inline void call2(enum ncs_fn fn, const void *p, const void *q)
{
    struct ncs_call *call = make(fn);
    call->arg[0].p = p;
    call->arg[1].p = q;
    tell(call);
}

static inline void allocate(enum ncs_fn fn, const void *p)
{
    struct ncs_call *call = make(fn);
    call->arg[0].p = p;
    call->arg[1].u = 64;
    tell(call);
}

static inline void stream(const void *handle, unsigned flags)
{
    struct ncs_call *call = make(NCS_FN_cudaStreamCreateWithFlags);
    call->arg[0].p = handle;
    call->arg[1].u = flags;
    tell(call);
}

static inline void open_rank(int which)
{
    rank = which;
    allocate(NCS_FN_cudaMalloc, x);
    allocate(NCS_FN_cudaMalloc, y);
    allocate(NCS_FN_cudaMalloc, z);
    stream(S, cudaStreamNonBlocking);
    stream(T, cudaStreamNonBlocking);
    stream(B, cudaStreamDefault);
}

static inline void open_lab(void)
{
    memset(member, 0, sizeof member);
    journal.comm = comms;
    journal.comms = 3;
    for (int i = 0; i < 3; i++)
        comm[i] = (struct ncs_comm_info){ .number = i, .nranks = i < 2 ? 2 : 1, .member = member[i], .members = i < 2 ? 2 : 1 };
    h = ncs_hazards_open(&journal, &(struct ncs_hazards_options){ 0 });
    open_rank(0);
    line = 100;
}

static inline void close_lab(void)
{
    ncs_hazards_close(h);
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 2; r++)
            ncs_map_free(&member[i][r].pairs);
    for (int i = 0; i < RECORDS; i++)
        ck_assert_uint_eq(records[i].pins, 0);
}

static inline int comm_rank_of(int which)
{
    return which < 2 ? rank : 0;
}

static inline struct ncs_call *in_comm(struct ncs_call *call, int which)
{
    call->comm = which;
    call->comm_rank = comm_rank_of(which);
    struct ncs_member *m = &member[which][call->comm_rank];
    call->number = ++m->calls;
    if (!ncs_call_is_pair(call)) {
        call->ordinal = ++m->collectives;
        return call;
    }
    uint64_t direction = 1 + (call->fn == NCS_FN_ncclRecv); /* there is one peer */
    call->ordinal = (uint32_t)ncs_map_number(&m->pairs, direction) + 1;
    ncs_map_put_number(&m->pairs, direction, call->ordinal);
    return call;
}

static inline struct ncs_call *reduction(int which, const void *from, const void *to, const void *s)
{
    struct ncs_call *call = in_comm(make(NCS_FN_ncclAllReduce), which);
    call->arg[0].p = from;
    call->arg[1].p = to;
    call->arg[2].u = 16;
    call->arg[3].i = ncclFloat32;
    call->arg[4].i = ncclSum;
    call->arg[6].p = s;
    return call;
}

static inline void reduce_in_group(int which, uint64_t group, const void *from, const void *to, const void *s)
{
    struct ncs_call *call = reduction(which, from, to, s);
    call->group = group;
    tell(call);
}

static inline void reduce(const void *from, const void *to, const void *s)
{
    tell(reduction(0, from, to, s));
}

static inline void exchange_with(enum ncs_fn fn, const void *p, size_t count, int peer)
{
    struct ncs_call *call = in_comm(make(fn), 0);
    call->arg[0].p = p;
    call->arg[1].u = count;
    call->arg[2].i = ncclFloat32;
    call->arg[3].i = peer;
    call->arg[5].p = S;
    tell(call);
}

static inline void exchange(enum ncs_fn fn, const void *p, size_t count)
{
    exchange_with(fn, p, count, 1);
}

static inline void copy(const void *to, const void *from, size_t bytes)
{
    struct ncs_call *call = make(NCS_FN_cudaMemcpy);
    call->arg[0].p = to;
    call->arg[1].p = from;
    call->arg[2].u = bytes;
    call->arg[3].i = cudaMemcpyDefault;
    tell(call);
}

static inline void copy_in(const void *to, const void *from, const void *s)
{
    struct ncs_call *call = make(NCS_FN_cudaMemcpyAsync);
    call->arg[0].p = to;
    call->arg[1].p = from;
    call->arg[2].u = 64;
    call->arg[3].i = cudaMemcpyDefault;
    call->arg[4].p = s;
    tell(call);
}

static inline void fill_in(const void *to, const void *s)
{
    struct ncs_call *call = make(NCS_FN_cudaMemsetAsync);
    call->arg[0].p = to;
    call->arg[2].u = 64;
    call->arg[3].p = s;
    tell(call);
}

static inline void sync(const void *s)
{
    call0(NCS_FN_cudaStreamSynchronize, s);
}

static inline void end_group(int rc)
{
    struct ncs_call *call = make(NCS_FN_ncclGroupEnd);
    call->rc = rc;
    tell(call);
}

static inline void poll(int which, int state)
{
    struct ncs_call *call = make(NCS_FN_ncclCommGetAsyncError);
    call->comm = which;
    call->comm_rank = rank;
    call->arg[1].i = state;
    tell(call);
}

static inline size_t found(void)
{
    size_t count;
    ncs_hazards_found(h, &count);
    return count;
}

static inline void expect_nothing(void)
{
    ck_assert_uint_eq(found(), 0);
    close_lab();
}

static inline const struct ncs_hazard *only(enum ncs_hazard_kind kind)
{
    size_t count;
    const struct ncs_hazard *f = ncs_hazards_found(h, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(f->kind, kind);
    return f;
}

static inline void expect_one(enum ncs_hazard_kind kind)
{
    only(kind);
    close_lab();
}

#endif
