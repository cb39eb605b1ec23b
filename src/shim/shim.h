/* The simulator behind NCCL's and the CUDA runtime's own names, for programs that know nothing of
 * it: libnccl and libcudart are their exports (nccl.c, cuda.c), this is what they share. Opened by the first
 * call; the process then has one machine, and each of its threads that calls is a context of it. */
#ifndef NCS_SHIM_SHIM_H
#define NCS_SHIM_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#include "api/driver.h"
#include "api/journal.h"
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

/* The caller joins a communicator, if the arguments are an id and a rank. False, and no token, when an id is
 * another process's. */
bool ncs_shim_join(enum ncs_fn fn, const union ncs_arg *arg);

/* Calls the function in the caller's own stream where `arg` has the stream 0. What it returns. */
int ncs_shim_in_own(const struct ncs_api *of, enum ncs_fn fn, union ncs_arg *arg);

/* The definition of an exported function, as far as the call that it is about, by kind (functions.def). */
#define NCS_SHIM_ENTER(result, fn, name, parameters, refused)                                      \
    extern __typeof__(*((struct ncs_api *)0)->fn) name;                                            \
    result name parameters                                                                         \
    {                                                                                              \
        const struct ncs_api *api = ncs_shim_enter(NCS_FN_##fn);                                   \
        if (!api)                                                                                  \
            return refused;
#define NCS_SHIM_EXPORT_CODE(result, fn, name, parameters, arguments, ...)                         \
    NCS_SHIM_ENTER(result, fn, name, parameters, (result)ncs_shim_refusal())                       \
        if (!ncs_shim_join(NCS_FN_##fn, (const union ncs_arg[]){ __VA_ARGS__ }))                   \
            return (result)ncs_shim_refusal();                                                     \
        result rc = api->fn arguments;                                                             \
        ncs_shim_leave();                                                                          \
        return rc;                                                                                 \
    }
#define NCS_SHIM_EXPORT_COUNTED NCS_SHIM_EXPORT_CODE
#define NCS_SHIM_EXPORT_TEXT(result, fn, name, parameters, arguments, ...)                         \
    NCS_SHIM_ENTER(const char *, fn, name, parameters, "")                                         \
        const char *text = api->fn arguments;                                                      \
        ncs_shim_leave();                                                                          \
        return text;                                                                               \
    }
#define NCS_SHIM_EXPORT_VOID(result, fn, name, parameters, arguments, ...)                         \
    NCS_SHIM_ENTER(void, fn, name, parameters, )                                                   \
        api->fn arguments;                                                                         \
        ncs_shim_leave();                                                                          \
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
