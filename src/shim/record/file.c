/* Makes the file of this process, of a size that does not change, and maps it. The kernel keeps what is written there when
 * the process dies, whatever ends it. */
#define _GNU_SOURCE /* program_invocation_name */
#include "shim/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interpreter.h"

enum { PAIRS = 4096, SITES = 1024, LASTING = 4096 };

enum { CLOSED, OPEN, REFUSED };
enum { NO_RANK = -1, SEVERAL_RANKS = -2 };

static struct recorder_file the_file;
static int file_state;
static char file_folder[4096], file_path[4400];
static int file_rank;    /* that names the file */
static uint64_t file_id; /* hash of the id of the communicator that has it */
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;

void ncs_recorder_warn(const char *fmt, ...)
{
    char line[1024];
    va_list args;
    va_start(args, fmt);
    int bytes = vsnprintf(line, sizeof line - 1, fmt, args);
    va_end(args);
    bytes = bytes < 0 ? 0 : bytes < (int)sizeof line - 1 ? bytes : (int)sizeof line - 2;
    line[bytes] = '\n';
    ssize_t written = write(STDERR_FILENO, line, (size_t)bytes + 1);
    (void)written;
}

/* ---- the launcher's words ---- */

/* The number in the first of these variables that has one; -1 = none. */
static int from_environment(const char *const *name, const char **which)
{
    for (; *name; name++) {
        const char *text = getenv(*name);
        char *end;
        long n = text && *text ? strtol(text, &end, 10) : -1;
        if (n < 0 || n >= 1 << 24 || *end)
            continue;
        if (which)
            *which = *name;
        return (int)n;
    }
    return -1;
}

/* The innermost launcher first: torchrun may run under srun or mpirun. */
static const char *const rank_names[] = { "RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                          "PMI_RANK", "MV2_COMM_WORLD_RANK",  "SLURM_PROCID",
                                          NULL };
