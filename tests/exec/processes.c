/* `processes WHICH RANKS`: a rank is a process. The program forks them, and they share the id by memory; or a launcher has
 * started them, and they share it by the file that JOB_FILE names. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

enum { COUNT = 8, RANKS_MOST = 64 };

/* What the forked ranks share. */
static struct shared {
    atomic_bool has_id;
    ncclUniqueId id;
    atomic_int process[RANKS_MOST]; /* by rank */
    atomic_int arrived;
    atomic_bool waits; /* a rank is about to wait in a call */
} * shared;

static int rank, ranks;

static void nap(void)
{
    usleep(1000);
}

/* ---- the id ---- */

static void write_id(const char *path, const ncclUniqueId *id)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.new", path);
    FILE *f = fopen(name, "w");
    if (!f || fwrite(id, sizeof *id, 1, f) != 1 || fclose(f) != 0 || rename(name, path) != 0)
        exit(7);
}

static void read_id(const char *path, ncclUniqueId *id)
{
    FILE *f;
    while (!(f = fopen(path, "r")))
        nap();
    if (fread(id, sizeof *id, 1, f) != 1)
        exit(7);
    fclose(f);
}

static ncclUniqueId get_id(void)
{
    const char *path = getenv("JOB_FILE");
    ncclUniqueId id;
    if (rank == 0)
        CHECK(ncclGetUniqueId(&id));
    if (path) {
        rank == 0 ? write_id(path, &id) : read_id(path, &id);
        return id;
    }
    if (rank == 0) {
        shared->id = id;
        atomic_store(&shared->has_id, true);
    }
    while (!atomic_load(&shared->has_id))
        nap();
    return shared->id;
}

static ncclComm_t join(void)
{
    ncclComm_t comm;
    ncclUniqueId id = get_id();
    CHECK(ncclCommInitRank(&comm, ranks, id, rank)); /* line: join */
    return comm;
}

/* ---- what all modes have ---- */

struct job {
    ncclComm_t comm;
    cudaStream_t stream;
    float *x;
};

static struct job begin(void)
{
    struct job j;
    CHECK(cudaSetDevice(rank));
    j.x = floats_of((float)rank + 1, COUNT);
    CHECK(cudaStreamCreate(&j.stream));
    j.comm = join();
    return j;
}

static void end(struct job *j)
{
    CHECK(ncclCommDestroy(j->comm)); /* line: destroy */
    CHECK(cudaStreamDestroy(j->stream));
    CHECK(cudaFree(j->x));
}

static void reduce(struct job *j, size_t count)
{
    CHECK(ncclAllReduce(j->x, j->x, count, ncclFloat32, ncclSum, j->comm, j->stream)); /* line: reduce */
    CHECK(cudaStreamSynchronize(j->stream));                                           /* line: synchronize */
}

static void broadcast(struct job *j)
{
    CHECK(ncclBroadcast(j->x, j->x, COUNT, ncclFloat32, 0, j->comm, j->stream)); /* line: broadcast */
    CHECK(cudaStreamSynchronize(j->stream));
}

/* The first all-reduce, with which all modes begin that go wrong later. */
static struct job begin_well(void)
{
    struct job j = begin();
    reduce(&j, COUNT);
    EXPECT(first_of(j.x), ranks * (ranks + 1) / 2);
    return j;
}

/* ---- right ---- */

