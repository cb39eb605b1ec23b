/* The exports: each function of NCCL that returns a code, and those of the CUDA runtime that wait, query, or order streams. */
#include "shim/record/recorder.h"

/* The functions of the CUDA runtime that are recorded. */
#define RECORDED_cudaStreamSynchronize ~, TAKE
#define RECORDED_cudaDeviceSynchronize ~, TAKE
#define RECORDED_cudaEventSynchronize ~, TAKE
#define RECORDED_cudaStreamQuery ~, TAKE
#define RECORDED_cudaEventQuery ~, TAKE
#define RECORDED_cudaStreamWaitEvent ~, TAKE
#define RECORDED_cudaEventRecord ~, TAKE
#define RECORDED_cudaEventRecordWithFlags ~, TAKE
#define RECORDED_cudaMemcpy ~, TAKE

/* Finds the function that a wrapper calls. A wrapper without one was reached by a weak reference. */
static void *find_once(void **real, const char *name)
{
    void *found = __atomic_load_n(real, __ATOMIC_ACQUIRE);
    if (found)
        return found;
    found = ncs_recorder_real(name);
    if (found)
        __atomic_store_n(real, found, __ATOMIC_RELEASE);
    else
        ncs_recorder_warn("ncclscript record: %s is called, and no library of the program has it", name);
    return found;
}

#define WRAP(result, fn, name, parameters, arguments, ...)                            \
    static void *real_##name;                                                         \
    extern __typeof__(*((struct ncs_api *)0)->fn) name;                               \
    result name parameters                                                            \
    {                                                                                 \
        void *found = __atomic_load_n(&real_##name, __ATOMIC_ACQUIRE);                \
        if (__builtin_expect(!found, 0) && !(found = find_once(&real_##name, #name))) \
            return (result)ncclInternalError;                                         \
        struct recorder_call call;                                                    \
        const union ncs_arg arg[] = { __VA_ARGS__ };                                  \
        ncs_recorder_begin(&call, NCS_FN_##fn, arg, __builtin_return_address(0));     \
        result rc = ((__typeof__(((struct ncs_api *)0)->fn))found)arguments;          \
        ncs_recorder_end(&call, (int)rc);                                             \
        return rc;                                                                    \
    }

/* TAKE if the name has a line above, else SKIP. */
#define TAKE_OR_SKIP(...) SECOND(__VA_ARGS__, SKIP, ~)
#define SECOND(first, second, ...) second
#define SKIP(...)

#define EXPORT_NCCL(kind, result, name, ...) NCCL_##kind(result, name, name, __VA_ARGS__)
#define EXPORT_CUDA(kind, result, name, ...) TAKE_OR_SKIP(RECORDED_##name)(result, name, name, __VA_ARGS__)
#define EXPORT_CUDA_PTSZ(kind, result, name, ...) \
    TAKE_OR_SKIP(RECORDED_##name)                 \
    (result, name, name, __VA_ARGS__) TAKE_OR_SKIP(RECORDED_##name)(result, name, name##_ptsz, __VA_ARGS__)
#define EXPORT_CUDA_PTDS(kind, result, name, ...) \
    TAKE_OR_SKIP(RECORDED_##name)                 \
    (result, name, name, __VA_ARGS__) TAKE_OR_SKIP(RECORDED_##name)(result, name, name##_ptds, __VA_ARGS__)
#define EXPORT_NONE(...)
#define NCCL_CODE(...) TAKE(__VA_ARGS__)
#define NCCL_COUNTED(...) TAKE(__VA_ARGS__)
#define NCCL_VOID(...)
#define NCCL_TEXT(...)
#define NCS_FUNCTION(kind, export, ...) EXPORT_##export(kind, __VA_ARGS__)

#define TAKE WRAP
#include "api/gen/functions.def"
#undef TAKE

#define TAKE ENTRY
#define ENTRY(result, fn, name, ...) { #name, (void *)(uintptr_t)&name, &real_##name },
const struct recorder_export ncs_recorder_exports[] = {
#include "api/gen/functions.def"
    { 0 },
};