static const char *const size_names[] = { "WORLD_SIZE",          "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                          "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS",         NULL };

/* ---- its contents ---- */

static uint32_t usual_calls(void)
{
    const char *text = getenv(NCS_RECORDING_CALLS);
    char *end;
    long long calls = text && *text ? strtoll(text, &end, 10) : NCS_RECORDING_USUAL;
    uint32_t room = NCS_RECORDING_LEAST;
    if (text && *text && (*end || calls < 1 || calls > NCS_RECORDING_MOST)) {
        ncs_recorder_warn("ncclscript record: " NCS_RECORDING_CALLS "=%.40s: a number of calls from 1 to %d is expected", text,
                          NCS_RECORDING_MOST);
        calls = NCS_RECORDING_USUAL;
    }
    while (room < (uint64_t)calls)
        room *= 2;
    return room;
}

static void place_area(struct ncs_recording_head *head, enum ncs_recording_area area, size_t entries, size_t bytes)
{
    head->area[area].at = head->bytes;
    head->area[area].entries = (uint32_t)entries;
    head->area[area].bytes = (uint32_t)bytes;
    head->bytes += (entries * bytes + 4095) / 4096 * 4096;
}

/* A small ring is for tests and seeds: then the other areas are small too. */
static void place_areas(struct ncs_recording_head *head)
{
    uint32_t calls = usual_calls();
    uint32_t part = calls < 1024 ? 16 : 1;
    head->bytes = sizeof *head;
    place_area(head, NCS_RECORDING_FUNCTIONS, NCS_FN_COUNT, sizeof(struct ncs_recording_function));
    place_area(head, NCS_RECORDING_THREADS, NCS_RECORDING_THREADS_MOST / part, sizeof(struct ncs_recording_thread));
    place_area(head, NCS_RECORDING_COMMS, NCS_RECORDING_COMMS_MOST / part, sizeof(struct ncs_recording_comm));
    place_area(head, NCS_RECORDING_PAIRS, PAIRS / part, sizeof(struct ncs_recording_pair));
    place_area(head, NCS_RECORDING_SITES, SITES / part, sizeof(struct ncs_recording_site));
    place_area(head, NCS_RECORDING_LASTING, LASTING / part, sizeof(struct ncs_recording_call));
    place_area(head, NCS_RECORDING_RING, calls, sizeof(struct ncs_recording_call));
}

static void fill_head(struct ncs_recording_head *head)
{
    const char *which = "";
    int (*version)(int *) = NULL;
    memcpy(head->magic, NCS_RECORDING_MAGIC, sizeof head->magic);
    head->version = NCS_RECORDING_VERSION;
    head->order = NCS_RECORDING_ORDER;
    head->pid = (int32_t)getpid();
    head->rank = from_environment(rank_names, &which);
    head->nranks = from_environment(size_names, NULL);
    snprintf(head->rank_by, sizeof head->rank_by, "%s", which);
    gethostname(head->host, sizeof head->host - 1);
    ncs_interpreter_own_script(head->program, sizeof head->program);
    if (!head->program[0])
        snprintf(head->program, sizeof head->program, "%s", program_invocation_name);
    head->opened = head->latest[0] = head->latest[1] = ncs_recorder_pulse();
    *(void **)&version = ncs_recorder_real("ncclGetVersion");
    if (!version || version(&head->nccl) != 0)
        head->nccl = 0;
}

static void name_functions(struct recorder_file *f)
{
    for (int i = 0; i < NCS_FN_COUNT; i++) {
        snprintf(f->function[i].name, sizeof f->function[i].name, "%s", ncs_fn_info[i].name);
        f->function[i].nargs = (uint32_t)ncs_fn_info[i].nargs;
    }
}

/* ---- opening it ---- */

/* "3@node7.4711.ncclrec"; without a launcher "node7.4711.ncclrec". `other`: a number for a name that is in use: containers
 * have equal numbers of processes, and a program may become another one. */
static void name_file(char *path, size_t room, const char *folder, const struct ncs_recording_head *head, int other)
{
    char rank[32] = "", host[sizeof head->host], number[16] = "";
    snprintf(host, sizeof host, "%s", head->host);
    for (char *p = host; *p; p++)
        if (*p == '/' || *p == '@')
            *p = '_';
    if (head->rank >= 0)
        snprintf(rank, sizeof rank, "%d@", (int)head->rank);
    if (other)
        snprintf(number, sizeof number, ".%d", other);
    snprintf(path, room, "%s/%s%s.%d%s" NCS_RECORDING_ENDING, folder, rank, host[0] ? host : "host", (int)head->pid, number);
}

/* A file beyond the limit of the process would end it by SIGXFSZ. */
static int reserve_file(int fd, size_t bytes)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && most.rlim_cur < bytes)
        return EFBIG;
    return posix_fallocate(fd, 0, (off_t)bytes);
}

/* Makes a file of a name that is free: an older recording stays, and so does that of a living process. Its blocks are
 * reserved: a full disk must not end the job by a signal later. */
static void *map_file(char *path, size_t room, const char *folder, const struct ncs_recording_head *head)
{
    enum { NAMES = 1000 };
    int fd = -1, error = EEXIST;
    size_t bytes = head->bytes;
    for (int i = 0; i < NAMES && error == EEXIST; i++) {
        name_file(path, room, folder, head, i);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        error = fd < 0 ? errno : 0;
    }
    error = error ? error : reserve_file(fd, bytes);
    void *at = error ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (at == MAP_FAILED && !error)
        error = errno;
    if (fd >= 0)
        close(fd);
    if (at != MAP_FAILED)
        return at;
    if (fd >= 0)
        unlink(path);
    ncs_recorder_warn("ncclscript record: %.600s: %s: this process is not recorded", path, strerror(error));
    return NULL;
}

/* Gives the file its name, unless another one has it. */
static void rename_file(const struct ncs_recording_head *named)
{
    char path[sizeof file_path];
    for (int i = 0; i < 100; i++) {
        name_file(path, sizeof path, file_folder, named, i);
        if (strcmp(path, file_path) == 0)
            return;
        if (access(path, F_OK) == 0)
            continue;
        if (rename(file_path, path) == 0)
            snprintf(file_path, sizeof file_path, "%s", path);
        return;
    }
}