static void right(void)
{
    struct job j = begin_well();
    float *all, host[RANKS_MOST * COUNT];
    CHECK(cudaMalloc((void **)&all, (size_t)ranks * COUNT * sizeof(float)));
    CHECK(cudaMemcpy(j.x, (float[COUNT]){ (float)rank }, sizeof(float[COUNT]), cudaMemcpyHostToDevice));
    CHECK(ncclAllGather(j.x, all, COUNT, ncclFloat32, j.comm, j.stream));
    CHECK(cudaMemcpyAsync(host, all, (size_t)ranks * COUNT * sizeof(float), cudaMemcpyDeviceToHost, j.stream));
    CHECK(cudaStreamSynchronize(j.stream));
    for (int r = 0; r < ranks; r++)
        EXPECT(host[r * COUNT], r);
    CHECK(ncclReduceScatter(all, j.x, COUNT, ncclFloat32, ncclSum, j.comm, j.stream));
    CHECK(cudaStreamSynchronize(j.stream));
    EXPECT(first_of(j.x), rank * ranks);
    CHECK(ncclGroupStart());
    CHECK(ncclSend(j.x, COUNT, ncclFloat32, (rank + 1) % ranks, j.comm, j.stream));
    CHECK(ncclRecv(all, COUNT, ncclFloat32, (rank + ranks - 1) % ranks, j.comm, j.stream));
    CHECK(ncclGroupEnd());
    CHECK(cudaStreamSynchronize(j.stream));
    EXPECT(first_of(all), (rank + ranks - 1) % ranks * ranks);
    broadcast(&j);
    EXPECT(first_of(j.x), 0);
    CHECK(cudaFree(all));
    end(&j);
}

/* ---- mistakes of rank 1 ---- */

static void skip(void)
{
    struct job j = begin_well();
    if (rank != 1)
        reduce(&j, COUNT);
    broadcast(&j); /* line: after skip */
    end(&j);
}

/* No rank looks at the second result. */
static void unseen(void)
{
    struct job j = begin_well();
    reduce(&j, COUNT);
    end(&j);
}

static void swapped(void)
{
    struct job j = begin_well();
    if (rank == 1)
        broadcast(&j); /* line: swapped */
    reduce(&j, COUNT);
    if (rank != 1)
        broadcast(&j);
    end(&j);
}

static void wrong_count(void)
{
    struct job j = begin_well();
    reduce(&j, rank == 1 ? COUNT / 2 : COUNT);
    end(&j);
}

static void never_joins(void)
{
    if (rank == 1) {
        CHECK(cudaSetDevice(1));
        return;
    }
    skip();
}

/* It makes no call at all. */
static void never_calls(void)
{
    if (rank != 1)
        skip();
}

static void wait_for_nothing(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) == 0)
        while (read(ends[0], &byte, 1) < 0)
            continue;
}

/* Its first call may come at any time. */
static void waits_before(void)
{
    if (rank == 1)
        wait_for_nothing();
    skip();
}

static void not_destroyed(void)
{
    struct job j = begin_well();
    if (rank != 1)
        end(&j);
}

static void *nap_long(void *arg)
{
    sleep(3);
    return arg;
}

/* While a thread of it sleeps, the hang is not certain. */
static void skip_beside(void)
{
    pthread_t thread;
    if (rank == 1)
        pthread_create(&thread, NULL, nap_long, NULL);
    skip();
}

static void *nap_on(void *arg)
{
    for (;;)
        nap();
    return arg;
}

static void poll_stream(struct job *j)
{
    while (cudaStreamQuery(j->stream) == cudaErrorNotReady) /* line: query */
        continue;
}

/* Every rank polls without a pause, as PyTorch's destroy_process_group does, beside a thread that sleeps. */
static void skip_polls(void)
{
    pthread_t thread;
    struct job j = begin_well();
    pthread_create(&thread, NULL, nap_on, NULL);
    if (rank != 1)
        CHECK(ncclAllReduce(j.x, j.x, COUNT, ncclFloat32, ncclSum, j.comm, j.stream)); /* line: skipped */
    CHECK(ncclBroadcast(j.x, j.x, COUNT, ncclFloat32, 0, j.comm, j.stream));           /* line: behind it */
    poll_stream(&j);
}

