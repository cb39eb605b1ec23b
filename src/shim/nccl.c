/* The exports of libnccl: each function under its own name and, as in NCCL for profilers, with a p before it. */
#include "shim/shim.h"

#define EXPORT_NCCL(kind, result, name, parameters, arguments, ...)                                                \
    NCS_SHIM_EXPORT_##kind(result, name, name, parameters, arguments, __VA_ARGS__) extern __typeof__(name) p##name \
        __attribute__((alias(#name)));
#define EXPORT_CUDA(...)
#define EXPORT_CUDA_PTSZ(...)
#define EXPORT_CUDA_PTDS(...)
#define EXPORT_NONE(...)
#define NCS_FUNCTION(kind, export, ...) EXPORT_##export(kind, __VA_ARGS__)
#include "api/gen/functions.def"
