/* Finds the files to read, one at a time, and gives each to the reader of its kind. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "trace/reader.h"

static const struct trace_reader *const readers[] = {
#define NCS_TRACE_READER(name) &ncs_reader_##name,
#include "trace/readers.def"
#undef NCS_TRACE_READER
};

enum { READERS = sizeof readers / sizeof *readers };

static const char usual_next[] = "next: the files of all ranks, stacks of all ranks while they wait (py-spy dump, gdb), and "
                                 "NCCL's log of all ranks: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,DESTROY,COLL";

struct files {
    struct record *record;
    void *state[READERS]; /* NULL = no file of its kind */
    char **path;
    size_t paths, path_room;
    size_t left; /* files of folders that are of no kind */
    const char *first_left;
    struct ncs_error *err;
};

static bool add_unknown(struct files *all, const struct trace_file *f)
{
    bool empty = f->text.bytes == 0;
    if (f->of_folder && all->left++ == 0)
        all->first_left = f->path;
    if (f->of_folder)
        return true;
    ncs_fail(all->err, NCS_BAD_INPUT, "%s: a recording, a dump, a log or stacks of a job are expected",
             empty ? "the file is empty" : "nothing in the file is of a kind that diagnose reads");
    ncs_fail_hint(all->err, "`ncclscript diagnose --help` lists the kinds");
    return ncs_fail_at(all->err, f->path, 0, 0);
}

/* A rank whose file is empty has left a file, unlike a rank without one. */
static void spoil_rank(struct files *all, const struct trace_file *f)
{
    int rank = f->of_folder && f->text.bytes == 0 ? f->rank : -1;
    if (rank < 0 || !strstr(f->path, "rank") || !ncs_record_has_rank(all->record, rank, NULL) || all->record->rank[rank].source)
        return;
    all->record->rank[rank].spoilt = true;
    ncs_record_note(all->record, "the file of rank %d is empty: %.200s", rank, f->path);
    ncs_record_doubt(all->record, rank, false, "it could also be that rank %d waits like the others: its file is empty", rank);
}

/* One broken file of a folder does not stop the others. */
static bool open_packed(struct files *all, struct trace_file *f)
{
    if (ncs_gunzip(&f->text, NCS_TRACE_FILE_MOST, all->err))
        return true;
    if (!f->of_folder)
        return ncs_fail_at(all->err, f->path, 0, 0);
    ncs_record_note(all->record, "%.200s: %.200s", f->path, all->err->text);
    *all->err = (struct ncs_error){ 0 };
    return true;
}

static void begin_state(struct files *all, size_t reader)
{
    struct trace_state common = { all->record, all->err };
    all->state[reader] = ncs_new(readers[reader]->bytes);
    memcpy(all->state[reader], &common, sizeof common);
}

static void end_state(struct files *all, size_t reader)
{
    readers[reader]->end(all->state[reader]);
    ncs_free(all->state[reader]);
    all->state[reader] = NULL;
}

/* Takes ownership of the text. A text may be of several kinds: NCCL and PyTorch write to one log. */
static bool add_text(struct files *all, struct trace_file f, const char *path, struct ncs_str *text)
{
    bool any = false, ok = true;
    f.text = *text;
    *text = (struct ncs_str){ 0 };
    NCS_PUSH(all->path, all->paths, all->path_room, ncs_copy_text(path));
    f.path = all->path[all->paths - 1];
    ok = open_packed(all, &f);
    for (size_t i = 0; i < READERS && ok; i++) {
        if (!readers[i]->is(&f))
            continue;
        bool fresh = !all->state[i];
        if (fresh)
            begin_state(all, i);
        enum trace_taken taken = readers[i]->take(all->state[i], &f);
        any |= taken == TRACE_TAKEN;
        ok = taken != TRACE_BAD;
        if (!ok && !all->err->file[0])
            ncs_fail_at(all->err, f.path, 0, 0);
        if (fresh && taken == TRACE_NOT_MINE)
            end_state(all, i);
        if (readers[i]->plays)
            break;
    }
    if (ok && !any)
        spoil_rank(all, &f);
    ok = ok && (any || add_unknown(all, &f));
    ncs_str_free(&f.text);
    return ok;
}

