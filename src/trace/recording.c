/* Reads the recordings of a job's processes. */
#define _GNU_SOURCE /* gethostname, kill */
#include "trace/recording.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/* The files, to be read when their number is known. */
struct recordings {
    struct record *record;
    struct ncs_error *err;
    struct trace_file *file;
    size_t files, room;
};

static bool recording_is(const struct trace_file *file)
{
    return file->text.bytes >= 8 && memcmp(file->text.text, NCS_RECORDING_MAGIC, 8) == 0;
}

/* ---- what is known of waits ---- */

struct stream_calls {
    size_t *call;
    size_t calls, room; /* indices of calls whose end nobody has seen so far */
};

static bool call_is_launched(const struct recorded_file *f, size_t at, const size_t *closed)
{
    return f->call[at].raw.depth == 0 || at < closed[f->call[at].raw.thread];
}

/* The calls of a stream up to `until` are over. */
static void finish(struct recorded_file *f, struct stream_calls *s, size_t until, const size_t *closed)
{
    size_t kept = 0;
    for (size_t i = 0; s && i < s->calls; i++) {
        if (s->call[i] < until && call_is_launched(f, s->call[i], closed))
            f->call[s->call[i]].over = true;
        else
            s->call[kept++] = s->call[i];
    }
    if (s)
        s->calls = kept;
}

struct follower {
    struct recorded_file *f;
    struct ncs_map stream;       /* key -> struct stream_calls */
    struct ncs_map event_stream; /* event -> key of its stream */
    struct ncs_map event_at;     /* event -> calls before its record */
    struct stream_calls **all;
    size_t streams, room;
    size_t *closed; /* by thread: calls before the end of its latest group */
};

/* Each device has default streams of its own, with equal handles. In a process with several ranks a thread's are those of
 * its rank; 0 = it is not known whose. */
static uint64_t key_of_stream(const struct follower *w, const struct recorded_call *c, uint64_t handle)
{
    if (!w->f->several || handle > (uint64_t)(uintptr_t)cudaStreamPerThread)
        return handle + 1;
    int rank = c->rank >= 0 || w->f->as_one ? c->rank : w->f->thread[c->raw.thread].rank;
    return rank < 0 ? 0 : ncs_hash(handle + 1, (uint64_t)rank) | 1;
}

static struct stream_calls *calls_of_stream(struct follower *w, uint64_t key)
{
    struct stream_calls *s = ncs_map_get(&w->stream, key);
    if (s)
        return s;
    s = ncs_new(sizeof *s);
    ncs_map_put(&w->stream, key, s);
    NCS_PUSH(w->all, w->streams, w->room, s);
    return s;
}

static void follow_call(struct follower *w, size_t at)
{
    const struct recorded_call *c = &w->f->call[at];
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    bool ok = c->end != UINT64_MAX && c->raw.rc == 0;
    uint64_t stream = key_of_stream(w, c, info->at[NCS_ARG_STREAM] ? c->raw.arg[info->at[NCS_ARG_STREAM] - 1] : 0);
    uint64_t event = info->at[NCS_ARG_EVENT] ? c->raw.arg[info->at[NCS_ARG_EVENT] - 1] : 0;
    if (info->closes_group && c->raw.depth <= 1)
        w->closed[c->raw.thread] = at;
    if (info->at[NCS_ARG_STREAM] && !stream)
        return;
    if (info->counted && info->at[NCS_ARG_STREAM]) {
        struct stream_calls *s = calls_of_stream(w, stream);
        NCS_PUSH(s->call, s->calls, s->room, at);
    } else if (info->records && ok) {
        ncs_map_put_number(&w->event_stream, event + 1, (size_t)stream);
        ncs_map_put_number(&w->event_at, event + 1, at + 1);
    } else if (ok && (c->fn == NCS_FN_cudaStreamSynchronize || c->fn == NCS_FN_cudaStreamQuery)) {
        finish(w->f, ncs_map_get(&w->stream, stream), at, w->closed);
    } else if (ok && (c->fn == NCS_FN_cudaEventSynchronize || c->fn == NCS_FN_cudaEventQuery)) {
        size_t of = ncs_map_number(&w->event_stream, event + 1);
        if (of)
            finish(w->f, ncs_map_get(&w->stream, of), ncs_map_number(&w->event_at, event + 1) - 1, w->closed);
    } else if (ok && c->fn == NCS_FN_cudaDeviceSynchronize && !w->f->several) {
        for (size_t i = 0; i < w->streams; i++)
            finish(w->f, w->all[i], at, w->closed);
    }
}

