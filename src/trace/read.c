/* Finds the files to read, and recognises their kinds. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "trace/record.h"

enum kind { KIND_NONE, KIND_DUMP, KIND_LOG, KIND_RECORDING };

struct files {
    struct trace_file *file;
    size_t count, room, log, dump, recording; /* log, dump, recording: how many are such */
    char **path;
    size_t paths, path_room;
    size_t left;                   /* files of folders that are none of these */
    const char *first_left;
};

static enum kind kind_of(const struct trace_file *f)
{
    const char *text = f->text.text;
    size_t bytes = strspn(text, " \t\r\n");
    if (ncs_recording_is(f))
        return KIND_RECORDING;
    if ((unsigned char)text[0] == 0x80 || text[bytes] == '{')
        return KIND_DUMP;
    return ncs_log_is(f) ? KIND_LOG : KIND_NONE;
}

/* Takes ownership of the text. */
static bool add_text(struct files *all, const char *path, struct ncs_str *text, bool of_folder,
                     struct ncs_error *err)
{
    struct trace_file f = { .text = *text };
    NCS_PUSH(all->path, all->paths, all->path_room, ncs_copy_text(path));
    f.path = all->path[all->paths - 1];
    *text = (struct ncs_str){ 0 };
    enum kind kind = kind_of(&f);
    if (kind != KIND_NONE) {
        all->dump += kind == KIND_DUMP;
        all->log += kind == KIND_LOG;
        all->recording += kind == KIND_RECORDING;
        NCS_PUSH(all->file, all->count, all->room, f);
        return true;
    }
    bool empty = f.text.bytes == 0;
    ncs_str_free(&f.text);
    if (of_folder && all->left++ == 0)
        all->first_left = f.path;
    if (of_folder)
        return true;
    ncs_fail(err, NCS_BAD_INPUT, "%s: a Flight Recorder dump (JSON or pickle), a log of NCCL or a recording is expected",
             empty ? "the file is empty" : "there is no line of NCCL's in it, and it begins with neither "
                                           "`{` nor a pickle's byte 0x80");
    return ncs_fail_at(err, path, 0, 0);
}

static bool add_file(struct files *all, const char *path, bool of_folder, struct ncs_error *err)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "");
    if (!ncs_file_read(path, NCS_TRACE_FILE_MOST, "a dump or a log", &text, err)) {
        ncs_str_free(&text);
        return false;
    }
    size_t recordings = all->recording;
    if (!add_text(all, path, &text, of_folder, err))
        return false;
    if (all->recording > recordings) /* of many ranks: each is read again when its turn comes */
        ncs_str_free(&all->file[all->count - 1].text);
    return true;
}

static bool add_folder(struct files *all, const char *path, struct ncs_error *err)
{
    struct dirent **name;
    int count = scandir(path, &name, NULL, alphasort);
    bool ok = count >= 0;
    if (!ok) {
        ncs_fail(err, NCS_BAD_INPUT, "cannot be read: %s", strerror(errno));
        return ncs_fail_at(err, path, 0, 0);
    }
    for (int i = 0; i < count; i++) {
        struct stat st;
        struct ncs_str file = { 0 };
        ncs_str_addf(&file, "%s%s%s", path, path[0] && path[strlen(path) - 1] == '/' ? "" : "/", name[i]->d_name);
        if (ok && name[i]->d_name[0] != '.' && stat(file.text, &st) == 0 && S_ISREG(st.st_mode))
            ok = add_file(all, file.text, true, err);
        ncs_str_free(&file);
        free(name[i]);
    }
    free(name);
    return ok;
}

static bool add_path(struct files *all, const char *path, struct ncs_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return add_folder(all, path, err);
    return add_file(all, path, false, err);
}

static bool agree(const struct files *all, const char *path, struct ncs_error *err)
{
    if (all->count == 0)
        ncs_fail(err, NCS_BAD_INPUT, "no file of the folder is a Flight Recorder dump, a log of NCCL or a recording");
    else if (all->recording && (all->log || all->dump))
        ncs_fail(err, NCS_BAD_INPUT, "%zu recording%s and %zu other file%s: one kind at a time", all->recording,
                 all->recording == 1 ? "" : "s", all->log + all->dump, all->log + all->dump == 1 ? "" : "s");
    else if (all->log && all->dump)
        ncs_fail(err, NCS_BAD_INPUT, "%zu Flight Recorder dump%s and %zu log%s of NCCL: one kind at a time",
                 all->dump, all->dump == 1 ? "" : "s", all->log, all->log == 1 ? "" : "s");
    else
        return true;
    return ncs_fail_at(err, path, 0, 0);
}

static bool read_files(struct ncs_trace *trace, struct files *all, bool ok, struct ncs_error *err)
{
    struct record r = { .trace = trace };
    if (ok)
        ok = (all->recording ? ncs_recording_read : all->log ? ncs_log_read : ncs_flight_read)(&r, all->file, all->count, err);
    if (ok && all->left)
        ncs_record_note(&r, "%zu file%s %s no dump, log or recording, the first is %s", all->left,
                        all->left == 1 ? "" : "s", all->left == 1 ? "is" : "are", all->first_left);
    if (ok && !all->recording)
        ncs_record_play(&r);
    ncs_record_free(&r);
    for (size_t i = 0; i < all->count; i++)
        ncs_str_free(&all->file[i].text);
    for (size_t i = 0; i < all->paths; i++)
        ncs_free(all->path[i]);
    ncs_free(all->path);
    ncs_free(all->file);
    return ok;
}

bool ncs_trace_read(struct ncs_trace *trace, const char *const *paths, size_t count,
                    struct ncs_error *err)
{
    struct files all = { 0 };
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = add_path(&all, paths[i], err);
    return read_files(trace, &all, ok && agree(&all, paths[0], err), err);
}

bool ncs_trace_read_bytes(struct ncs_trace *trace, const char *name, const void *bytes, size_t count,
                          struct ncs_error *err)
{
    struct files all = { 0 };
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "");
    ncs_str_add_bytes(&text, bytes, count);
    return read_files(trace, &all, add_text(&all, name, &text, false, err), err);
}

void ncs_trace_free(struct ncs_trace *trace)
{
    for (size_t i = 0; i < trace->clashes; i++) {
        for (size_t k = 0; k < trace->clash[i].calls; k++)
            ncs_call_unpin(trace->clash[i].call[k]);
        ncs_free(trace->clash[i].call);
    }
    for (size_t i = 0; i < trace->notes; i++)
        ncs_free(trace->note[i]);
    for (size_t i = 0; i < trace->places; i++)
        ncs_free(trace->place[i]);
    for (size_t i = 0; i < trace->doubts; i++)
        ncs_free(trace->doubt_of[i].text);
    for (size_t i = 0; i < trace->blocks; i++)
        ncs_free(trace->block[i]);
    ncs_free(trace->block);
    ncs_free(trace->doubt_of);
    ncs_free(trace->doubt);
    ncs_free(trace->clash);
    ncs_free(trace->note);
    ncs_free(trace->place);
    ncs_snapshot_free(&trace->snapshot);
    ncs_journal_close(trace->journal);
    *trace = (struct ncs_trace){ 0 };
}

const char *ncs_trace_place(const struct ncs_trace *trace, long line)
{
    size_t at = (size_t)(line - NCS_TRACE_LINES);
    return line >= NCS_TRACE_LINES && at < trace->places ? trace->place[at] : NULL;
}
