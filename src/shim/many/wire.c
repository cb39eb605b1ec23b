#define _GNU_SOURCE /* syscall, MSG_CMSG_CLOEXEC */
#include "shim/many/wire.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The other side mostly answers at once: to let it run costs a third of sleeping and being woken, if processors are short. */
#define WIRE_YIELDS 4

void wire_wait(struct wire *w, enum wire_side side, enum wire_state state)
{
    const struct timespec second = { .tv_sec = 1 };
    for (int i = 0; i < WIRE_YIELDS; i++) {
        if (atomic_load(&w->state) != (int)state)
            return;
        sched_yield();
    }
    atomic_store(&w->sleeps[side], true);
    syscall(SYS_futex, &w->state, FUTEX_WAIT, (int)state, side == WIRE_MACHINE ? NULL : &second, NULL, 0);
    atomic_store(&w->sleeps[side], false);
}

void wire_set(struct wire *w, enum wire_state state)
{
    atomic_store(&w->state, (int)state);
    wire_wake(w);
}

void wire_wake(struct wire *w)
{
    if (atomic_load(&w->sleeps[WIRE_PROGRAM]) || atomic_load(&w->sleeps[WIRE_MACHINE]))
        syscall(SYS_futex, &w->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Room for one descriptor beside a message. */
union beside {
    char room[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
};

bool wire_send(int socket, const void *message, size_t bytes, int file)
{
    union beside beside = { 0 };
    struct iovec part = { (void *)message, bytes };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = beside.room, .msg_controllen = sizeof beside.room };
    struct cmsghdr *head = CMSG_FIRSTHDR(&m);
    *head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof file) };
    memcpy(CMSG_DATA(head), &file, sizeof file);
    if (file < 0)
        m.msg_controllen = 0;
    ssize_t n;
    while ((n = sendmsg(socket, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        continue;
    return n == (ssize_t)bytes;
}

bool wire_receive(int socket, void *message, size_t bytes, int *file)
{
    union beside beside = { 0 };
    struct iovec part = { message, bytes };
    /* CMSG_SPACE has room for a second descriptor, which would stay open. */
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = beside.room, .msg_controllen = CMSG_LEN(sizeof *file) };
    ssize_t n;
    while ((n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        continue;
    struct cmsghdr *head = n >= 0 ? CMSG_FIRSTHDR(&m) : NULL;
    *file = -1;
    if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof *file))
        memcpy(file, CMSG_DATA(head), sizeof *file);
    bool whole = n == (ssize_t)bytes && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
    if (!whole && *file >= 0) {
        close(*file);
        *file = -1;
    }
    if (!whole && n >= 0) /* a descriptor that came and had no number is lost */
        errno = m.msg_flags & MSG_CTRUNC && !head ? EMFILE : EPROTO;
    return whole;
}
