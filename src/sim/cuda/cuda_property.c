/* The devices of the virtual machine: properties, attributes, PCI addresses. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sim/cuda/cuda.h"
#include "sim/kernel/gen/functions.h"

#define PCI_TEXT 13 /* "0000:0a:00.0" and its end */
#define PCI_FIRST_BUS 0x10
#define PCI_BUSES 0xf0

/* More devices than a domain has buses: the next domain. */
static int pci_domain(int device)
{
    return sim_device_number(device) / PCI_BUSES;
}

static int pci_bus(int device)
{
    return PCI_FIRST_BUS + sim_device_number(device) % PCI_BUSES;
}

unsigned sim_gpu_bus_id(const struct gpu *gpu)
{
    return (unsigned)pci_domain(gpu->device) << 20 | (unsigned)pci_bus(gpu->device) << 12;
}

int sim_gpu_capability(const struct gpu *gpu)
{
    return ncs_shape_capability(&sim_world.options.hosts, gpu->process->host, sim_device_number(gpu->device));
}

/* The UUID differs on each host. */
void sim_device_uuid(char uuid[16], int host, int number)
{
    uint64_t first = ncs_hash(ncs_hash(0, 1), (uint64_t)host);
    uint64_t word[2] = { first, ncs_hash(first, (uint64_t)number) };
    memcpy(uuid, word, sizeof word);
}

/* Plausible figures of a data-center GPU of compute capability 9.0, but of no real product. */
static void property_fill(struct cudaDeviceProp *p, const struct gpu *gpu)
{
    int major = sim_gpu_capability(gpu) / 10, minor = sim_gpu_capability(gpu) % 10;
    /* clang-format off */
    *p = (struct cudaDeviceProp){
        .totalGlobalMem = sim_world.options.device_memory, .sharedMemPerBlock = 48 << 10,
        .regsPerBlock = 65536, .warpSize = 32, .memPitch = INT_MAX, .maxThreadsPerBlock = 1024,
        .maxThreadsDim = { 1024, 1024, 64 }, .maxGridSize = { INT_MAX, 65535, 65535 },
        .totalConstMem = 64 << 10, .major = major, .minor = minor, .textureAlignment = 512,
        .texturePitchAlignment = 32, .multiProcessorCount = 132, .canMapHostMemory = 1,
        .maxTexture1D = 131072, .maxTexture1DMipmap = 32768, .maxTexture2D = { 131072, 65536 },
        .maxTexture2DMipmap = { 32768, 32768 }, .maxTexture2DLinear = { 131072, 65000, 2097120 },
        .maxTexture2DGather = { 32768, 32768 }, .maxTexture3D = { 16384, 16384, 16384 },
        .maxTexture3DAlt = { 8192, 8192, 32768 }, .maxTextureCubemap = 32768,
        .maxTexture1DLayered = { 32768, 2048 }, .maxTexture2DLayered = { 32768, 32768, 2048 },
        .maxTextureCubemapLayered = { 32768, 2046 }, .maxSurface1D = 32768,
        .maxSurface2D = { 131072, 65536 }, .maxSurface3D = { 16384, 16384, 16384 },
        .maxSurface1DLayered = { 32768, 2048 }, .maxSurface2DLayered = { 32768, 32768, 2048 },
        .maxSurfaceCubemap = 32768, .maxSurfaceCubemapLayered = { 32768, 2046 },
        .surfaceAlignment = 512, .concurrentKernels = 1, .ECCEnabled = 1,
        .pciBusID = pci_bus(gpu->device), .pciDomainID = pci_domain(gpu->device),
        .asyncEngineCount = 3, .unifiedAddressing = 1, .memoryBusWidth = 5120,
        .l2CacheSize = 50 << 20, .persistingL2CacheMaxSize = 32 << 20,
        .maxThreadsPerMultiProcessor = 2048, .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1, .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = 228 << 10, .regsPerMultiprocessor = 65536,
        .managedMemory = 1, .multiGpuBoardGroupID = gpu->device, .concurrentManagedAccess = 1,
        .computePreemptionSupported = 1, .canUseHostPointerForRegisteredMem = 1,
        .cooperativeLaunch = 1, .sharedMemPerBlockOptin = 227 << 10,
        .maxBlocksPerMultiProcessor = 32, .accessPolicyMaxWindowSize = 128 << 20,
        .reservedSharedMemPerBlock = 1 << 10, .hostRegisterSupported = 1,
        .memoryPoolsSupported = 1, .clusterLaunch = major >= 9, .unifiedFunctionPointers = 1,
        .deviceNumaId = -1,
    };
    /* clang-format on */
    snprintf(p->name, sizeof p->name, "ncclscript simulated GPU (sm%d%d)", major, minor);
    sim_device_uuid(p->uuid, gpu->process->host, sim_device_number(gpu->device));
}

cudaError_t sim_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    CUDA_ENTER(c);
    if (!prop)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!sim_is_device(c, device))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    property_fill(prop, sim_process_gpu(c->process, device));
    return cudaSuccess;
}

