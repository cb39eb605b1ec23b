#define _GNU_SOURCE /* O_PATH */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quantity.h"

static bool file_too_long(size_t limit, struct ncs_error *err)
{
    char size[32];
    return ncs_fail(err, NCS_BAD_INPUT, "the file is longer than %s", ncs_format_size(limit, size, sizeof size));
}

/* A descriptor that does not block, as a pipe of a shell or of node.js may be, is not at its end: waits until it can go on. */
static bool file_waits(int fd, short events)
{
    struct pollfd p = { .fd = fd, .events = events };
    return errno == EAGAIN && poll(&p, 1, -1) > 0;
}

static bool file_waits_to_read(FILE *in)
{
    bool comes = ferror(in) && file_waits(fileno(in), POLLIN);
    if (comes)
        clearerr(in);
    return comes;
}

static bool file_read_all(FILE *in, size_t limit, struct ncs_str *text, struct ncs_error *err)
{
    char block[16384];
    size_t n, before = text->bytes;
    ncs_str_add(text, "");
    while ((n = fread(block, 1, sizeof block, in)) > 0 || file_waits_to_read(in)) {
        ncs_str_add_bytes(text, block, n);
        if (text->bytes - before > limit)
            return file_too_long(limit, err);
    }
    if (ferror(in))
        return ncs_fail(err, ncs_status_of(errno), "cannot be read: %s", strerror(errno));
    return true;
}

static bool read_named(const char *file, size_t limit, const char *wanted, struct ncs_str *text, struct ncs_error *err)
{
    struct stat about;
    bool known = stat(file, &about) == 0;
    if (known && S_ISDIR(about.st_mode))
        return ncs_fail(err, NCS_BAD_INPUT, "is a folder, expected %s", wanted);
    if (known && S_ISREG(about.st_mode) && about.st_size > 0 && (size_t)about.st_size > limit)
        return file_too_long(limit, err);
    FILE *in = fopen(file, "rb");
    if (!in)
        return ncs_fail(err, ncs_status_of(errno), "cannot be opened: %s", strerror(errno));
    bool ok = file_read_all(in, limit, text, err);
    fclose(in);
    return ok;
}

bool ncs_file_read(const char *file, size_t limit, const char *wanted, struct ncs_str *text, struct ncs_error *err)
{
    bool ok = strcmp(file, "-") == 0 ? file_read_all(stdin, limit, text, err) : read_named(file, limit, wanted, text, err);
    return ok || ncs_fail_at(err, file, 0, 0);
}

/* ---- within a folder ---- */

/* Asks the kernel for the path of an open file, links resolved; false if the kernel does not know it. */
static bool file_place_of(int fd, char place[PATH_MAX])
{
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(own, place, PATH_MAX - 1);
    place[n > 0 ? n : 0] = '\0';
    return n > 0 && n < PATH_MAX - 1;
}

static bool file_is_within(int folder, int file)
{
    char outer[PATH_MAX], inner[PATH_MAX];
    if (!file_place_of(folder, outer) || !file_place_of(file, inner))
        return false;
    size_t n = strlen(outer);
    n -= outer[n - 1] == '/'; /* of "/" alone */
    return strncmp(outer, inner, n) == 0 && inner[n] == '/';
}

/* Checks and then reads the file that was found, even if its name is given to another one meanwhile. */
static FILE *open_found(int folder, int found, const char *wanted, struct ncs_error *err)
{
    struct stat about;
    char own[64];
    bool known = fstat(found, &about) == 0;
    if (!known || !S_ISREG(about.st_mode))
        ncs_fail(err, NCS_BAD_INPUT, "is %s, expected %s", known && S_ISDIR(about.st_mode) ? "a folder" : "no regular file",
                 wanted);
    else if (!file_is_within(folder, found))
        ncs_fail(err, NCS_BAD_INPUT, "is a link that leads out of the folder");
    else
        snprintf(own, sizeof own, "/proc/self/fd/%d", found);
    FILE *in = err->status == NCS_OK ? fopen(own, "rbe") : NULL;
    if (!in && err->status == NCS_OK)
        ncs_fail(err, ncs_status_of(errno), "cannot be opened: %s", strerror(errno));
    return in;
}

