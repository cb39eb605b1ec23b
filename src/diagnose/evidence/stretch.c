/* The stretch in which a culprit diverged: from its last call like the others' up to its first call that differs. The
 * edit that repairs the culprit's calls shows where; without such an edit, the call that the finding names. */
#include "diagnose/analysis.h"

#include <string.h>

#include "diagnose/party.h"

static bool is_effective(const struct ncs_call *c)
{
    return c->number && c->ordinal;
}

/* The thread's newest effective call from this record back, outside that group (0 = any). All calls of a group are
 * launched together, so none of them is before another. */
static const struct ncs_call *stretch_last_call(const struct ncs_call *c, const struct ncs_stretch *s, uint64_t group)
{
    for (; c && c->id > s->from; c = c->older)
        if (c->rank == s->rank && c->thread == s->thread && is_effective(c) && !(group && c->group == group))
            return c;
    return NULL;
}

static const struct ncs_call *last_on_comm(const struct ncs_analysis *q, int comm, int comm_rank, uint32_t below)
{
    bool known = comm >= 0 && (size_t)comm < q->journal->comms && comm_rank >= 0 && comm_rank < q->journal->comm[comm]->members;
    uint32_t calls = known ? q->journal->comm[comm]->member[comm_rank].calls : 0;
    for (uint32_t n = below && below <= calls ? below - 1 : calls; n > 0; n--) {
        const struct ncs_call *c = ncs_journal_call(q->journal, comm, comm_rank, n);
        if (!c || is_effective(c))
            return c;
    }
    return NULL;
}

static void begin_behind(struct ncs_stretch *s, const struct ncs_call *last)
{
    s->last = last;
    s->from = last ? last->id : 0;
}

/* The stretch ends at this call of the rank, which differs from the others', and begins at the call before it. */
static void end_at(struct ncs_stretch *s, const struct ncs_call *call)
{
    s->thread = call->thread;
    begin_behind(s, stretch_last_call(call->older, s, call->group));
    s->to = call->id;
}

/* The stretch ends at the thread's next effective call behind its beginning, if there is one. */
static void stretch_end_behind(const struct ncs_analysis *q, struct ncs_stretch *s)
{
    for (const struct ncs_call *c = s->last ? s->last->newer : q->journal->oldest; c && c->id < s->to; c = c->newer)
        if (c->rank == s->rank && c->thread == s->thread && is_effective(c) &&
            !(s->last && s->last->group && c->group == s->last->group))
            s->to = c->id;
}

static int thread_of(const struct ncs_analysis *q, int rank)
{
    int thread = q->parties && rank >= 0 && (size_t)rank < q->parties->count ? q->parties->of[rank].thread : 0;
    return thread < 0 ? 0 : thread;
}

/* The number of records of one line that a thread has between two of its calls. `from` NULL: since its beginning. */
static size_t records_at(const struct ncs_call *from, const struct ncs_call *to, int line)
{
    size_t count = 0;
    for (const struct ncs_call *c = to->older; c && c != from; c = c->older)
        count += c->rank == to->rank && c->thread == to->thread && c->place.line == line && c->place.file == to->place.file;
    return count;
}

/* The stretch ends where the thread has certainly passed the place of the missing call: at the first record of a later
 * line that comes more often than the model has it on its way to the call. The thread is in the loop's next round. */
static void end_at_next_round(const struct ncs_analysis *q, const struct ncs_call *before, struct ncs_stretch *s)
{
    enum { MOST_LINES = 16 };
    struct {
        int line;
        size_t left;
    } of[MOST_LINES];
    const struct ncs_place *missing = &s->missing->place;
    size_t lines = 0;
    int now = 0;
    for (const struct ncs_call *c = s->last ? s->last->newer : q->journal->oldest; c && c->id < s->to; c = c->newer) {
        if (c->rank != s->rank || c->thread != s->thread || c->place.line < missing->line || c->place.file != missing->file)
            continue;
        size_t i = 0;
        while (i < lines && of[i].line != c->place.line)
            i++;
        if (i == lines && lines < MOST_LINES) {
            of[lines].line = c->place.line;
            of[lines++].left = records_at(before, s->missing, c->place.line);
        } else if (i < lines && (of[i].left == 1 || (!of[i].left && c->place.line != now))) {
            s->to = c->id;
        } else if (i < lines && of[i].left) {
            of[i].left--;
        }
        now = c->place.line;
    }
}

/* A call was left out before call `next` on the communicator. The stretch begins at the rank's counterpart of the call
 * that the model made right before the missing one, on any communicator. */
