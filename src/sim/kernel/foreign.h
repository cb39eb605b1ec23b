/* Threads of a program that calls in from outside (sim/README.md, rule 7). The token is a mutex; the clock
 * follows real time and is never behind it; what a device has to do is done when somebody enters or
 * waits, as if it cost no time. A thread that waits does so outside the token, and looks up now and
 * then: so nobody but the program's own threads is needed. */
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

/* Takes the token for a call. A thread that is none so far becomes a context of process 0; `local`,
 * from ncs_new, is then taken over. Whatever is due is done. */
void sim_foreign_enter(struct ncs_local *local);
/* Gives it back; whoever can go on is woken. */
void sim_foreign_leave(void);
/* The calling thread, a context that is in no call, ends. */
void sim_foreign_detach(void);
/* The calling thread is a context already. */
bool sim_foreign_is_attached(void);

/* Called with the token by a thread that has looked up in vain: there was no progress (progress.h), and
 * nothing is due, since it last looked. `idle` is how long that has been so, in real ns. */
extern void (*sim_foreign_idle)(int64_t idle);
/* Whether the thread waits in a call, or is one of the machine's own without work; with the token. */
bool sim_foreign_is_waiting(pid_t thread);
/* Whether the thread goes on asking in vain, and has for most of such a time; with the token. */
bool sim_foreign_is_polling(pid_t thread, int64_t patience);
/* Whether some call waits, or is asked for in vain, and nothing that is to come would end that; with the
 * token. */
bool sim_foreign_is_stuck(void);
/* How the program is being judged to have ended; the snapshot says it. */
void sim_foreign_stop(enum ncs_stop how);

/* Whether threads stand at the door, about to take the token; if `patience` is not below 0, other ones than
 * those that sim_foreign_is_polling. */
bool sim_foreign_is_entered(int64_t patience);

/* Around a fork: nobody holds the token while it happens. */
void sim_foreign_fork(bool before);

/* The id comes from another process's machine. */
bool sim_foreign_id_is_strange(const ncclUniqueId *id);

/* ---- for the other files of the room ---- */

/* Parks the context until it is READY. */
void sim_foreign_wait(struct context *c);
void sim_foreign_wake(struct context *c);
/* Around a function of the program's that the machine calls. */
void sim_foreign_let_go(void);
void sim_foreign_take_back(void);
/* Marks an id as of this machine's. */
void sim_foreign_stamp_id(ncclUniqueId *id);

#endif
