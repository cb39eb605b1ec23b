/* The simulator against the real libraries: the same calls on both, each sequence in a process of its
 * own, and what came back compared: codes, last-error texts, values. Where there is no GPU the
 * simulator is told that there is no driver. 77 when the libraries are not here. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/version.h"
#include "base/mem.h"
#include "driver/driver.h"

enum { ANYWHERE, GPU };
enum { SECONDS = 60, ROOM = 1 << 16 };

static const struct ncs_api *api;
static struct ncs_str trace;

/* ---- what sequences are written in ---- */

static void note(const char *function, int nccl, int code)
{
    ncs_str_addf(&trace, "%s %d", function, code);
    if (nccl && api->ncclGetLastError)
        ncs_str_addf(&trace, " [%s]", api->ncclGetLastError(NULL));
    ncs_str_add(&trace, "\n");
}

static void note_text(const char *function, const char *text)
{
    ncs_str_addf(&trace, "%s \"%s\"\n", function, text ? text : "(null)");
}

#define CALL(f, ...) note(#f, #f[0] == 'n', api->f ? (int)api->f(__VA_ARGS__) : -1)
#define TEXT(f, ...) note_text(#f, api->f ? api->f(__VA_ARGS__) : "absent")
#define VALUE(e) ncs_str_addf(&trace, "%s = %" PRId64 "\n", #e, (int64_t)(e))

/* The codes that programs meet. */
#define IS_USUAL(i)                                                                                                         \
    ((i) < 5 || (i) == 11 || (i) == 21 || (i) == 35 || (i) == 46 || (i) == 100 || (i) == 101 || (i) == 201 || (i) == 400 || \
     (i) == 600 || (i) == 700 || (i) == 704 || (i) == 719 || (i) == 999)

static _Alignas(64) char data[4096], garbage[1 << 16];

static void host_function(void *arg)
{
    (void)arg;
}

#define UNSET NCCL_CONFIG_UNDEF_INT
#define WORDS                                                                                                      \
    __attribute__((unused)) ncclComm_t comm = NULL, comms[2] = { NULL };                                           \
    __attribute__((unused)) ncclUniqueId id = { { 0 } }, other = { { 0 } }, ids[2] = { { { 0 } } };                \
    __attribute__((unused)) ncclConfig_t config = {                                                                \
        .size = offsetof(ncclConfig_t, nvlinkCentricSched),                                                        \
        .magic = NCCL_CONFIG_MAGIC,                                                                                \
        .version = NCCL_VERSION(2, 28, 9),                                                                         \
        .blocking = UNSET,                                                                                         \
        .cgaClusterSize = UNSET,                                                                                   \
        .minCTAs = UNSET,                                                                                          \
        .maxCTAs = UNSET,                                                                                          \
        .splitShare = UNSET,                                                                                       \
        .trafficClass = UNSET,                                                                                     \
        .collnetEnable = UNSET,                                                                                    \
        .CTAPolicy = UNSET,                                                                                        \
        .shrinkShare = UNSET,                                                                                      \
        .nvlsCTAs = UNSET,                                                                                         \
        .nChannelsPerNetPeer = UNSET,                                                                              \
    };                                                                                                             \
    __attribute__((unused))                                                                                        \
    ncclSimInfo_t info = { .size = sizeof info, .magic = NCCL_SIM_INFO_MAGIC, .version = NCCL_VERSION(2, 28, 9) }; \
    __attribute__((unused)) int n = -1, m = -1, devices[2] = { 0, 1 };                                             \
    __attribute__((unused)) size_t bytes = 0, total = 0;                                                           \
    __attribute__((unused)) void *p = NULL;                                                                        \
    __attribute__((unused)) float scalar = 2;                                                                      \
    __attribute__((unused)) cudaStream_t s = NULL;                                                                 \
    __attribute__((unused)) cudaEvent_t event = NULL;                                                              \
    __attribute__((unused)) ncclRedOp_t op = ncclSum;                                                              \
    __attribute__((unused)) ncclWindow_t window = NULL;                                                            \
    __attribute__((unused)) ncclResult_t state = ncclNumResults

#define SEQUENCE(id_, needs_, what_, ...) \
    static void run_##id_(void)           \
    {                                     \
        WORDS;                            \
        __VA_ARGS__                       \
    }
#include "sequences.def"
#undef SEQUENCE

static const struct sequence {
    const char *id, *what;
    int needs;
    void (*run)(void);
} sequences[] = {
#define SEQUENCE(id_, needs_, what_, ...) { #id_, what_, needs_, run_##id_ },
#include "sequences.def"
#undef SEQUENCE
};

enum { SEQUENCES = sizeof sequences / sizeof *sequences };

/* ---- one sequence on one of both ---- */

static void on_context(void *arg)
{
    const struct sequence *q = arg;
    q->run();
}