static bool add_file(struct files *all, const char *path, int rank, bool of_folder)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "");
    if (ncs_file_read(path, NCS_TRACE_FILE_MOST, "a file of a job", &text, all->err))
        return add_text(all, (struct trace_file){ .rank = rank, .of_folder = of_folder }, path, &text);
    ncs_str_free(&text);
    return false;
}

static bool add_folder(struct files *all, const char *path)
{
    struct dirent **name;
    int count = scandir(path, &name, NULL, alphasort);
    bool ok = count >= 0;
    char **file = NULL;
    size_t files = 0, room = 0;
    if (!ok) {
        ncs_fail(all->err, ncs_status_of(errno), "cannot be read: %s", strerror(errno));
        return ncs_fail_at(all->err, path, 0, 0);
    }
    for (int i = 0; i < count; i++) {
        struct stat st;
        struct ncs_str whole = { 0 };
        ncs_str_addf(&whole, "%s%s%s", path, path[0] && path[strlen(path) - 1] == '/' ? "" : "/", name[i]->d_name);
        if (name[i]->d_name[0] != '.' && stat(whole.text, &st) == 0 && S_ISREG(st.st_mode))
            NCS_PUSH(file, files, room, ncs_str_take(&whole));
        ncs_str_free(&whole);
        free(name[i]);
    }
    free(name);
    int *rank = ncs_new(files * sizeof *rank);
    ncs_rank_names((const char *const *)file, files, rank);
    for (size_t i = 0; i < files; i++) {
        ok = ok && add_file(all, file[i], rank[i], true);
        ncs_free(file[i]);
    }
    ncs_free(file);
    ncs_free(rank);
    return ok;
}

static bool add_path(struct files *all, const char *path, int rank)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return add_folder(all, path);
    return add_file(all, path, rank, false);
}

/* The kinds that were read, as the report names them; the word of the first. */
static bool name_kinds(struct files *all, const char *path)
{
    struct ncs_str kinds = { 0 };
    bool alone = false;
    for (size_t i = 0; i < READERS; i++) {
        if (!all->state[i])
            continue;
        if (alone) {
            ncs_record_note(all->record, "%s are not used: %s have the calls", readers[i]->kind, kinds.text);
            end_state(all, i);
            continue;
        }
        alone = readers[i]->plays;
        all->record->follows = kinds.bytes > 0;
        if (!kinds.bytes) {
            all->record->source_word = readers[i]->word;
            all->record->trace->next = readers[i]->next ? readers[i]->next : usual_next;
        }
        ncs_str_addf(&kinds, "%s%s", kinds.bytes ? ", " : "", readers[i]->kind);
    }
    all->record->trace->kind = kinds.text;
    if (kinds.bytes)
        return true;
    if (all->left)
        ncs_fail(all->err, NCS_BAD_INPUT, "no file of the folder is a recording, a dump, a log or a stack of a job");
    else
        ncs_fail(all->err, NCS_BAD_INPUT, "the folder is empty: recordings, dumps, logs or stacks of a job are expected");
    ncs_fail_hint(all->err, "`ncclscript diagnose --help` lists the kinds");
    return ncs_fail_at(all->err, path, 0, 0);
}

static bool finish(struct files *all, const char *path)
{
    struct record *r = all->record;
    bool ok = name_kinds(all, path), played = false;
    for (size_t i = 0; i < READERS && ok; i++) {
        ok = !all->state[i] || readers[i]->finish(all->state[i]);
        played |= all->state[i] && readers[i]->plays;
    }
    for (char *p = r->trace->nccl; *p; p++) /* a text of a file */
        if (!isalnum((unsigned char)*p) && !strchr(".+-_ ", *p))
            *p = '?';
    if (ok && r->numbered) {
        ncs_record_note_missing(r);
        ncs_flight_align(r);
    }
    if (ok && all->left)
        ncs_record_note(r, "%zu file%s %s of no kind that diagnose reads, the first is %s", all->left, all->left == 1 ? "" : "s",
                        all->left == 1 ? "is" : "are", all->first_left);
    if (ok && !played)
        ncs_record_play(r);
    r->trace->ended |= played; /* a recording has the end of each call */
    return ok;
}

