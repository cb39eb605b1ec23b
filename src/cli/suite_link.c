/* The pipe between a process that makes runs and the one that reports them. A parcel is a message for each of its texts, and then
 * one with the rest. */
#include "cli/suite.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/inbox.h"
#include "base/mem.h"

#define LINK_MOST UINT32_MAX /* bytes of a text: as many as the run has made */

enum link_kind { LINK_TEXT = 1, LINK_REASON, LINK_MESSAGE, LINK_FURTHER, LINK_LOG, LINK_END };

struct link_end {
    uint64_t run;
    int64_t wall;
    int32_t verdict;
    uint8_t last, as_expected, by_findings, drawn, undrawn;
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

static void link_add(struct ncs_str *out, enum link_kind kind, const struct ncs_str *text)
{
    if (text->bytes > 0)
        ncs_message_add(out, kind, text->text, text->bytes < LINK_MOST ? text->bytes : LINK_MOST);
}

void ncs_link_send(struct ncs_link *link, size_t run, bool last)
{
    struct ncs_report_entry *e = &link->entry;
    struct ncs_str out = { 0 };
    const struct link_end end = { run, e->wall, (int32_t)e->verdict, last, e->as_expected, e->by_findings, e->drawn, e->undrawn };
    if (!link->full)
        return;
    link_add(&out, LINK_TEXT, &e->text);
    link_add(&out, LINK_REASON, &e->reason);
    link_add(&out, LINK_MESSAGE, &e->message);
    link_add(&out, LINK_FURTHER, &e->further);
    link_add(&out, LINK_LOG, &link->log);
    ncs_message_add(&out, LINK_END, &end, sizeof end);
    if (!ncs_write_all(link->fd, out.text, out.bytes))
        _exit(ncs_verdict_exit(NCS_MEMORY));
    ncs_str_free(&out);
    ncs_report_entry_free(e);
    ncs_str_clear(&link->log);
    link->full = false;
}

static struct ncs_str *link_text(struct ncs_parcel *p, uint32_t kind)
{
    switch (kind) {
    case LINK_TEXT: return &p->entry.text;
    case LINK_REASON: return &p->entry.reason;
    case LINK_MESSAGE: return &p->entry.message;
    case LINK_FURTHER: return &p->entry.further;
    default: return kind == LINK_LOG ? &p->log : NULL;
    }
}

bool ncs_parcel_take(struct ncs_inbox *in, struct ncs_parcel *p)
{
    struct ncs_message m;
    while (ncs_inbox_next(in, LINK_MOST, &m)) {
        struct link_end end;
        struct ncs_str *text = link_text(p, m.kind);
        if (text)
            ncs_str_add_bytes(text, m.body, m.bytes);
        if (m.kind != LINK_END || m.bytes != sizeof end)
            continue;
        memcpy(&end, m.body, sizeof end);
        p->run = end.run;
        p->last = end.last;
        p->entry.verdict = (enum ncs_verdict)end.verdict;
        p->entry.as_expected = end.as_expected;
        p->entry.by_findings = end.by_findings;
        p->entry.drawn = end.drawn;
        p->entry.undrawn = end.undrawn;
        p->entry.wall = end.wall;
        return true;
    }
    return false;
}

void ncs_parcel_free(struct ncs_parcel *p)
{
    ncs_report_entry_free(&p->entry);
    ncs_str_free(&p->log);
}
