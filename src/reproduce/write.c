#include "reproduce/write.h"

#include <stdarg.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "reproduce/shrink.h"
#include "scenario/scenario.h"

bool ncs_reproducer_is_yaml(const char *file)
{
    size_t bytes = strlen(file);
    return (bytes > 5 && strcmp(file + bytes - 5, ".yaml") == 0) || (bytes > 4 && strcmp(file + bytes - 4, ".yml") == 0);
}

enum { SCHEDULE_SHOWN = 200 };  /* bytes: a schedule has a number for each choice of the run */
enum { WAYS_BYTES = 64 << 20 }; /* after which no way is added */

struct comments {
    char **line;
    size_t lines, room;
};

static void reproducer_comment(struct comments *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void reproducer_comment(struct comments *c, const char *fmt, ...)
{
    struct ncs_str line = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&line, fmt, args);
    va_end(args);
    for (size_t i = 0; i < line.bytes; i++)
        if ((unsigned char)line.text[i] < ' ')
            line.text[i] = ' ';
    NCS_PUSH(c->line, c->lines, c->room, ncs_str_take(&line));
}

static unsigned unsaid_of(const struct ncs_workload *job)
{
    unsigned unsaid = 0;
    for (size_t i = 0; i < job->steps; i++)
        for (int r = 0; r < job->ranks; r++)
            unsaid |= job->step[i]->of[r] ? job->step[i]->of[r]->unsaid : 0;
    return unsaid;
}

/* What the scenario has that the record does not show. */
static void add_invented(const struct ncs_workload *job, struct comments *c)
{
    unsigned unsaid = unsaid_of(job);
    struct ncs_str list = { 0 };
    const struct {
        bool is;
        const char *what;
    } invented[] = { { unsaid & NCS_UNSAID_KIND, "functions (AllReduce)" },
                     { unsaid & NCS_UNSAID_OP, "operators (sum)" },
                     { unsaid & NCS_UNSAID_ROOT, "roots (0)" },
                     { unsaid & NCS_UNSAID_COUNT, "counts" },
                     { unsaid & NCS_UNSAID_DTYPE, "types" },
                     { true, "the buffers and their contents" } };
    for (size_t i = 0; i < sizeof invented / sizeof *invented; i++)
        if (invented[i].is)
            ncs_str_addf(&list, "%s%s", list.bytes ? ", " : "", invented[i].what);
    struct ncs_workload_buffers b;
    ncs_workload_buffers_of(job, false, &b);
    reproducer_comment(c, "Invented: %s.%s", list.text,
                       b.scaled ? " Large counts are reduced; a larger count stays larger." : "");
    ncs_workload_buffers_free(&b);
    ncs_str_free(&list);
}

static void free_comments(struct comments *c)
{
    NCS_FREE_ALL(c->line, c->lines);
    *c = (struct comments){ 0 };
}

/* A scenario can declare that it ends so. */
static bool can_be_declared(const struct ncs_reproduced *outcome)
{
    switch (outcome->verdict) {
    case NCS_PASS:
    case NCS_WRONG:
    case NCS_ERROR:
    case NCS_HANG: return true;
    case NCS_LOST: return outcome->ranks > 0; /* it names a rank */
    default: return false;                    /* a time limit, say */
    }
}

void ncs_reproducer_settings(const struct ncs_run_options *o, int ranks, const struct ncs_reproduced *outcome,
                             struct ncs_workload_text *text)
{
    /* A wrong verdict without a wrong value is declared by its finding. */
    bool by_finding = outcome->verdict == NCS_WRONG && outcome->why, named = outcome->verdict == NCS_HANG || by_finding;
    bool lost = outcome->verdict == NCS_LOST;
    text->policy = o && o->policy == NCS_POLICY_TYPICAL ? "typical" : NULL;
    text->lanes = o ? o->kernel_slots : 0;
    /* Only ranks of several hosts depend on the number of devices of a host. */
    int first = o && o->hosts.devices ? ncs_shape_devices(&o->hosts, 0) : 0;
    bool several_hosts = first && (ranks > first || ranks > NCS_DEVICES_USUAL);
    bool unusual = first && (o->hosts.firsts || o->hosts.devices != NCS_DEVICES_USUAL);
    text->hosts = several_hosts && unusual ? o->hosts : (struct ncs_shape){ 0 };
    text->verdict = !can_be_declared(outcome) ? NULL : by_finding ? "finding" : ncs_verdict_name(outcome->verdict);
    text->error = outcome->verdict == NCS_ERROR ? outcome->error : NULL;
    text->why = named ? outcome->why : NULL;
    text->culprit = named || lost ? outcome->rank : NULL;
    text->culprits = named || lost ? outcome->ranks : 0;
}

