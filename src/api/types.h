/* Facts about NCCL's data types and operators that every room needs; no arithmetic. */
#ifndef NCS_API_TYPES_H
#define NCS_API_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ncclscript/nccl_abi.h"

/* A data type, without arithmetic. The simulator (sim/data/dtype.h) and the verification
 * (verify/element.c) each have their own, so that an error in one does not hide in the other. */
struct ncs_dtype_info {
    const char *name;     /* "float16" */
    const char *constant; /* "ncclFloat16" */
    const char *other[2]; /* NCCL's second name for it and that name's constant; NULL = none */
    const char *shorter;  /* "fp16": its name in other languages; or NULL */
    const char *torch;    /* "Half" in PyTorch's records; or NULL */
    size_t bytes;
    int fraction, bias; /* of floating-point types: bits of the fraction, bias of the exponent; else 0 */
    bool saturates;     /* values beyond the largest number become that number instead of infinity */
    bool infinite;      /* it has infinities */
    uint32_t top, nan;  /* of types of at most 16 bits: the largest finite number, and a host's NaN */
};

extern const struct ncs_dtype_info ncs_dtype_info[ncclNumTypes];

bool ncs_dtype_is_float(int dtype); /* false for a value that is no type */
/* The type with that C constant, "ncclHalf"; -1 = no such constant. */
int ncs_dtype_from_constant(const char *name);
/* The type with that name in PyTorch's records; -1 = none. */
int ncs_dtype_from_torch(const char *name);

/* Bytes of an element of an ncclDataType_t; 0 for a value that is no type. */
static inline size_t ncs_dtype_bytes(int dtype)
{
    return dtype >= 0 && dtype < ncclNumTypes ? ncs_dtype_info[dtype].bytes : 0;
}

/* "float32"; NULL for a value that is no type. */
const char *ncs_dtype_name(int dtype);
/* The type named "float32", "half", "char" ...; -1 = no such name. */
int ncs_dtype_from_name(const char *name);
/* All names that ncs_dtype_from_name knows, NULL at the end; for suggestions. */
extern const char *const ncs_dtype_names[];

/* "sum" ... "avg" for built-in operators, "premulsum" for handles; NULL for negative values. */
const char *ncs_redop_name(int op);
/* The operator named ncclSum ... ncclAvg; -1 = no such name. */
int ncs_redop_from_name(const char *name);
extern const char *const ncs_redop_names[];

/* "ncclInvalidArgument", "cudaErrorInvalidValue"; never NULL ("unknown ncclResult_t 42"). */
const char *ncs_nccl_result_name(int result);
const char *ncs_cuda_error_name(int error);
/* The value behind such a name; -1 = no such name. */
int ncs_result_from_name(const char *name);

#endif
