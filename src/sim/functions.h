/* The functions of the API that the simulator provides, each named sim_ and the function's name. */
#ifndef NCS_SIM_FUNCTIONS_H
#define NCS_SIM_FUNCTIONS_H

#include "api/gen/api.h"

#define SIM_FUNCTIONS(X)                                                                       \
    X(ncclGetVersion) X(ncclGetUniqueId) X(ncclCommInitRank) X(ncclCommInitRankConfig)         \
    X(ncclCommInitAll) X(ncclCommFinalize) X(ncclCommDestroy) X(ncclCommAbort)                 \
    X(ncclGetErrorString) X(ncclGetLastError) X(ncclCommGetAsyncError) X(ncclCommCount)        \
    X(ncclCommCuDevice) X(ncclCommUserRank) X(ncclRedOpCreatePreMulSum) X(ncclRedOpDestroy)    \
    X(ncclReduce) X(ncclBcast) X(ncclBroadcast) X(ncclAllReduce) X(ncclReduceScatter)          \
    X(ncclAllGather) X(ncclSend) X(ncclRecv) X(ncclGroupStart) X(ncclGroupEnd)                 \
    X(cudaGetDeviceCount) X(cudaSetDevice) X(cudaGetDevice) X(cudaDeviceSynchronize)           \
    X(cudaRuntimeGetVersion) X(cudaDriverGetVersion) X(cudaGetLastError)                       \
    X(cudaPeekAtLastError) X(cudaGetErrorString) X(cudaGetErrorName) X(cudaMalloc) X(cudaFree) \
    X(cudaMallocHost) X(cudaFreeHost) X(cudaMallocManaged) X(cudaMemcpy) X(cudaMemcpyAsync)    \
    X(cudaMemset) X(cudaMemsetAsync) X(cudaMemGetInfo) X(cudaStreamCreate)                     \
    X(cudaStreamCreateWithFlags) X(cudaStreamCreateWithPriority) X(cudaStreamDestroy)          \
    X(cudaStreamSynchronize) X(cudaStreamQuery) X(cudaStreamWaitEvent) X(cudaEventCreate)      \
    X(cudaEventCreateWithFlags) X(cudaEventRecord) X(cudaEventQuery) X(cudaEventSynchronize)   \
    X(cudaEventElapsedTime) X(cudaEventDestroy) X(ncsDelay) X(ncsAdd)

#define SIM_DECLARE(name) extern __typeof__(*((struct ncs_api *)0)->name) sim_##name;
SIM_FUNCTIONS(SIM_DECLARE)
#undef SIM_DECLARE

#endif
