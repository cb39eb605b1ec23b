/* Messages between processes: writing them, and reading whole ones out of the bytes that a pipe or a connection has brought. */
#ifndef NCS_BASE_INBOX_H
#define NCS_BASE_INBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/frame.h"
#include "base/str.h"

struct ncs_message {
    uint32_t kind, line; /* the user's */
    const void *body;
    size_t bytes;        /* aligned to NCS_FRAME_ALIGNED bytes; valid until the next read */
    const void *trailer; /* what follows the body, filled up */
};

struct ncs_inbox {
    char *bytes;
    size_t room, from, count; /* [from, count) is not delivered */
    size_t trailer;           /* bytes that follow each message; a multiple of NCS_FRAME_ALIGNED */
    const char *broken;       /* why no more messages can be read; NULL = they can */
};

enum ncs_inbox_got { NCS_INBOX_READ, NCS_INBOX_NOTHING, NCS_INBOX_OVER };

/* Reads what is there, at most a large piece. NOTHING: the descriptor does not block, and has none now. OVER: it is at its end, and
 * *why says how. */
enum ncs_inbox_got ncs_inbox_read(struct ncs_inbox *in, int fd, const char **why);

/* The next whole message, whose body has at most so many bytes. False: there is none, or the stream is broken. */
bool ncs_inbox_next(struct ncs_inbox *in, size_t most, struct ncs_message *message);

void ncs_inbox_free(struct ncs_inbox *in);

/* A body may be texts, each with its zero byte. The text with this number, from 0; "" = there is none. */
const char *ncs_message_text(const struct ncs_message *message, int number);

/* Appends a message. */
void ncs_message_add(struct ncs_str *out, uint32_t kind, const void *body, size_t bytes);
/* The same with texts, up to a NULL. */
void ncs_message_add_texts(struct ncs_str *out, uint32_t kind, ...) __attribute__((sentinel));

#endif
