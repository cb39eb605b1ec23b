/* Messages between the process that leads and the others. A rank whose process is another one makes its calls there, as
 * api/carry.h says. Handles and addresses of other processes are marked with the process's number, so that no two processes' are
 * equal; theirs have no mark there. */
#ifndef NCS_DRIVER_MESSAGE_H
#define NCS_DRIVER_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/carry.h"

/* Kinds of messages (team/team.h). */
enum far_kind {
    FAR_CALL = 1, /* to a member: struct ncs_carry_request, items; answered */
    FAR_READ,     /* struct far_extent; answered with these bytes as an item */
    FAR_VARIABLE, /* "NAME=value" or "NAME", for its environment; answered */
    FAR_CLOSE,    /* the line is not used any more */
    FAR_ANSWER,   /* to the leader: struct ncs_carry_answer, items */
    FAR_LATE, /* to the leader: struct far_late of each handle that a call has written since; before the answer to that call */
    FAR_TASK, /* to the leader: struct far_task; `line` is a number of the member's, from FAR_TASK_LINES on. Until FAR_DONE the
                   * stream's thread answers on this line, as CUDA forbids some calls to it */
    FAR_DONE, /* to the member: the task with this line has run */
};

#define FAR_TASK_LINES (UINT32_C(1) << 31)

#define FAR_CHUNK ((size_t)16 << 20) /* bytes of a copy that travel in one message, at most */

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

/* ---- mark.c: handles and addresses ---- */

/* Handles of one process: as the leader sees them; as that process sees them. NULL, and streams that CUDA numbers, are equal. */
const void *far_mark(const void *p, int process);
const void *far_unmark(const void *p);
int far_process_of(const void *p); /* 0 = the leader's */
bool far_is_number(const void *p); /* NULL, or such a stream */

#define FAR_PROCESSES_MOST 2047

/* How the leader sees that process, for the carrier of calls. */
struct ncs_carry_view far_view(int process);

#endif
