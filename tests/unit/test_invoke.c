/* The description of the functions, and calls made from it. */
#include "harness.h"

#include <string.h>

#include "api/invoke.h"

static char buffer[8];
static double delayed;

static ncclResult_t do_recv(void *buff, size_t count, ncclDataType_t dtype, int peer, ncclComm_t comm, cudaStream_t stream)
{
    ck_assert_ptr_eq(buff, buffer);
    ck_assert(count == (size_t)1 << 40);
    ck_assert_int_eq(dtype, ncclFloat16);
    ck_assert_int_eq(peer, -5);
    ck_assert_ptr_null(comm);
    ck_assert_ptr_eq(stream, cudaStreamPerThread);
    return ncclInvalidUsage;
}

static ncclResult_t init_rank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
    *comm = (ncclComm_t)(void *)buffer;
    ck_assert_int_eq(nranks, 4);
    ck_assert_int_eq(id.internal[127], 'x');
    ck_assert_int_eq(rank, 3);
    return ncclSuccess;
}

static const char *error_name(cudaError_t error)
{
    return error == cudaErrorNotReady ? "not ready" : "something else";
}

static cudaError_t delay(cudaStream_t stream, double seconds)
{
    (void)stream;
    delayed = seconds;
    return cudaErrorInvalidValue;
}

static const struct ncs_api api = {
    .ncclRecv = do_recv,
    .ncclCommInitRank = init_rank,
    .cudaGetErrorName = error_name,
    .ncsDelay = delay,
};

START_TEST(arguments_reach_the_function)
{
    union ncs_arg recv[] = {
        { .p = buffer }, { .u = (uint64_t)1 << 40 },   { .i = ncclFloat16 }, { .i = -5 },
        { .p = NULL },   { .p = cudaStreamPerThread },
    };
    ncclUniqueId id = { .internal = { [127] = 'x' } };
    ncclComm_t comm = NULL;
    union ncs_arg init[] = { { .p = &comm }, { .i = 4 }, { .p = &id }, { .i = 3 } };
    union ncs_arg name[] = { { .i = cudaErrorNotReady } };
    union ncs_arg sleep[] = { { .p = NULL }, { .d = 0.25 } };
    union ncs_arg result;

    ck_assert(ncs_invoke(&api, NCS_FN_ncclRecv, recv, &result));
    ck_assert_int_eq(result.i, ncclInvalidUsage);
    ck_assert(ncs_invoke(&api, NCS_FN_ncclCommInitRank, init, &result));
    ck_assert_int_eq(result.i, ncclSuccess);
    ck_assert_ptr_eq(comm, buffer);
    ck_assert(ncs_invoke(&api, NCS_FN_cudaGetErrorName, name, &result));
    ck_assert_str_eq(result.p, "not ready");
    ck_assert(ncs_invoke(&api, NCS_FN_ncsDelay, sleep, &result));
    ck_assert_int_eq(result.i, cudaErrorInvalidValue);
    ck_assert(delayed == 0.25);
}
END_TEST

START_TEST(an_absent_function_is_not_called)
{
    union ncs_arg result = { .i = 99 };

    ck_assert(!ncs_invoke(&api, NCS_FN_ncclGroupStart, NULL, &result));
    ck_assert_int_eq(result.i, 99);
}
END_TEST

START_TEST(the_description_holds_together)
{
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const struct ncs_fn_info *info = &ncs_fn_info[fn];

        ck_assert_int_eq(ncs_fn_from_name(info->name), fn);
        ck_assert_uint_eq(info->offset, (size_t)fn * sizeof(void (*)(void)));
        ck_assert(strlen(info->text) > 10);
        ck_assert_int_eq(info->since > 0, info->lib == NCS_LIB_NCCL);
        ck_assert_int_eq(info->direct, info->result == NCS_RESULT_TEXT);
        ck_assert(!info->counted || info->grouped);
        ck_assert_int_le(info->nargs, NCS_MAX_ARGS);
    }
    ck_assert_int_eq(ncs_fn_info[NCS_FN_ncclRedOpCreatePreMulSum].since, 21104);
    ck_assert_int_eq(ncs_fn_info[NCS_FN_ncclSend].since, 2703);
    ck_assert_int_eq(ncs_fn_info[NCS_FN_ncclReduce].arg[5].kind, NCS_ARG_ROOT);
    ck_assert(ncs_kind_is_out(NCS_ARG_INT_OUT) && ncs_kind_is_out(NCS_ARG_EVENT_OUT));
    ck_assert(!ncs_kind_is_out(NCS_ARG_OUT) && !ncs_kind_is_out(NCS_ARG_SECONDS));
}
END_TEST

NCS_TEST_MAIN("invoke", arguments_reach_the_function, an_absent_function_is_not_called, the_description_holds_together)
