/* The file by which processes of one host find each other: in a folder that is the user's alone, so that nobody else can write the
 * address of a leader into it, or read its token. */
#define _GNU_SOURCE /* O_NOFOLLOW, AT_* */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "team/address.h"

static bool folder_is_ours(const char *folder)
{
    struct stat about;
    return lstat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() && !(about.st_mode & 022);
}

/* XDG_RUNTIME_DIR may be left from another user's environment (sudo), or name a folder that is not there. */
static bool folder_find(struct ncs_str *folder, struct ncs_error *err)
{
    const char *given = getenv("XDG_RUNTIME_DIR");
    if (given && given[0] == '/' && folder_is_ours(given)) {
        ncs_str_add(folder, given);
        return true;
    }
    ncs_str_addf(folder, "/tmp/ncclscript-%ld", (long)geteuid());
    if (mkdir(folder->text, 0700) != 0 && errno != EEXIST)
        return ncs_fail(err, NCS_BAD_INPUT, "the folder %s, in which the processes meet, cannot be made: %s", folder->text,
                        strerror(errno));
    if (folder_is_ours(folder->text))
        return true;
    ncs_fail(err, NCS_BAD_INPUT, "the folder %s, in which the processes meet, is not this user's alone", folder->text);
    return ncs_fail_hint(err, "remove it");
}

char *team_file_path(const char *job, struct ncs_error *err)
{
    struct ncs_str path = { 0 };
    uint64_t hash = ncs_hash_bytes(0, job, strlen(job));
    if (!folder_find(&path, err)) {
        ncs_str_free(&path);
        return NULL;
    }
    ncs_str_addf(&path, "/ncclscript-%016llx.team", (unsigned long long)hash);
    return ncs_str_take(&path);
}

static bool file_put(int fd, const struct team_address *address)
{
    char token[2 * TEAM_TOKEN + 1], text[128];
    team_token_text(address->token, token);
    int bytes = snprintf(text, sizeof text, "ncclscript 1 %d %s\n", address->places[0].port, token);
    bool done = write(fd, text, (size_t)bytes) == bytes;
    return close(fd) == 0 && done;
}

bool team_file_write(const char *path, const struct team_address *address, struct ncs_error *err)
{
    struct ncs_str beside = { 0 };
    ncs_str_addf(&beside, "%s.XXXXXX", path);
    int fd = mkostemp(beside.text, O_CLOEXEC); /* of mode 0600 */
    bool done = fd >= 0 && file_put(fd, address) && rename(beside.text, path) == 0;
    if (!done) {
        ncs_fail(err, NCS_BAD_INPUT, "the file %s, by which the processes meet, cannot be written: %s", path, strerror(errno));
        if (fd >= 0)
            unlink(beside.text);
    }
    ncs_str_free(&beside);
    return done;
}

bool team_file_read(const char *path, struct team_address *address)
{
    char text[128], token[2 * TEAM_TOKEN + 1];
    struct stat about;
    int port = 0, fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool ours = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid();
    ssize_t bytes = ours ? read(fd, text, sizeof text - 1) : -1;
    close(fd);
    text[bytes > 0 ? bytes : 0] = '\0';
    if (sscanf(text, "ncclscript 1 %5d %32s", &port, token) != 2 || port < 1 || port > 65535 ||
        !team_token_parse(token, address->token))
        return false;
    address->count = 1;
    address->places[0] = (struct team_place){ .host = "127.0.0.1", .port = port };
    return true;
}