static void stretch_of_insert(const struct ncs_analysis *q, const struct ncs_edit *e, struct ncs_stretch *s)
{
    const struct ncs_call *next = ncs_journal_call(q->journal, e->comm, e->comm_rank, e->call);
    const struct ncs_call *last = last_on_comm(q, e->comm, e->comm_rank, e->call);
    const struct ncs_call *model = e->model_call && e->model_comm_rank >= 0
                                       ? ncs_journal_call(q->journal, e->comm, e->model_comm_rank, e->model_call)
                                       : NULL;
    s->thread = last ? last->thread : next ? next->thread : thread_of(q, e->rank);
    s->to = next ? next->id : UINT64_MAX;
    begin_behind(s, last);
    if (model && !e->answer) {
        struct ncs_stretch there = { .rank = model->rank, .thread = model->thread };
        const struct ncs_call *before = stretch_last_call(model->older, &there, model->group);
        const struct ncs_call *c = next ? next->older : q->journal->newest;
        s->missing = model;
        while (before && (c = stretch_last_call(c, s, 0)) != NULL && !ncs_at_same_place(c, before))
            c = c->older;
        if (before && c)
            begin_behind(s, c);
        if (model->place.line)
            end_at_next_round(q, before, s);
    }
    stretch_end_behind(q, s);
}

static void stretch_of_host(const struct ncs_analysis *q, const struct ncs_edit *e, struct ncs_stretch *s)
{
    const struct ncs_call *c = q->journal->newest;
    s->thread = e->host_thread;
    s->to = e->before ? e->before : UINT64_MAX;
    while (c && c->id >= s->to)
        c = c->older;
    begin_behind(s, stretch_last_call(c, s, 0));
}

static int stretch_comm_of(const struct ncs_analysis *q, const struct ncs_finding *f, int rank, int *comm_rank)
{
    for (size_t i = 0; f->comm && i < q->journal->comms; i++) {
        const struct ncs_comm_info *info = q->journal->comm[i];
        for (int r = 0; strcmp(ncs_comm_name(q, (int)i), f->comm) == 0 && r < info->members; r++)
            if (info->member[r].rank == rank) {
                *comm_rank = r;
                return (int)i;
            }
    }
    return -1;
}

/* Without an edit of the culprit's calls: the stretch ends at the call that the finding names. */
static void stretch_of_culprit(const struct ncs_analysis *q, const struct ncs_finding *f, const struct ncs_culprit *who,
                               struct ncs_stretch *s)
{
    int comm_rank = -1, comm = stretch_comm_of(q, f, who->rank, &comm_rank);
    uint32_t number = who->call ? who->call : f->call;
    const struct ncs_call *call = comm >= 0 && number ? ncs_journal_call(q->journal, comm, comm_rank, number) : NULL;
    s->thread = thread_of(q, who->rank);
    s->to = UINT64_MAX;
    if (call) {
        end_at(s, call);
        return;
    }
    const struct ncs_call *last = comm >= 0 ? last_on_comm(q, comm, comm_rank, 0) : NULL;
    if (last)
        s->thread = last->thread;
    begin_behind(s, last ? last : stretch_last_call(q->journal->newest, s, 0));
    stretch_end_behind(q, s);
}

struct ncs_stretch ncs_stretch_of(const struct ncs_analysis *q, const struct ncs_finding *f, const struct ncs_culprit *who)
{
    struct ncs_stretch s = { .rank = who->rank };
    const struct ncs_edit *e = NULL;
    for (size_t i = 0; i < f->repairs && !e; i++)
        e = f->repair[i].rank == who->rank ? &f->repair[i] : NULL;
    const struct ncs_call *call = e && !e->of_host && e->call ? ncs_journal_call(q->journal, e->comm, e->comm_rank, e->call)
                                                              : NULL;
    if (!e)
        stretch_of_culprit(q, f, who, &s);
    else if (e->of_host)
        stretch_of_host(q, e, &s);
    else if (e->kind == NCS_EDIT_INSERT)
        stretch_of_insert(q, e, &s);
    else if (call)
        end_at(&s, call);
    else
        stretch_of_culprit(q, f, who, &s);
    return s;
}

/* True if the place is behind that of the missing call, by line numbers. If the missing call's line is before that of
 * the last call, the thread has gone back to the beginning of a loop: then only lines between the two are behind. */
static bool is_past(const struct ncs_stretch *s, struct ncs_place place)
{
    const struct ncs_place *last = s->last ? &s->last->place : NULL, *missing = s->missing ? &s->missing->place : NULL;
    if (!missing || !missing->line || missing->file != place.file || (last && last->file != place.file))
        return false;
    if (!last || last->line < missing->line)
        return place.line > missing->line;
    return place.line > missing->line && place.line < last->line;
}

bool ncs_in_stretch(const struct ncs_stretch *s, int rank, int thread, uint64_t id, struct ncs_place place)
{
    return s->rank == rank && s->thread == thread && s->from <= id && id < s->to && !is_past(s, place);
}
