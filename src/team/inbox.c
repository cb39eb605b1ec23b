#include "team/inbox.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"

#define INBOX_PIECE ((size_t)256 << 10) /* bytes of one read */
#define INBOX_KEPT ((size_t)1 << 20)    /* room that an empty inbox keeps */

static size_t inbox_padded(size_t bytes)
{
    return (bytes + TEAM_ALIGNED - 1) / TEAM_ALIGNED * TEAM_ALIGNED;
}

/* Room for a piece behind the bytes. It grows with what has come, not with what a head announces. */
static void inbox_grow(struct team_inbox *in)
{
    size_t left = in->count - in->from;
    if (in->from && left <= in->from) { /* each byte moves at most as often as its room has doubled */
        memcpy(in->bytes, in->bytes + in->from, left);
        in->from = 0;
        in->count = left;
    }
    if (!in->count && in->room > INBOX_KEPT)
        team_inbox_free(in);
    in->bytes = ncs_grown(in->bytes, &in->room, in->count + INBOX_PIECE, 1);
}

enum team_read team_inbox_read(struct team_inbox *in, int fd, const char **why)
{
    ssize_t got;
    if (in->broken) {
        *why = in->broken;
        return TEAM_OVER;
    }
    inbox_grow(in);
    do
        got = recv(fd, in->bytes + in->count, INBOX_PIECE, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        in->count += (size_t)got;
        return TEAM_READ;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return TEAM_NOTHING;
    *why = got == 0 ? "the connection ended" : strerror(errno);
    return TEAM_OVER;
}

bool team_inbox_next(struct team_inbox *in, struct ncs_team_message *message)
{
    struct team_head head;
    if (in->broken || in->count - in->from < sizeof head)
        return false;
    memcpy(&head, in->bytes + in->from, sizeof head);
    if (head.magic != TEAM_HEAD_MAGIC)
        in->broken = "it sent what is no message";
    else if (head.bytes > NCS_TEAM_MOST)
        in->broken = "it sent a message of more than 64 MiB";
    if (in->broken || in->count - in->from < sizeof head + inbox_padded(head.bytes))
        return false;
    *message = (struct ncs_team_message){
        .kind = head.kind, .line = head.line, .bytes = head.bytes, .body = in->bytes + in->from + sizeof head
    };
    in->from += sizeof head + inbox_padded(head.bytes);
    return true;
}

void team_inbox_free(struct team_inbox *in)
{
    ncs_free(in->bytes);
    *in = (struct team_inbox){ .broken = in->broken };
}
