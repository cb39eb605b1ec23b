/* `hostile MODE COMMAND...`: a process of a job that speaks to the machine itself, and says what no library says. Prints how the
 * machine answers, and then becomes the command. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/many/wire.h"

static struct wire *wire;

static int machine(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const char *name = getenv("NCCLSCRIPT_JOB");
    size_t bytes = strcspn(name, "@");
    int s = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    memcpy(at.sun_path + 1, name, bytes);
    if (connect(s, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes)) != 0)
        exit(7);
    return s;
}

/* Joins with this memory. Returns whether the machine takes it. */
static int join(int memory)
{
    static struct wire_hello hello = { .version = WIRE_VERSION, .bytes = sizeof(struct wire), .program = "hostile" };
    struct wire_welcome welcome = { .joined = false };
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } beside = { .room = "" };
    struct iovec part = { &hello, sizeof hello };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = beside.room, .msg_controllen = sizeof beside.room };
    struct cmsghdr *head = CMSG_FIRSTHDR(&m);
    int s = machine();
    hello.thread = (pid_t)syscall(SYS_gettid);
    *head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof memory) };
    memcpy(CMSG_DATA(head), &memory, sizeof memory);
    if (sendmsg(s, &m, 0) != (ssize_t)sizeof hello || recv(s, &welcome, sizeof welcome, 0) != (ssize_t)sizeof welcome)
        return 0;
    return welcome.joined;
}

static int new_memory(unsigned flags, int seals)
{
    int memory = memfd_create("hostile", flags);
    if (memory < 0 || ftruncate(memory, sizeof(struct wire)) != 0 || (seals && fcntl(memory, F_ADD_SEALS, seals) != 0))
        exit(7);
    return memory;
}

/* Memory that may shrink under the machine's hands would end it. */
static void shrink(void)
{
    printf("open memory is %s\n", join(new_memory(0, 0)) ? "taken" : "refused");
    printf("sealed memory is %s\n", join(new_memory(MFD_ALLOW_SEALING, F_SEAL_SHRINK)) ? "taken" : "refused");
}

/* ---- requests ---- */

static void ask(enum wire_kind kind)
{
    wire->kind = (int)kind;
    atomic_store(&wire->state, WIRE_REQUEST);
    syscall(SYS_futex, &wire->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    while (atomic_load(&wire->state) != WIRE_REPLY)
        sched_yield();
    atomic_store(&wire->state, WIRE_IDLE);
}

static int asked, made;

/* A call with this body, which must not be made. */
static void call(const void *body, size_t bytes, size_t said)
{
    struct ncs_carry_answer answer = { .absent = 0 };
    memcpy(wire->body, body, bytes);
    atomic_store(&wire->bytes, said);
    ask(WIRE_CALL);
    memcpy(&answer, wire->body, sizeof answer);
    asked++;
    made += !answer.absent;
}

static struct {
    struct ncs_carry_request request;
    unsigned char rest[512];
} body;

static size_t item(size_t at, uint32_t argument, uint64_t bytes, uint64_t room)
{
    const struct ncs_carry_item i = { .at = argument, .back = 1, .bytes = bytes, .room = room };
    memcpy((unsigned char *)&body + at, &i, sizeof i);
    return at + sizeof i + (bytes < 64 ? (bytes + 7) / 8 * 8 : 0);
}

static void begin(int fn)
{
    memset(&body, 0, sizeof body);
    body.request.fn = fn;
    for (int i = 0; i < NCS_MAX_ARGS; i++) /* addresses of nobody */
        body.request.arg[i] = 0x7f0000001000u + (uint64_t)i * 4096;
}

/* cudaGetDevice(int *device). */
static void device(void)
{
    const int fn = NCS_FN_cudaGetDevice;
    size_t end;
    begin(fn);
    call(&body, sizeof body.request, sizeof body.request); /* an address, and no memory */
    begin(fn);
    call(&body, sizeof body.request - 1, sizeof body.request - 1); /* not whole */
    call(&body, 0, 0);
    begin(fn);
    end = item(sizeof body.request, 0, 0, 3); /* too small */
    call(&body, end, end);
    begin(fn);
    end = item(sizeof body.request, 0, 0, (uint64_t)1 << 40); /* too large */
    call(&body, end, end);
    begin(fn);
    end = item(sizeof body.request, 0, (uint64_t)-8, (uint64_t)-8); /* lengths that overflow */
    call(&body, end, end);
    begin(fn);
    end = item(item(sizeof body.request, 0, 4, 4), 0, 4, 4); /* twice */
    call(&body, end, end);
    begin(fn);
    end = item(sizeof body.request, 12, 4, 4); /* a text of no configuration, beside an address */
    call(&body, end, end);
    begin(fn);
    end = item(sizeof body.request, 99, 4, 4); /* no argument */
    call(&body, end, end);
}

static void requests(void)
{
    int memory = new_memory(MFD_ALLOW_SEALING, F_SEAL_SHRINK);
    wire = mmap(NULL, sizeof *wire, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (wire == MAP_FAILED || !join(memory))
        exit(7);
    wire->rank = -1;
    device();
    wire->site.number = -1;
    device();
    wire->site.number = INT_MAX;
    device();
    wire->site.number = 1 << 20;
    wire->site.described = true; /* names without an end */
    memset(wire->site.module, 'x', sizeof wire->site.module);
    memset(wire->site.function, 'y', sizeof wire->site.function);
    device();
    wire->site.number = 0;
    begin(NCS_FN_cudaGetDevice);
    call(&body, sizeof body, SIZE_MAX); /* more than there is */
    begin(-1);
    call(&body, sizeof body.request, sizeof body.request);
    begin(NCS_FN_COUNT);
    call(&body, sizeof body.request, sizeof body.request);
    ask((enum wire_kind)99);
    ask(WIRE_RUN);
    printf("%d requests, %d calls made\n", asked, made);
    fflush(stdout);
    wire->number = 0;
    ask(WIRE_EXITS);
    _exit(0);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    pid_t child = fork();
    if (child == 0) {
        strcmp(argv[1], "shrink") == 0 ? shrink() : requests();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    execv(argv[2], argv + 2);
    return 7;
}
