#define _GNU_SOURCE /* O_PATH */
#include "base/allowed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

static char **folder;
static size_t folders, folders_room;

void ncs_allow_folder(const char *name)
{
    NCS_PUSH(folder, folders, folders_room, ncs_path_absolute(name));
}

/* Whoever opens a device may change it, and files of the kernel are others for each reader. */
static bool is_of_system(const char *path)
{
    static const char *const systems[] = { "/proc/", "/dev/", "/sys/" };
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (strncmp(path, systems[i], strlen(systems[i])) == 0)
            return true;
    return false;
}

/* One step down, which must not be a link. Closes `at`. */
static int step_into(int at, const char *name)
{
    int next = strcmp(name, "..") == 0 ? -1 : openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    close(at);
    return next;
}

#define LINK_ROOM 32 /* of the name of an open file */

/* The file behind the descriptor of a path, if it is a regular one. Closes `found`. */
static int open_regular(int found)
{
    char link[LINK_ROOM];
    struct stat st;
    int file = -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", found);
    if (found >= 0 && fstat(found, &st) == 0 && S_ISREG(st.st_mode))
        file = open(link, O_RDONLY | O_CLOEXEC);
    if (found >= 0)
        close(found);
    return file;
}

static int open_below(const char *from, const char *rest)
{
    char *parts = ncs_copy_text(rest), *next = NULL;
    int at = open(*from ? from : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (char *part = strtok_r(parts, "/", &next); part && at >= 0; part = strtok_r(NULL, "/", &next))
        at = step_into(at, part);
    ncs_free(parts);
    return open_regular(at);
}

int ncs_allowed_open(const char *path)
{
    char *working = ncs_path_absolute(".");
    int file = -1;
    errno = EACCES;
    for (size_t i = 0; i <= folders && file < 0 && path[0] == '/' && !is_of_system(path); i++) {
        const char *from = i < folders ? folder[i] : working;
        size_t bytes = strlen(from);
        if (strncmp(path, from, bytes) == 0 && path[bytes] == '/')
            file = open_below(from, path + bytes);
    }
    ncs_free(working);
    return file;
}

bool ncs_allowed_read(const char *path, size_t limit, struct ncs_str *text, struct ncs_error *err)
{
    char link[LINK_ROOM];
    int file = ncs_allowed_open(path);
    if (file < 0)
        return ncs_fail(err, ncs_status_of(errno), "cannot be opened: %s", strerror(errno));
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    bool read = ncs_file_read(link, limit, "a source", text, err);
    close(file);
    return read;
}
