#define _GNU_SOURCE /* pipe2, O_PATH, nftw */
#include "cli/lesson_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/output.h"

#define OUTPUT_BYTES ((size_t)1 << 20) /* of a command that are kept */

#define FOLDER "ncclscript-lesson-"

static char *folder;
static bool kept;
static unsigned child_seconds;
static int home = -1; /* where the user was */

/* ---- running ncclscript ---- */

/* Reads to the end; bytes beyond the limit are dropped, so that the child does not wait for room. */
static void read_output(int fd, struct ncs_str *out)
{
    char piece[65536];
    for (ssize_t n; (n = read(fd, piece, sizeof piece)) != 0;) {
        if (n < 0 && errno != EINTR)
            return;
        if (n > 0 && out->bytes < OUTPUT_BYTES)
            ncs_str_add_bytes(out, piece, (size_t)n);
    }
}

/* In the child: what it prints goes to the pipe, and it reads nothing. */
static void become_program(char **words, int output)
{
    int nothing = open("/dev/null", O_RDONLY);
    alarm(child_seconds);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0)
        execv("/proc/self/exe", words);
    static const char why[] = "ncclscript cannot be run\n";
    if (write(output, why, sizeof why - 1) < 0)
        _exit(71);
    _exit(70);
}

static int run_in_folder(void *arg, char *const *word, struct ncs_str *out, struct ncs_error *err)
{
    static char name[] = "ncclscript";
    char *words[40] = { name };
    int ends[2], status = 0;
    (void)arg;
    for (size_t i = 0; word[i] && i + 2 < sizeof words / sizeof *words; i++)
        words[i + 1] = word[i];
    ncs_out_flush();
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ncs_fail(err, NCS_BAD_INPUT, "ncclscript cannot be run: %s", strerror(errno));
        return -1;
    }
    pid_t child = fork();
    if (child == 0)
        become_program(words, ends[1]);
    close(ends[1]);
    if (child > 0)
        read_output(ends[0], out);
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0) {
        ncs_fail(err, NCS_BAD_INPUT, "ncclscript cannot be run: %s", strerror(errno));
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- files ---- */

static bool write_in_folder(void *arg, const char *name, const struct ncs_str *text, struct ncs_error *err)
{
    (void)arg;
    if (!shell_is_name(name))
        return ncs_fail(err, NCS_BAD_INPUT, "%s is no plain name of a file", name);
    return ncs_file_write(name, text->text ? text->text : "", text->bytes, true, err);
}

static bool read_in_folder(void *arg, const char *name, struct ncs_str *text, struct ncs_error *err)
{
    (void)arg;
    if (!shell_is_name(name))
        return ncs_fail(err, NCS_BAD_INPUT, "%s is no plain name of a file", name);
    return ncs_file_read_within(name, NCS_FILE_LIMIT, "a file of the lesson", text, err);
}

static int remove_inside(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    if (at->level > 0)
        remove(path);
    return 0;
}

static void clear_folder(void *arg)
{
    (void)arg;
    nftw(folder, remove_inside, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void list_folder(void *arg, struct ncs_str *out)
{
    struct dirent **entry = NULL;
    int entries = scandir(".", &entry, NULL, by_name);
    (void)arg;
    for (int i = 0; i < entries; i++) {
        if (shell_is_name(entry[i]->d_name))
            ncs_str_addf(out, "%s\n", entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
}

static const char *folder_path(void *arg)
{
    (void)arg;
    return folder;
}

static const struct ncs_shell_host host = {
    .run = run_in_folder,
    .write = write_in_folder,
    .read = read_in_folder,
    .clear = clear_folder,
    .list = list_folder,
    .folder = folder_path,
};

/* ---- the folder ---- */

/* Removes what processes have left that were ended by a signal: our own folders, of processes that are gone. */
static void sweep_folders(const char *base)
{
    DIR *dir = opendir(base);
    struct stat st;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct ncs_str path = { 0 };
        int pid = strncmp(entry->d_name, FOLDER, sizeof FOLDER - 1) == 0 ? atoi(entry->d_name + sizeof FOLDER - 1) : 0;
        ncs_str_addf(&path, "%s/%s", base, entry->d_name);
        if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH && lstat(path.text, &st) == 0 && S_ISDIR(st.st_mode) &&
            st.st_uid == getuid()) {
            nftw(path.text, remove_inside, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
            rmdir(path.text);
        }
        ncs_str_free(&path);
    }
    if (dir)
        closedir(dir);
}

void ncs_lesson_folder_limit(unsigned seconds)
{
    child_seconds = seconds;
}

const struct ncs_shell_host *ncs_lesson_folder_open(const char *keep, struct ncs_error *err)
{
    const char *base = getenv("TMPDIR");
    struct ncs_str path = { 0 };
    base = base && *base == '/' ? base : "/tmp";
    sweep_folders(base);
    kept = keep != NULL;
    if (keep)
        ncs_str_add(&path, keep);
    else
        ncs_str_addf(&path, "%s/" FOLDER "%d-XXXXXX", base, (int)getpid());
    home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (keep ? mkdir(path.text, 0777) != 0 : !mkdtemp(path.text)) {
        ncs_fail(err, NCS_BAD_INPUT, "%s: cannot be made: %s", path.text, strerror(errno));
        ncs_str_free(&path);
        ncs_lesson_folder_close();
        return NULL;
    }
    folder = ncs_str_take(&path);
    if (chdir(folder) == 0)
        return &host;
    ncs_fail(err, NCS_BAD_INPUT, "%s: %s", folder, strerror(errno));
    ncs_lesson_folder_close();
    return NULL;
}

const char *ncs_lesson_folder_path(void)
{
    return folder;
}

void ncs_lesson_folder_close(void)
{
    if (home >= 0 && fchdir(home) != 0)
        ncs_err("the folder from which the lesson began is gone\n");
    if (home >= 0)
        close(home);
    home = -1;
    if (folder && !kept) {
        clear_folder(NULL);
        rmdir(folder);
    }
    ncs_free(folder);
    folder = NULL;
}
