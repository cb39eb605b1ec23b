/* Facts about NCCL's data types and operators that every room needs and none of them computes. */
#ifndef NCS_API_TYPES_H
#define NCS_API_TYPES_H

#include <stddef.h>

/* Bytes of an element of ncclDataType_t; 0 for a value that is none. */
size_t ncs_dtype_bytes(int dtype);
/* "float32"; NULL for a value that is none. */
const char *ncs_dtype_name(int dtype);
/* The type named by "float32", "half", "char" ...; -1 = no such name. */
int ncs_dtype_from_name(const char *name);
/* All names that ncs_dtype_from_name knows, NULL at the end: for suggestions. */
extern const char *const ncs_dtype_names[];

/* "sum" ... "avg" for built-in operators, "premulsum" for handles; NULL for negative values. */
const char *ncs_redop_name(int op);
/* ncclSum ... ncclAvg by name; -1 = no such name. */
int ncs_redop_from_name(const char *name);
extern const char *const ncs_redop_names[];

/* "ncclInvalidArgument", "cudaErrorInvalidValue"; never NULL ("unknown ncclResult_t 42"). */
const char *ncs_nccl_result_name(int result);
const char *ncs_cuda_error_name(int error);
/* The value behind such a name; -1 = no such name. */
int ncs_result_from_name(const char *name);

#endif
