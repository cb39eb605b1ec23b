/* The file has a line for each lesson: its key, and a letter for each step. */
#define _GNU_SOURCE /* flock */
#include "cli/lesson_progress.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/state_file.h"

#define PROGRESS_BYTES ((size_t)1 << 20)
#define STEPS 1000

static const char letters[] = "rsvnp";

char *ncs_lesson_key(const char *name, bool built_in)
{
    char *real = built_in ? NULL : realpath(name, NULL);
    struct ncs_str key = { 0 };
    ncs_str_add(&key, built_in ? "" : "file:");
    for (const char *at = real ? real : name; *at; at++)
        ncs_str_addf(&key, isgraph((unsigned char)*at) && *at != '%' ? "%c" : "%%%02x", (unsigned char)*at);
    free(real);
    return ncs_str_take(&key);
}

/* ---- the file ---- */

/* The letters in the line of a lesson; NULL: the line is another lesson's. */
static const char *progress_letters(const char *line, const char *key)
{
    size_t n = strlen(key);
    return strncmp(line, key, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

/* False if there is a file that cannot be read; without a file the text is empty. */
static bool progress_read(const char *path, struct ncs_str *text, struct ncs_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0 && errno == ENOENT)
        return true;
    return ncs_file_read_within(path, PROGRESS_BYTES, "a list of lessons", text, err);
}

static char *progress_find(const char *text, const char *key)
{
    struct ncs_str found = { 0 };
    for (const char *at = text; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *mine = progress_letters(at, key);
        if (mine)
            ncs_str_add_bytes(&found, mine, strspn(mine, letters));
    }
    return found.bytes ? ncs_str_take(&found) : ncs_copy_text("");
}

char *ncs_lesson_progress(const char *key)
{
    char *path = ncs_state_file("lessons");
    struct ncs_str text = { 0 };
    struct ncs_error ignored = { 0 };
    if (path)
        progress_read(path, &text, &ignored);
    char *found = progress_find(text.text, key);
    ncs_str_free(&text);
    ncs_free(path);
    return found;
}

size_t ncs_lesson_steps_done(const char *progress)
{
    size_t steps = strlen(progress);
    return steps && progress[steps - 1] == NCS_STEP_PEEKED ? steps - 1 : steps;
}

/* ---- keeping it ---- */

char ncs_lesson_better(char before, char now)
{
    if (before == NCS_STEP_PEEKED)
        return now == NCS_STEP_SOLVED ? NCS_STEP_SHOWN : now;
    static const char order[] = { NCS_STEP_PEEKED, NCS_STEP_SKIPPED, NCS_STEP_SHOWN, NCS_STEP_SOLVED, 0 };
    const char *old = before ? strchr(order, before) : NULL, *new = strchr(order, now);
    return old && new &&old > new ? before : now;
}

static void progress_change(const char *old, const char *key, size_t step, char how, struct ncs_str *new)
{
    char *mine = progress_find(old, key);
    size_t known = strlen(mine);
    for (const char *at = old, *end; at && *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        if (!progress_letters(at, key))
            ncs_str_addf(new, "%.*s\n", (int)(end - at), at);
    }
    ncs_str_addf(new, "%s ", key);
    for (size_t i = 0; i < known || i <= step; i++)
        ncs_str_addf(new, "%c",
                     i == step   ? ncs_lesson_better(i < known ? mine[i] : 0, how)
                     : i < known ? mine[i]
                                 : NCS_STEP_SKIPPED);
    ncs_str_add(new, "\n");
    ncs_free(mine);
}

/* Lessons in several terminals take turns. */
static int progress_lock(const char *path)
{
    struct ncs_str name = { 0 };
    ncs_str_addf(&name, "%s.lock", path);
    int fd = open(name.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0)
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
            continue;
    ncs_str_free(&name);
    return fd;
}

void ncs_lesson_keep_progress(void *arg, size_t step, enum ncs_step_done how)
{
    static bool said; /* once is enough */
    char *path = ncs_state_file("lessons");
    struct ncs_str old = { 0 }, new = { 0 };
    struct ncs_error err = { 0 };
    if (!path || step >= STEPS) {
        ncs_free(path);
        return;
    }
    bool ok = ncs_state_folder(path) || ncs_fail(&err, NCS_BAD_INPUT, "%s: its folder cannot be made", path);
    int lock = ok ? progress_lock(path) : -1;
    if (ok && progress_read(path, &old, &err)) {
        progress_change(old.text, arg, step, (char)how, &new);
        ok = ncs_file_write(path, new.text, new.bytes, true, &err);
    } else {
        ok = false;
    }
    if (!ok && !said) {
        said = true;
        ncs_print_error(&err);
        ncs_err("ncclscript lesson: your progress is not kept\n");
    }
    if (lock >= 0)
        close(lock);
    ncs_str_free(&old);
    ncs_str_free(&new);
    ncs_free(path);
}