void ncs_recorded_follow_waits(struct recorded_file *f)
{
    struct follower w = { .f = f, .closed = ncs_new(((size_t)f->threads + 1) * sizeof *w.closed) };
    for (size_t i = 0; i < f->calls; i++)
        follow_call(&w, i);
    for (size_t i = 0; i < w.streams; i++) {
        ncs_free(w.all[i]->call);
        ncs_free(w.all[i]);
    }
    ncs_free(w.all);
    ncs_free(w.closed);
    ncs_map_free(&w.stream);
    ncs_map_free(&w.event_stream);
    ncs_map_free(&w.event_at);
}

/* If every process came to its end by itself, nothing holds a collective any more: it is over, even where its arguments
 * differ. */
static void follow_ends(struct recording *r)
{
    for (size_t i = 0; i < r->files; i++)
        if (!r->file[i].left_out && !r->file[i].head.ended)
            return;
    for (size_t i = 0; i < r->files; i++)
        for (size_t k = 0; k < r->file[i].calls; k++) {
            struct recorded_call *c = &r->file[i].call[k];
            c->over |= ncs_fn_info[c->fn].counted && !ncs_fn_info[c->fn].pair && c->end != UINT64_MAX && c->raw.rc == 0;
        }
}

/* ---- all files ---- */

static void describe_files(struct recording *r)
{
    char *version = r->record->trace->nccl;
    size_t processes = 0;
    for (size_t i = 0; i < r->files; i++) {
        const struct recorded_file *f = &r->file[i];
        if (f->left_out)
            continue;
        processes++;
        if (f->rank >= 0)
            r->record->rank[f->rank].source = f->path;
        for (int k = 0; f->several && k < f->threads; k++)
            if (f->thread[k].rank >= 0)
                r->record->rank[f->thread[k].rank].source = f->path;
        int code = f->head.nccl;
        if (!version[0] && code > 0 && code < 1000000)
            snprintf(version, sizeof r->record->trace->nccl, "%d.%d.%d", code / 10000, code / 100 % 100, code % 100);
    }
    r->record->trace->one_process = processes == 1;
    if (r->unknown)
        ncs_record_note(r->record, "%zu call%s of functions that this version does not know %s left out", r->unknown,
                        r->unknown == 1 ? "" : "s", r->unknown == 1 ? "is" : "are");
}

static void doubt_all(struct record *record, const char *text)
{
    if (!record->trace->doubt)
        record->trace->doubt = ncs_copy_text(text);
}

/* Tables of a recording that were too small. */
static void note_lost(struct recording *r)
{
    size_t threads = 0, comms = 0;
    for (size_t i = 0; i < r->files; i++)
        if (!r->file[i].left_out) {
            threads += r->file[i].head.threads_lost;
            comms += r->file[i].head.comms_lost;
        }
    if (threads) {
        ncs_record_note(r->record, "the calls of %zu thread%s are missing: the recording had no room for more threads at a time",
                        threads, threads == 1 ? "" : "s");
        doubt_all(r->record, "it could also be that a thread whose calls are missing makes the missing call");
    }
    if (comms)
        ncs_record_note(r->record,
                        "the calls on %zu communicator%s have no numbers: the recording had no room for more "
                        "communicators",
                        comms, comms == 1 ? "" : "s");
}

/* ---- jobs that go on ---- */

static bool still_runs(const struct recorded_file *f)
{
    char host[sizeof f->head.host] = "";
    return !f->head.ended && gethostname(host, sizeof host - 1) == 0 && strcmp(host, f->head.host) == 0 && f->head.pid > 0 &&
           kill(f->head.pid, 0) == 0;
}

static int64_t newest_call(const struct recorded_file *f)
{
    uint64_t newest = 0;
    for (size_t i = 0; i < f->calls; i++)
        newest = f->call[i].begin > newest ? f->call[i].begin : newest;
    return (int64_t)newest;
}

/* A healthy job that is read while it runs looks as one that hangs: its ranks are at different calls. */
static void doubt_running(const struct recording *r)
{
    enum { FRESH = 30 }; /* s */
    int64_t newest = 0, second = 1000000000, now = (int64_t)time(NULL) * second;
    for (size_t i = 0; i < r->files; i++)
        if (!r->file[i].left_out && !r->file[i].implied && still_runs(&r->file[i])) {
            int64_t at = newest_call(&r->file[i]);
            newest = at > newest ? at : newest;
        }
    if (newest && newest > now - FRESH * second && newest < now + FRESH * second)
        doubt_all(r->record, "it could also be that the job goes on: its processes run, and their latest call is less than 30 s "
                             "old");
}

