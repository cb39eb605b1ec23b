/* The reader of messages between processes: whole messages come out of any bytes, in order, none after a broken head, and the same
 * ones however the bytes arrive. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/inbox.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 12 };

static void must(int holds)
{
    if (!holds)
        abort();
}

/* The next message by the rules alone. */
static bool expect(const uint8_t *data, size_t size, size_t trailer, size_t *at, struct ncs_message *out)
{
    struct ncs_frame_head head;
    if (size - *at < sizeof head)
        return false;
    memcpy(&head, data + *at, sizeof head);
    size_t whole = sizeof head + (head.bytes + (size_t)15) / 16 * 16;
    if (head.magic != NCS_FRAME_MAGIC || head.bytes > MOST || whole + trailer > size - *at)
        return false;
    *out = (struct ncs_message){ head.kind, head.line, data + *at + sizeof head, head.bytes, data + *at + whole };
    *at += whole + trailer;
    return true;
}

static void texts(const struct ncs_message *m)
{
    size_t all = 0;
    for (int i = 0; i < 8; i++)
        all += strlen(ncs_message_text(m, i));
    must(all <= m->bytes);
}

static void next_all(struct ncs_inbox *in, const uint8_t *data, size_t size, size_t *at)
{
    struct ncs_message m, wanted;
    while (ncs_inbox_next(in, MOST, &m)) {
        must(expect(data, size, in->trailer, at, &wanted));
        must(m.kind == wanted.kind && m.line == wanted.line && m.bytes == wanted.bytes);
        must((uintptr_t)m.body % NCS_FRAME_ALIGNED == 0 && memcmp(m.body, wanted.body, m.bytes) == 0);
        must(memcmp(m.trailer, wanted.trailer, in->trailer) == 0);
        texts(&m);
    }
}

static void read_in_pieces(const uint8_t *data, size_t size, size_t piece, size_t trailer)
{
    struct ncs_inbox in = { .trailer = trailer };
    struct ncs_message wanted;
    const char *why = NULL;
    size_t at = 0;
    int ends[2];
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    for (size_t sent = 0; sent < size; sent += piece) {
        size_t count = size - sent < piece ? size - sent : piece;
        must(write(ends[1], data + sent, count) == (ssize_t)count);
        while (ncs_inbox_read(&in, ends[0], &why) == NCS_INBOX_READ)
            next_all(&in, data, size, &at);
    }
    close(ends[1]);
    must(ncs_inbox_read(&in, ends[0], &why) == NCS_INBOX_OVER && why);
    must(!expect(data, size, trailer, &at, &wanted)); /* no whole message was left out */
    ncs_inbox_free(&in);
    close(ends[0]);
}

/* All that is written is read. */
static void there_and_back(const uint8_t *data, size_t size)
{
    struct ncs_str out = { 0 };
    char text[MOST] = "";
    memcpy(text, data, size < MOST ? size : MOST - 1);
    ncs_message_add(&out, 3, data, size < MOST ? size : MOST);
    ncs_message_add_texts(&out, 4, "first", text, NULL);
    struct ncs_inbox in = { .bytes = out.text, .count = out.bytes, .room = out.room };
    struct ncs_message m;
    must(ncs_inbox_next(&in, MOST, &m) && m.kind == 3 && memcmp(m.body, data, m.bytes) == 0);
    must(ncs_inbox_next(&in, 2 * MOST, &m) && m.kind == 4);
    must(strcmp(ncs_message_text(&m, 1), text) == 0 && !*ncs_message_text(&m, 2));
    must(!ncs_inbox_next(&in, MOST, &m) && !in.broken);
    ncs_str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 14)
        return 0;
    read_in_pieces(data, size, size ? size : 1, 0);
    read_in_pieces(data, size, 37, 0);
    read_in_pieces(data, size, 37, NCS_FRAME_ALIGNED);
    there_and_back(data, size);
    return 0;
}
