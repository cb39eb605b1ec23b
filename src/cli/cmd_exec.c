/* ncclscript exec: runs an unmodified program on the simulator. The program loads the drop-in libraries
 * instead of the real ones; they print the diagnosis. */
#define _GNU_SOURCE /* environ, pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/version.h"
#include "base/channel.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/program.h"

#ifndef NCCLSCRIPT_LIBDIR
#define NCCLSCRIPT_LIBDIR "lib"
#endif

enum { GPUS, NCCL, POLICY, TIMEOUT, PATIENCE, KERNELS, NO_REDIRECT, FORMAT, HELP };

static const char *const policies[] = { "strict", "typical", NULL };

static const char *const kernels[] = { "fail", "skip", NULL };

static const struct ncs_option options[] = {
    [GPUS]    = { "gpus", 'n', NCS_OPTION_INT, "GPUS", "8", "Running", "number of GPUs",
                  NULL, 1, 1024 },
    [NCCL]    = { "nccl-version", 0, NCS_OPTION_CHOICE, "VERSION", "2.30.7", "Running",
                  "the version of NCCL to simulate: 2.28.9 ... 2.30.7", ncs_nccl_profiles, 0, 0 },
    [POLICY]  = { "policy", 0, NCS_OPTION_CHOICE, NULL, "strict", "Running",
                  "strict: no send buffering; typical: small sends are buffered", policies, 0, 0 },
    [TIMEOUT] = { "timeout", 0, NCS_OPTION_DURATION, "TIME", "none", "Running",
                  "end the program after this time without progress, as 60s", NULL, 0, 0 },
    [PATIENCE] = { "patience", 0, NCS_OPTION_DURATION, "TIME", "30s", "Running",
                  "how long threads may poll in vain while all other threads wait", NULL, 0, 0 },
    [KERNELS] = { "kernels", 0, NCS_OPTION_CHOICE, NULL, "fail", "Running",
                  "launches of unknown kernels fail, or do nothing", kernels, 0, 0 },
    [NO_REDIRECT] = { "no-redirect", 0, NCS_OPTION_FLAG, NULL, NULL, "Running",
                  "do not replace libraries that an RPATH or an absolute path names", NULL, 0, 0 },
    [FORMAT]  = { "format", 0, NCS_OPTION_CHOICE, NULL, "text", "Output",
                  "text, or one JSON object", ncs_text_or_json, 0, 0 },
    [HELP]    = NCS_OPTION_HELP,
    { 0 },
};

/* ---- the libraries ---- */

/* The libraries that programs load, and those that these need. */
static const char *const libraries[] = { "libnccl.so.2", "libcudart.so.12", "libcudart.so.13", "libcuda.so.1",
                                         "libnvidia-ml.so.1", "libncclscript-sim.so", "libncclscript-exec.so",
                                         "libncclscript-audit.so", NULL };

/* The first library missing in the folder; NULL = none. */
static const char *missing_in(const char *folder)
{
    for (size_t i = 0; libraries[i]; i++) {
        struct ncs_str path = { 0 };
        ncs_str_addf(&path, "%s/%s", folder, libraries[i]);
        bool found = access(path.text, R_OK) == 0;
        ncs_str_free(&path);
        if (!found)
            return libraries[i];
    }
    return NULL;
}

/* The drop-in libraries are beside this program in a build tree, else where they are installed. */
static bool find_libraries(struct ncs_str *folder)
{
    static const char *const places[] = { "lib/ncclscript", "../" NCCLSCRIPT_LIBDIR "/ncclscript",
                                          NULL };
    char self[4096];
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    if (bytes < 0)
        return false;
    self[bytes] = '\0';
    *(strrchr(self, '/') + 1) = '\0';
    struct ncs_str tried = { 0 };
    bool found = false;
    for (size_t i = 0; places[i] && !found; i++) {
        ncs_str_clear(folder);
        ncs_str_addf(folder, "%s%s", self, places[i]);
        const char *missing = missing_in(folder->text);
        found = !missing;
        if (missing)
            ncs_str_addf(&tried, "ncclscript exec: %s is missing in %s\n", missing, folder->text);
    }
    if (!found)
        fprintf(stderr, "%s  hint: the drop-in libraries are built with the program by `./start`, or by\n"
                        "  `cmake --build --preset default --target drop_in`, and installed with it\n", tried.text);
    ncs_str_free(&tried);
    return found;
}

/* Sets a list of paths to both parts, of which one may be NULL or empty. */
static void exec_set_list(const char *name, const char *first, const char *second)
{
    struct ncs_str text = { 0 };
    bool both = first && *first && second && *second;
    ncs_str_addf(&text, "%s%s%s", first ? first : "", both ? ":" : "", second ? second : "");
    setenv(name, text.text, 1);
    ncs_str_free(&text);
}

