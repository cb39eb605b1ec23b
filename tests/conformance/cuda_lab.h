/* The frame of the tests of CUDA's codes: a machine with one context, and a row per call. */
#ifndef NCS_TESTS_CONFORMANCE_CUDA_LAB_H
#define NCS_TESTS_CONFORMANCE_CUDA_LAB_H

#include "../kernel/kernel.h"

#include <limits.h>
#include <stdint.h>

#include "harness.h"

/* One row: the call gives this code, and the last error is that code, unless it is none or 600. */
#define ROW(code, call)                                                                   \
    do {                                                                                  \
        int rc_ = (int)(call);                                                            \
        ck_assert_msg(rc_ == (code), "%s: %d, not %d", #call, rc_, (code));               \
        int last_ = rc_ == cudaErrorNotReady ? cudaSuccess : rc_;                         \
        ck_assert_msg((int)api->cudaPeekAtLastError() == last_, "%s: last error", #call); \
        ck_assert_int_eq((int)api->cudaGetLastError(), last_);                            \
        ck_assert_int_eq((int)api->cudaGetLastError(), 0);                                \
    } while (0)

static void (*body)(void);
static bool finished;
static int process; /* of the only context */

static void context_main(void *arg)
{
    (void)arg;
    body();
    finished = true;
}

/* Runs f as the only context of a machine. */
static void run(const struct ncs_machine_options *options, void (*f)(void))
{
    kernel_open(options);
    static struct ncs_local local;
    local = (struct ncs_local){ .rank = process };
    struct ncs_context_options context = { .process = process, .local = &local, .main = context_main };
    struct ncs_error err;
    body = f;
    finished = false;
    ck_assert(machine->spawn(&context, &err));
    ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
    ck_assert(finished);
    machine->close();
    uint64_t objects, bytes, trace;
    machine->stats(&objects, &bytes, &trace);
    ck_assert_uint_eq(objects, 0);
    ck_assert_uint_eq(bytes, 0);
}

/* Runs each of the tests on fibers and on threads. */
static inline void run_each(void (*const *tests)(void), size_t count)
{
    struct ncs_machine_options options = { .hosts = { .devices = 4, .capability = (int[]){ 86 }, .capabilities = 1 },
                                           .device_memory = (uint64_t)1 << 20 };
    for (int threads = 0; threads < 2; threads++) {
        options.own_threads = threads;
        for (size_t i = 0; i < count; i++)
            run(&options, tests[i]);
    }
}

/* Functions for hosts and streams to call. */
static inline void nothing(void *data)
{
    (void)data;
}

static inline void nothing_of_stream(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream, (void)status, (void)data;
}

#define GARBAGE(type) ((type)(uintptr_t)0x12345678)

#endif
