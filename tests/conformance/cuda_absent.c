/* The CUDA runtime without a driver: what the real one makes of it, where it is found, and without a
 * device. Names and texts of errors, too. */
#include "../kernel/kernel.h"

#include <dlfcn.h>

#include "api/invoke.h"
#include "harness.h"

static void *library;
static union ncs_arg zero[NCS_MAX_ARGS];
static char room[4096]; /* what out-parameters and structs by value point to */

/* The functions that the real library has, in our table. */
static struct ncs_api real;

static bool open_real(void)
{
    library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("/usr/local/cuda/lib64/libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
    for (int fn = 0; library && fn < NCS_FN_COUNT; fn++) {
        const struct ncs_fn_info *info = &ncs_fn_info[fn];
        void *f = info->lib == NCS_LIB_CUDA ? dlsym(library, info->name) : NULL;
        memcpy((char *)&real + info->offset, &f, sizeof f);
    }
    return library && real.cudaGetDevice(&(int){ 0 }) == cudaErrorInsufficientDriver;
}

static bool is_by_value(enum ncs_kind kind)
{
    return kind == NCS_ARG_LOCATION || kind == NCS_ARG_IPCMEM || kind == NCS_ARG_IPCEVENT;
}

/* The code of a function all of whose arguments are 0, or with out-parameters that can be used. */
static int code_of(const struct ncs_api *of, enum ncs_fn fn, bool outs)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    union ncs_arg result = { .i = -1 };
    memset(zero, 0, sizeof zero);
    for (int i = 0; i < info->nargs; i++)
        if (is_by_value(info->arg[i].kind) || (outs && ncs_kind_is_out(info->arg[i].kind)))
            zero[i].p = room;
    memset(room, 0x55, sizeof room);
    ck_assert(ncs_invoke(of, fn, zero, &result));
    return (int)result.i;
}

static bool is_version(enum ncs_fn fn)
{
    return fn == NCS_FN_cudaRuntimeGetVersion || fn == NCS_FN_cudaDriverGetVersion;
}

static int compared;

static void compare(void)
{
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const struct ncs_fn_info *info = &ncs_fn_info[fn];
        if (info->lib != NCS_LIB_CUDA || info->result != NCS_RESULT_CUDA || !ncs_api_has(api, fn))
            continue;
        for (int outs = 0; outs < 2; outs++) {
            char untouched[sizeof room];
            int ours = code_of(api, fn, outs);
            memcpy(untouched, room, sizeof room);
            if (library) {
                int theirs = code_of(&real, fn, outs);
                ck_assert_msg(ours == theirs, "%s: %d, the real one says %d", info->name, ours, theirs);
                ck_assert_msg(memcmp(untouched, room, sizeof room) == 0, "%s: what it wrote", info->name);
                ck_assert_int_eq(api->cudaGetLastError(), real.cudaGetLastError());
            }
            ck_assert_msg(is_version(fn) || ours == cudaErrorInsufficientDriver, "%s: %d", info->name, ours);
            compared++;
        }
    }
}

static void no_driver(void *arg)
{
    (void)arg;
    int v = 77;
    ck_assert_int_eq(api->cudaPeekAtLastError(), 35);
    compare();
    ck_assert_int_eq(api->cudaGetDeviceCount(&v), 35);
    ck_assert_int_eq(v, 77);
    ck_assert_int_eq(api->cudaRuntimeGetVersion(&v), 0);
    ck_assert_int_eq(v, 13000);
    ck_assert_int_eq(api->cudaDriverGetVersion(&v), 0);
    ck_assert_int_eq(v, 0);
}

static void no_device(void *arg)
{
    (void)arg;
    int v = 77;
    void *p = &v;
    ck_assert_int_eq(api->cudaGetDeviceCount(&v), 100);
    ck_assert_int_eq(v, 0);
    ck_assert_int_eq(api->cudaMalloc(&p, 8), 100);
    ck_assert_ptr_eq(p, &v);
    ck_assert_int_eq(api->cudaGetLastError(), 100);
    ck_assert_int_eq(api->cudaDriverGetVersion(&v), 0);
    ck_assert_int_eq(v, 13000);
}

/* Code 1 before any look at the arguments; an id needs no device. */
static void nccl_without(void *arg)
{
    const char *words = arg;
    ncclUniqueId id;
    ncclComm_t comm = (ncclComm_t)(void *)room;
    int version = 0;
    ck_assert_int_eq(api->ncclGetVersion(&version), ncclSuccess);
    ck_assert_int_eq(api->ncclGetUniqueId(&id), ncclSuccess);
    ck_assert_int_eq(api->ncclCommInitRank(&comm, 1, id, 0), ncclUnhandledCudaError);
    ck_assert_str_eq(api->ncclGetLastError(NULL), words);
    ck_assert_int_eq(api->ncclCommInitRank(NULL, -1, id, 7), ncclUnhandledCudaError);
    ck_assert_int_eq(api->ncclCommInitAll(NULL, -1, NULL), ncclUnhandledCudaError);
    ck_assert_ptr_eq(comm, (ncclComm_t)(void *)room);
    ck_assert_int_eq(api->ncclGroupEnd(), ncclInvalidUsage); /* no group was left open */
}

static void run(enum ncs_cuda_lack lack, void (*main)(void *arg), const char *arg)
{
    struct ncs_machine_options options = { .lack = lack };
    kernel_open(&options);
    struct ncs_local local = { .rank = 0 };
    struct ncs_context_options context = { .local = &local, .main = main, .arg = (void *)arg };
    struct ncs_error err;
    ck_assert(machine->spawn(&context, &err));
    ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
    machine->close();
}

START_TEST(without_a_driver)
{
    if (!open_real())
        library = NULL; /* not here, or with a driver: nothing to compare with */
    run(NCS_LACK_DRIVER, no_driver, NULL);
    ck_assert_int_gt(compared, 100);
    run(NCS_LACK_DRIVER, nccl_without, "Cuda failure 'CUDA driver version is insufficient for CUDA runtime version'");
}
END_TEST

START_TEST(without_a_device)
{
    run(NCS_LACK_DEVICES, no_device, NULL);
    run(NCS_LACK_DEVICES, nccl_without, "Cuda failure 'no CUDA-capable device is detected'");
}
END_TEST

START_TEST(words_of_errors)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_str_eq(api->cudaGetErrorString(cudaErrorPeerAccessAlreadyEnabled), "peer access is already enabled");
    ck_assert_str_eq(api->cudaGetErrorName((cudaError_t)11), "unrecognized error code");
    open_real();
    bool known = library; /* errors have words with a driver, too */
    for (int e = -2; known && e < 1100; e++) {
        ck_assert_str_eq(api->cudaGetErrorString((cudaError_t)e), real.cudaGetErrorString((cudaError_t)e));
        ck_assert_str_eq(api->cudaGetErrorName((cudaError_t)e), real.cudaGetErrorName((cudaError_t)e));
    }
    machine->close();
}
END_TEST

NCS_TEST_MAIN("cuda_absent", without_a_driver, without_a_device, words_of_errors)
