/* The memory that the machine has given out, and who may touch other memory. */
#include "kernel.h"

static void one_rank(void (*body)(struct kernel_rank *r))
{
    kernel_open(&(struct ncs_machine_options){ .hosts.devices = 2 });
    ck_assert_int_eq(kernel_run(1, body), NCS_STOP_DONE);
    kernel_end();
}

static void *made(size_t bytes)
{
    void *p = NULL;
    OK(api->cudaMalloc(&p, bytes));
    return p;
}

static void asks_bounds(struct kernel_rank *r)
{
    char own[8], *p = made(4096);
    ck_assert(machine->readable(p, 4096));
    ck_assert(machine->readable(p + 4095, 1));
    ck_assert(machine->readable(p + 4096, 0));
    ck_assert(!machine->readable(p, 4097));
    ck_assert(!machine->readable(p - 1, 2));
    ck_assert(!machine->readable(p + 1, SIZE_MAX));
    ck_assert(!machine->readable(own, sizeof own));
    ck_assert(!machine->readable(NULL, 1));
    ck_assert(machine->readable(r->x, 64));
    OK(api->cudaFree(p));
    ck_assert(!machine->readable(p, 1));
}

START_TEST(bytes_are_readable_within_one_allocation)
{
    one_rank(asks_bounds);
}
END_TEST

static void watches(struct kernel_rank *r)
{
    struct ncs_freed how = { .by = "nobody" };
    char *p = made(4096), *q = made(4096);
    uint64_t serial = machine->watch(p);
    ck_assert_uint_ne(serial, 0);
    ck_assert_uint_eq(machine->watch(p), serial);
    ck_assert_uint_eq(machine->watch(p + 1), 0);
    ck_assert_uint_eq(machine->watch(NULL), 0);
    ck_assert_uint_ne(machine->watch(r->x), serial);
    ck_assert(!machine->freed(serial, &how));
    OK(api->cudaFree(p));
    OK(api->cudaFree(q));
    for (int i = 0; i < 100; i++) { /* one of them may lie where it was */
        void *again = made(4096);
        ck_assert_uint_ne(machine->watch(again), serial);
        OK(api->cudaFree(again));
    }
    ck_assert(machine->freed(serial, &how));
    ck_assert_ptr_null(how.by);               /* these calls are in no journal */
    ck_assert(!machine->freed(serial, &how)); /* told once */
    ck_assert(!machine->freed(0, &how));
}

START_TEST(a_serial_outlives_its_address)
{
    one_rank(watches);
}
END_TEST

static void frees_later(struct kernel_rank *r)
{
    struct ncs_freed how;
    void *p = made(4096), *q = NULL;
    uint64_t serial = machine->watch(p);
    OK(api->ncsDelay(r->stream, 1e-3));
    OK(api->cudaMemsetAsync(p, 1, 4096, r->stream));
    OK(api->cudaFreeAsync(p, r->stream));
    ck_assert(machine->freed(serial, &how)); /* for the program it is gone, */
    ck_assert(machine->readable(p, 4096));   /* for the work before it it is not */
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert(!machine->readable(p, 4096));

    OK(api->cudaSetDevice(1));
    OK(api->cudaMallocHost(&q, 64));
    serial = machine->watch(q);
    OK(api->cudaDeviceReset());
    ck_assert(machine->freed(serial, &how));
    OK(api->cudaSetDevice(0));
}

START_TEST(it_is_freed_at_the_call)
{
    one_rank(frees_later);
}
END_TEST

static void copies_in_flight(struct kernel_rank *r)
{
    cudaStream_t other;
    char *from = made(4096);
    OK(api->cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int i = 0; i < 20; i++) {
        char *to = made(4096);
        OK(api->ncsDelay(r->stream, 1e-3));
        OK(api->cudaMemcpyAsync(to, from, 4096, cudaMemcpyDefault, r->stream));
        OK(api->cudaFreeAsync(to, other));
        OK(api->cudaStreamSynchronize(other));
        if ((char *)made(4096) != to)
            continue; /* another address: the next round may have it */
        memset(to, 7, 4096);
        ck_assert_int_eq(api->cudaStreamSynchronize(r->stream), cudaErrorIllegalAddress);
        ck_assert_int_eq(to[0], 7);
        return;
    }
    ck_assert_int_eq(api->cudaStreamSynchronize(r->stream), cudaErrorIllegalAddress);
}

START_TEST(work_does_not_follow_an_address)
{
    one_rank(copies_in_flight);
}
END_TEST

static void is_guarded(struct kernel_rank *r)
{
    char own[64] = { 0 }, *gone = made(64);
    OK(api->cudaFree(gone));
    OK(api->cudaMemcpy(own, r->x, 64, cudaMemcpyDefault)); /* a program from outside */
    r->local.guarded = true;
    ck_assert_int_ne(api->cudaMemcpy(own, r->x, 64, cudaMemcpyDefault), 0);
    ck_assert_int_ne(api->cudaMemcpy(r->x, own, 64, cudaMemcpyDefault), 0);
    ck_assert_int_ne(api->cudaMemcpy(gone, r->x, 64, cudaMemcpyDefault), 0);
    ck_assert_int_ne(api->cudaHostRegister(own, 64, 0), 0);
    r->local.range[0] = (struct ncs_range){ .from = own, .bytes = 32 };
    r->local.ranges = 1;
    OK(api->cudaMemcpy(own, r->x, 32, cudaMemcpyDefault));
    OK(api->cudaMemcpy(r->x, own + 16, 16, cudaMemcpyDefault));
    ck_assert_int_ne(api->cudaMemcpy(own, r->x, 33, cudaMemcpyDefault), 0);
    ck_assert_int_ne(api->cudaMemcpy((void *)((uintptr_t)own - 1), r->x, 1, cudaMemcpyDefault), 0);
    ck_assert_int_ne(api->cudaMemcpy(own + 16, r->x, 17, cudaMemcpyDefault), 0);
    r->local.guarded = false;
    r->local.ranges = 0;
}

START_TEST(a_guarded_call_touches_what_it_is_lent)
{
    one_rank(is_guarded);
}
END_TEST

/* An allocation that the program did not make is no leak. */
static void leaves_notes(struct kernel_rank *r)
{
    (void)r;
    for (int i = 0; i < 10; i++) {
        void *p = made(64);
        machine->watch(p);
        OK(api->cudaFree(p));
    }
    machine->watch(made(64));
}

START_TEST(notes_go_with_the_machine)
{
    uint64_t objects, bytes, trace;
    kernel_open(&(struct ncs_machine_options){ 0 });
    kernel_run(2, leaves_notes);
    machine->gate_free(kernel_gate);
    machine->reset();
    machine->stats(&objects, &bytes, &trace);
    ck_assert_uint_eq(objects, 0);
    ck_assert_uint_eq(bytes, 0);
    machine->close();
}
END_TEST

NCS_TEST_MAIN("kernel owned", bytes_are_readable_within_one_allocation, a_serial_outlives_its_address, it_is_freed_at_the_call,
              work_does_not_follow_an_address, a_guarded_call_touches_what_it_is_lent, notes_go_with_the_machine)