/* All devices are alike: the first is as good as any. */
cudaError_t sim_cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    CUDA_ENTER(c);
    if (!device || !prop)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

/* An attribute is a field of the properties, or a number. */
struct attribute {
    enum cudaDeviceAttr number;
    bool is_field, is_wide; /* wide: a size_t */
    size_t offset;
    int value;
};

#define FIELD(what, field)                                                                                                       \
    {                                                                                                                            \
        .number = cudaDevAttr##what, .is_field = true, .is_wide = sizeof(((struct cudaDeviceProp *)0)->field) == sizeof(size_t), \
        .offset = offsetof(struct cudaDeviceProp, field)                                                                         \
    }
#define VALUE(what, number_)                            \
    {                                                   \
        .number = cudaDevAttr##what, .value = (number_) \
    }

/* clang-format off */
static const struct attribute attributes[] = {
    FIELD(MaxThreadsPerBlock, maxThreadsPerBlock), FIELD(MaxBlockDimX, maxThreadsDim[0]),
    FIELD(MaxBlockDimY, maxThreadsDim[1]), FIELD(MaxBlockDimZ, maxThreadsDim[2]),
    FIELD(MaxGridDimX, maxGridSize[0]), FIELD(MaxGridDimY, maxGridSize[1]),
    FIELD(MaxGridDimZ, maxGridSize[2]), FIELD(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    FIELD(TotalConstantMemory, totalConstMem), FIELD(WarpSize, warpSize),
    FIELD(MaxPitch, memPitch), FIELD(MaxRegistersPerBlock, regsPerBlock),
    VALUE(ClockRate, 1980000), FIELD(TextureAlignment, textureAlignment), VALUE(GpuOverlap, 1),
    FIELD(MultiProcessorCount, multiProcessorCount), FIELD(Integrated, integrated),
    FIELD(CanMapHostMemory, canMapHostMemory), FIELD(MaxTexture1DWidth, maxTexture1D),
    FIELD(MaxTexture2DWidth, maxTexture2D[0]), FIELD(MaxTexture2DHeight, maxTexture2D[1]),
    FIELD(MaxTexture3DWidth, maxTexture3D[0]), FIELD(MaxTexture3DHeight, maxTexture3D[1]),
    FIELD(MaxTexture3DDepth, maxTexture3D[2]),
    FIELD(MaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
    FIELD(MaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
    FIELD(MaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
    FIELD(SurfaceAlignment, surfaceAlignment), FIELD(ConcurrentKernels, concurrentKernels),
    FIELD(EccEnabled, ECCEnabled), FIELD(PciBusId, pciBusID), FIELD(PciDeviceId, pciDeviceID),
    FIELD(TccDriver, tccDriver), VALUE(MemoryClockRate, 2619000),
    FIELD(GlobalMemoryBusWidth, memoryBusWidth), FIELD(L2CacheSize, l2CacheSize),
    FIELD(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    FIELD(AsyncEngineCount, asyncEngineCount), FIELD(UnifiedAddressing, unifiedAddressing),
    FIELD(MaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
    FIELD(MaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
    FIELD(MaxTexture2DGatherWidth, maxTexture2DGather[0]),
    FIELD(MaxTexture2DGatherHeight, maxTexture2DGather[1]),
    FIELD(MaxTexture3DWidthAlt, maxTexture3DAlt[0]),
    FIELD(MaxTexture3DHeightAlt, maxTexture3DAlt[1]),
    FIELD(MaxTexture3DDepthAlt, maxTexture3DAlt[2]), FIELD(PciDomainId, pciDomainID),
    FIELD(TexturePitchAlignment, texturePitchAlignment),
    FIELD(MaxTextureCubemapWidth, maxTextureCubemap),
    FIELD(MaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]),
    FIELD(MaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]),
    FIELD(MaxSurface1DWidth, maxSurface1D), FIELD(MaxSurface2DWidth, maxSurface2D[0]),
    FIELD(MaxSurface2DHeight, maxSurface2D[1]), FIELD(MaxSurface3DWidth, maxSurface3D[0]),
    FIELD(MaxSurface3DHeight, maxSurface3D[1]), FIELD(MaxSurface3DDepth, maxSurface3D[2]),
    FIELD(MaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
    FIELD(MaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
    FIELD(MaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
    FIELD(MaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
    FIELD(MaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
    FIELD(MaxSurfaceCubemapWidth, maxSurfaceCubemap),
    FIELD(MaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]),
    FIELD(MaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]),
    VALUE(MaxTexture1DLinearWidth, 268435456),
    FIELD(MaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    FIELD(MaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    FIELD(MaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    FIELD(MaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
    FIELD(MaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
    FIELD(ComputeCapabilityMajor, major), FIELD(ComputeCapabilityMinor, minor),
    FIELD(MaxTexture1DMipmappedWidth, maxTexture1DMipmap),
    FIELD(StreamPrioritiesSupported, streamPrioritiesSupported),
    FIELD(GlobalL1CacheSupported, globalL1CacheSupported),
    FIELD(LocalL1CacheSupported, localL1CacheSupported),
    FIELD(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    FIELD(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    FIELD(ManagedMemory, managedMemory), FIELD(IsMultiGpuBoard, isMultiGpuBoard),
    FIELD(MultiGpuBoardGroupID, multiGpuBoardGroupID),
    FIELD(HostNativeAtomicSupported, hostNativeAtomicSupported),
    VALUE(SingleToDoublePrecisionPerfRatio, 2),
    FIELD(PageableMemoryAccess, pageableMemoryAccess),
    FIELD(ConcurrentManagedAccess, concurrentManagedAccess),
    FIELD(ComputePreemptionSupported, computePreemptionSupported),
    FIELD(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    FIELD(CooperativeLaunch, cooperativeLaunch),
    FIELD(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin), VALUE(CanFlushRemoteWrites, 0),
    FIELD(HostRegisterSupported, hostRegisterSupported),
    FIELD(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    FIELD(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    FIELD(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    FIELD(MaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    FIELD(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    FIELD(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    FIELD(SparseCudaArraySupported, sparseCudaArraySupported),
    FIELD(HostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    FIELD(TimelineSemaphoreInteropSupported, timelineSemaphoreInteropSupported),
    FIELD(MemoryPoolsSupported, memoryPoolsSupported),
    FIELD(GPUDirectRDMASupported, gpuDirectRDMASupported),
    FIELD(GPUDirectRDMAFlushWritesOptions, gpuDirectRDMAFlushWritesOptions),
    FIELD(GPUDirectRDMAWritesOrdering, gpuDirectRDMAWritesOrdering),
    FIELD(MemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes),
    FIELD(ClusterLaunch, clusterLaunch),
    FIELD(DeferredMappingCudaArraySupported, deferredMappingCudaArraySupported),
    FIELD(IpcEventSupport, ipcEventSupported), VALUE(MemSyncDomainCount, 4),
    FIELD(NumaConfig, deviceNumaConfig), FIELD(NumaId, deviceNumaId),
    FIELD(MpsEnabled, mpsEnabled), FIELD(HostNumaId, hostNumaId), VALUE(D3D12CigSupported, 0),
    VALUE(VulkanCigSupported, 0), FIELD(GpuPciDeviceId, gpuPciDeviceID),
    FIELD(GpuPciSubsystemId, gpuPciSubsystemID), VALUE(HostNumaMemoryPoolsSupported, 0),
    FIELD(HostNumaMultinodeIpcSupported, hostNumaMultinodeIpcSupported),
    VALUE(HostMemoryPoolsSupported, 0), VALUE(OnlyPartialHostNativeAtomicSupported, 0),
    VALUE(KernelExecTimeout, 0), VALUE(ComputeMode, 0),
};
/* clang-format on */

static int attribute_value(const struct attribute *a, const struct cudaDeviceProp *p)
{
    if (!a->is_field)
        return a->value;
    if (!a->is_wide)
        return *(const int *)((const char *)p + a->offset);
    size_t wide = *(const size_t *)((const char *)p + a->offset);
    return wide > INT_MAX ? INT_MAX : (int)wide;
}

cudaError_t sim_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    CUDA_ENTER(c);
    if (!value)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!sim_is_device(c, device))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    struct cudaDeviceProp prop;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].number != attr)
            continue;
        property_fill(&prop, sim_process_gpu(c->process, device));
        *value = attribute_value(&attributes[i], &prop);
        return cudaSuccess;
    }
    return sim_cuda_return(c, cudaErrorInvalidValue);
}

cudaError_t sim_cudaDeviceGetPCIBusId(char *id, int room, int device)
{
    CUDA_ENTER(c);
    if (!id || room < PCI_TEXT)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!sim_is_device(c, device))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    snprintf(id, (size_t)room, "%04x:%02x:00.0", (unsigned)pci_domain(device) & 0xffff, (unsigned)pci_bus(device) & 0xff);
    return cudaSuccess;
}

/* domain:bus:device.function; the domain and the function may be omitted. */
static bool read_place(const char *text, unsigned *domain, unsigned *bus, unsigned *slot)
{
    int end = 0;
    unsigned function = 0;
    size_t length = strlen(text);
    if (sscanf(text, "%4x:%2x:%2x.%1x%n", domain, bus, slot, &function, &end) == 4 && (size_t)end == length)
        return true;
    if (sscanf(text, "%4x:%2x:%2x%n", domain, bus, slot, &end) == 3 && (size_t)end == length)
        return true;
    *domain = 0;
    return sscanf(text, "%2x:%2x.%1x%n", bus, slot, &function, &end) == 3 && (size_t)end == length;
}

cudaError_t sim_cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    CUDA_ENTER(c);
    unsigned domain, bus, slot;
    if (!device || !id || !read_place(id, &domain, &bus, &slot))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    for (int d = 0; d < c->process->devices; d++)
        if ((unsigned)pci_domain(d) == domain && (unsigned)pci_bus(d) == bus && slot == 0) {
            *device = d;
            return cudaSuccess;
        }
    return sim_cuda_return(c, cudaErrorInvalidDevice);
}
