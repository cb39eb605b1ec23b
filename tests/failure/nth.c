/* Preloaded into a program: the N-th call of one kind fails, as it does on a machine that is short of that. Each process
 * counts for itself, its forked children go on counting; programs that it starts are spared, unless NTH_PROGRAM is theirs.
 *
 *   NTH_KIND     memory (malloc, calloc, realloc, aligned), thread (pthread_create), descriptor (open, socket, pipe, dup,
 *                memfd_create), write (write, writev, fflush, fclose: no space), map (mmap), process (fork, posix_spawn)
 *   NTH          which call fails, from 1 on; 0 = none
 *   NTH_PROGRAM  only in processes of this name, wherever in the tree
 *   NTH_COUNT    a file that gets the most calls that a process made, as a `long`
 *
 * Only libdw's own calls never fail. Failing is once: the next call succeeds again, which is the harder case, for nothing else stops the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { MEMORY, THREAD, DESCRIPTOR, WRITE, MAP, PROCESS, KINDS };

static const char *const names[KINDS] = { "memory", "thread", "descriptor", "write", "map", "process" };
static atomic_long calls;
static enum kind counted = KINDS;
static long nth;
static atomic_long *most; /* calls of one process, in a file; NULL = nobody counts */

/* Programs may end by a signal or `_exit`, so the count is in shared memory all the time. */
static void map_count(void)
{
    const char *path = getenv("NTH_COUNT");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0)
        return;
    if (ftruncate(file, sizeof *most) == 0) {
        void *there = mmap(NULL, sizeof *most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        most = there == MAP_FAILED ? NULL : there;
    }
    close(file);
}

static __attribute__((constructor)) void begin(void)
{
    const char *kind = getenv("NTH_KIND"), *which = getenv("NTH"), *program = getenv("NTH_PROGRAM");
    if (program && strcmp(program, program_invocation_short_name) != 0)
        return;
    map_count();
    nth = which ? atol(which) : 0;
    if (!program) /* programs that this process starts load the library without a kind */
        unsetenv("NTH_KIND");
    for (int k = 0; kind && k < KINDS; k++)
        counted = strcmp(kind, names[k]) ? counted : (enum kind)k;
}

static void keep_most(long now)
{
    for (long before = atomic_load(most); before < now && !atomic_compare_exchange_weak(most, &before, now);)
        continue;
}

/* libdw and libelf (elfutils 0.188) end the process by SIGSEGV when they have no memory: that is theirs to mend. */
static int is_of_libdw(void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && (strstr(info.dli_fname, "libdw") || strstr(info.dli_fname, "libelf"));
}

static inline __attribute__((always_inline)) int fails(enum kind kind, int code)
{
    if (kind != counted)
        return 0;
    long now = atomic_fetch_add(&calls, 1) + 1;
    if (most)
        keep_most(now);
    if (now != nth || is_of_libdw(__builtin_return_address(0)))
        return 0;
    if (getenv("NTH_TRAP"))
        __builtin_trap();
    errno = code;
    return 1;
}

/* The C library's own function of that name. */
#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes)
{
    return fails(MEMORY, ENOMEM) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(MEMORY, ENOMEM) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *p, size_t bytes)
{
    return bytes && fails(MEMORY, ENOMEM) ? NULL : __libc_realloc(p, bytes);
}

void *aligned_alloc(size_t to, size_t bytes)
{
    return fails(MEMORY, ENOMEM) ? NULL : __libc_memalign(to, bytes);
}

int posix_memalign(void **p, size_t to, size_t bytes)
{
    if (fails(MEMORY, ENOMEM) || !(*p = __libc_memalign(to, bytes)))
        return ENOMEM;
    return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *a, void *(*run)(void *), void *of)
{
    return fails(THREAD, EAGAIN) ? EAGAIN : REAL(pthread_create)(thread, a, run, of);
}

/* The mode is read although it may not be there, as the C library does. */
#define OPEN(name, ...)                                                         \
    {                                                                           \
        va_list args;                                                           \
        va_start(args, flags);                                                  \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; \
        va_end(args);                                                           \
        return fails(DESCRIPTOR, EMFILE) ? -1 : REAL(name)(__VA_ARGS__);        \
    }
int open(const char *path, int flags, ...) OPEN(open, path, flags, mode) int open64(const char *path, int flags, ...)
    OPEN(open64, path, flags, mode) int openat(int at, const char *path, int flags, ...)
        OPEN(openat, at, path, flags, mode) int openat64(int at, const char *path, int flags, ...)
            OPEN(openat64, at, path, flags, mode)

                FILE *fopen(const char *path, const char *mode)
{
    return fails(DESCRIPTOR, EMFILE) ? NULL : REAL(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return fails(DESCRIPTOR, EMFILE) ? NULL : REAL(fopen64)(path, mode);
}

int socket(int family, int type, int protocol)
{
    return fails(DESCRIPTOR, EMFILE) ? -1 : REAL(socket)(family, type, protocol);
}

int socketpair(int family, int type, int protocol, int pair[2])
{
    return fails(DESCRIPTOR, EMFILE) ? -1 : REAL(socketpair)(family, type, protocol, pair);
}

int pipe(int pair[2])
{
    return fails(DESCRIPTOR, EMFILE) ? -1 : REAL(pipe)(pair);
}

int pipe2(int pair[2], int flags)
{
    return fails(DESCRIPTOR, EMFILE) ? -1 : REAL(pipe2)(pair, flags);
}

int dup(int file)
{
    return fails(DESCRIPTOR, EMFILE) ? -1 : REAL(dup)(file);
}

int memfd_create(const char *name, unsigned flags)
{
    return fails(DESCRIPTOR, EMFILE) ? -1 : REAL(memfd_create)(name, flags);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    return fails(WRITE, ENOSPC) ? -1 : REAL(write)(file, bytes, count);
}

ssize_t writev(int file, const struct iovec *part, int parts)
{
    return fails(WRITE, ENOSPC) ? -1 : REAL(writev)(file, part, parts);
}

/* Streams of the C library do not write by `write`: a flush of one counts instead. */
int fflush(FILE *stream)
{
    if (!fails(WRITE, ENOSPC))
        return REAL(fflush)(stream);
    return EOF;
}

int fclose(FILE *stream)
{
    if (!fails(WRITE, ENOSPC))
        return REAL(fclose)(stream);
    REAL(fclose)(stream);
    errno = ENOSPC;
    return EOF;
}

void *mmap(void *at, size_t bytes, int access, int flags, int file, off_t from)
{
    return fails(MAP, ENOMEM) ? MAP_FAILED : REAL(mmap)(at, bytes, access, flags, file, from);
}

void *mmap64(void *at, size_t bytes, int access, int flags, int file, off64_t from)
{
    return fails(MAP, ENOMEM) ? MAP_FAILED : REAL(mmap64)(at, bytes, access, flags, file, from);
}

pid_t fork(void)
{
    return fails(PROCESS, EAGAIN) ? -1 : REAL(fork)();
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files, const posix_spawnattr_t *a,
                char *const arguments[], char *const variables[])
{
    return fails(PROCESS, EAGAIN) ? EAGAIN : REAL(posix_spawn)(pid, path, files, a, arguments, variables);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files, const posix_spawnattr_t *a,
                 char *const arguments[], char *const variables[])
{
    return fails(PROCESS, EAGAIN) ? EAGAIN : REAL(posix_spawnp)(pid, path, files, a, arguments, variables);
}
