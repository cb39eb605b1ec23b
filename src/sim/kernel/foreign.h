/* Threads of a program from outside (sim/README.md, rule 7). The token is a mutex. The clock
 * follows real time. Due device work is done when a thread enters, waits or leaves, and costs no real
 * time. A waiting thread sleeps outside the token and wakes now and then to look, so no helper
 * thread is needed. */
#ifndef NCS_SIM_FOREIGN_H
#define NCS_SIM_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/local.h"
#include "api/snapshot.h"
#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

struct context;

/* Takes the token for a call and does all due work. A thread without a context becomes one of
 * the process that `local` names, and takes `local` over, which ncs_new has made. */
void sim_foreign_enter(struct ncs_local *local);
/* Gives the token back and wakes contexts that can go on. */
void sim_foreign_leave(void);
/* Ends the calling thread's context, which must be in no call. */
void sim_foreign_detach(void);
/* The calling thread is a context already. */
bool sim_foreign_is_attached(void);

/* Called with the token by a thread that woke and found nothing due and no progress (progress.h)
 * since its last look. `idle` is how long that has lasted, in real ns. */
extern void (*sim_foreign_idle)(int64_t idle);
/* True if the thread waits in a call, or is an idle thread of the machine's own.
 * Needs the token. */
bool sim_foreign_is_waiting(pid_t thread);
/* True if the thread keeps polling in vain, and has for most of `patience`. Needs the token. */
bool sim_foreign_is_polling(pid_t thread, int64_t patience);
/* The number of the thread, as which its calls name it; 0 = unknown. Needs the token. */
pid_t sim_foreign_number(int rank, int thread);
/* For a thread that is no context: takes the token and checks if the program is stuck. Returns for how long, in real ns,
 * no call other than queries (`looks` of api.h) was made and nothing else made progress. */
int64_t sim_foreign_watch(void);
/* True if some thread of the program has made a call. Needs the token. */
bool sim_foreign_has_threads(void);
/* True if a call waits. Needs the token. */
bool sim_foreign_some_wait(void);
/* Gives the token back. */
void sim_foreign_unwatch(void);
/* Notes a call of the calling thread that is not only a query. acts: it is about communicators. Needs the token. */
void sim_foreign_called(bool acts);
/* True if the thread has made a call about communicators. Needs the token. */
bool sim_foreign_acts(pid_t thread);
/* The calling thread runs a stream's host function, or has ended it. Needs the token. */
void sim_foreign_in_function(bool runs);
/* Sets the stop that the snapshot will report for the program. */
void sim_foreign_stop(enum ncs_stop how);

/* True if threads are about to take the token. If `patience` is not negative, threads for which
 * sim_foreign_is_polling holds do not count. */
bool sim_foreign_is_entered(int64_t patience);

/* A process of the program, beside process 0: whose memory its pageable pointers mean, and the device that is current in its
 * new threads, its variables (sim_settings_adopt). Without the token. */
void sim_foreign_new_process(int number, pid_t pid, int device, const char *variables);
/* The process has ended: none of its threads acts any more, and its devices do no more work. why: what ended it, "signal 11";
 * NULL = it came to its end by itself. Without the token. */
void sim_foreign_end_process(int number, const char *why);

/* Brackets a fork: no thread holds the token meanwhile. */
void sim_foreign_fork(bool before);

/* True if the id was made by another process's machine. */
bool sim_foreign_id_is_strange(const ncclUniqueId *id);

/* ---- for the other files of the room ---- */

/* Parks the context until it is READY. */
void sim_foreign_wait(struct context *c);
void sim_foreign_wake(struct context *c);
/* Release and take the token around a function of the program that the machine calls. */
void sim_foreign_let_go(void);
void sim_foreign_take_back(void);
/* Stops the running context for good: its thread never returns, and counts as waiting. */
_Noreturn void sim_foreign_halt(struct context *c);
/* Marks an id as made by this machine. */
void sim_foreign_stamp_id(ncclUniqueId *id);

#endif