/* O_PATH finds a file without opening it: opening a pipe would wait for a writer. */
bool ncs_file_read_within(const char *file, size_t limit, const char *wanted, struct ncs_str *text, struct ncs_error *err)
{
    struct ncs_str folder = { 0 };
    const char *slash = strrchr(file, '/');
    ncs_str_add_bytes(&folder, slash ? file : ".", slash ? (size_t)(slash - file) + 1 : 1);
    err->status = NCS_OK;
    int outer = open(folder.text, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int found = outer < 0 ? -1 : openat(outer, slash ? slash + 1 : file, O_PATH | O_CLOEXEC);
    if (found < 0)
        ncs_fail(err, ncs_status_of(errno), "cannot be opened: %s", strerror(errno));
    FILE *in = found < 0 ? NULL : open_found(outer, found, wanted, err);
    bool ok = in && file_read_all(in, limit, text, err);
    if (in)
        fclose(in);
    if (found >= 0)
        close(found);
    if (outer >= 0)
        close(outer);
    ncs_str_free(&folder);
    return ok || ncs_fail_at(err, file, 0, 0);
}

enum ncs_line_read ncs_file_line(FILE *in, size_t limit, struct ncs_str *line)
{
    char piece[4096];
    size_t n = 0;
    int c;
    errno = 0;
    ncs_str_clear(line);
    ncs_str_add(line, "");
    while (((c = getc_unlocked(in)) != EOF || file_waits_to_read(in)) && c != '\n') {
        if (c == EOF)
            continue;
        piece[n++] = (char)c;
        if (n == sizeof piece || line->bytes + n == limit) {
            ncs_str_add_bytes(line, piece, n);
            n = 0;
            if (line->bytes >= limit)
                return NCS_LINE_LONG;
        }
    }
    ncs_str_add_bytes(line, piece, n);
    return c == EOF && (line->bytes == 0 || ferror(in)) ? NCS_LINE_NONE : NCS_LINE_READ;
}

/* ---- writing ---- */

bool ncs_write_all(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno != EINTR && !file_waits(fd, POLLOUT))
            return false;
        if (n > 0) {
            text += n;
            bytes -= (size_t)n;
        }
    }
    return true;
}

static bool file_close_whole(int fd, bool whole)
{
    int failed = errno;
    bool closed = close(fd) == 0;
    if (!whole)
        errno = failed;
    return whole && closed;
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A link never replaces a file that has appeared meanwhile. On file systems without links (some network
 * and USB file systems, containers) the name is claimed first and then given to the complete text. */
static bool give_new_name(const char *beside, const char *file)
{
    if (link(beside, file) == 0)
        return true;
    if (errno == EEXIST || errno == ENOENT || errno == ENOSPC)
        return false;
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    close(fd);
    if (rename(beside, file) == 0)
        return true;
    int failed = errno;
    unlink(file);
    errno = failed;
    return false;
}

/* Writes a temporary file beside the file, then gives it the file's name. */
static bool write_beside(const char *file, const char *text, size_t bytes, bool replace, mode_t mode)
{
    struct ncs_str beside = { 0 };
    ncs_str_addf(&beside, "%s.XXXXXX", file);
    int fd = mkstemp(beside.text);
    bool ok = fd >= 0;
    if (ok) {
        ok = file_close_whole(fd, ncs_write_all(fd, text, bytes) && fchmod(fd, mode) == 0) &&
             (replace ? rename(beside.text, file) == 0 : give_new_name(beside.text, file));
        int failed = errno;
        if (!ok || !replace)
            unlink(beside.text);
        errno = failed;
    }
    ncs_str_free(&beside);
    return ok;
}

/* Replaces the file itself if the name is a symbolic link, and keeps its permissions. */
static bool write_over(const char *file, const char *text, size_t bytes, mode_t mode)
{
    char *own = realpath(file, NULL);
    bool ok = own && write_beside(own, text, bytes, true, mode & 07777);
    free(own);
    return ok;
}

bool ncs_file_write(const char *file, const char *text, size_t bytes, bool replace, struct ncs_error *err)
{
    struct stat about;
    bool ok, there = stat(file, &about) == 0;
    if (there && !S_ISREG(about.st_mode)) {
        int fd = open(file, O_WRONLY);
        ok = fd >= 0 && file_close_whole(fd, ncs_write_all(fd, text, bytes));
    } else if (there && replace) {
        ok = write_over(file, text, bytes, about.st_mode);
    } else {
        ok = write_beside(file, text, bytes, replace, usual_mode());
    }
    if (ok)
        return true;
    if (errno == EEXIST && !replace)
        ncs_fail(err, NCS_BAD_INPUT, "exists already");
    else
        ncs_fail(err, NCS_BAD_INPUT, "cannot be written: %s", strerror(errno));
    return ncs_fail_at(err, file, 0, 0);
}
