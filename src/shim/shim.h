/* The simulator behind NCCL's and the CUDA runtime's own names, for programs that know nothing of
 * it: libnccl and libcudart are their exports (gen/), this is what they share. Opened by the first
 * call; the process then has one machine, and each of its threads that calls is a context of it. */
#ifndef NCS_SHIM_SHIM_H
#define NCS_SHIM_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#include "api/driver.h"
#include "api/local.h"
#include "api/snapshot.h"
#include "shim/settings.h"

/* Entry of an exported function: the table to call, with the token held until ncs_shim_leave. NULL,
 * and no token, for one that the version lacks or that cannot be served here: what to return is then
 * ncs_shim_refusal(). */
#define ncs_shim_enter(fn) ncs_shim_enter_from(fn, __builtin_return_address(0))
const struct ncs_api *ncs_shim_enter_from(enum ncs_fn fn, void *caller);
void ncs_shim_leave(void);
int ncs_shim_refusal(void);

/* The caller joins a communicator as that rank. False, and no token, when an id is another
 * process's. */
bool ncs_shim_join(const ncclUniqueId *id, int ids, int rank);

/* The stream that 0 means to a program with a default stream per thread. */
static inline cudaStream_t ncs_shim_own(cudaStream_t stream)
{
    return stream ? stream : cudaStreamPerThread;
}

/* What a program is told about itself is not the simulator's: a library above gives it. It is found
 * beside this one, libncclscript-exec.so, and asked for with the name NCS_SHIM_ABOVE. Every function
 * is called with the token. */
struct ncs_shim_above {
    /* The table to use in place of this one. */
    const struct ncs_api *(*open)(const struct ncs_shim_settings *settings,
                                  const struct ncs_driver *driver);
    /* What stands for a place in the program's code. */
    struct ncs_place (*place)(void *caller);
    /* NCS_STOP_QUIET: nothing can ever happen again. NCS_STOP_STALLED: only threads that poll could still
     * do something, and have not for `patience`. NCS_STOP_INTERRUPTED: nothing has happened for as long as
     * was allowed. May end the process. */
    void (*verdict)(enum ncs_stop how);
    void (*ended)(void); /* the process exits */
};
#define NCS_SHIM_ABOVE "ncs_exec_above"

/* Whether every thread of the process waits, and for nothing but another one: looked at twice. Those that
 * have polled in vain for such a time, unless it is below 0, are left out. */
bool ncs_shim_all_wait(int64_t patience);

/* Says which libraries of NCCL and CUDA the program has mapped that are none of the drop-in ones. */
void ncs_shim_tell_of_others(bool at_end);

/* Writes it all, if it can be; nobody's signal that nobody reads ends the program. What the program has
 * printed goes before. */
void ncs_shim_write(int file, const char *text, size_t bytes);

/* A line on standard error. */
void ncs_shim_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
