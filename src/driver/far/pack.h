/* Calls as bytes. A rank whose process is another one makes its calls there: the process that leads sends the arguments and the
 * memory that belongs to them, and gets the results. Handles and addresses of other processes are marked with the process's number,
 * so that no two processes' are equal; theirs have no mark there. */
#ifndef NCS_DRIVER_PACK_H
#define NCS_DRIVER_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "api/journal.h"
#include "base/str.h"

/* Kinds of messages (team/team.h). */
enum far_kind {
    FAR_CALL = 1, /* to a member: struct far_request, items; answered */
    FAR_READ,     /* struct far_extent; answered with these bytes as an item */
    FAR_VARIABLE, /* "NAME=value" or "NAME", for its environment; answered */
    FAR_CLOSE,    /* the line is not used any more */
    FAR_ANSWER,   /* to the leader: struct far_answer, items */
    FAR_LATE, /* to the leader: struct far_late of each handle that a call has written since; before the answer to that call */
    FAR_TASK, /* to the leader: struct far_task; `line` is a number of the member's, from FAR_TASK_LINES on. Until FAR_DONE the
                   * stream's thread answers on this line, as CUDA forbids some calls to it */
    FAR_DONE, /* to the member: the task with this line has run */
};

#define FAR_TASK_LINES (UINT32_C(1) << 31)

#define FAR_CHUNK ((size_t)16 << 20) /* bytes of a copy that travel in one message, at most */

struct far_request {
    int32_t fn;
    uint32_t clears; /* the thread's last error of CUDA, first */
    union ncs_arg arg[NCS_MAX_ARGS];
};

struct far_answer {
    union ncs_arg result;
    int32_t device; /* the thread's current device, and the error that CUDA keeps for it, after the call */
    int32_t error;
    uint32_t absent; /* the library there lacks the function */
    uint32_t unused;
};

struct far_extent {
    uint64_t address, bytes;
};

/* A handle that the library has written, maybe after the end of the call that asked for it. */
struct far_late {
    uint64_t address; /* in the leader */
    uint64_t handle;  /* as the member sees it */
};

/* A function of the script's that a stream runs. No message names the function: the leader knows it by a number. */
struct far_task {
    uint64_t number, stream;
    int32_t status, unused;
};

/* Memory that belongs to an argument; its bytes follow, and then bytes up to a multiple of 8. */
struct far_item {
    uint32_t at;    /* the argument, or one of what follows */
    uint32_t back;  /* in a request: the memory comes back in the answer */
    uint64_t bytes; /* that follow */
    uint64_t room;  /* in a request: that the memory has, at least `bytes` */
};

enum {
    FAR_NET_NAME = NCS_MAX_ARGS,
    FAR_COMM_NAME, /* texts of the configuration */
    FAR_TEXT,      /* the result, if that is a text */
    FAR_ITEMS
};

void far_add_item(struct ncs_str *out, const struct far_item *item, const void *bytes);

struct far_reader {
    const unsigned char *at, *end;
};

/* The next item and its bytes, which are aligned as in the message; false at the end, and at one that is not whole. */
bool far_next_item(struct far_reader *r, struct far_item *item, const void **bytes);

/* ---- mark.c: handles and addresses ---- */

/* Of one process: as the leader sees it; as that process sees it. NULL, and streams that CUDA numbers, are the same everywhere. */
const void *far_mark(const void *p, int process);
const void *far_unmark(const void *p);
int far_process_of(const void *p); /* 0 = the leader's */
bool far_is_number(const void *p); /* NULL, or such a stream */

#define FAR_PROCESSES_MOST 2047

/* True for a kind whose value is a handle or an address of a process. */
bool far_is_address(enum ncs_kind kind);
bool far_is_handle(enum ncs_kind kind); /* one that no other process could use */

/* ---- a call ---- */

/* Appends the request. False: an argument has no meaning in another process, or belongs to another one. */
bool far_pack(struct ncs_str *out, enum ncs_fn fn, const union ncs_arg *arg, int process);
/* The bytes that a copy reads or writes at argument `at`, which is an address; 0 = the function is no copy, or it is empty. */
size_t far_copied(enum ncs_fn fn, const union ncs_arg *arg, int at);
/* Carries the answer's items to the memory of the arguments. Returns the result that is a text, which the caller frees, or NULL. */
char *far_unpack(enum ncs_fn fn, const union ncs_arg *arg, int process, struct far_reader *items);

#endif