static void run_simulated(const struct sequence *q, int version, bool devices)
{
    const struct ncs_machine *machine = ncs_driver_sim.machine;
    struct ncs_local local = { .rank = 0 };
    struct ncs_error err = { 0 };
    struct ncs_machine_options options = { .hosts.devices = 1,
                                           .nccl_version = version,
                                           .lack = devices ? NCS_LACK_NOTHING : NCS_LACK_DRIVER };
    struct ncs_context_options context = { .local = &local, .main = on_context, .arg = (void *)q };
    if (!machine->open(&options, &err) || !machine->spawn(&context, &err)) {
        ncs_str_addf(&trace, "simulator: %s\n", err.text);
        return;
    }
    if (machine->run() != NCS_STOP_DONE)
        ncs_str_add(&trace, "waits for ever\n");
}

/* The output of the process that runs it, or how it ended. The caller frees. */
static char *traced(const struct sequence *q, bool simulated, int version, bool devices)
{
    int ends[2], status;
    char *text = ncs_new(ROOM);
    size_t bytes = 0;
    fflush(NULL);
    if (pipe(ends) != 0)
        return text;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        alarm(SECONDS);
        if (simulated) {
            run_simulated(q, version, devices);
        } else {
            signal(SIGSEGV, SIG_DFL); /* whoever watches this program need not hear of it */
            signal(SIGBUS, SIG_DFL);
            q->run();
        }
        ssize_t written = write(ends[1], trace.text ? trace.text : "", trace.bytes);
        _exit(written == (ssize_t)trace.bytes ? 0 : 1);
    }
    close(ends[1]);
    for (ssize_t got; bytes < ROOM - 1 && (got = read(ends[0], text + bytes, ROOM - 1 - bytes)) > 0;)
        bytes += (size_t)got;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!WIFEXITED(status))
        snprintf(text + bytes, ROOM - bytes, "ended by signal %d\n", WTERMSIG(status));
    return text;
}

static void print_difference(const struct sequence *q, const char *real, const char *simulated)
{
    printf("%s: %s\n", q->id, q->what);
    while (*real || *simulated) {
        size_t a = strcspn(real, "\n"), b = strcspn(simulated, "\n");
        if (a != b || memcmp(real, simulated, a) != 0)
            printf("  real       %.*s\n  simulator  %.*s\n", (int)a, real, (int)b, simulated);
        real += a + (real[a] != '\0');
        simulated += b + (simulated[b] != '\0');
    }
}

/* Where the real library crashes the simulator goes on, and says that the real one would not. */
static bool is_equal(const char *real, const char *simulated)
{
    static const char crash[] = "ended by signal ";
    return strncmp(real, crash, strlen(crash)) == 0 ? strstr(simulated, "the real library crashes here") != NULL
                                                    : *real && strcmp(real, simulated) == 0;
}

static bool compare(const struct sequence *q, int version, bool devices)
{
    api = ncs_driver_real_api();
    char *real = traced(q, false, version, devices);
    api = ncs_driver_sim.api;
    char *simulated = traced(q, true, version, devices);
    bool equal = is_equal(real, simulated);
    if (!equal)
        print_difference(q, real, simulated);
    ncs_free(real);
    ncs_free(simulated);
    return equal;
}

/* ---- all of them ---- */

int main(int argc, char **argv)
{
    char nccl[24], cuda[24];
    const char *why;
    struct ncs_error err = { 0 };
    struct ncs_driver_choice choice = { "nccl", NULL, NULL };
    if (!ncs_driver_load(&choice, &err)) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    const struct ncs_library *library = ncs_driver_libraries();
    if (!ncs_nccl_is_profile(library[0].version)) {
        printf("skipped: NCCL %s is not among the versions that the simulator can be\n",
               ncs_library_version(&library[0], nccl, sizeof nccl));
        return 77;
    }
    bool devices = ncs_driver_devices(ncs_driver_real_api(), &why) > 0;
    int ran = 0, equal = 0, left = 0;
    for (int i = 0; i < SEQUENCES; i++) {
        const struct sequence *q = &sequences[i];
        if (argc > 1 && strcmp(argv[1], q->id) != 0)
            continue;
        /* Without a driver real results are those of a machine that lacks it, and with one they are not. */
        if ((q->needs == GPU) != devices) {
            left++;
            continue;
        }
        ran++;
        equal += compare(q, library[0].version, devices);
    }
    printf("%d of %d sequences equal on NCCL %s, CUDA runtime %s and the simulator; %d left out: %s\n", equal, ran,
           ncs_library_version(&library[0], nccl, sizeof nccl), ncs_library_version(&library[1], cuda, sizeof cuda), left,
           devices ? "they are for a machine without a GPU" : "they need a GPU, there is none here");
    return ran > 0 && equal == ran ? 0 : 1;
}