/* The audit library redirects what LD_LIBRARY_PATH does not reach. */
static void set_libraries(const char *folder, bool redirects)
{
    struct ncs_str audit = { 0 };
    exec_set_list("LD_LIBRARY_PATH", folder, getenv("LD_LIBRARY_PATH"));
    ncs_str_addf(&audit, "%s/libncclscript-audit.so", folder);
    exec_set_list("LD_AUDIT", audit.text, getenv("LD_AUDIT"));
    ncs_str_free(&audit);
    if (redirects)
        unsetenv(NCS_NO_REDIRECT);
    else
        setenv(NCS_NO_REDIRECT, "1", 1);
}

static void exec_set_environment(const struct ncs_option_value *v, const char *folder, int channel)
{
    char number[64];
    struct stat at = { 0 };
    set_libraries(folder, !v[NO_REDIRECT].given);
    if (v[GPUS].given) {
        snprintf(number, sizeof number, "%" PRId64, v[GPUS].number);
        setenv("NCCLSCRIPT_GPUS", number, 1);
    }
    if (v[NCCL].given)
        setenv("NCCLSCRIPT_NCCL_VERSION", ncs_nccl_profiles[v[NCCL].number], 1);
    if (v[POLICY].given)
        setenv("NCCLSCRIPT_POLICY", policies[v[POLICY].number], 1);
    if (v[TIMEOUT].given)
        setenv("NCCLSCRIPT_TIMEOUT", ncs_option_last(&v[TIMEOUT]), 1);
    if (v[PATIENCE].given)
        setenv("NCCLSCRIPT_PATIENCE", ncs_option_last(&v[PATIENCE]), 1);
    if (v[KERNELS].given)
        setenv("NCCLSCRIPT_KERNELS", kernels[v[KERNELS].number], 1);
    setenv("NCCLSCRIPT_FORMAT", ncs_text_or_json[v[FORMAT].number], 1);
    fstat(channel, &at);
    snprintf(number, sizeof number, NCS_CHANNEL_FORMAT, (int)getppid(), channel,
             (unsigned long long)at.st_ino);
    setenv(NCS_CHANNEL, number, 1);
}

/* ---- running it ---- */

struct told {
    bool used, cuda, verdict; /* cuda: its runtime was called */
    int status; /* of a verdict; at the program's end: 0, or not 0 after a mistake */
    struct ncs_str others; /* "A in place of B": other libraries that it has mapped, each once */
};

static void hear_other(struct told *told, const char *line, size_t bytes)
{
    struct ncs_str one = { 0 };
    const char *tab = memchr(line, '\t', bytes);
    if (!tab)
        return;
    ncs_str_addf(&one, "%.*s in place of %.*s", (int)(tab - line), line,
                 (int)(line + bytes - tab - 1), tab + 1);
    if (!told->others.text || !strstr(told->others.text, one.text))
        ncs_str_addf(&told->others, "%s%s", told->others.bytes ? ", " : "", one.text);
    ncs_str_free(&one);
}

static void exec_read_line(struct told *told, const char *line, size_t bytes)
{
    static const char other[] = "other ";
    int status = 0;
    if (strncmp(line, "used", 4) == 0) {
        told->used = true;
    } else if (strncmp(line, "cuda", 4) == 0) {
        told->cuda = true;
    } else if (strncmp(line, other, strlen(other)) == 0) {
        hear_other(told, line + strlen(other), bytes - strlen(other));
    } else if (sscanf(line, "verdict %d", &status) == 1) {
        told->verdict = true;
        told->status = status;
    } else if (sscanf(line, "ended %d", &status) == 1 && !told->verdict && !told->status) {
        told->status = status;
    }
}

