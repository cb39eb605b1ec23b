/* Memory and events of another process, by handles of CUDA: rank 0 makes them, rank 1 opens them. */
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { COUNT = 1 << 16 };

static struct shared {
    ncclUniqueId id;
    cudaIpcMemHandle_t memory, other, freed;
    cudaIpcEventHandle_t event;
    atomic_int step;
} * shared;

static void step_is(int step)
{
    while (atomic_load(&shared->step) < step)
        usleep(1000);
}

static void next_step(int step)
{
    atomic_store(&shared->step, step);
}

static void holds(const float *x, float value, cudaStream_t stream)
{
    static float here[COUNT];
    CHECK(cudaMemcpyAsync(here, x, sizeof here, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++)
        if (here[i] != value) {
            printf("element %d is %g, not %g\n", i, (double)here[i], (double)value);
            exit(1);
        }
}

static void refuse_what_has_no_handle(void)
{
    cudaIpcMemHandle_t handle;
    cudaIpcEventHandle_t event_handle;
    cudaEvent_t own;
    void *p;
    float here;
    EXPECT(cudaIpcGetMemHandle(&handle, &here), cudaErrorInvalidValue);
    EXPECT(cudaIpcGetMemHandle(&handle, NULL), cudaErrorInvalidValue);
    CHECK(cudaMallocManaged(&p, 64, cudaMemAttachGlobal));
    EXPECT(cudaIpcGetMemHandle(&handle, p), cudaErrorInvalidValue);
    CHECK(cudaFree(p));
    CHECK(cudaEventCreate(&own));
    EXPECT(cudaIpcGetEventHandle(&event_handle, own), cudaErrorInvalidResourceHandle);
    CHECK(cudaEventDestroy(own));
    EXPECT(cudaIpcCloseMemHandle(&here), cudaErrorInvalidValue);
    EXPECT(cudaIpcOpenMemHandle(&p, (cudaIpcMemHandle_t){ { 0 } }, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidValue);
    EXPECT(cudaIpcOpenEventHandle(&own, (cudaIpcEventHandle_t){ { 0 } }), cudaErrorInvalidValue);
    (void)cudaGetLastError();
}

/* ---- rank 0 ---- */

static void owner(ncclComm_t comm, cudaStream_t stream)
{
    float *x = floats_of(1, COUNT), *other = floats_of(2, COUNT), *gone = floats_of(1, COUNT);
    cudaEvent_t event, opened_event;
    void *opened;
    refuse_what_has_no_handle();
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaIpcGetMemHandle(&shared->memory, x + 5)); /* that of the whole */
    CHECK(cudaIpcGetMemHandle(&shared->other, other));
    CHECK(cudaIpcGetMemHandle(&shared->freed, gone));
    CHECK(cudaIpcGetEventHandle(&shared->event, event));
    EXPECT(cudaIpcOpenMemHandle(&opened, shared->memory, cudaIpcMemLazyEnablePeerAccess), cudaErrorDeviceUninitialized);
    EXPECT(cudaIpcOpenEventHandle(&opened_event, shared->event), cudaErrorDeviceUninitialized);
    (void)cudaGetLastError();
    CHECK(cudaFree(gone));
    next_step(1);
    step_is(2);
    CHECK(cudaStreamWaitEvent(stream, event, 0)); /* rank 1 has recorded it behind its work */
    holds(x, 7, stream);
    CHECK(ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, comm, stream));
    holds(x, 9, stream);
    step_is(3);
    CHECK(cudaFree(x));
    CHECK(cudaFree(other));
    next_step(4);
    CHECK(cudaEventDestroy(event));
}

/* ---- rank 1 ---- */

static void guest(ncclComm_t comm, cudaStream_t stream)
{
    float *x, *again, *other, *own = floats_of(7, COUNT);
    void *p;
    cudaEvent_t event;
    struct cudaPointerAttributes about;
    step_is(1);
    EXPECT(cudaIpcOpenMemHandle((void **)&x, shared->memory, 0), cudaErrorInvalidValue);
    EXPECT(cudaIpcOpenMemHandle(&p, shared->freed, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    CHECK(cudaIpcOpenMemHandle((void **)&x, shared->memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&again, shared->memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&other, shared->other, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&event, shared->event));
    EXPECT(x == again, 1);
    CHECK(cudaPointerGetAttributes(&about, x));
    EXPECT(about.type, cudaMemoryTypeDevice);
    EXPECT(cudaFree(x), cudaErrorInvalidValue);
    EXPECT(cudaIpcGetMemHandle(&shared->freed, x), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    holds(x, 1, stream);
    CHECK(cudaIpcCloseMemHandle(again)); /* opened once more */
    CHECK(cudaMemcpyAsync(x, own, COUNT * sizeof *x, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaEventRecord(event, stream));
    next_step(2);
    CHECK(ncclAllReduce(other, own, COUNT, ncclFloat32, ncclSum, comm, stream));
    holds(own, 9, stream);
    CHECK(cudaIpcCloseMemHandle(x));
    EXPECT(cudaIpcCloseMemHandle(x), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(own, x, 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    next_step(3);
    step_is(4);
    EXPECT(cudaIpcCloseMemHandle(other), cudaErrorInvalidValue); /* freed by its owner */
    (void)cudaGetLastError();
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaFree(own));
}

int main(void)
{
    ncclComm_t comm;
    cudaStream_t stream;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    int rank = child == 0, status = 0;
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&shared->id));
        next_step(-1);
    }
    while (atomic_load(&shared->step) == 0)
        usleep(1000);
    CHECK(cudaSetDevice(rank));
    CHECK(cudaStreamCreate(&stream));
    CHECK(ncclCommInitRank(&comm, 2, shared->id, rank));
    rank == 0 ? owner(comm, stream) : guest(comm, stream);
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaStreamDestroy(stream));
    if (rank == 0)
        waitpid(child, &status, 0);
    if (rank == 0 && status == 0)
        puts("ipc: ok");
    return status != 0;
}