/* Without a launcher the first communicator names the file, unless the process has several of its ranks. */
void ncs_recorder_name_file(struct ncs_recording_head *head, uint64_t id, int rank)
{
    struct ncs_recording_head named = *head;
    if (head->rank >= 0 || __atomic_load_n(&file_rank, __ATOMIC_RELAXED) == rank)
        return;
    int error = errno;
    pthread_mutex_lock(&file_lock);
    int before = file_rank;
    if (before == NO_RANK)
        file_id = id;
    else if (file_id != id)
        rank = before;
    if (before != NO_RANK && before != rank)
        rank = SEVERAL_RANKS;
    named.rank = rank == SEVERAL_RANKS ? -1 : rank;
    if (before != SEVERAL_RANKS && before != rank)
        rename_file(&named);
    if (before != SEVERAL_RANKS)
        __atomic_store_n(&file_rank, rank, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&file_lock);
    errno = error;
}

static bool open_file(struct recorder_file *f, const char *folder, const struct ncs_recording_head *filled)
{
    struct ncs_recording_head head = *filled;
    place_areas(&head);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        ncs_recorder_warn("ncclscript record: %s: %s: this process is not recorded", folder, strerror(errno));
        return false;
    }
    if (!realpath(folder, file_folder)) /* the program may change to another folder */
        snprintf(file_folder, sizeof file_folder, "%s", folder);
    file_rank = NO_RANK;
    char *at = map_file(file_path, sizeof file_path, folder, &head);
    if (!at)
        return false;
    *f = (struct recorder_file){ .head = (void *)at };
    f->function = (void *)(at + head.area[NCS_RECORDING_FUNCTIONS].at);
    f->thread = (void *)(at + head.area[NCS_RECORDING_THREADS].at);
    f->comm = (void *)(at + head.area[NCS_RECORDING_COMMS].at);
    f->pair = (void *)(at + head.area[NCS_RECORDING_PAIRS].at);
    f->site = (void *)(at + head.area[NCS_RECORDING_SITES].at);
    for (int i = 0; i < 2; i++) {
        f->ring[i] = (void *)(at + head.area[NCS_RECORDING_LASTING + i].at);
        f->mask[i] = head.area[NCS_RECORDING_LASTING + i].entries - 1;
    }
    name_functions(f);
    memcpy(at, &head, sizeof head);
    return true;
}

/* A child has a file of its own, which its first call makes. It must not write into its parent's. */
static void file_in_child(void)
{
    if (file_state == OPEN)
        munmap(the_file.head, the_file.head->bytes);
    the_file = (struct recorder_file){ 0 };
    ncs_recorder_forget_thread();
    ncs_recorder_forget_sites();
    ncs_recorder_forget_lines();
    ncs_recorder_forget_time();
    file_state = CLOSED;
    pthread_mutex_init(&file_lock, NULL);
}

/* Opens the file, unless another thread just did. */
static struct recorder_file *open_once(void)
{
    static bool registered;
    int error = errno;
    const char *folder = getenv(NCS_RECORDING_FOLDER);
    struct ncs_recording_head head = { 0 };
    if (folder && *folder)
        fill_head(&head); /* outside of the lock: it takes the loader's, whose holder may want ours */
    pthread_mutex_lock(&file_lock);
    if (file_state == CLOSED) {
        int state = folder && *folder && open_file(&the_file, folder, &head) ? OPEN : REFUSED;
        if (!registered)
            registered = pthread_atfork(NULL, NULL, file_in_child) == 0;
        __atomic_store_n(&file_state, state, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&file_lock);
    errno = error;
    return file_state == OPEN ? &the_file : NULL;
}

struct recorder_file *ncs_recorder_file(void)
{
    int state = __atomic_load_n(&file_state, __ATOMIC_ACQUIRE);
    if (state != CLOSED)
        return state == OPEN ? &the_file : NULL;
    return open_once();
}

/* A process that is killed, or calls _exit, leaves the mark out. */
static void file_ends(void) __attribute__((destructor));
static void file_ends(void)
{
    if (__atomic_load_n(&file_state, __ATOMIC_ACQUIRE) == OPEN)
        the_file.head->ended = 1;
}