static bool end_files(struct files *all, bool ok)
{
    for (size_t i = 0; i < READERS; i++)
        if (all->state[i])
            end_state(all, i);
    ncs_record_free(all->record);
    NCS_FREE_ALL(all->path, all->paths);
    return ok;
}

bool ncs_trace_read(struct ncs_trace *trace, const char *const *paths, size_t count, struct ncs_error *err)
{
    struct record r = { .trace = trace };
    struct files all = { .record = &r, .err = err };
    int *rank = ncs_new(count * sizeof *rank);
    bool ok = true;
    ncs_rank_names(paths, count, rank);
    for (size_t i = 0; i < count && ok; i++)
        ok = add_path(&all, paths[i], rank[i]);
    ncs_free(rank);
    return end_files(&all, ok && finish(&all, paths[0]));
}

bool ncs_trace_read_bytes(struct ncs_trace *trace, const char *name, const void *bytes, size_t count, struct ncs_error *err)
{
    struct record r = { .trace = trace };
    struct files all = { .record = &r, .err = err };
    struct trace_file f = { .rank = ncs_rank_of_name(name), .in_memory = true };
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "");
    ncs_str_add_bytes(&text, bytes, count);
    return end_files(&all, add_text(&all, f, name, &text) && finish(&all, name));
}

void ncs_trace_forget(struct ncs_trace *trace)
{
    for (size_t i = 0; i < trace->clashes; i++) {
        for (size_t k = 0; k < trace->clash[i].calls; k++)
            ncs_call_unpin(trace->clash[i].call[k]);
        ncs_free(trace->clash[i].call);
    }
    ncs_snapshot_free(&trace->snapshot);
    ncs_journal_close(trace->journal);
    trace->clashes = trace->calls = 0;
}

void ncs_trace_free(struct ncs_trace *trace)
{
    ncs_trace_forget(trace);
    NCS_FREE_ALL(trace->note, trace->notes);
    NCS_FREE_ALL(trace->place, trace->places);
    for (size_t i = 0; i < trace->sources; i++) {
        ncs_free(trace->source[i].shown);
        ncs_free(trace->source[i].path);
    }
    ncs_free(trace->source);
    ncs_free(trace->shows);
    NCS_FREE_EACH(trace->doubt_of, trace->doubts, text);
    NCS_FREE_ALL(trace->block, trace->blocks);
    ncs_free(trace->doubt);
    ncs_free(trace->kind);
    ncs_free(trace->clash);
    *trace = (struct ncs_trace){ 0 };
}

const char *ncs_trace_place(const struct ncs_trace *trace, long line)
{
    size_t at = (size_t)(line - NCS_TRACE_LINES);
    return line >= NCS_TRACE_LINES && at < trace->places ? trace->place[at] : NULL;
}

bool ncs_trace_shows(const struct ncs_trace *trace, long line)
{
    size_t at = (size_t)(line - NCS_TRACE_LINES);
    return line >= NCS_TRACE_LINES && at < trace->showing && trace->shows[at];
}

const struct ncs_trace_source *ncs_trace_source(const struct ncs_trace *trace, long line)
{
    size_t at = (size_t)(line - NCS_TRACE_LINES);
    return line >= NCS_TRACE_LINES && at < trace->sources && trace->source[at].path ? &trace->source[at] : NULL;
}

void ncs_trace_set_source(struct ncs_trace *trace, size_t place, const char *shown, const char *path, int line)
{
    if (place >= trace->sources) {
        trace->source = ncs_resize(trace->source, (place + 1) * sizeof *trace->source);
        memset(&trace->source[trace->sources], 0, (place + 1 - trace->sources) * sizeof *trace->source);
        trace->sources = place + 1;
    }
    trace->source[place] = (struct ncs_trace_source){ ncs_copy_text(shown), ncs_copy_text(path), line };
}
