/* The carrier of calls: how a call is made in another process than that of its caller.
 *
 * Caller: the process of the program or of the script. Maker: the process that makes the call. Two transports carry the bytes
 * between them: TCP, for ranks of other hosts whose calls the leader of a team asks for (driver/far), and shared memory, for the
 * processes of a program under `exec` whose calls the machine makes (shim/many). All that is said of calls is said here.
 *
 *   caller  ncs_carry_pack    request: the function, its arguments, and as items the memory that these point to
 *   maker   ncs_carry_take    the request, checked: each argument that points to memory points to memory of the maker's own
 *           ...               makes the call (ncs_invoke)
 *           ncs_carry_answer  its result, and as items the memory that it has written
 *   caller  ncs_carry_unpack  puts the items where the call's arguments point
 *
 * ncs_carry_call is all that the caller does; how the bytes travel is its argument.
 *
 * No side names an address, a function or a variable of the other one:
 *   - What an argument points to travels as an item. The maker allots memory for it, of the size that its own table (ncs_carry)
 *     says, and refuses a request in which an item is missing, too small, or said twice.
 *   - A function of the caller's is known by a number, which the caller forgets when it has run (ncs_carry_note_function).
 *   - A handle that the library may write after the call goes to a cell of the maker's, until it is written; the address to which
 *     it then goes is the caller's affair, who has announced it (ncs_carry_tell_late).
 *   - Addresses of devices and handles are those that the maker has given out. The simulator checks them itself; who makes calls of
 *     real libraries says with `ncs_carry_owns` which ones it has announced. */
#ifndef NCS_API_CARRY_H
#define NCS_API_CARRY_H

#include <pthread.h>
#include <stddef.h>

#include "api/journal.h"
#include "base/str.h"

enum ncs_carry {
    NCS_CARRY_NOT, /* a number, a handle, or memory of the process that makes the call */
    NCS_CARRY_IN,  /* read before the call */
    NCS_CARRY_OUT, /* written after it */
    NCS_CARRY_INOUT,
    NCS_CARRY_LATE,  /* a handle that may be written after the call */
    NCS_CARRY_NEVER, /* has no meaning in another process */
    NCS_CARRY_TEXT,  /* a text, or NULL */
    NCS_CARRY_CONFIG /* an ncclConfig_t, which says its size itself, and points to texts; or NULL */
};

struct ncs_carried {
    enum ncs_carry how;
    size_t bytes; /* of what the argument points to; 0 of texts and configurations */
};

#define NCS_CARRY_TEXT_MOST ((size_t)4096) /* bytes of a text, and of the room for one */
#define NCS_CARRY_MOST ((size_t)64 << 20)  /* bytes of an item */

/* Of argument `at`, whose number of bytes the others may tell. Copies of memory (cudaMemcpy ...) count as memory of the process
 * that makes the call. */
struct ncs_carried ncs_carry(enum ncs_fn fn, const union ncs_arg *arg, int at);
/* The bytes that a copy reads or writes at argument `at`, which is an address; 0 = the function is no copy, or it is empty. */
size_t ncs_carry_copied(enum ncs_fn fn, const union ncs_arg *arg, int at);
bool ncs_carry_is_copy(enum ncs_fn fn, enum ncs_kind kind); /* of its argument of this kind */
/* True for a kind whose value is a handle or an address of a process. */
bool ncs_carry_is_address(enum ncs_kind kind);

/* ---- bytes: a request or an answer, and items behind it ---- */

struct ncs_carry_request {
    int32_t fn;
    uint32_t clears; /* the thread's last error of CUDA, first */
    uint64_t arg[NCS_MAX_ARGS];
};

struct ncs_carry_answer {
    int64_t result;
    int32_t device; /* the thread's current device, and the error that CUDA keeps for it, after the call, if the maker says so */
    int32_t error;
    uint32_t absent; /* the call was not made: it was refused, or the library there lacks the function */
    uint32_t unused;
};

/* Memory that belongs to an argument; its bytes follow, and then bytes up to a multiple of 8. */
struct ncs_carry_item {
    uint32_t at;    /* the argument, or one of what follows */
    uint32_t back;  /* in a request: the memory comes back in the answer */
    uint64_t bytes; /* that follow */
    uint64_t room;  /* in a request: that the memory has, at least `bytes` */
};

enum {
    NCS_CARRY_NET_NAME = NCS_MAX_ARGS,
    NCS_CARRY_COMM_NAME, /* texts of the configuration */
    NCS_CARRY_RESULT,    /* the result, if that is a text */
    NCS_CARRY_ITEMS
};

void ncs_carry_add_item(struct ncs_str *out, const struct ncs_carry_item *item, const void *bytes);

struct ncs_carry_reader {
    const unsigned char *at, *end;
};

/* Reads what comes first (a request, an answer). False: it is not whole. */
bool ncs_carry_begin(struct ncs_carry_reader *r, const void *message, size_t bytes, void *first, size_t first_bytes);
/* The next item and its bytes, which are aligned as in the message; false at the end, and at one that is not whole. */
bool ncs_carry_next(struct ncs_carry_reader *r, struct ncs_carry_item *item, const void **bytes);

/* ---- the caller ---- */

