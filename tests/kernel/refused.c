/* NCCL's calls where CUDA refuses everything: without a device, and inside of a host function. */
#include "kernel.h"

#include "harness.h"

#define REFUSED(call)                                           \
    do {                                                        \
        ck_assert_int_eq((call), ncclUnhandledCudaError);       \
        ck_assert_str_eq(api->ncclGetLastError(NULL), refusal); \
    } while (0)

static const char *refusal;

static void without_device(void *arg)
{
    void *p = arg;
    ncclComm_t comm = NULL;
    ncclUniqueId id;
    refusal = "Cuda failure 'no CUDA-capable device is detected'";
    REFUSED(api->ncclMemAlloc(&p, 64));
    ck_assert_ptr_eq(p, arg);
    REFUSED(api->ncclMemFree(NULL));
    REFUSED(api->ncclMemFree(&id));
    OK(api->ncclGetUniqueId(&id));
    REFUSED(api->ncclCommGrow(NULL, 2, &id, 1, &comm, NULL));
    REFUSED(api->ncclCommInitAll(&comm, 1, NULL));
}

START_TEST(no_device)
{
    kernel_open(&(struct ncs_machine_options){ .lack = NCS_LACK_DEVICES });
    struct ncs_local local = { .rank = 0 };
    struct ncs_context_options options = { .local = &local, .main = without_device, .arg = &local };
    struct ncs_error err;
    ck_assert(machine->spawn(&options, &err));
    ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
    machine->close();
}
END_TEST

static struct kernel_rank *caller;

/* A job would wait for this very function to return. */
static void call_jobs(void *memory)
{
    ncclComm_t world = caller->world, child;
    ncclWindow_t window;
    void *p;
    int one = 1;
    refusal = "Cuda failure 'operation not permitted'";
    REFUSED(api->ncclMemAlloc(&p, 64));
    REFUSED(api->ncclMemFree(memory));
    REFUSED(api->ncclCommRegister(world, memory, 64, &p));
    REFUSED(api->ncclCommWindowRegister(world, memory, 64, &window, 0));
    REFUSED(api->ncclCommSplit(world, 0, 0, &child, NULL));
    REFUSED(api->ncclCommShrink(world, &one, 1, &child, NULL, NCCL_SHRINK_ABORT));
    REFUSED(api->ncclCommSuspend(world, NCCL_SUSPEND_MEM));
    REFUSED(api->ncclCommResume(world));
    REFUSED(api->ncclCommRevoke(world, 0));
    REFUSED(api->ncclCommFinalize(world));
    REFUSED(api->ncclCommDestroy(world));
    REFUSED(api->ncclCommAbort(world));
}

static void host_function(struct kernel_rank *r)
{
    void *memory;
    OK(api->ncclMemAlloc(&memory, 64));
    if (r->rank == 0) {
        caller = r;
        OK(api->cudaLaunchHostFunc(r->stream, call_jobs, memory));
    }
    OK(kernel_reduce(r)); /* behind it: aborting this would be noticed */
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert_float_eq(r->x[0], 3);
    OK(api->ncclCommDestroy(r->world));
}

START_TEST(in_a_host_function)
{
    for (int threads = 0; threads < 2; threads++) {
        kernel_open(&(struct ncs_machine_options){ .own_threads = threads });
        ck_assert_int_eq(kernel_run(2, host_function), NCS_STOP_DONE);
        kernel_end();
    }
}
END_TEST

static void ask(struct kernel_rank *r)
{
    ncclCommProperties_t properties;
    OK(api->ncclCommQueryProperties(r->world, &properties));
    ck_assert_int_eq(properties.hostRmaSupport, getenv("NCCL_WIN_ENABLE") == NULL);
    ck_assert_int_eq(properties.nLsaTeams, 3); /* hosts of eight */
}

START_TEST(support_is_what_the_calls_find)
{
    for (int enabled = 0; enabled < 2; enabled++) {
        enabled ? unsetenv("NCCL_WIN_ENABLE") : setenv("NCCL_WIN_ENABLE", "0", 1);
        kernel_open(&(struct ncs_machine_options){ 0 });
        ck_assert_int_eq(kernel_run(17, ask), NCS_STOP_DONE);
        kernel_end();
    }
}
END_TEST

static char crash[128];

static void note_crash(void *self, struct ncs_call *call, const char *why)
{
    (void)self, (void)call;
    snprintf(crash, sizeof crash, "%s", why);
}

static void bad_handle(struct kernel_rank *r)
{
    static struct ncs_call record;
    int64_t value;
    r->local.call = &record;
    ck_assert_int_eq(api->ncclParamGetI64((ncclParamHandle_t)(uintptr_t)8, &value), ncclInvalidArgument);
    r->local.call = NULL;
}

START_TEST(a_crash_is_told)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    machine->observe(&(struct ncs_observer){ .crash = note_crash });
    ck_assert_int_eq(kernel_run(1, bad_handle), NCS_STOP_DONE);
    ck_assert_str_eq(crash, "the handle was not made by ncclParamBind");
    kernel_end();
}
END_TEST

NCS_TEST_MAIN("kernel refused", no_device, in_a_host_function, support_is_what_the_calls_find, a_crash_is_told)