static double worked(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Rank 1 computes, and asks now and then, while the others poll. */
static void late_polls(void)
{
    struct job j = begin_well();
    ncclResult_t error;
    for (int i = 0; rank == 1 && i < 40; i++) {
        for (double began = worked(); worked() - began < 0.02;)
            continue;
        CHECK(ncclCommGetAsyncError(j.comm, &error));
    }
    CHECK(ncclAllReduce(j.x, j.x, COUNT, ncclFloat32, ncclSum, j.comm, j.stream));
    poll_stream(&j);
    end(&j);
}

/* It makes the wrong call after a while. */
static void skip_late(void)
{
    struct job j = begin_well();
    if (rank == 1)
        sleep(3);
    else
        reduce(&j, COUNT);
    broadcast(&j);
    end(&j);
}

/* It waits outside of all calls, for something that never comes. */
static void waits_outside(void)
{
    struct job j = begin_well();
    if (rank == 1)
        wait_for_nothing();
    reduce(&j, COUNT);
}

/* Rank 0 destroys, for which all others would have to, and these wait outside of all calls. */
static void destroys_first(void)
{
    struct job j = begin_well();
    if (rank != 0)
        wait_for_nothing();
    end(&j);
}

/* All processes choose the first GPU of their host. */
static void one_gpu(void)
{
    CHECK(cudaSetDevice(0));
    join();
}

/* ---- calls that fail ---- */

/* No rank looks at the code of one call; rank 1 ends because of another one. */
static void ignores(void)
{
    struct job j = begin();
    ncclBroadcast(j.x, j.x, COUNT, ncclFloat32, ranks, j.comm, j.stream); /* line: ignored */
    reduce(&j, COUNT);
    if (rank == 1 && ncclBroadcast(j.x, j.x, COUNT, ncclFloat32, -1, j.comm, j.stream) != ncclSuccess)
        exit(5);
    end(&j);
}

/* ---- deaths of rank 1 ---- */

static void crash(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    signal(SIGSEGV, SIG_DFL);
    kill(getpid(), SIGSEGV);
    for (;;)
        pause();
}

static void dies(void (*how)(void))
{
    struct job j = begin_well();
    if (rank == 1)
        how();
    reduce(&j, COUNT);
    end(&j);
}

static void by_signal(void)
{
    kill(getpid(), SIGKILL);
    pause();
}

static void by_exit(void)
{
    _exit(4);
}

static void by_stop(void)
{
    kill(getpid(), SIGSTOP);
}

/* The others wait for the id, in no call. */
static void killed_first(void)
{
    CHECK(cudaSetDevice(rank));
    if (rank == 0)
        by_signal();
    join();
}

/* clang-format off */
static void segv(void) { dies(crash); }
static void killed(void) { dies(by_signal); }
static void exits(void) { dies(by_exit); }
static void stopped(void) { dies(by_stop); }
/* clang-format on */

/* True once the process waits for a lock or another thread. */
static bool waits_for_thread(int process)
{
    char path[64];
    long number = -1;
    snprintf(path, sizeof path, "/proc/%d/syscall", process);
    FILE *f = fopen(path, "r");
    bool waits = f && fscanf(f, "%ld", &number) == 1 && number == SYS_futex;
    if (f)
        fclose(f);
    return waits;
}

/* Rank 0 ends rank 1 while that waits in a call. The devices may yet do the work of that call, but no more. */
static void dies_in_call(int signal)
{
    struct job j = begin_well();
    if (rank == 0) {
        while (!atomic_load(&shared->waits) || !waits_for_thread(atomic_load(&shared->process[1])))
            nap();
        kill(atomic_load(&shared->process[1]), signal);
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    CHECK(ncclAllReduce(j.x, j.x, COUNT, ncclFloat32, ncclSum, j.comm, j.stream)); /* line: last */
    if (rank == 1)
        atomic_store(&shared->waits, true);
    CHECK(cudaStreamSynchronize(j.stream));
    reduce(&j, COUNT);
    end(&j);
}

static void killed_in_call(void)
{
    dies_in_call(SIGKILL);
}
static void segv_in_call(void)
{
    dies_in_call(SIGSEGV);
}

/* Rank 1 makes its last call and ends without waiting for it, before the others make theirs. */
static void leaves_with(size_t count)
{
    struct job j = begin_well();
    if (rank == 1) {
        CHECK(ncclAllReduce(j.x, j.x, count, ncclFloat32, ncclSum, j.comm, j.stream)); /* line: left */
        return;
    }
    while (kill(atomic_load(&shared->process[1]), 0) == 0)
        nap();
    sleep(1); /* the machine learns of an end, too, and that after the system */
    reduce(&j, COUNT);
    end(&j);
}

static void leaves(void)
{
    leaves_with(COUNT);
}
static void leaves_half(void)
{
    leaves_with(COUNT / 2);
}

static void die_in_function(void *arg)
{
    (void)arg;
    kill(getpid(), SIGKILL);
}

static void killed_in_function(void)
{
    struct job j = begin_well();
    if (rank == 1)
        CHECK(cudaLaunchHostFunc(j.stream, die_in_function, NULL));
    reduce(&j, COUNT);
    end(&j);
}

/* ---- late: no rank is missing, one of them takes its time ---- */

static void late(void)
{
    if (rank == 1)
        sleep(1);
    right();
}

static void late_inside(void)
{
    struct job j = begin_well();
    if (rank == 1)
        sleep(1);
    reduce(&j, COUNT);
    end(&j);
}

/* ---- functions of the program that the machine calls ---- */

struct called {
    int process, times, status;
    int refused; /* CUDA allows no call in such a function */
    void *data;
    pthread_t thread;
};

static void on_host(void *arg)
{
    struct called *c = arg;
    void *memory;
    c->process = getpid();
    c->times++;
    c->refused = (int)cudaMalloc(&memory, COUNT);
}

static void on_stream(cudaStream_t stream, cudaError_t status, void *arg)
{
    struct called *c = arg;
    c->data = stream;
    c->status = (int)status;
    on_host(arg);
}

static void functions(void)
{
    struct job j = begin_well();
    struct called host = { 0 }, stream = { .status = -1 };
    for (int i = 0; i < 10; i++) {
        CHECK(cudaLaunchHostFunc(j.stream, on_host, &host));
        reduce(&j, COUNT);
        CHECK(cudaStreamAddCallback(j.stream, on_stream, &stream, 0));
    }
    CHECK(cudaStreamSynchronize(j.stream));
    EXPECT(host.times, 10);
    EXPECT(stream.times, 10);
    EXPECT(host.process, getpid());
    EXPECT(stream.process, getpid());
    EXPECT(stream.status, 0);
    EXPECT(host.refused, 800);
    EXPECT(stream.refused, 800);
    EXPECT(stream.data == (void *)j.stream, 1);
    end(&j);
}

/* ---- memory ---- */

/* The host writes memory that the devices read, and reads what they write. */
static void pinned(void)
{
    struct job j = begin();
    float *host, *device;
    CHECK(cudaMallocHost((void **)&host, COUNT * sizeof *host));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            host[i] = (float)(100 * round + rank);
        CHECK(cudaMemcpyAsync(j.x, host, COUNT * sizeof *host, cudaMemcpyHostToDevice, j.stream));
        CHECK(ncclAllReduce(j.x, j.x, COUNT, ncclFloat32, ncclSum, j.comm, j.stream));
        CHECK(cudaMemcpyAsync(host, j.x, COUNT * sizeof *host, cudaMemcpyDeviceToHost, j.stream));
        CHECK(cudaStreamSynchronize(j.stream));
        for (int i = 0; i < COUNT; i++)
            EXPECT(host[i], 100 * round * ranks + ranks * (ranks - 1) / 2);
    }
    CHECK(cudaHostGetDevicePointer((void **)&device, host, 0));
    host[0] = (float)rank;
    CHECK(ncclAllReduce(device, device, 1, ncclFloat32, ncclMax, j.comm, j.stream));
    CHECK(cudaStreamSynchronize(j.stream));
    EXPECT(host[0], ranks - 1);
    CHECK(cudaFreeHost(host));
    CHECK(cudaMallocManaged((void **)&host, COUNT * sizeof *host, cudaMemAttachGlobal));
    host[0] = (float)rank;
    CHECK(ncclAllReduce(host, host, 1, ncclFloat32, ncclSum, j.comm, j.stream));
    CHECK(cudaStreamSynchronize(j.stream));
    EXPECT(host[0], ranks * (ranks - 1) / 2);
    CHECK(cudaFree(host));
    end(&j);
}

static void big(void)
{
    enum { BIG = 16 << 20, WORDS = BIG / 4 };
    struct job j = begin_well();
    unsigned *there = malloc(BIG), *back = malloc(BIG), *device;
    for (unsigned i = 0; i < WORDS; i++)
        there[i] = i * 2654435761u + (unsigned)rank;
    memset(back, 0, BIG);
    CHECK(cudaMalloc((void **)&device, BIG));
    CHECK(cudaMemcpy(device, there, BIG, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(back, device, BIG, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(there, back, BIG), 0);
    CHECK(ncclBroadcast(device, device, WORDS, ncclUint32, 0, j.comm, j.stream));
    CHECK(cudaMemcpyAsync(back, device, BIG, cudaMemcpyDeviceToHost, j.stream));
    CHECK(cudaStreamSynchronize(j.stream));
    for (unsigned i = 0; i < WORDS; i++)
        if (back[i] != i * 2654435761u)
            EXPECT(back[i], i * 2654435761u);
    CHECK(cudaFree(device));
    free(there);
    free(back);
    end(&j);
}

/* ---- communicators ---- */

static ncclComm_t ready(ncclComm_t comm)
{
    ncclResult_t state;
    do
        CHECK(ncclCommGetAsyncError(comm, &state));
    while (state == ncclInProgress);
    CHECK(state);
    return comm;
}

static void nearly(ncclResult_t code, int line)
{
    if (code != ncclInProgress)
        check((int)code, "a call that does not wait", line);
}

/* Each process has the devices 2 * rank and 2 * rank + 1; its communicators are made in one group, without waiting, and split
 * in one group. The handles come later. */
static void group(void)
{
    ncclConfig_t config = CONFIG_INITIALIZER;
    ncclComm_t comm[2] = { NULL, NULL }, part[2] = { NULL, NULL };
    float *x[2];
    ncclUniqueId id = get_id();
    config.blocking = 0;
    CHECK(ncclGroupStart());
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(2 * rank + d));
        nearly(ncclCommInitRankConfig(&comm[d], 2 * ranks, id, 2 * rank + d, &config), __LINE__);
    }
    nearly(ncclGroupEnd(), __LINE__);
    for (int d = 0; d < 2; d++)
        ready(comm[d]);
    CHECK(ncclGroupStart());
    for (int d = 0; d < 2; d++)
        nearly(ncclCommSplit(comm[d], d, rank, &part[d], NULL), __LINE__);
    nearly(ncclGroupEnd(), __LINE__);
    for (int d = 0; d < 2; d++) {
        int number = -1, count = -1;
        ready(comm[d]);
        ready(part[d]);
        CHECK(ncclCommUserRank(part[d], &number));
        CHECK(ncclCommCount(part[d], &count));
        EXPECT(number, rank);
        EXPECT(count, ranks);
        CHECK(cudaSetDevice(2 * rank + d));
        x[d] = floats_of((float)(10 * rank + d), COUNT);
    }
    nearly(ncclGroupStart(), __LINE__);
    for (int d = 0; d < 2; d++)
        nearly(ncclAllReduce(x[d], x[d], COUNT, ncclFloat32, ncclSum, part[d], NULL), __LINE__);
    nearly(ncclGroupEnd(), __LINE__);
    for (int d = 0; d < 2; d++) {
        ready(part[d]);
        CHECK(cudaSetDevice(2 * rank + d));
        CHECK(cudaStreamSynchronize(NULL));
        EXPECT(first_of(x[d]), 10 * ranks * (ranks - 1) / 2 + d * ranks);
        CHECK(cudaFree(x[d]));
    }
    for (int d = 0; d < 2; d++) {
        CHECK(ncclCommFinalize(part[d]) == ncclInProgress ? 0 : 0);
        ready(part[d]);
        CHECK(ncclCommDestroy(part[d]));
    }
    for (int d = 0; d < 2; d++) {
        CHECK(ncclCommFinalize(comm[d]) == ncclInProgress ? 0 : 0);
        ready(comm[d]);
        CHECK(ncclCommDestroy(comm[d]));
    }
}

/* Out-parameters of calls in a group, which NCCL fills at its end. */
static void outs(void)
{
    ncclComm_t comm = NULL, all = NULL, none = (ncclComm_t)&comm;
    int count = -1, number = -1, device = -1;
    ncclUniqueId id = get_id();
    CHECK(cudaSetDevice(rank));
    CHECK(ncclGroupStart());
    CHECK(ncclCommInitRank(&comm, ranks, id, rank));
    CHECK(ncclGroupEnd());
    CHECK(ncclGroupStart());
    CHECK(ncclCommSplit(comm, 0, ranks - rank, &all, NULL));
    CHECK(ncclCommSplit(comm, rank == 0 ? 0 : NCCL_SPLIT_NOCOLOR, 0, &none, NULL));
    CHECK(ncclGroupEnd());
    CHECK(ncclCommCount(all, &count));
    CHECK(ncclCommUserRank(all, &number));
    CHECK(ncclCommCuDevice(all, &device));
    EXPECT(count, ranks);
    EXPECT(number, ranks - 1 - rank);
    EXPECT(device, rank);
    if (rank == 0) {
        CHECK(ncclCommCount(none, &count));
        EXPECT(count, 1);
        CHECK(ncclCommDestroy(none));
    } else {
        EXPECT(none == NULL, 1);
    }
    CHECK(ncclCommDestroy(all));
    CHECK(ncclCommDestroy(comm));
}

/* Each process sees one device, as device 0. */
static void visible(void)
{
    char number[16];
    int device = -1;
    struct cudaPointerAttributes at;
    snprintf(number, sizeof number, "%d", ranks - 1 - rank);
    setenv("CUDA_VISIBLE_DEVICES", number, 1);
    EXPECT(devices(), 1);
    EXPECT(cudaSetDevice(1), cudaErrorInvalidDevice);
    (void)cudaGetLastError();
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    EXPECT(device, 0);
    float *x = floats_of((float)rank, COUNT);
    CHECK(cudaPointerGetAttributes(&at, x));
    EXPECT(at.device, 0);
    ncclComm_t comm = join();
    CHECK(ncclCommCuDevice(comm, &device));
    EXPECT(device, 0);
    CHECK(ncclAllReduce(x, x, COUNT, ncclFloat32, ncclSum, comm, NULL));
    CHECK(cudaStreamSynchronize(NULL));
    EXPECT(first_of(x), ranks * (ranks - 1) / 2);
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaFree(x));
}

