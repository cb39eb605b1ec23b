/* The facts as the official headers declare them. */
#include "facts.h"

#ifdef WITH_NCCL
#include <nccl.h>
#define FACTS_NCCL NCCL_VERSION_CODE
#else
#include <cuda_runtime_api.h>
#define FACTS_NCCL 0
#endif
#include <cuda_profiler_api.h>
#define FACTS_CUDA CUDART_VERSION

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define SIGNATURE(name, result, ...)                                                     \
    { "signature of " #name, __builtin_types_compatible_p(__typeof__(name), result(__VA_ARGS__)) },

const struct fact official[] = {
#include "facts.def"
#include "signatures.def"
    { NULL, 0 },
};
