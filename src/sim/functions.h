/* The functions of the API that the simulator provides, each named sim_ and the function's name. */
#ifndef NCS_SIM_FUNCTIONS_H
#define NCS_SIM_FUNCTIONS_H

#include "api/gen/api.h"

#define SIM_FUNCTIONS(X)                                                                       \
    X(ncclCommInitRankScalable) X(ncclCommRevoke) X(ncclCommSplit) X(ncclCommShrink)           \
    X(ncclCommGetUniqueId) X(ncclCommGrow) X(ncclCommSuspend) X(ncclCommResume)                \
    X(ncclCommMemStats) X(ncclCommQueryProperties) X(ncclGroupSimulateEnd)                     \
    X(ncclGetVersion) X(ncclGetUniqueId) X(ncclCommInitRank) X(ncclCommInitRankConfig)         \
    X(ncclCommInitAll) X(ncclCommFinalize) X(ncclCommDestroy) X(ncclCommAbort)                 \
    X(ncclGetErrorString) X(ncclGetLastError) X(ncclCommGetAsyncError) X(ncclCommCount)        \
    X(ncclCommCuDevice) X(ncclCommUserRank) X(ncclRedOpCreatePreMulSum) X(ncclRedOpDestroy)    \
    X(ncclReduce) X(ncclBcast) X(ncclBroadcast) X(ncclAllReduce) X(ncclReduceScatter)          \
    X(ncclAllGather) X(ncclSend) X(ncclRecv) X(ncclGroupStart) X(ncclGroupEnd)                 \
    X(ncclAlltoAll) X(ncclGather) X(ncclScatter)                                               \
    X(ncclPutSignal) X(ncclSignal) X(ncclWaitSignal)                                           \
    X(ncclMemAlloc) X(ncclMemFree) X(ncclCommRegister) X(ncclCommDeregister)                   \
    X(ncclCommWindowRegister) X(ncclCommWindowDeregister) X(ncclWinGetUserPtr)                 \
    X(cudaGetDeviceCount) X(cudaSetDevice) X(cudaGetDevice) X(cudaDeviceSynchronize)           \
    X(cudaRuntimeGetVersion) X(cudaDriverGetVersion) X(cudaGetLastError)                       \
    X(cudaPeekAtLastError) X(cudaGetErrorString) X(cudaGetErrorName) X(cudaMalloc) X(cudaFree) \
    X(cudaMallocHost) X(cudaFreeHost) X(cudaMallocManaged) X(cudaMemcpy) X(cudaMemcpyAsync)    \
    X(cudaMemset) X(cudaMemsetAsync) X(cudaMemGetInfo) X(cudaStreamCreate)                     \
    X(cudaStreamCreateWithFlags) X(cudaStreamCreateWithPriority) X(cudaStreamDestroy)          \
    X(cudaStreamSynchronize) X(cudaStreamQuery) X(cudaStreamWaitEvent) X(cudaEventCreate)      \
    X(cudaEventCreateWithFlags) X(cudaEventRecord) X(cudaEventQuery) X(cudaEventSynchronize)   \
    X(cudaEventElapsedTime) X(cudaEventDestroy) X(ncsDelay) X(ncsAdd) SIM_CUDA_FUNCTIONS(X) \
    SIM_PARAM_FUNCTIONS(X)

/* The rest of the CUDA runtime. */
#define SIM_CUDA_FUNCTIONS(X)                                                                    \
    X(cudaGetDeviceProperties) X(cudaChooseDevice) X(cudaDeviceGetAttribute)                   \
    X(cudaDeviceGetPCIBusId) X(cudaDeviceGetByPCIBusId) X(cudaDeviceReset)                     \
    X(cudaSetDeviceFlags) X(cudaGetDeviceFlags) X(cudaDeviceSetLimit) X(cudaDeviceGetLimit)    \
    X(cudaDeviceGetStreamPriorityRange) X(cudaDeviceCanAccessPeer)                             \
    X(cudaDeviceEnablePeerAccess) X(cudaDeviceDisablePeerAccess) X(cudaGetDriverEntryPoint)    \
    X(cudaGetDriverEntryPointByVersion) X(cudaProfilerStart) X(cudaProfilerStop)               \
    X(cudaHostAlloc) X(cudaHostRegister) X(cudaHostUnregister) X(cudaHostGetDevicePointer)     \
    X(cudaHostGetFlags) X(cudaMallocPitch) X(cudaMallocAsync) X(cudaMallocFromPoolAsync)       \
    X(cudaFreeAsync) X(cudaDeviceGetDefaultMemPool) X(cudaDeviceGetMemPool)                    \
    X(cudaDeviceSetMemPool) X(cudaMemPoolCreate) X(cudaMemPoolDestroy)                         \
    X(cudaMemPoolSetAttribute) X(cudaMemPoolGetAttribute) X(cudaMemPoolTrimTo)                 \
    X(cudaPointerGetAttributes) X(cudaMemcpyPeer) X(cudaMemcpyPeerAsync) X(cudaMemcpy2D)       \
    X(cudaMemcpy2DAsync) X(cudaMemset2D) X(cudaMemset2DAsync) X(cudaMemPrefetchAsync)          \
    X(cudaMemAdvise) X(cudaStreamAddCallback) X(cudaLaunchHostFunc) X(cudaStreamGetFlags)      \
    X(cudaStreamGetPriority) X(cudaStreamGetId) X(cudaStreamGetDevice)                         \
    X(cudaStreamIsCapturing) X(cudaEventRecordWithFlags) X(cudaIpcGetMemHandle)                \
    X(cudaIpcOpenMemHandle) X(cudaIpcCloseMemHandle) X(cudaIpcGetEventHandle)                  \
    X(cudaIpcOpenEventHandle) X(cudaStreamBeginCapture) X(cudaStreamEndCapture)

/* NCCL's parameters. */
#define SIM_PARAM_FUNCTIONS(X)                                                                 \
    X(ncclParamBind) X(ncclParamGetI8) X(ncclParamGetI16) X(ncclParamGetI32)                   \
    X(ncclParamGetI64) X(ncclParamGetU8) X(ncclParamGetU16) X(ncclParamGetU32)                 \
    X(ncclParamGetU64) X(ncclParamGetStr) X(ncclParamGet) X(ncclParamGetParameter)             \
    X(ncclParamGetAllParameterKeys) X(ncclParamDumpAll) X(ncclResetDebugInit)

#define SIM_DECLARE(name) extern __typeof__(*((struct ncs_api *)0)->name) sim_##name;
SIM_FUNCTIONS(SIM_DECLARE)
#undef SIM_DECLARE

#endif
