/* Layout and numbers of a device's properties and attributes in the CUDA runtime 13, as tables. The
 * declarations, their test and the tables that scripts see are generated from them. */
#ifndef NCCLSCRIPT_CUDA_TABLES_H
#define NCCLSCRIPT_CUDA_TABLES_H

/* Fields of struct cudaDeviceProp in order: NUMBER(type, name), LIST(type, name, length) of
 * numbers, TEXT(name, length), BYTES(name, length). */
/* clang-format off */
#define NCS_CUDA_PROPERTIES(NUMBER, LIST, TEXT, BYTES) \
    TEXT(name, 256) BYTES(uuid, 16) BYTES(luid, 8) NUMBER(unsigned, luidDeviceNodeMask)           \
    NUMBER(size_t, totalGlobalMem) NUMBER(size_t, sharedMemPerBlock) NUMBER(int, regsPerBlock)    \
    NUMBER(int, warpSize) NUMBER(size_t, memPitch) NUMBER(int, maxThreadsPerBlock)                \
    LIST(int, maxThreadsDim, 3) LIST(int, maxGridSize, 3) NUMBER(size_t, totalConstMem)           \
    NUMBER(int, major) NUMBER(int, minor) NUMBER(size_t, textureAlignment)                        \
    NUMBER(size_t, texturePitchAlignment) NUMBER(int, multiProcessorCount)                        \
    NUMBER(int, integrated) NUMBER(int, canMapHostMemory) NUMBER(int, maxTexture1D)               \
    NUMBER(int, maxTexture1DMipmap) LIST(int, maxTexture2D, 2) LIST(int, maxTexture2DMipmap, 2)   \
    LIST(int, maxTexture2DLinear, 3) LIST(int, maxTexture2DGather, 2) LIST(int, maxTexture3D, 3)  \
    LIST(int, maxTexture3DAlt, 3) NUMBER(int, maxTextureCubemap)                                  \
    LIST(int, maxTexture1DLayered, 2) LIST(int, maxTexture2DLayered, 3)                           \
    LIST(int, maxTextureCubemapLayered, 2) NUMBER(int, maxSurface1D) LIST(int, maxSurface2D, 2)   \
    LIST(int, maxSurface3D, 3) LIST(int, maxSurface1DLayered, 2)                                  \
    LIST(int, maxSurface2DLayered, 3) NUMBER(int, maxSurfaceCubemap)                              \
    LIST(int, maxSurfaceCubemapLayered, 2) NUMBER(size_t, surfaceAlignment)                       \
    NUMBER(int, concurrentKernels) NUMBER(int, ECCEnabled) NUMBER(int, pciBusID)                  \
    NUMBER(int, pciDeviceID) NUMBER(int, pciDomainID) NUMBER(int, tccDriver)                      \
    NUMBER(int, asyncEngineCount) NUMBER(int, unifiedAddressing) NUMBER(int, memoryBusWidth)      \
    NUMBER(int, l2CacheSize) NUMBER(int, persistingL2CacheMaxSize)                                \
    NUMBER(int, maxThreadsPerMultiProcessor) NUMBER(int, streamPrioritiesSupported)               \
    NUMBER(int, globalL1CacheSupported) NUMBER(int, localL1CacheSupported)                        \
    NUMBER(size_t, sharedMemPerMultiprocessor) NUMBER(int, regsPerMultiprocessor)                 \
    NUMBER(int, managedMemory) NUMBER(int, isMultiGpuBoard) NUMBER(int, multiGpuBoardGroupID)     \
    NUMBER(int, hostNativeAtomicSupported) NUMBER(int, pageableMemoryAccess)                      \
    NUMBER(int, concurrentManagedAccess) NUMBER(int, computePreemptionSupported)                  \
    NUMBER(int, canUseHostPointerForRegisteredMem) NUMBER(int, cooperativeLaunch)                 \
    NUMBER(size_t, sharedMemPerBlockOptin) NUMBER(int, pageableMemoryAccessUsesHostPageTables)    \
    NUMBER(int, directManagedMemAccessFromHost) NUMBER(int, maxBlocksPerMultiProcessor)           \
    NUMBER(int, accessPolicyMaxWindowSize) NUMBER(size_t, reservedSharedMemPerBlock)              \
    NUMBER(int, hostRegisterSupported) NUMBER(int, sparseCudaArraySupported)                      \
    NUMBER(int, hostRegisterReadOnlySupported) NUMBER(int, timelineSemaphoreInteropSupported)     \
    NUMBER(int, memoryPoolsSupported) NUMBER(int, gpuDirectRDMASupported)                         \
    NUMBER(unsigned, gpuDirectRDMAFlushWritesOptions) NUMBER(int, gpuDirectRDMAWritesOrdering)    \
    NUMBER(unsigned, memoryPoolSupportedHandleTypes)                                              \
    NUMBER(int, deferredMappingCudaArraySupported) NUMBER(int, ipcEventSupported)                 \
    NUMBER(int, clusterLaunch) NUMBER(int, unifiedFunctionPointers)                               \
    NUMBER(int, deviceNumaConfig) NUMBER(int, deviceNumaId) NUMBER(int, mpsEnabled)               \
    NUMBER(int, hostNumaId) NUMBER(unsigned, gpuPciDeviceID) NUMBER(unsigned, gpuPciSubsystemID)  \
    NUMBER(int, hostNumaMultinodeIpcSupported)
