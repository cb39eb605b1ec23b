/* The pipe by which a program under exec tells the program that started it. It is named in the environment
 * by the process, the number and the inode, and opened for each line: a number that is handed down would
 * be closed by whoever starts further programs, and something of theirs may stand at it.
 * What is told is a line of a word and what belongs to it:
 *   used            the simulator was called
 *   cuda            so was its CUDA runtime
 *   verdict N       the program was ended, with that exit status
 *   ended N         it has ended by itself, N not 0 for a mistake
 *   other A TAB B   it has mapped the library A in place of B
 * Whole in a header, as what audits a program shares no code with it. */
#ifndef NCS_BASE_CHANNEL_H
#define NCS_BASE_CHANNEL_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define NCS_CHANNEL "NCCLSCRIPT_CHANNEL"
#define NCS_CHANNEL_FORMAT "%d:%d:%llu"

/* A file to write to, the caller's to close; -1 = there is none, or no longer. */
static inline int ncs_channel_open(const char *text)
{
    int process, number;
    unsigned long long inode;
    char path[64];
    struct stat at;
    if (!text || sscanf(text, NCS_CHANNEL_FORMAT, &process, &number, &inode) != 3)
        return -1;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, number);
    if (stat(path, &at) != 0 || !S_ISFIFO(at.st_mode) || at.st_ino != inode)
        return -1;
    return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

#endif
