#include "cli/log.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "cli/output.h"

struct ncs_log_file {
    char *path;
    FILE *out;  /* NULL: cannot be opened; its lines go where lines without a file go */
    int failed; /* errno of the first line that could not be written */
};

/* Opens a file when its first line comes. It is truncated once per program, not per run. */
static struct ncs_log_file *log_open_file(struct ncs_log *log, const char *path)
{
    for (size_t i = 0; i < log->files; i++)
        if (strcmp(log->file[i].path, path) == 0)
            return &log->file[i];
    FILE *out = fopen(path, "we");
    if (!out)
        fprintf(stderr, "ncclscript: NCCL_DEBUG_FILE: %s: %s\n", path, strerror(errno));
    NCS_PUSH(log->file, log->files, log->files_room, ((struct ncs_log_file){ ncs_copy_text(path), out, 0 }));
    return &log->file[log->files - 1];
}

void ncs_log_line(void *arg, const char *file, const char *line)
{
    struct ncs_log *log = arg;
    if (file && log->kept) {
        ncs_str_add_bytes(log->kept, file, strlen(file) + 1);
        ncs_str_add_bytes(log->kept, line, strlen(line) + 1);
        return;
    }
    struct ncs_log_file *into = file ? log_open_file(log, file) : NULL;
    struct ncs_str text = { 0 };
    ncs_safe_line(&text, line);
    ncs_str_add(&text, "\n");
    if (into && into->out) {
        errno = 0;
        if (fputs(text.text, into->out) == EOF && !into->failed)
            into->failed = errno ? errno : EIO;
    } else if (log->to_stderr && !log->quiet) {
        ncs_err(text.text);
    } else if (!log->quiet) {
        ncs_out(text.text);
    }
    ncs_str_free(&text);
}

/* False and errno if a line is missing in the file. */
static bool log_close_whole(struct ncs_log_file *file)
{
    int failed = file->failed;
    bool closed = fclose(file->out) == 0;
    errno = failed ? failed : errno;
    return closed && !failed;
}

void ncs_log_close(struct ncs_log *log)
{
    for (size_t i = 0; i < log->files; i++) {
        if (log->file[i].out && !log_close_whole(&log->file[i])) {
            fprintf(stderr, "ncclscript: cannot write NCCL's log to %s: %s\n", log->file[i].path, strerror(errno));
            ncs_out_file_failed();
        }
        ncs_free(log->file[i].path);
    }
    ncs_free(log->file);
    *log = (struct ncs_log){ 0 };
}