/* clang-format on */

/* X(what, number): `what` is the name after cudaDevAttr. */
/* clang-format off */
#define NCS_CUDA_ATTRIBUTES(X) \
    X(MaxThreadsPerBlock, 1) X(MaxBlockDimX, 2) X(MaxBlockDimY, 3) X(MaxBlockDimZ, 4)             \
    X(MaxGridDimX, 5) X(MaxGridDimY, 6) X(MaxGridDimZ, 7) X(MaxSharedMemoryPerBlock, 8)           \
    X(TotalConstantMemory, 9) X(WarpSize, 10) X(MaxPitch, 11) X(MaxRegistersPerBlock, 12)         \
    X(ClockRate, 13) X(TextureAlignment, 14) X(GpuOverlap, 15) X(MultiProcessorCount, 16)         \
    X(KernelExecTimeout, 17) X(Integrated, 18) X(CanMapHostMemory, 19) X(ComputeMode, 20)         \
    X(MaxTexture1DWidth, 21) X(MaxTexture2DWidth, 22) X(MaxTexture2DHeight, 23)                   \
    X(MaxTexture3DWidth, 24) X(MaxTexture3DHeight, 25) X(MaxTexture3DDepth, 26)                   \
    X(MaxTexture2DLayeredWidth, 27) X(MaxTexture2DLayeredHeight, 28)                              \
    X(MaxTexture2DLayeredLayers, 29) X(SurfaceAlignment, 30) X(ConcurrentKernels, 31)             \
    X(EccEnabled, 32) X(PciBusId, 33) X(PciDeviceId, 34) X(TccDriver, 35) X(MemoryClockRate, 36)  \
    X(GlobalMemoryBusWidth, 37) X(L2CacheSize, 38) X(MaxThreadsPerMultiProcessor, 39)             \
    X(AsyncEngineCount, 40) X(UnifiedAddressing, 41) X(MaxTexture1DLayeredWidth, 42)              \
    X(MaxTexture1DLayeredLayers, 43) X(MaxTexture2DGatherWidth, 45)                               \
    X(MaxTexture2DGatherHeight, 46) X(MaxTexture3DWidthAlt, 47) X(MaxTexture3DHeightAlt, 48)      \
    X(MaxTexture3DDepthAlt, 49) X(PciDomainId, 50) X(TexturePitchAlignment, 51)                   \
    X(MaxTextureCubemapWidth, 52) X(MaxTextureCubemapLayeredWidth, 53)                            \
    X(MaxTextureCubemapLayeredLayers, 54) X(MaxSurface1DWidth, 55) X(MaxSurface2DWidth, 56)       \
    X(MaxSurface2DHeight, 57) X(MaxSurface3DWidth, 58) X(MaxSurface3DHeight, 59)                  \
    X(MaxSurface3DDepth, 60) X(MaxSurface1DLayeredWidth, 61) X(MaxSurface1DLayeredLayers, 62)     \
    X(MaxSurface2DLayeredWidth, 63) X(MaxSurface2DLayeredHeight, 64)                              \
    X(MaxSurface2DLayeredLayers, 65) X(MaxSurfaceCubemapWidth, 66)                                \
    X(MaxSurfaceCubemapLayeredWidth, 67) X(MaxSurfaceCubemapLayeredLayers, 68)                    \
    X(MaxTexture1DLinearWidth, 69) X(MaxTexture2DLinearWidth, 70)                                 \
    X(MaxTexture2DLinearHeight, 71) X(MaxTexture2DLinearPitch, 72)                                \
    X(MaxTexture2DMipmappedWidth, 73) X(MaxTexture2DMipmappedHeight, 74)                          \
    X(ComputeCapabilityMajor, 75) X(ComputeCapabilityMinor, 76)                                   \
    X(MaxTexture1DMipmappedWidth, 77) X(StreamPrioritiesSupported, 78)                            \
    X(GlobalL1CacheSupported, 79) X(LocalL1CacheSupported, 80)                                    \
    X(MaxSharedMemoryPerMultiprocessor, 81) X(MaxRegistersPerMultiprocessor, 82)                  \
    X(ManagedMemory, 83) X(IsMultiGpuBoard, 84) X(MultiGpuBoardGroupID, 85)                       \
    X(HostNativeAtomicSupported, 86) X(SingleToDoublePrecisionPerfRatio, 87)                      \
    X(PageableMemoryAccess, 88) X(ConcurrentManagedAccess, 89) X(ComputePreemptionSupported, 90)  \
    X(CanUseHostPointerForRegisteredMem, 91) X(CooperativeLaunch, 95)                             \
    X(MaxSharedMemoryPerBlockOptin, 97) X(CanFlushRemoteWrites, 98) X(HostRegisterSupported, 99)  \
    X(PageableMemoryAccessUsesHostPageTables, 100) X(DirectManagedMemAccessFromHost, 101)         \
    X(MaxBlocksPerMultiprocessor, 106) X(MaxPersistingL2CacheSize, 108)                           \
    X(MaxAccessPolicyWindowSize, 109) X(ReservedSharedMemoryPerBlock, 111)                        \
    X(SparseCudaArraySupported, 112) X(HostRegisterReadOnlySupported, 113)                        \
    X(TimelineSemaphoreInteropSupported, 114) X(MemoryPoolsSupported, 115)                        \
    X(GPUDirectRDMASupported, 116) X(GPUDirectRDMAFlushWritesOptions, 117)                        \
    X(GPUDirectRDMAWritesOrdering, 118) X(MemoryPoolSupportedHandleTypes, 119)                    \
    X(ClusterLaunch, 120) X(DeferredMappingCudaArraySupported, 121) X(IpcEventSupport, 125)       \
    X(MemSyncDomainCount, 126) X(NumaConfig, 130) X(NumaId, 131) X(MpsEnabled, 133)               \
    X(HostNumaId, 134) X(D3D12CigSupported, 135) X(VulkanCigSupported, 138)                       \
    X(GpuPciDeviceId, 139) X(GpuPciSubsystemId, 140) X(HostNumaMemoryPoolsSupported, 142)         \
    X(HostNumaMultinodeIpcSupported, 143) X(HostMemoryPoolsSupported, 144)                        \
    X(OnlyPartialHostNativeAtomicSupported, 147)
/* clang-format on */

#endif
