/* The simulator under the names of NCCL and the CUDA runtime, for programs that know nothing of it.
 * libnccl and libcudart are the exports (nccl.c, cuda.c); this is their common part. The first call opens
 * it; the process then has one machine, and each of its threads that calls is a context of that machine. */
#ifndef NCS_SHIM_SHIM_H
#define NCS_SHIM_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/driver.h"
#include "api/journal.h"
#include "api/local.h"
#include "api/snapshot.h"
#include "shim/settings.h"

/* Begins an exported function: returns the table to call, with the token held until ncs_shim_leave.
 * NULL, without the token, if this version lacks the function or the call cannot be served; the
 * function then returns ncs_shim_refusal(). */
#define ncs_shim_enter(fn) ncs_shim_enter_from(fn, __builtin_return_address(0))
const struct ncs_api *ncs_shim_enter_from(enum ncs_fn fn, void *caller);
/* The same in the process with the machine of a job of many processes, for a call of process `process` at this site (from
 * ncs_shim_site_of), by a thread that has said this rank of itself, or -1. */
const struct ncs_api *ncs_shim_begin(enum ncs_fn fn, int site, int named, int process);
void ncs_shim_leave(void);
int ncs_shim_refusal(void);

/* Refuses a call that the machine lacks: sets CUDA's last error to the code and returns it, or another one (see
 * sim_outside_refuse). With the token. */
cudaError_t ncs_shim_refuse_cuda(int error);

/* The number of a site that another process has described. */
struct wire_site;
int ncs_shim_site_of(const struct wire_site *described);
/* Forks this process, without the handlers that are for forks of a program: the copy reports, and ends. */
pid_t ncs_shim_copy(void);

/* Opens the machine for many processes, which have its memory in common (sim/data/arena.h). False: it cannot be opened. */
bool ncs_shim_open_for_many(void);

/* True if this process has begun to capture a stream. */
bool ncs_shim_has_captured(void);

/* True if a launch of a kernel that the simulator lacks succeeds, and does nothing. After the first call. */
bool ncs_shim_skips_kernels(void);

/* True if the calling thread has called a function of the CUDA runtime itself. */
bool ncs_shim_thread_uses_runtime(void);

/* The caller joins a communicator, if the arguments contain an id and a rank. Returns false, without the
 * token, if an id comes from another process. */
bool ncs_shim_join(enum ncs_fn fn, const union ncs_arg *arg);

/* Calls the function on the caller's own stream if `arg` has the stream 0; returns its result. */
int ncs_shim_in_own(const struct ncs_api *of, enum ncs_fn fn, union ncs_arg *arg);

/* The beginning of the definition of an exported function that no header declares. */
#define NCS_SHIM_DEFINE(result, name, ...) \
    result name(__VA_ARGS__);              \
    result name(__VA_ARGS__)

/* The beginning of an exported function's definition, up to the wrapped call; one macro per kind (functions.def). */
#define NCS_SHIM_ENTER(result, fn, name, parameters, refused)    \
    extern __typeof__(*((struct ncs_api *)0)->fn) name;          \
    result name parameters                                       \
    {                                                            \
        const struct ncs_api *api = ncs_shim_enter(NCS_FN_##fn); \
        if (!api)                                                \
            return refused;
#define NCS_SHIM_EXPORT_CODE(result, fn, name, parameters, arguments, ...)   \
    NCS_SHIM_ENTER(result, fn, name, parameters, (result)ncs_shim_refusal()) \
    if (!ncs_shim_join(NCS_FN_##fn, (const union ncs_arg[]){ __VA_ARGS__ })) \
        return (result)ncs_shim_refusal();                                   \
    result rc = api->fn arguments;                                           \
    ncs_shim_leave();                                                        \
    return rc;                                                               \
    }
#define NCS_SHIM_EXPORT_COUNTED NCS_SHIM_EXPORT_CODE
#define NCS_SHIM_EXPORT_TEXT(result, fn, name, parameters, arguments, ...) \
    NCS_SHIM_ENTER(const char *, fn, name, parameters, "")                 \
    const char *text = api->fn arguments;                                  \
    ncs_shim_leave();                                                      \
    return text;                                                           \
    }
#define NCS_SHIM_EXPORT_VOID(result, fn, name, parameters, arguments, ...) \
    NCS_SHIM_ENTER(void, fn, name, parameters, )                           \
    api->fn arguments;                                                     \
    ncs_shim_leave();                                                      \
    }

/* The library above the simulator (libncclscript-exec.so beside this one, symbol NCS_SHIM_ABOVE). It
 * diagnoses the program and reports, because the simulator itself knows neither. Every other function is
 * called with the token. */
struct ncs_shim_above {
    /* Returns the table to use instead of this one. */
    const struct ncs_api *(*open)(const struct ncs_shim_settings *settings, const struct ncs_driver *driver);
    /* Returns the number of a place in the program: of the call that returns to this address, or of a line that the
     * program names. Both are called without the token, by any thread. 0 = unknown. */
    int (*site)(void *caller);
    int (*named)(const char *file, int line, const char *function);
    /* Describes a place for another process, and finds the number of one that another process has described. */
    void (*describe)(int site, struct wire_site *out);
    int (*described)(const struct wire_site *site);
    /* Returns the place with this number. */
    struct ncs_place (*place)(void *site);
    /* NCS_STOP_QUIET: nothing can ever happen again. NCS_STOP_STALLED: only polling threads could
     * still act, and have not for `patience`. NCS_STOP_INTERRUPTED: no progress for the allowed time.
     * May end the process. */
    void (*verdict)(enum ncs_stop how);
    /* Nothing has changed for a while, and the program goes on: prints who waits for whom, and ends the process, which is a
     * copy of the machine's. why: whom the machine cannot see, and for how long. */
    void (*stalled)(const char *why);
    void (*ended)(int status); /* the process exits */
};
#define NCS_SHIM_ABOVE "ncs_exec_above"
/* NULL = it is not there. After the first call. */
const struct ncs_shim_above *ncs_shim_above(void);

#define NCS_SHIM_RANKS (1 << 20) /* bounds what is kept for the ranks that threads are named by */

/* True if every thread of the process waits, and only for another thread; it looks twice. With `patience`
 * of at least 0 and `idle`, the time in which nothing has changed, as long, threads that have polled in vain for that long count as
 * waiting; and so do threads that act on no communicator and rest, unless one that acts waits outside of calls, perhaps for them. */
bool ncs_shim_all_wait(int64_t patience, int64_t idle);

/* True if such threads rest, or threads that have made no call of NCCL and CUDA wait for messages: ncs_shim_all_wait has passed over
 * them. */
bool ncs_shim_helpers_wait(void);

/* For the thread that watches the time limit, and makes no call of the program: ends the program if no call has made progress for so
 * many ns. idle: since the program began, which counts until it makes a call. False: there is nothing more to watch. */
bool ncs_shim_look_at_time(int64_t idle, int64_t limit);
/* True for that thread. */
#define NCS_SHIM_WATCH_NAME "ncs_watch"
bool ncs_shim_is_watch(pid_t thread);
/* True if the process has child processes. */
bool ncs_shim_has_children(void);

/* Warns about libraries of NCCL and CUDA that the program has mapped besides the drop-in ones. */
void ncs_shim_warn_of_others(bool at_end);

/* Writes all bytes, after the program's own output. A closed pipe does not end the program by a signal, and is no failure:
 * nobody reads it. False with errno: some are lost. */
bool ncs_shim_write(int file, const char *text, size_t bytes);

/* Prints a line on standard error. */
void ncs_shim_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
