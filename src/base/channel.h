/* The pipe on which a program under exec reports to the program that started it. An environment variable
 * names it by process, descriptor and inode, and the writer opens it for each line. An inherited
 * descriptor would not do: programs that start others close it, and may reuse its number. A line is one
 * word with its operands:
 *   used            the simulator was called
 *   cuda            the simulator's CUDA runtime was called
 *   verdict N       ncclscript ended the program, with exit status N
 *   ended N         the program ended by itself; N is not 0 if it made a mistake
 *   other A TAB B   it mapped library A instead of B
 *   cause TEXT      how it ended, in one line
 *   scenario        it wrote the file of --record
 *   files           it wrote the files that exec asks for
 *   site N r F PLACE  the rank that exec asks for called function F at PLACE N times; with - in place of r:
 *                   threads without a rank did
 * All in a header, because the audit library shares no object code with the program that it audits. */
#ifndef NCS_BASE_CHANNEL_H
#define NCS_BASE_CHANNEL_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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

#endif
