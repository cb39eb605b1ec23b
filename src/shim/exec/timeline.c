#include "shim/exec/exec.h"

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"

static const struct ncs_shim_settings *wanted;
static const struct ncs_journal *drawn_journal;
static struct ncs_timeline *timeline; /* NULL = not wanted */
static struct ncs_map caller;         /* id of a call -> the thread that made it */

static void timeline_on_entered(const struct ncs_journal *journal, struct ncs_call *call)
{
    (void)journal;
    ncs_timeline_entered(timeline, call);
    ncs_map_put(&caller, call->id, ncs_local);
}

struct ncs_timeline *ncs_exec_timeline_open(const struct ncs_shim_settings *settings, const struct ncs_machine *machine,
                                            struct ncs_journal *journal)
{
    if (!settings->html && !settings->trace)
        return NULL;
    wanted = settings;
    drawn_journal = journal;
    timeline = ncs_timeline_open(machine->now);
    journal->entered = timeline_on_entered;
    return timeline;
}

/* A thread is named by the rank as which it joins, after its first calls. Operations on a device belong to the
 * communicator's rank there, whichever thread launched them. */
static void name_spans(struct ncs_timeline *t)
{
    for (size_t i = 0; i < t->hosts; i++) {
        const struct ncs_local *local = t->host[i].call ? ncs_map_get(&caller, t->host[i].call->id) : NULL;
        t->host[i].rank = local ? local->rank : t->host[i].rank;
        t->host[i].thread = local ? local->thread : t->host[i].thread;
    }
    for (size_t i = 0; i < t->devices; i++) {
        const struct ncs_call *call = t->device[i].calls ? t->device[i].call[0] : NULL;
        const struct ncs_local *local = call ? ncs_map_get(&caller, call->id) : NULL;
        if (local)
            t->device[i].rank = call->comm >= 0 ? ncs_journal_rank_of(drawn_journal, call) : local->rank;
    }
}

void ncs_exec_timeline_fill(struct ncs_result *result)
{
    if (!timeline)
        return;
    ncs_timeline_close(timeline);
    name_spans(timeline);
    result->timeline = timeline;
}

bool ncs_exec_file_write(const char *file, const struct ncs_str *text)
{
    struct ncs_error err = { 0 };
    bool ok = ncs_file_write(file, text->text ? text->text : "", text->bytes, true, &err);
    if (!ok)
        ncs_shim_warn("%s: %s", file, err.text);
    return ok;
}

static bool timeline_draw(const struct ncs_report_run *run, const char *file,
                          void (*render)(const struct ncs_report_run *run, struct ncs_str *out))
{
    struct ncs_str text = { 0 };
    if (!file)
        return true;
    render(run, &text);
    bool ok = ncs_exec_file_write(file, &text);
    ncs_str_free(&text);
    return ok;
}

/* The result as it is drawn: threads that joined nothing count as rank 0, and a place may have been found out since its
 * call. */
static struct ncs_result drawn_result(const struct ncs_result *result)
{
    struct ncs_result r = *result;
    for (size_t i = 0; i < timeline->hosts; i++) {
        struct ncs_host_span *span = &timeline->host[i];
        if (span->call)
            span->place = span->call->place;
        if (span->rank >= r.ranks)
            r.ranks = span->rank + 1;
    }
    return r;
}

bool ncs_exec_timeline_write(const struct ncs_report_run *run)
{
    if (!timeline)
        return true;
    struct ncs_result result = drawn_result(run->result);
    struct ncs_report_run drawn = *run;
    drawn.result = &result;
    bool page = timeline_draw(&drawn, wanted->html, ncs_report_html);
    return timeline_draw(&drawn, wanted->trace, ncs_report_trace) && page;
}