/* ---- NCCL's variables differ ---- */

static void variables(void)
{
    setenv("NCCL_SOCKET_IFNAME", rank == 0 ? "eth0" : "lo", 1); /* may differ */
    if (rank == 0)
        setenv("NCCL_ALGO", "Ring", 1);
    if (rank == 1)
        while (!atomic_load(&shared->has_id)) /* rank 0 comes first */
            nap();
    right();
}

/* ---- threads: two ranks in each process, each a thread ---- */

static void *thread_main(void *arg)
{
    int number = *(int *)arg;
    ncclComm_t comm;
    cudaStream_t stream;
    CHECK(cudaSetDevice(number));
    CHECK(ncclCommInitRank(&comm, 2 * ranks, shared->id, number));
    CHECK(cudaStreamCreate(&stream));
    float *x = floats_of((float)number, COUNT);
    for (int i = 0; i < 3; i++) {
        CHECK(ncclAllReduce(x, x, COUNT, ncclFloat32, ncclMax, comm, stream));
        CHECK(cudaStreamSynchronize(stream));
        EXPECT(first_of(x), 2 * ranks - 1);
    }
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    return NULL;
}

static void threads(void)
{
    pthread_t thread[2];
    int number[2] = { 2 * rank, 2 * rank + 1 };
    get_id();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, thread_main, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

/* Memory of the process's own, pinned in place: at the same address in all ranks. */
static void registered(void)
{
    static _Alignas(4096) int own[2048];
    struct job j = begin();
    void *device = NULL;
    unsigned flags = 9;
    CHECK(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
    EXPECT(cudaHostRegister(own + 1024, 16, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT(cudaHostUnregister(own + 1), cudaErrorHostMemoryNotRegistered);
    CHECK(cudaHostGetDevicePointer(&device, own + 7, 0));
    EXPECT(device == own + 7, 1);
    CHECK(cudaHostGetFlags(&flags, own));
    EXPECT(flags, cudaHostRegisterMapped);
    int *x = NULL;
    CHECK(cudaMalloc((void **)&x, sizeof own));
    for (int i = 0; i < 2048; i++)
        own[i] = rank + i;
    CHECK(cudaMemcpyAsync(x, own, sizeof own, cudaMemcpyHostToDevice, j.stream));
    memset(own, 0, sizeof own);
    CHECK(cudaMemcpyAsync(own, x, sizeof own, cudaMemcpyDeviceToHost, j.stream));
    CHECK(cudaStreamSynchronize(j.stream));
    EXPECT(own[2000], rank + 2000);
    CHECK(cudaHostUnregister(own));
    EXPECT(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
    CHECK(cudaFree(x));
    end(&j);
}

/* Copies from and to such memory run behind the calls of a rank that is late, and nobody waits for them before. */
static void registered_async(void)
{
    static float own[4096], more[4096];
    struct job j = begin_well(); /* the first call would wait for all ranks */
    struct cudaPointerAttributes at;
    float *y = floats_of(0, COUNT);
    CHECK(cudaHostRegister(own, sizeof own, 0));
    CHECK(cudaHostRegister(more, sizeof more, 0));
    CHECK(cudaPointerGetAttributes(&at, own + 5));
    EXPECT(at.type, cudaMemoryTypeHost);
    EXPECT(at.device, rank);
    EXPECT(at.hostPointer == own + 5, 1);
    CHECK(cudaPointerGetAttributes(&at, &j));
    EXPECT(at.type, cudaMemoryTypeUnregistered);
    while (rank == 1 && atomic_load(&shared->arrived) < ranks - 1)
        nap();
    CHECK(ncclAllReduce(j.x, j.x, COUNT, ncclFloat32, ncclSum, j.comm, j.stream));
    CHECK(cudaMemcpyAsync(own, j.x, COUNT * sizeof *own, cudaMemcpyDeviceToHost, j.stream));
    more[0] = 1;
    CHECK(cudaMemcpyAsync(y, more, COUNT * sizeof *more, cudaMemcpyHostToDevice, j.stream));
    if (rank != 1) {
        EXPECT(own[0], 0);
        more[0] = 2;
        atomic_fetch_add(&shared->arrived, 1);
    }
    CHECK(cudaStreamSynchronize(j.stream));
    EXPECT(own[0], ranks * ranks * (ranks + 1) / 2);
    EXPECT(first_of(y), rank == 1 ? 1 : 2);
    EXPECT(cudaMemcpyAsync(own + 4095, j.x, COUNT * sizeof *own, cudaMemcpyDeviceToDevice, j.stream), cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK(cudaHostUnregister(own));
    CHECK(cudaHostUnregister(more));
    CHECK(cudaFree(y));
    end(&j);
}

/* A copy to it waits for a rank that is dead, as do the others. */
static void registered_killed(void)
{
    static float own[4096];
    struct job j = begin_well();
    CHECK(cudaHostRegister(own, sizeof own, 0));
    if (rank == 1)
        while (atomic_load(&shared->arrived) < ranks - 1)
            nap();
    else
        CHECK(ncclAllReduce(j.x, j.x, COUNT, ncclFloat32, ncclSum, j.comm, j.stream));
    CHECK(cudaMemcpyAsync(own, j.x, COUNT * sizeof *own, cudaMemcpyDeviceToHost, j.stream));
    atomic_fetch_add(&shared->arrived, 1);
    if (rank == 1)
        by_signal();
    CHECK(cudaStreamSynchronize(j.stream)); /* line: registered */
    end(&j);
}

/* ---- for signals from outside ---- */

static void print_process(void)
{
    printf("rank %d is %d\n", rank, (int)getpid());
    fflush(stdout);
}

static void loop(void)
{
    print_process();
    struct job j = begin();
    for (;;)
        reduce(&j, COUNT);
}

/* As loop, and all ranks have joined when it says so. */
static void loop_joined(void)
{
    struct job j = begin_well();
    print_process();
    for (;;)
        reduce(&j, COUNT);
}

/* All processes are in the machine, and none waits in a call. */
static void idle(void)
{
    struct job j = begin_well();
    print_process();
    for (;;)
        pause();
    end(&j);
}

/* ---- the program ---- */

static const struct {
    const char *name;
    void (*act)(void);
} modes[] = {
    { "right", right },
    { "skip", skip },
    { "skip_beside", skip_beside },
    { "skip_late", skip_late },
    { "skip_polls", skip_polls },
    { "late_polls", late_polls },
    { "unseen", unseen },
    { "swapped", swapped },
    { "count", wrong_count },
    { "leaves", leaves },
    { "leaves_half", leaves_half },
    { "never_joins", never_joins },
    { "never_calls", never_calls },
    { "waits_before", waits_before },
    { "not_destroyed", not_destroyed },
    { "waits_outside", waits_outside },
    { "destroys_first", destroys_first },
    { "one_gpu", one_gpu },
    { "ignores", ignores },
    { "segv", segv },
    { "killed", killed },
    { "killed_first", killed_first },
    { "exits", exits },
    { "stopped", stopped },
    { "killed_in_call", killed_in_call },
    { "segv_in_call", segv_in_call },
    { "killed_in_function", killed_in_function },
    { "late", late },
    { "late_inside", late_inside },
    { "functions", functions },
    { "pinned", pinned },
    { "registered", registered },
    { "registered_async", registered_async },
    { "registered_killed", registered_killed },
    { "big", big },
    { "group", group },
    { "outs", outs },
    { "visible", visible },
    { "threads", threads },
    { "variables", variables },
    { "loop", loop },
    { "loop_joined", loop_joined },
    { "idle", idle },
};

static void (*mode_of(const char *name))(void)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, name) == 0)
            return modes[i].act;
    return NULL;
}

static int run_rank(void (*act)(void))
{
    act();
    if (act != right && act != late)
        return 0;
    printf("rank %d of %d: ok\n", rank, ranks);
    fflush(stdout);
    return 0;
}

/* CUDA does not work in a child that was forked after its first call. */
static int forked_late(void)
{
    int status = -1, n;
    printf("parent %d\n", cudaGetDeviceCount(&n));
    fflush(stdout);
    if (fork() == 0) {
        printf("child %d\n", cudaGetDeviceCount(&n));
        fflush(stdout);
        _exit(0);
    }
    wait(&status);
    return status;
}

/* A launcher that looks at its devices, and starts a program for each rank. */
static int launch(char **argv)
{
    int n, status = 0, how;
    CHECK(cudaGetDeviceCount(&n));
    setenv("WORLD_SIZE", argv[3], 1);
    for (int r = 0; r < atoi(argv[3]); r++)
        if (fork() == 0) {
            char number[16];
            snprintf(number, sizeof number, "%d", r);
            setenv("RANK", number, 1);
            execv(argv[0], (char *[]){ argv[0], argv[2], argv[3], NULL });
            _exit(7);
        }
    while (wait(&how) > 0)
        status |= how;
    return status != 0;
}

/* A number that a launcher passes to its processes; -1 = none does. */
static int launched(const char *const *name)
{
    for (; *name; name++)
        if (getenv(*name))
            return atoi(getenv(*name));
    return -1;
}

static int fork_ranks(void (*act)(void))
{
    int bad = 0;
    for (int r = 0; r < ranks; r++) {
        pid_t child = fork();
        if (child == 0) {
            rank = r;
            atomic_store(&shared->process[r], getpid());
            exit(run_rank(act));
        }
        atomic_store(&shared->process[r], child);
    }
    for (int how; wait(&how) > 0;)
        if (how && !bad)
            bad = WIFEXITED(how) ? WEXITSTATUS(how) : 1;
    return bad;
}

int main(int argc, char **argv)
{
    static const char *const numbers[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK", NULL };
    const char *which = argc > 1 ? argv[1] : "right";
    if (strcmp(which, "forked_late") == 0)
        return forked_late();
    if (strcmp(which, "launch") == 0)
        return argc > 3 ? launch(argv) : 2;
    void (*act)(void) = mode_of(which);
    ranks = argc > 2 ? atoi(argv[2]) : 3;
    if (!act || ranks < 1 || ranks > RANKS_MOST)
        return 2;
    if (getenv("JOB_FILE")) {
        rank = launched(numbers);
        return rank < 0 ? 2 : run_rank(act);
    }
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 7;
    shared = memory;
    return fork_ranks(act);
}
