/* The recorder: a library that a program gets by LD_PRELOAD. It takes the place of NCCL's functions and of a few of the
 * CUDA runtime, calls the real ones, and writes each call into a file (api/recording.h). A process that makes no such call
 * leaves no file. */
#ifndef NCS_SHIM_RECORD_RECORDER_H
#define NCS_SHIM_RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "api/journal.h"
#include "api/recording.h"

/* A call between its two ends, on the stack of its wrapper. */
struct recorder_call {
    enum ncs_fn fn;
    const union ncs_arg *arg;
    struct ncs_recording_thread *thread; /* NULL = this call is not recorded */
    struct ncs_recording_call *slot;     /* in a ring; NULL = a query, in none so far */
    struct ncs_recording_comm *comm;     /* of a counted call */
    uint64_t *pair;                      /* the length of its sequence of sends or receives; NULL = it is in none */
    bool collective;                     /* it is in the sequence of collectives */
};

/* Both ends of a call. A call from inside another one (NCCL's own, or of a profiler) is not recorded. */
void ncs_recorder_begin(struct recorder_call *c, enum ncs_fn fn, const union ncs_arg *arg, void *site);
/* Exported, for a simulator below the recorder: where the thread's latest call into the recorder returns to. */
void *ncclscriptRecordCaller(void);
void ncs_recorder_end(struct recorder_call *c, int rc);
/* In a child process: the calling thread has no entry in a file yet. */
void ncs_recorder_forget_thread(void);

/* ---- time (clock.c) ---- */

/* The processor's counter, or else ns. */
uint64_t ncs_recorder_ticks(void);
struct ncs_recording_pulse ncs_recorder_pulse(void);
/* Notes the moment in the file, if the latest such note is old. */
void ncs_recorder_keep_time(struct ncs_recording_head *head, uint64_t ticks);
/* In a child process: the thread that wrote the moment may be the parent's. */
void ncs_recorder_forget_time(void);

/* ---- the file (file.c) ---- */

struct recorder_file {
    struct ncs_recording_head *head;
    struct ncs_recording_function *function;
    struct ncs_recording_thread *thread;
    struct ncs_recording_comm *comm;
    struct ncs_recording_pair *pair;
    struct ncs_recording_site *site;
    struct ncs_recording_call *ring[2]; /* LASTING, RING */
    uint64_t mask[2];
};

/* The file of this process, which the first call opens; NULL = nothing is recorded. */
struct recorder_file *ncs_recorder_file(void);
/* The process has joined a communicator as this rank; id: the hash of its id. */
void ncs_recorder_name_file(struct ncs_recording_head *head, uint64_t id, int rank);

/* ---- parts of a record ---- */

/* How a function is recorded, from its row. */
struct recorder_plan {
    uint8_t nargs, special; /* special: it has arguments that are not copied as they are */
    bool lasting, looks, counted, pair, receives, closes_group;
    int8_t comm, count, peer, stream; /* where these arguments are; -1 = nowhere */
};

/* The device of the calling thread; -1 = unknown. */
int ncs_recorder_device(void);
void ncs_recorder_plan(struct recorder_plan *plan, enum ncs_fn fn);
/* Writes what arguments point to: before the call, and after it. */
void ncs_recorder_take_in(struct ncs_recording_call *to, enum ncs_fn fn, const union ncs_arg *arg);
void ncs_recorder_take_out(struct ncs_recording_call *to, enum ncs_fn fn, const union ncs_arg *arg, int rc);
/* The list among the arguments, as words; returns how many, at most `most`. `ended`: after the call. */
int ncs_recorder_list(enum ncs_fn fn, const union ncs_arg *arg, bool ended, uint64_t *word, int most, uint8_t *which);

/* The index + 1 of a place in the code; 0 = no room. */
uint16_t ncs_recorder_site(struct recorder_file *f, void *address);
/* Of the line of Python that makes the call; 0 = the thread runs no Python. */
uint16_t ncs_recorder_line(struct recorder_file *f);
/* Frees what the calling thread has for that. */
void ncs_recorder_end_lines(void);
/* False: the environment says that frames of Python are left alone. */
bool ncs_recorder_looks_for_python(void);
/* Writes a site into the file; returns its index + 1, 0 = no room. */
uint16_t ncs_recorder_add_site(struct recorder_file *f, const struct ncs_recording_site *site);
/* In a child process: its file has no sites yet. */
void ncs_recorder_forget_sites(void);
void ncs_recorder_forget_lines(void);

/* The counts of a communicator; NULL = no room. */
struct ncs_recording_comm *ncs_recorder_comm(struct recorder_file *f, uint64_t handle);
/* The length of the sequence of a communicator's sends to a peer, or receives from it; NULL = no room. */
uint64_t *ncs_recorder_pair(const struct recorder_file *f, const struct ncs_recording_comm *comm, int peer, bool receives);
/* A communicator is new at this address. */
void ncs_recorder_new_comm(struct recorder_file *f, uint64_t handle);

/* ---- the real functions (real.c) ---- */

/* One function that the recorder exports, under each of its names. */
struct recorder_export {
    const char *name;
    void *wrapper;
    void **real; /* filled at the first use */
};
extern const struct recorder_export ncs_recorder_exports[];

/* The real function of that name; NULL = no library of the program has it. Its library stays loaded from then on. */
void *ncs_recorder_real(const char *name);
/* Prints one line on standard error. */
void ncs_recorder_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
