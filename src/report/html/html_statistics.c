/* How much each rank and each communicator did, and how long it waited for others. */
#include <inttypes.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "report/html/html.h"

struct tally {
    uint64_t calls, operations, bytes;
    int64_t host, device; /* ns that its threads waited; that its operations waited for later ranks */
    uint64_t last;        /* meetings to which it came last */
};

struct tallies {
    struct tally *rank, *comm;
    uint64_t *last_of; /* by communicator and rank: meetings to which it came last; NULL = too many to count */
    size_t comms;
};

static bool is_wait(const struct ncs_bar *bar)
{
    return bar->kind == NCS_BAR_WAIT || (bar->kind == NCS_BAR_CALL && ncs_html_color(bar) == 5);
}

static void tally_bars(const struct ncs_page *p, struct tallies *t)
{
    const struct ncs_chart *l = &p->chart;
    for (size_t i = 0; i < l->bars; i++) {
        const struct ncs_bar *bar = &l->bar[i];
        struct tally *rank = &t->rank[l->row[bar->row].rank];
        if (is_wait(bar))
            rank->host += (bar->end < 0 ? l->now : bar->end) - bar->begin;
        if (bar->kind != NCS_BAR_CALL)
            continue;
        rank->calls++;
        if (!bar->call->number || bar->call->comm < 0)
            continue;
        int dtype = ncs_call_dtype(bar->call);
        uint64_t bytes = dtype < 0 ? 0 : ncs_call_count(bar->call) * ncs_dtype_bytes(dtype);
        struct tally *comm = &t->comm[bar->call->comm];
        rank->operations++;
        rank->bytes += bytes;
        comm->operations++;
        comm->bytes += bytes;
    }
}

/* In a meeting each operation waits for the one that came last. */
static void tally_meetings(const struct ncs_page *p, struct tallies *t)
{
    const struct ncs_timeline *line = p->r->timeline;
    size_t previous = line->devices;
    for (size_t i = 0; i < line->matches; i++) {
        const struct ncs_match *m = &line->match[i];
        const struct ncs_device_span *from = &line->device[m->from], *to = &line->device[m->to];
        int comm = m->from_call ? m->from_call->comm : -1;
        int64_t waited = from->begin > to->begin && to->begin >= 0 ? from->begin - to->begin : 0;
        if (from->rank < 0 || from->rank >= p->r->ranks || to->rank < 0 || to->rank >= p->r->ranks)
            continue;
        t->rank[to->rank].device += waited;
        if (comm >= 0)
            t->comm[comm].device += waited;
        if (!waited || m->from == previous)
            continue;
        previous = m->from;
        t->rank[from->rank].last++;
        if (comm >= 0 && t->last_of)
            t->last_of[(size_t)comm * (size_t)p->r->ranks + (size_t)from->rank]++;
    }
}

static void add_bytes(struct ncs_page *p, uint64_t bytes)
{
    char size[32];
    ncs_str_addf(p->out, "<td>%s", ncs_format_size(bytes, size, sizeof size));
}

static void statistics_add_wait(struct ncs_page *p, int64_t ns)
{
    ncs_str_add(p->out, "<td>");
    ncs_html_us(p->out, ns);
}

static void add_ranks(struct ncs_page *p, const struct tallies *t)
{
    ncs_str_add(p->out, "<table class=\"numbers\"><caption>Each rank</caption><thead><tr><th scope=\"col\">rank"
                        "<th scope=\"col\">calls<th scope=\"col\">NCCL operations<th scope=\"col\">bytes"
                        "<th scope=\"col\">threads waited (us)<th scope=\"col\">streams waited for later ranks (us)"
                        "<th scope=\"col\">came last</thead><tbody>\n");
    for (size_t i = 0; i < p->groups.groups; i++) {
        const struct ncs_chart_group *g = &p->groups.group[i];
        const struct tally *rank = &t->rank[g->rank[0]];
        ncs_str_add(p->out, "<tr><th scope=\"row\">");
        ncs_html_ranks(p->out, g->rank, g->ranks);
        ncs_str_addf(p->out, "%s<td>%" PRIu64 "<td>%" PRIu64, g->ranks > 1 ? ", each" : "", rank->calls, rank->operations);
        add_bytes(p, rank->bytes);
        statistics_add_wait(p, rank->host);
        statistics_add_wait(p, rank->device);
        ncs_str_addf(p->out, "<td>%" PRIu64 "\n", rank->last);
    }
    ncs_str_add(p->out, "</tbody></table>\n");
}

/* "rank 5, 12 times": who came last most often. */
static void add_slowest(struct ncs_page *p, const struct tallies *t, size_t comm)
{
    uint64_t most = 0;
    int slowest = 0;
    for (int r = 0; t->last_of && r < p->r->ranks; r++) {
        uint64_t times = t->last_of[comm * (size_t)p->r->ranks + (size_t)r];
        if (times > most) {
            most = times;
            slowest = r;
        }
    }
    ncs_str_add(p->out, "<td>");
    if (most)
        ncs_str_addf(p->out, "rank %d, %" PRIu64 " time%s", slowest, most, most == 1 ? "" : "s");
}

static void add_comm_statistics(struct ncs_page *p, const struct tallies *t)
{
    ncs_str_add(p->out, "<table class=\"numbers\"><caption>Each communicator</caption><thead><tr>"
                        "<th scope=\"col\">communicator<th scope=\"col\">NCCL operations"
                        "<th scope=\"col\">bytes<th scope=\"col\">streams waited for later ranks (us)"
                        "<th scope=\"col\">came last most often</thead><tbody>\n");
    for (size_t i = 0; i < t->comms; i++) {
        const struct ncs_comm_info *comm = p->r->journal->comm[i];
        if (!comm || !t->comm[i].operations)
            continue;
        struct ncs_str name = { 0 };
        ncs_html_comm(&name, comm);
        ncs_str_add(p->out, "<tr><th scope=\"row\">");
        ncs_html_text(p->out, name.text);
        ncs_str_addf(p->out, "<td>%" PRIu64, t->comm[i].operations);
        ncs_str_free(&name);
        add_bytes(p, t->comm[i].bytes);
        statistics_add_wait(p, t->comm[i].device);
        add_slowest(p, t, i);
        ncs_str_add(p->out, "\n");
    }
    ncs_str_add(p->out, "</tbody></table>\n");
}

void ncs_html_statistics(struct ncs_page *p)
{
    enum { COUNTED = 1 << 22 }; /* pairs of communicator and rank; 32 MiB */
    size_t ranks = (size_t)p->r->ranks;
    struct tallies t = { .comms = p->r->journal->comms };
    t.rank = ncs_new((ranks + 1) * sizeof *t.rank);
    t.comm = ncs_new((t.comms + 1) * sizeof *t.comm);
    if (t.comms * ranks <= COUNTED)
        t.last_of = ncs_new((t.comms * ranks + 1) * sizeof *t.last_of);
    tally_bars(p, &t);
    tally_meetings(p, &t);
    ncs_str_add(p->out, "<h2>Statistics</h2>\n<p class=\"dim\">Bytes are count times the size of the data type, as "
                        "each call passed them. A thread waits in calls that synchronize, in barriers and for keys of "
                        "the store; a stream waits in an operation that has begun before the same operation of another "
                        "rank.</p>\n<div class=\"scroll\">");
    add_ranks(p, &t);
    add_comm_statistics(p, &t);
    ncs_str_add(p->out, "</div>\n");
    ncs_free(t.rank);
    ncs_free(t.comm);
    ncs_free(t.last_of);
}
