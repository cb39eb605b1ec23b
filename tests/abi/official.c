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
#if FACTS_NCCL >= 22902 && __has_include(<nccl_device/core.h>)
#include <stdbool.h>

#include <nccl_device/core.h>
#define FACTS_NCCL_DEVICE
#endif

#include "ncclscript/cuda_tables.h"

/* The magic numbers stand in initialisers only, second. */
#define SECOND_OF(first, second, ...) second
#define SECOND(...) SECOND_OF(__VA_ARGS__)
#define MAGIC_OF_SIM_INFO SECOND(NCCL_SIM_INFO_INITIALIZER)
#define MAGIC_OF_CONFIG SECOND(NCCL_CONFIG_INITIALIZER)

const int official_cuda = FACTS_CUDA, official_nccl = FACTS_NCCL;

#define SIGNATURE(name, result, ...) \
    { "signature of " #name, __builtin_types_compatible_p(__typeof__(name), result(__VA_ARGS__)) },

const struct fact official[] = {
#include "facts.def"
#include "signatures.def"
    { NULL, 0 },
};
