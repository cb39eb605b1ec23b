/* The pipe on which a program under exec reports to the program that started it. An environment variable
 * names it by process, descriptor and inode, and the writer opens it for each message. An inherited
 * descriptor would not do: programs that start others close it, and may reuse its number.
 *
 * All in a header, because the audit library shares no object code with the program that it audits. */
#ifndef NCS_BASE_CHANNEL_H
#define NCS_BASE_CHANNEL_H

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/frame.h"

#define NCS_NO_REDIRECT "NCCLSCRIPT_NO_REDIRECT" /* set: the audit library only reports other libraries */
#define NCS_JOB "NCCLSCRIPT_JOB"                 /* of the machine for a job of many processes: its socket, @, and its host */
#define NCS_PROGRAM "NCCLSCRIPT_PROGRAM"         /* the number of the process that exec has started */
#define NCS_CHANNEL "NCCLSCRIPT_CHANNEL"
#define NCS_GREETING \
    "NCCLSCRIPT_GREETING"          /* a file in memory, named as the pipe is: its first byte is 1 once a process has
                                            * printed the first line */
#define NCS_WAYS "NCCLSCRIPT_WAYS" /* a file in memory, named as the pipe is: all ways to write the scenario of --record */
#define NCS_CHANNEL_FORMAT "%d:%d:%llu"

/* Opens what the text names, if it is of this type (S_IFIFO, S_IFREG); the caller closes it. -1 = it is not there. */
static inline int ncs_channel_open_as(const char *text, mode_t type, int flags)
{
    int process, number;
    unsigned long long inode;
    char path[64];
    struct stat at;
    if (!text || sscanf(text, NCS_CHANNEL_FORMAT, &process, &number, &inode) != 3)
        return -1;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, number);
    if (stat(path, &at) != 0 || (at.st_mode & S_IFMT) != type || at.st_ino != inode)
        return -1;
    return open(path, flags | O_CLOEXEC);
}

/* Opens the pipe for writing; the caller closes it. -1 = there is no pipe, or it is gone. */
static inline int ncs_channel_open(const char *text)
{
    return ncs_channel_open_as(text, S_IFIFO, O_WRONLY | O_NONBLOCK);
}

/* Kinds of messages, and their texts (base/inbox.h). */
enum ncs_channel_kind {
    NCS_CHANNEL_USED = 1, /* the simulator was called */
    NCS_CHANNEL_CUDA,     /* the simulator's CUDA runtime was called */
    NCS_CHANNEL_VERDICT,  /* ncclscript ended the program, with this exit status */
    NCS_CHANNEL_ENDED,    /* the program ended by itself; the number is not 0 if it made a mistake */
    NCS_CHANNEL_OTHER,    /* it mapped the first library instead of the second */
    NCS_CHANNEL_CAUSE,    /* how it ended, in one line */
    NCS_CHANNEL_SITE, /* so many calls of the rank that exec asks for (r), or of threads without a rank (-); function; place */
    NCS_CHANNEL_SCENARIO, /* the scenario of --record is written */
    NCS_CHANNEL_FILES,    /* the files that exec asks for are written */
};
typedef void ncs_channel_tell(enum ncs_channel_kind kind, const char *format, ...);

/* At most as much as a pipe takes as a whole. */
struct ncs_channel_message {
    struct ncs_frame_head head;
    char body[PIPE_BUF - sizeof(struct ncs_frame_head)];
};

/* Texts are separated by "%c", 0. Returns how many bytes the message has. */
static inline size_t ncs_channel_fill(struct ncs_channel_message *m, enum ncs_channel_kind kind, const char *format, va_list args)
{
    memset(m->body, 0, sizeof m->body);
    int n = vsnprintf(m->body, sizeof m->body, format, args);
    size_t bytes = n < 0 ? 0 : (size_t)n < sizeof m->body ? (size_t)n + 1 : sizeof m->body;
    m->head = (struct ncs_frame_head){ NCS_FRAME_MAGIC, (uint32_t)kind, 0, (uint32_t)bytes };
    return sizeof m->head + (bytes + NCS_FRAME_ALIGNED - 1) / NCS_FRAME_ALIGNED * NCS_FRAME_ALIGNED;
}

#endif