/* The rank in a name such as "3@node7.4711.ncclrec"; -1 = none. */
static int rank_in_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *end;
    long rank = *name >= '0' && *name <= '9' ? strtol(name, &end, 10) : -1;
    return rank >= 0 && rank < NCS_RECORD_RANKS && *end == '@' ? (int)rank : -1;
}

/* Notes a file that cannot be read, among others that can. Not for want of memory or descriptors, which is no fact about the job. */
static bool skip_file(struct record *record, const struct trace_file *file, struct ncs_error *err)
{
    int rank = rank_in_name(file->path);
    ncs_record_note(record, "%.300s cannot be read: %.200s", file->path, err->text);
    *err = (struct ncs_error){ 0 };
    if (rank < 0 && !record->trace->doubt)
        record->trace->doubt = ncs_copy_text("it could also be that the recording which cannot be read shows another cause");
    if (rank < 0)
        return true;
    if (!ncs_record_has_rank(record, rank, err))
        return false;
    record->rank[rank].spoilt = true;
    ncs_record_doubt(record, rank, true, "it could also be that rank %d waits like the others: its recording cannot be read",
                     rank);
    return true;
}

/* Reads one file, and holds its bytes no longer than that. */
static bool read_recording(struct recording *r, struct trace_file *file, size_t keep, struct ncs_error *err)
{
    struct recorded_file *f = &r->file[r->files];
    ncs_str_add(&file->text, "");
    bool ok = (file->in_memory || (ncs_file_read(file->path, NCS_TRACE_FILE_MOST, "a recording", &file->text, err) &&
                                   ncs_gunzip(&file->text, NCS_TRACE_FILE_MOST, err))) &&
              ncs_recorded_read(f, (int)r->files, file, keep, &r->unknown, err);
    ncs_str_free(&file->text);
    r->files += ok;
    return ok;
}

static bool read_recordings(struct recording *r, struct recordings *all)
{
    for (size_t i = 0; i < all->files; i++) {
        if (read_recording(r, &all->file[i], NCS_RECORD_CALLS / all->files, all->err))
            continue;
        if ((r->files == 0 && i + 1 == all->files) || all->err->status == NCS_NO_MEMORY ||
            !skip_file(r->record, &all->file[i], all->err))
            return false;
    }
    return true;
}

static enum trace_taken recording_take(void *state, struct trace_file *file)
{
    struct recordings *all = state;
    struct trace_file later = *file;
    later.text = (struct ncs_str){ 0 };
    if (file->in_memory) {
        later.text = file->text;
        file->text = (struct ncs_str){ 0 };
    }
    NCS_PUSH(all->file, all->files, all->room, later);
    return TRACE_TAKEN;
}

static bool recording_finish(void *state)
{
    struct recordings *all = state;
    struct record *record = all->record;
    struct recording r = { .record = record, .file = ncs_new(all->files * sizeof *r.file) };
    bool ok = read_recordings(&r, all) && ncs_recorded_rank(&r, all->err);
    if (ok) {
        for (size_t i = 0; i < r.files; i++)
            ncs_recorded_follow_waits(&r.file[i]);
        follow_ends(&r);
        describe_files(&r);
        ncs_recorded_name_sites(&r);
        ncs_record_note_missing(record);
        ncs_recorded_imply(&r);
        doubt_running(&r);
        note_lost(&r);
        ncs_recorded_note_failures(&r);
        ok = ncs_recorded_play(&r, all->err);
    }
    if (!ok && !all->err->file[0])
        ncs_fail_at(all->err, all->file[0].path, 0, 0);
    for (size_t i = 0; i < r.files; i++)
        ncs_recorded_free(&r.file[i]);
    ncs_free(r.file);
    return ok;
}

static void recording_end(void *state)
{
    struct recordings *all = state;
    for (size_t i = 0; i < all->files; i++)
        ncs_str_free(&all->file[i].text);
    ncs_free(all->file);
}

const struct trace_reader ncs_reader_recording = {
    .kind = "recordings",
    .word = "recording",
    .is = recording_is,
    .bytes = sizeof(struct recordings),
    .take = recording_take,
    .finish = recording_finish,
    .end = recording_end,
    .plays = true,
};