void ncs_reproduced_text(const struct ncs_reproduced_writing *w, const struct ncs_reproduced *outcome,
                         const struct ncs_reproduced *recorded, struct ncs_str *out)
{
    struct comments c = { 0 };
    struct ncs_str about = { 0 };
    reproducer_comment(&c, "Written by ncclscript from %s.", w->origin);
    add_invented(w->workload, &c);
    if (w->options && w->options->seed)
        reproducer_comment(&c, "Recorded with --seed %llu: run it with the same seed.", (unsigned long long)w->options->seed);
    if (w->options && w->options->schedule)
        reproducer_comment(&c, "Recorded with --schedule %.*s%s, which fits only the run that it was recorded from.",
                           SCHEDULE_SHOWN, w->options->schedule, strlen(w->options->schedule) > SCHEDULE_SHOWN ? "..." : "");
    for (size_t i = 0; i < w->workload->notes; i++)
        reproducer_comment(&c, "Note: %s.", w->workload->note[i]);
    if (recorded) {
        struct ncs_str text = { 0 };
        ncs_reproduced_add_difference(outcome, recorded, &text);
        reproducer_comment(&c, NCS_REPRODUCED_DIFFERS "%s.", text.text);
        ncs_str_clear(&text);
        ncs_workload_add_losses(w->workload, recorded->verdict == NCS_WRONG && !recorded->why, &text);
        reproducer_comment(&c, NCS_REPRODUCED_LOSSES "%s.", text.text);
        ncs_str_free(&text);
    }
    if (!can_be_declared(outcome))
        reproducer_comment(&c, NCS_REPRODUCED_UNDECLARED "%s.", ncs_verdict_name(outcome->verdict));
    if (w->lists_losses && w->workload->losses > 0) {
        struct ncs_str text = { 0 };
        ncs_workload_add_losses(w->workload, false, &text);
        reproducer_comment(&c, NCS_REPRODUCED_LOSSES "%s.", text.text);
        ncs_str_free(&text);
    }
    ncs_str_add(&about, NCS_REPRODUCED_ABOUT);
    ncs_reproduced_add_clause(recorded ? recorded : outcome, &about);
    struct ncs_workload_text text = { .yaml = ncs_reproducer_is_yaml(w->file),
                                      .about = about.text,
                                      .comment = c.line,
                                      .comments = c.lines,
                                      .places_in_comments = w->in_comments };
    ncs_reproducer_settings(w->options, w->workload->ranks, outcome, &text);
    if (w->workload->apart)
        text.hosts = (struct ncs_shape){ .devices = 1 };
    ncs_workload_emit(w->workload, &text, out);
    free_comments(&c);
    ncs_str_free(&about);
}

bool ncs_reproduced_way(struct ncs_reproduced_writing *w, const struct ncs_workload *whole, int way, struct ncs_workload *fewer)
{
    static const unsigned without[] = { NCS_WITHOUT_EVENTS, 0, NCS_WITHOUT_HOSTS, NCS_WITHOUT_HOSTS | NCS_WITHOUT_EVENTS };
    const struct ncs_workload *job = way < NCS_REPRODUCED_WAYS / 2 ? whole : whole->other;
    unsigned left_out = without[way / 2 % 4];
    ncs_workload_free(fewer);
    if (!job || (left_out && !ncs_workload_without(job, left_out, fewer)))
        return false;
    w->workload = left_out ? fewer : job;
    w->in_comments = way % 2 == 1;
    return true;
}

bool ncs_reproduced_write(const struct ncs_reproduced_writing *w, const struct ncs_reproduced *outcome, struct ncs_error *err)
{
    struct ncs_str out = { 0 };
    ncs_reproduced_text(w, outcome, NULL, &out);
    bool written = ncs_file_write(w->file, out.text, out.bytes, true, err);
    ncs_str_free(&out);
    return written;
}

void ncs_reproduced_add_ways(struct ncs_reproduced_writing *w, const struct ncs_reproduced *outcome, struct ncs_str *out)
{
    const struct ncs_workload *whole = w->workload;
    struct ncs_workload fewer = { 0 };
    for (int way = 0; way < NCS_REPRODUCED_WAYS && out->bytes < WAYS_BYTES; way++)
        if (ncs_reproduced_way(w, whole, way, &fewer)) {
            ncs_reproduced_text(w, outcome, NULL, out);
            ncs_str_add_bytes(out, "", 1);
        }
    w->workload = whole;
    ncs_workload_free(&fewer);
}
