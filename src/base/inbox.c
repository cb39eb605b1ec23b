#include "base/inbox.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define INBOX_PIECE ((size_t)256 << 10) /* bytes of one read */
#define INBOX_KEPT ((size_t)1 << 20)    /* room that an empty inbox keeps */

static size_t inbox_padded(size_t bytes)
{
    return (bytes + NCS_FRAME_ALIGNED - 1) / NCS_FRAME_ALIGNED * NCS_FRAME_ALIGNED;
}

/* ---- reading ---- */

/* Room for a piece behind the bytes. It grows with what has come, not with what a head announces. */
static void inbox_grow(struct ncs_inbox *in)
{
    size_t left = in->count - in->from;
    if (in->from && left <= in->from) { /* each byte moves at most as often as its room has doubled */
        memcpy(in->bytes, in->bytes + in->from, left);
        in->from = 0;
        in->count = left;
    }
    if (!in->count && in->room > INBOX_KEPT)
        ncs_inbox_free(in);
    in->bytes = ncs_grown(in->bytes, &in->room, in->count + INBOX_PIECE, 1);
}

enum ncs_inbox_got ncs_inbox_read(struct ncs_inbox *in, int fd, const char **why)
{
    ssize_t got;
    if (in->broken) {
        *why = in->broken;
        return NCS_INBOX_OVER;
    }
    inbox_grow(in);
    do
        got = read(fd, in->bytes + in->count, INBOX_PIECE);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        in->count += (size_t)got;
        return NCS_INBOX_READ;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return NCS_INBOX_NOTHING;
    *why = got == 0 ? "the connection ended" : strerror(errno);
    return NCS_INBOX_OVER;
}

bool ncs_inbox_next(struct ncs_inbox *in, size_t most, struct ncs_message *message)
{
    struct ncs_frame_head head;
    if (in->broken || in->count - in->from < sizeof head)
        return false;
    memcpy(&head, in->bytes + in->from, sizeof head);
    if (head.magic != NCS_FRAME_MAGIC)
        in->broken = "it sent what is no message";
    else if (head.bytes > most)
        in->broken = "it sent a message that is too long";
    size_t whole = sizeof head + inbox_padded(head.bytes);
    if (in->broken || in->count - in->from < whole + in->trailer)
        return false;
    *message = (struct ncs_message){ .kind = head.kind,
                                     .line = head.line,
                                     .bytes = head.bytes,
                                     .body = in->bytes + in->from + sizeof head,
                                     .trailer = in->bytes + in->from + whole };
    in->from += whole + in->trailer;
    return true;
}

void ncs_inbox_free(struct ncs_inbox *in)
{
    ncs_free(in->bytes);
    *in = (struct ncs_inbox){ .broken = in->broken, .trailer = in->trailer };
}

const char *ncs_message_text(const struct ncs_message *message, int number)
{
    const char *at = message->body, *end = at + message->bytes;
    for (; at < end; number--) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        if (!stop)
            return "";
        if (number == 0)
            return at;
        at = stop + 1;
    }
    return "";
}

/* ---- writing ---- */

void ncs_message_add(struct ncs_str *out, uint32_t kind, const void *body, size_t bytes)
{
    static const char fill[NCS_FRAME_ALIGNED];
    const struct ncs_frame_head head = { NCS_FRAME_MAGIC, kind, 0, (uint32_t)bytes };
    ncs_str_add_bytes(out, &head, sizeof head);
    if (bytes > 0)
        ncs_str_add_bytes(out, body, bytes);
    ncs_str_add_bytes(out, fill, inbox_padded(bytes) - bytes);
}

void ncs_message_add_texts(struct ncs_str *out, uint32_t kind, ...)
{
    struct ncs_str body = { 0 };
    va_list texts;
    va_start(texts, kind);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        ncs_str_add_bytes(&body, text, strlen(text) + 1);
    va_end(texts);
    ncs_message_add(out, kind, body.text, body.bytes);
    ncs_str_free(&body);
}
