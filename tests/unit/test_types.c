/* Names and sizes of data types, operators and result codes. */
#include "harness.h"

#include <string.h>

#include "api/types.h"
#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

START_TEST(dtypes)
{
    static const struct {
        int dtype;
        const char *name;
        size_t bytes;
    } facts[] = {
        { ncclInt8, "int8", 1 },         { ncclUint8, "uint8", 1 },           { ncclInt32, "int32", 4 },
        { ncclUint32, "uint32", 4 },     { ncclInt64, "int64", 8 },           { ncclUint64, "uint64", 8 },
        { ncclFloat16, "float16", 2 },   { ncclFloat32, "float32", 4 },       { ncclFloat64, "float64", 8 },
        { ncclBfloat16, "bfloat16", 2 }, { ncclFloat8e4m3, "float8e4m3", 1 }, { ncclFloat8e5m2, "float8e5m2", 1 },
    };

    ck_assert_uint_eq(sizeof facts / sizeof *facts, ncclNumTypes);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        ck_assert_str_eq(ncs_dtype_name(facts[i].dtype), facts[i].name);
        ck_assert_uint_eq(ncs_dtype_bytes(facts[i].dtype), facts[i].bytes);
        ck_assert_int_eq(ncs_dtype_from_name(facts[i].name), facts[i].dtype);
    }
    ck_assert_int_eq(ncs_dtype_from_name("char"), ncclInt8);
    ck_assert_int_eq(ncs_dtype_from_name("int"), ncclInt32);
    ck_assert_int_eq(ncs_dtype_from_name("half"), ncclFloat16);
    ck_assert_int_eq(ncs_dtype_from_name("float"), ncclFloat32);
    ck_assert_int_eq(ncs_dtype_from_name("double"), ncclFloat64);
}
END_TEST

START_TEST(what_is_no_dtype)
{
    static const int none[] = { -1, ncclNumTypes, 0x7fffffff, -0x7fffffff };

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ck_assert_ptr_null(ncs_dtype_name(none[i]));
        ck_assert_uint_eq(ncs_dtype_bytes(none[i]), 0);
    }
    ck_assert_int_eq(ncs_dtype_from_name("float33"), -1);
    ck_assert_int_eq(ncs_dtype_from_name(""), -1);
}
END_TEST

START_TEST(every_listed_name_is_known)
{
    int names = 0;

    for (; ncs_dtype_names[names]; names++)
        ck_assert_int_ge(ncs_dtype_from_name(ncs_dtype_names[names]), 0);
    ck_assert_int_eq(names, 17);
    for (names = 0; ncs_redop_names[names]; names++)
        ck_assert_int_eq(ncs_redop_from_name(ncs_redop_names[names]), names);
    ck_assert_int_eq(names, ncclNumOps);
}
END_TEST

START_TEST(operators)
{
    ck_assert_str_eq(ncs_redop_name(ncclSum), "sum");
    ck_assert_str_eq(ncs_redop_name(ncclAvg), "avg");
    ck_assert_str_eq(ncs_redop_name(ncclNumOps), "premulsum");
    ck_assert_str_eq(ncs_redop_name(ncclMaxRedOp), "premulsum");
    ck_assert_ptr_null(ncs_redop_name(-1));
    ck_assert_int_eq(ncs_redop_from_name("prod"), ncclProd);
    ck_assert_int_eq(ncs_redop_from_name("premulsum"), -1);
}
END_TEST

START_TEST(results)
{
    ck_assert_str_eq(ncs_nccl_result_name(ncclInvalidArgument), "ncclInvalidArgument");
    ck_assert_str_eq(ncs_nccl_result_name(ncclTimeout), "ncclTimeout");
    ck_assert_str_eq(ncs_nccl_result_name(42), "unknown ncclResult_t 42");
    ck_assert_str_eq(ncs_cuda_error_name(cudaErrorInvalidValue), "cudaErrorInvalidValue");
    ck_assert_str_eq(ncs_cuda_error_name(-7), "unknown cudaError_t -7");
    const char *one = ncs_nccl_result_name(101), *two = ncs_nccl_result_name(102);
    ck_assert_str_ne(one, two);
    for (int code = ncclSuccess; code < ncclNumResults; code++)
        ck_assert_int_eq(ncs_result_from_name(ncs_nccl_result_name(code)), code);
    ck_assert_int_eq(ncs_result_from_name("cudaErrorMemoryAllocation"), 2);
    ck_assert_int_eq(ncs_result_from_name("cudaErrorUnknown"), 999);
    ck_assert_int_eq(ncs_result_from_name("ncclNumResults"), -1);
}
END_TEST

NCS_TEST_MAIN("types", dtypes, what_is_no_dtype, every_listed_name_is_known, operators, results)