/* How the caller sees addresses and handles of the maker, where it sees them otherwise than the maker does. `self`: the maker. */
struct ncs_carry_view {
    int self;
    /* Argument `at`, which may be an address or a handle, and may be changed. CARRIED: it has done what there is to do.
     * MEMORY: the argument points to memory of the caller. REFUSED: it has no meaning there. */
    enum ncs_carry_seen {
        NCS_CARRY_SEEN,
        NCS_CARRY_MEMORY,
        NCS_CARRY_REFUSED
    } (*see)(int self, struct ncs_str *out, enum ncs_fn fn, union ncs_arg *arg, int at);
    bool (*is_own)(const void *p); /* an address of the caller's */
    /* Called for the memory that the answer has written. */
    void (*mark)(int self, enum ncs_kind kind, void *memory, size_t bytes);
};

/* Appends the request. False: an argument has no meaning in another process, or belongs to another one. view: NULL = addresses are
 * the same on both sides. */
bool ncs_carry_pack(struct ncs_str *out, enum ncs_fn fn, const union ncs_arg *arg, const struct ncs_carry_view *view);
/* Takes the answer. Memory that a call with these arguments does not write is left out. *text gets the result that is a text, valid as
 * long as the answer, or NULL. False: it is not whole. */
bool ncs_carry_unpack(enum ncs_fn fn, const union ncs_arg *arg, const struct ncs_carry_view *view, const void *message,
                      size_t bytes, struct ncs_carry_answer *answer, const char **text);
/* The result of a call that could not be made: this code of the function's library. */
union ncs_arg ncs_carry_code(enum ncs_fn fn, ncclResult_t nccl, cudaError_t cuda);

/* Sends the message, and replaces it by the answer. False: the maker is gone. */
typedef bool ncs_carry_ask(int maker, enum ncs_fn fn, const union ncs_arg *arg, struct ncs_str *message);
/* Makes the call in another process. message: room for request and answer, which may be used again. */
union ncs_arg ncs_carry_call(enum ncs_fn fn, const union ncs_arg *arg, int maker, const struct ncs_carry_view *view,
                             struct ncs_str *message, ncs_carry_ask *ask);

/* Functions that calls give to streams. */
struct ncs_carry_function {
    int maker; /* whose stream runs it */
    bool is_callback;
    void (*function)(void);
    const void *data;
};

/* Keeps the function that the call gives to a stream of the maker, and puts a number in its place. Returns the number; 0 = the call
 * has none. The maker may then ask for it until it is forgotten. */
uint64_t ncs_carry_note_function(int maker, enum ncs_fn fn, union ncs_arg *arg);
/* False: no such function was given to that maker (-1 = to any), or it is forgotten, as it is now unless it `stays`. */
bool ncs_carry_take_function(int maker, uint64_t number, bool stays, struct ncs_carry_function *out);
void ncs_carry_forget_function(uint64_t number); /* 0 is a no-op */
void ncs_carry_forget_functions(void);
void ncs_carry_run_function(const struct ncs_carry_function *f, const void *stream, int status);

/* ---- the maker ---- */

/* Handles that the library may write after the call that asked for them. */
struct ncs_carry_lates {
    pthread_mutex_t lock;
    struct ncs_carry_late *first;
};

/* A call's memory here. */
struct ncs_carry_memory {
    void *memory;
    size_t room;
    uint32_t at;
    bool back;
};

struct ncs_carry_call {
    enum ncs_fn fn;
    const struct ncs_fn_info *info;
    bool clears, taken;
    union ncs_arg arg[NCS_MAX_ARGS];
    struct ncs_carry_memory memory[NCS_CARRY_ITEMS];
    size_t memories;
};

/* Whether the maker has given out the address, with so many bytes behind it, or the handle that is argument `at`. */
typedef bool ncs_carry_owns(const struct ncs_carry_call *c, int at, size_t bytes);

/* Takes the request apart. False: it is broken, or refused; ncs_carry_end frees what is left. owns: asked about addresses and
 * handles, and about memory that is not in the request; NULL = the former are checked elsewhere, and the latter is refused. */
bool ncs_carry_take(struct ncs_carry_call *c, const void *message, size_t bytes, struct ncs_carry_lates *lates,
                    ncs_carry_owns *owns);
/* The memory for argument `at`; NULL = none. */
void *ncs_carry_memory_of(const struct ncs_carry_call *c, int at, size_t *bytes);
/* Replaces the number of a function by `host` or `callback`, and its data by `data`. Returns the number; 0 = the call has none. */
uint64_t ncs_carry_set_function(struct ncs_carry_call *c, cudaHostFn_t host, cudaStreamCallback_t callback, void *data);
/* Appends what the call has written. */
void ncs_carry_results(const struct ncs_carry_call *c, union ncs_arg result, struct ncs_str *items);
void ncs_carry_end(struct ncs_carry_call *c);

/* Calls `tell` for each handle that has been written since the last time, with the lock. */
void ncs_carry_tell_late(struct ncs_carry_lates *lates, void (*tell)(void *arg, uint64_t there, const void *handle), void *arg);
/* Their owner has gone, or has no use for them any more. */
void ncs_carry_forget_late(struct ncs_carry_lates *lates);

#endif
