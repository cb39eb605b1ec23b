/* The loops by operator and element type, for each set of instructions that they are compiled for. */
#ifndef NCS_VERIFY_NATIVE_LOOPS_H
#define NCS_VERIFY_NATIVE_LOOPS_H

#include "ncclscript/nccl_abi.h"
#include "verify/native.h"

/* ncclSum to ncclAvg; of a pre-mul-sum NCS_NATIVE_SCALED. */
enum { NCS_NATIVE_SCALED = ncclNumOps, NCS_NATIVES };

typedef bool (*ncs_native_row[NCS_NATIVES])(const struct ncs_native *k, size_t first, size_t count, void *out);

extern const ncs_native_row ncs_natives_portable[ncclNumTypes];
#if defined(__x86_64__)
extern const ncs_native_row ncs_natives_avx2[ncclNumTypes];
#endif

#endif
