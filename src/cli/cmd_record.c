/* ncclscript record: runs a program on the real libraries and lets it write down its calls. */
#define _GNU_SOURCE /* environ */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "api/recording.h"
#include "base/elf.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/program.h"

#ifndef NCCLSCRIPT_LIBDIR
#define NCCLSCRIPT_LIBDIR "lib"
#endif
#define RECORD_LIBRARY "ncclscript/libncclscript-record.so"

enum { OUTPUT, CALLS, HELP };

static const struct ncs_option options[] = {
    [OUTPUT] = NCS_ROW_TEXTS("output", 'o', "DIR", "ncclscript-record", "Recording",
                             "the folder for the files, one for each process that calls NCCL"),
    [CALLS] = NCS_ROW_NUMBER("calls", 0, "N", "32768", "Recording", "how many calls a file holds; later ones replace the oldest",
                             NCS_RECORDING_LEAST, NCS_RECORDING_MOST),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* ---- the library ---- */

/* The library is beside this program in a build tree, else where it is installed. */
static char *find_record_library(void)
{
    static const char *const places[] = { "lib/" RECORD_LIBRARY, "../" NCCLSCRIPT_LIBDIR "/" RECORD_LIBRARY, NULL };
    char self[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    self[bytes > 0 ? bytes : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        slash[1] = '\0';
    for (size_t i = 0; places[i]; i++) {
        struct ncs_str path = { 0 };
        ncs_str_addf(&path, "%s%s", self, places[i]);
        if (access(path.text, R_OK) == 0)
            return ncs_str_take(&path);
        ncs_str_free(&path);
    }
    fprintf(stderr,
            "ncclscript record: %s is missing in %slib and in %s../" NCCLSCRIPT_LIBDIR "\n"
            "  hint: `cmake --build --preset default --target drop_in` builds it\n",
            RECORD_LIBRARY, self, self);
    return NULL;
}

/* The loader reads a list of names with colons or blanks between them. */
static bool set_preload(const char *library)
{
    struct ncs_str list = { 0 };
    const char *before = getenv("LD_PRELOAD");
    if (strpbrk(library, ": ")) {
        fprintf(stderr,
                "ncclscript record: the loader cannot preload a library from a folder with `:` or a blank in its "
                "name: %s\n",
                library);
        return false;
    }
    ncs_str_addf(&list, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
    ncs_set_variable("LD_PRELOAD", list.text);
    ncs_str_free(&list);
    return true;
}

/* ---- the folder ---- */

static bool refuse_folder(const char *given, const char *why)
{
    fprintf(stderr, "ncclscript record: --output %.300s: %s\n", given, why);
    return false;
}

/* A folder that cannot be made: record makes no more than the last one of a path. */
static bool refuse_new_folder(const char *given, int error)
{
    struct ncs_str why = { 0 }, parent = { 0 };
    size_t bytes = strlen(given);
    while (bytes > 1 && given[bytes - 1] == '/')
        bytes--;
    while (bytes > 0 && given[bytes - 1] != '/')
        bytes--;
    while (bytes > 1 && given[bytes - 1] == '/')
        bytes--;
    ncs_str_add_bytes(&parent, given, bytes);
    if (error == ENOENT && bytes)
        ncs_str_addf(&why, "expected a folder, or a new name in a folder: there is no folder %.300s", parent.text);
    else
        ncs_str_addf(&why, "expected a folder, and it cannot be made: %s", strerror(error));
    refuse_folder(given, why.text);
    ncs_str_free(&why);
    ncs_str_free(&parent);
    return false;
}

/* Makes a file with a name as long as a recording's, and removes it: a folder may refuse files that its mode allows. */
static bool can_make_file(const char *path)
{
    struct ncs_str name = { 0 };
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    ncs_str_addf(&name, "%s/.%s.%ld.%010d" NCS_RECORDING_ENDING, path, host, (long)getpid(), 0);
    int fd = open(name.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(name.text);
    }
    ncs_str_free(&name);
    errno = error;
    return fd >= 0 || error == EEXIST;
}

/* What a recording takes at least, in bytes. The tables beside the calls take more than 1 MiB, but for small recordings. */
static uint64_t least_bytes(const struct ncs_option_value *calls)
{
    uint64_t most = calls->given ? (uint64_t)calls->number : NCS_RECORDING_USUAL;
    return most * sizeof(struct ncs_recording_call) + (most < 1024 ? 0 : (uint64_t)1 << 20);
}

static bool has_room(const char *path, uint64_t bytes, struct ncs_str *why)
{
    struct statvfs disk;
    struct rlimit most;
    if (statvfs(path, &disk) == 0 && disk.f_blocks && disk.f_bavail * (uint64_t)disk.f_frsize < bytes)
        ncs_str_addf(why, "a recording takes at least %" PRIu64 " KiB, and the disk has %" PRIu64 " KiB left", bytes >> 10,
                     disk.f_bavail * (uint64_t)disk.f_frsize >> 10);
    else if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && most.rlim_cur < bytes)
        ncs_str_addf(why, "a recording takes at least %" PRIu64 " KiB, and the limit of files (ulimit -f) is %" PRIu64 " KiB",
                     bytes >> 10, (uint64_t)most.rlim_cur >> 10);
    return !why->bytes;
}

/* Makes the folder, and sets its full name: the program may change to another one. *is_new: it was not there. */
static bool set_folder(const char *given, const struct ncs_option_value *calls, bool *is_new)
{
    char path[PATH_MAX];
    struct ncs_str why = { 0 };
    struct stat st;
    bool made = *is_new = *given && mkdir(given, 0777) == 0;
    if (!*given)
        return refuse_folder("''", "expected the name of a folder");
    if (!made && errno != EEXIST)
        return refuse_new_folder(given, errno);
    if (!realpath(given, path) || stat(path, &st) != 0)
        return refuse_folder(given, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return refuse_folder(given, "expected a folder, and this is a file");
    if (!can_make_file(path))
        ncs_str_addf(&why, "no file can be made there: %s", strerror(errno));
    if (why.bytes || !has_room(path, least_bytes(calls), &why)) {
        refuse_folder(given, why.text);
        if (made)
            rmdir(path);
        ncs_str_free(&why);
        return false;
    }
    ncs_set_variable(NCS_RECORDING_FOLDER, path);
    return true;
}

/* Under srun or mpirun this command runs once for each rank: one of them prints. */
static bool is_first_rank(void)
{
    static const char *const names[] = { "RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                         "PMI_RANK", "MV2_COMM_WORLD_RANK",  "SLURM_PROCID",
                                         NULL };
    for (size_t i = 0; names[i]; i++)
        if (getenv(names[i]))
            return strcmp(getenv(names[i]), "0") == 0;
    return true;
}

/* Warns if the loader will not preload the recorder into this program. Its children may have it. */
static void warn_of_loader(const char *program, const char *path)
{
    struct ncs_elf image;
    struct stat st;
    if (ncs_elf_open(&image, path) && ncs_elf_is_static(&image))
        fprintf(stderr, "ncclscript record: `%s` is statically linked: its own calls cannot be recorded\n", program);
    ncs_elf_close(&image);
    if (stat(path, &st) == 0 && ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
                                 (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid())))
        fprintf(stderr, "ncclscript record: `%s` gets the rights of its owner (setuid): its calls cannot be recorded\n", program);
}

/* The statuses of env and of shells. */
enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/* Reports why the program does not run; returns the status. */
static int refuse_program(const char *program, int error)
{
    fprintf(stderr, "ncclscript record: cannot run `%s`: %s\n", program,
            error == ENOEXEC ? "it is neither a program for this machine nor a script that begins with #!" : strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* An errno: why the program cannot be started; 0 = it seems that it can. */
static int why_not_program(const char *path)
{
    struct stat st;
    if (!strchr(path, '/'))
        return ENOENT;
    if (stat(path, &st) != 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : errno;
}

/* Becomes the program, so that signals and the exit status are its own. Returns only if that fails. */
static int become_recorded(char **argv, const char *path)
{
    warn_of_loader(argv[0], path);
    fflush(NULL);
    signal(SIGPIPE, SIG_DFL); /* main ignores them */
    signal(SIGXFSZ, SIG_DFL);
    execve(path, argv, environ);
    return refuse_program(argv[0], errno);
}

/* Makes the folder, and becomes the program. */
static int record_program(const struct ncs_option_value *v, char **argv, const char *path)
{
    const char *folder = v[OUTPUT].given ? ncs_option_last(&v[OUTPUT]) : "ncclscript-record";
    char calls[32];
    bool is_new;
    if (!set_folder(folder, &v[CALLS], &is_new))
        return 2;
    snprintf(calls, sizeof calls, "%" PRId64, v[CALLS].number);
    if (v[CALLS].given)
        ncs_set_variable(NCS_RECORDING_CALLS, calls);
    if (!getenv("NCCLSCRIPT_QUIET") && is_first_rank())
        fprintf(stderr, "ncclscript: the calls of NCCL are recorded in %s; `ncclscript diagnose` reads the folder\n", folder);
    int status = become_recorded(argv, path);
    if (is_new)
        rmdir(getenv(NCS_RECORDING_FOLDER)); /* only if nobody else has written into it */
    return status;
}

static int record_main(const struct ncs_parsed *parsed)
{
    if (parsed->operands > 0 || !parsed->program) {
        if (parsed->operands > 0)
            ncs_usage_error("record", NULL, "`%s`: write the program after `--`", parsed->operand[0]);
        else
            ncs_usage_error("record", NULL, "no program was given, as in `record -- ./train`");
        return 2;
    }
    char *library = find_record_library();
    bool ready = library && set_preload(library);
    ncs_free(library);
    if (!ready)
        return 70;
    char *path = ncs_program_find(parsed->program[0]);
    int error = why_not_program(path);
    int status = error ? refuse_program(parsed->program[0], error) : record_program(parsed->value, parsed->program, path);
    ncs_free(path);
    return status;
}

const struct ncs_command ncs_cmd_record = {
    .name = "record",
    .operands = "-- PROGRAM...",
    .summary = "record the NCCL calls of a program on real GPUs",
    .about = "PROGRAM runs on the real libraries, unchanged: a training script, torchrun, mpirun or srun. Each\n"
             "process that calls NCCL writes its calls into a file of fixed size in DIR: functions, arguments,\n"
             "communicators, streams, threads, locations and times, and the waits in the CUDA runtime. The\n"
             "file survives the process, also after SIGKILL. Files are named by rank, host and process:\n"
             "3@node7.4711.ncclrec.\n"
             "\n"
             "If the job hangs, collect the files of all ranks in one folder, and run:\n"
             "\n"
             "  ncclscript diagnose DIR\n"
             "\n"
             "diagnose can also read DIR while the job still hangs.\n"
             "\n"
             "record sets LD_PRELOAD, NCCLSCRIPT_RECORD=DIR and, for --calls, NCCLSCRIPT_RECORD_CALLS. Then it\n"
             "becomes PROGRAM. Child processes inherit these variables. Without NCCLSCRIPT_RECORD the\n"
             "library does nothing. DIR should be on a local disk or in /dev/shm.\n"
             "\n"
             "Not recorded: calls to an NCCL that is linked statically, and calls of libraries that were\n"
             "opened with RTLD_DEEPBIND.\n"
             "\n"
             "Exit status: that of PROGRAM; 127 if PROGRAM is not found, 126 if it cannot be run, 2 if DIR cannot\n"
             "hold recordings, 70 if the recorder is missing. In the latter cases PROGRAM is not started.\n",
    .option = options,
    .program = true,
    .main = record_main,
};
