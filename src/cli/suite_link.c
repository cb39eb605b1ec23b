/* The pipe between a process that makes runs and the one that reports them. Both are the same program, so
 * a parcel is a struct copied from memory, and its texts. */
#include "cli/suite.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

struct head {
    size_t run;
    bool last, as_expected, by_findings, drawn, undrawn;
    enum ncs_verdict verdict;
    int64_t wall;
    size_t text, reason, message, further, log; /* bytes */
};

struct ncs_link {
    int fd;
    bool full; /* there is an entry to be sent */
    struct ncs_report_entry entry;
    struct ncs_str log;
};

struct ncs_link *ncs_link_new(int fd)
{
    struct ncs_link *link = ncs_new(sizeof *link);
    link->fd = fd;
    return link;
}

void ncs_link_keep(struct ncs_link *link, struct ncs_report_entry *entry)
{
    ncs_report_entry_free(&link->entry);
    link->entry = *entry;
    link->full = true;
    *entry = (struct ncs_report_entry){ 0 };
}

struct ncs_str *ncs_link_log(struct ncs_link *link)
{
    return &link->log;
}

static void parcel_write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            _exit(ncs_verdict_exit(NCS_INTERNAL_FAULT));
        bytes += n;
        count -= (size_t)n;
    }
}

void ncs_link_send(struct ncs_link *link, size_t run, bool last)
{
    struct ncs_report_entry *e = &link->entry;
    struct head head = {
        .run = run,
        .last = last,
        .as_expected = e->as_expected,
        .by_findings = e->by_findings,
        .verdict = e->verdict,
        .drawn = e->drawn,
        .undrawn = e->undrawn,
        .wall = e->wall,
        .text = e->text.bytes,
        .reason = e->reason.bytes,
        .message = e->message.bytes,
        .further = e->further.bytes,
        .log = link->log.bytes,
    };
    if (!link->full)
        return;
    parcel_write_all(link->fd, (const char *)&head, sizeof head);
    parcel_write_all(link->fd, e->text.text, e->text.bytes);
    parcel_write_all(link->fd, e->reason.text, e->reason.bytes);
    parcel_write_all(link->fd, e->message.text, e->message.bytes);
    parcel_write_all(link->fd, e->further.text, e->further.bytes);
    parcel_write_all(link->fd, link->log.text, link->log.bytes);
    ncs_report_entry_free(e);
    ncs_str_clear(&link->log);
    link->full = false;
}

static const char *parcel_take(struct ncs_str *to, const char *from, size_t bytes)
{
    if (bytes)
        ncs_str_add_bytes(to, from, bytes);
    return from + bytes;
}

bool ncs_parcel_take(struct ncs_str *bytes, struct ncs_parcel *p)
{
    struct head head;
    if (bytes->bytes < sizeof head)
        return false;
    memcpy(&head, bytes->text, sizeof head);
    size_t whole = sizeof head + head.text + head.reason + head.message + head.further + head.log;
    if (bytes->bytes < whole)
        return false;
    *p = (struct ncs_parcel){ .run = head.run, .last = head.last };
    p->entry.verdict = head.verdict;
    p->entry.as_expected = head.as_expected;
    p->entry.by_findings = head.by_findings;
    p->entry.drawn = head.drawn;
    p->entry.undrawn = head.undrawn;
    p->entry.wall = head.wall;
    const char *at = parcel_take(&p->entry.text, bytes->text + sizeof head, head.text);
    at = parcel_take(&p->entry.reason, at, head.reason);
    at = parcel_take(&p->entry.message, at, head.message);
    at = parcel_take(&p->entry.further, at, head.further);
    at = parcel_take(&p->log, at, head.log);
    struct ncs_str rest = { 0 };
    parcel_take(&rest, at, bytes->bytes - whole);
    ncs_str_free(bytes);
    *bytes = rest;
    return true;
}

void ncs_parcel_free(struct ncs_parcel *p)
{
    ncs_report_entry_free(&p->entry);
    ncs_str_free(&p->log);
}