/* Reads the reports of the libraries. Does not wait for processes that still hold the pipe open. */
static void exec_read_events(int channel, struct told *told)
{
    struct ncs_str text = { 0 };
    char part[4096];
    for (ssize_t bytes; (bytes = read(channel, part, sizeof part)) > 0;)
        ncs_str_add_bytes(&text, part, (size_t)bytes);
    for (const char *line = text.text; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        exec_read_line(told, line, strcspn(line, "\n"));
    ncs_str_free(&text);
}

static int exec_judge(const char *program, int how, const struct told *told)
{
    bool past = !told->used && told->others.bytes;
    if (past)
        fprintf(stderr, "ncclscript exec: `%s` did not run on the simulator: it has mapped %s\n", program, told->others.text);
    if (WIFSIGNALED(how)) {
        fprintf(stderr, "ncclscript exec: `%s` was ended by signal %d (%s)\n", program, WTERMSIG(how),
                strsignal(WTERMSIG(how)));
        return WTERMSIG(how) == SIGINT ? 130 : 6;
    }
    int status = WEXITSTATUS(how);
    if (told->verdict)
        return told->status;
    bool own_runtime = !told->cuda && ncs_program_has_runtime(program);
    if (own_runtime)
        fprintf(stderr, "ncclscript exec: `%s` contains its own CUDA runtime, which finds no GPU here: "
                "link it with the shared one, as `nvcc -cudart shared` does\n", program);
    if (!told->used && status == 0 && (own_runtime || past))
        return 5;
    if (!told->used && status == 0) {
        fprintf(stderr, "ncclscript exec: `%s` called neither NCCL nor the CUDA runtime: it must be "
                "linked with the shared libnccl.so.2 and libcudart.so.12 or .13, or open them\n",
                program);
        return 5;
    }
    return status ? status : told->status;
}

static int exec_fail(const char *what)
{
    fprintf(stderr, "ncclscript exec: %s: %s\n", what, strerror(errno));
    return 70;
}

/* Opens closed standard streams, so that no pipe of ours gets their numbers. */
static void open_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Becomes the program, without a shell that would interpret other files. The program gets SIGTERM if this
 * command ends, since the command can then pass no signals on. */
static void exec_become(char **argv)
{
    char *path = ncs_program_find(argv[0]);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (strchr(path, '/'))
        execve(path, argv, environ);
    else
        errno = ENOENT;
}

static const char *exec_why_not(int error)
{
    return error == ENOEXEC ? "it is neither a program for this machine nor a script that begins with #!"
                            : strerror(error);
}

static int exec_run(const struct ncs_option_value *v, char **argv, const char *folder)
{
    int channel[2], failure[2];
    open_standard();
    if (pipe2(channel, O_NONBLOCK | O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0)
        return exec_fail("no pipe");
    pid_t child = fork();
    if (child < 0)
        return exec_fail("no process");
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        exec_set_environment(v, folder, channel[0]);
        exec_become(argv);
        if (write(failure[1], &errno, sizeof errno) < 0)
            _exit(70);
        _exit(2);
    }
    close(failure[1]);
    close(channel[1]);
    signal(SIGINT, SIG_IGN); /* the program handles the signal */
    int how, error;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    if (read(failure[0], &error, sizeof error) == (ssize_t)sizeof error) {
        fprintf(stderr, "ncclscript exec: cannot run `%s`: %s\n", argv[0], exec_why_not(error));
        return 2;
    }
    struct told told = { 0 };
    exec_read_events(channel[0], &told);
    int status = exec_judge(argv[0], how, &told);
    ncs_str_free(&told.others);
    return status;
}

/* ---- the command ---- */

static int exec_main(const struct ncs_parsed *parsed)
{
    int status = 70;
    struct ncs_str folder = { 0 };
    if (parsed->operands > 0) {
        ncs_usage_error("exec", NULL, "`%s`: write the program after `--`", parsed->operand[0]);
        status = 2;
    } else if (!parsed->program) {
        ncs_usage_error("exec", NULL, "no program was given, as in `exec -- ./train`");
        status = 2;
    } else if (find_libraries(&folder)) {
        status = exec_run(parsed->value, parsed->program, folder.text);
    }
    ncs_str_free(&folder);
    return status;
}

const struct ncs_command ncs_cmd_exec = {
    .name = "exec",
    .operands = "-- PROGRAM...",
    .summary = "run an NCCL program on the simulator",
    .about = "PROGRAM is any program that uses the shared libraries of NCCL and of the CUDA runtime from host\n"
             "code. It needs no change and no GPU.\n"
             "Each thread of the program is a thread of the simulated machine. The machine is one process with\n"
             "all GPUs. exec refuses a job of several processes (mpirun, torchrun, fork).\n"
             "\n"
             "If every thread waits for another thread, exec reports the hang and ends the program at once.\n"
             "Threads may poll in vain (cudaEventQuery, ncclCommGetAsyncError) while all others wait. Then exec\n"
             "ends the program after --patience. The report says \"likely\", because the threads may have a time\n"
             "limit of their own. If a thread waits for something outside of the program, only --timeout ends\n"
             "the program. The answer \"not ready\" is no progress. Reports are printed on standard error.\n"
             "\n"
             "The exit status is that of the program, or of the verdict: 3 hang, 124 no progress, 1 a\n"
             "mistake that the program did not notice, 5 the program called neither NCCL nor CUDA, 6 a\n"
             "signal ended the program.\n"
             "\n"
             "exec does not execute kernels, except those of nccl-tests and PyTorch's fill. The launch of any\n"
             "other kernel fails. With --kernels skip it does nothing.\n"
             "\n"
             "A location is a return address, for example train_step+0x1a2. addr2line finds its source line.\n"
             "When the program ends, exec reports resources that the program did not free, freed twice, used\n"
             "after their destroy, or passed from the wrong GPU.\n"
             "\n"
             "NCCLSCRIPT_QUIET=1 leaves out the line that says that this is a simulator. dlsym also finds\n"
             "functions that the chosen version of NCCL lacks. Calls of these functions fail with a message.\n",
    .option = options,
    .program = true,
    .main = exec_main,
};
