#include "base/pmi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/quantity.h"
#include "base/thread.h"

#define PMI_ANSWER ((int64_t)5 * 1000000000) /* for the launcher's helper on this host */
enum { PMI_LINE = 4096 };

static struct {
    bool tried, open;
    bool waits; /* the barrier is entered, and not left so far */
    bool passed;
    int fd;
    char space[256];
    char line[PMI_LINE]; /* what has come: the line that was heard last, then `count` bytes behind it */
    size_t heard, count;
} pmi;

/* ---- lines ---- */

static bool pmi_say(const char *line)
{
    size_t bytes = strlen(line);
    return send(pmi.fd, line, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

/* True with a whole line, ended by a zero byte, in pmi.line; false with errno ETIMEDOUT if it has not come so far. */
static bool pmi_hear(int64_t until)
{
    memmove(pmi.line, pmi.line + pmi.heard, pmi.count);
    pmi.heard = 0;
    for (;;) {
        char *end = memchr(pmi.line, '\n', pmi.count);
        if (end) {
            *end = '\0';
            pmi.heard = (size_t)(end - pmi.line) + 1;
            pmi.count -= pmi.heard;
            return true;
        }
        struct pollfd p = { .fd = pmi.fd, .events = POLLIN };
        int64_t left = (until - ncs_clock()) / 1000000 + 1;
        int ready = left <= 0 ? 0 : poll(&p, 1, left < INT_MAX ? (int)left : INT_MAX);
        if (ready == 0) {
            errno = ETIMEDOUT;
            return false;
        }
        ssize_t got = ready < 0 ? -1 : recv(pmi.fd, pmi.line + pmi.count, sizeof pmi.line - pmi.count, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) { /* it has ended, or the line is longer than any */
            errno = ECONNRESET;
            return false;
        }
        pmi.count += (size_t)got;
    }
}

/* The value of "name=value" in the line; NULL if it is not there. */
static char *pmi_value(const char *name, char room[PMI_LINE])
{
    size_t bytes = strlen(name);
    for (const char *p = pmi.line; *p; p += strspn(p, " ")) {
        size_t word = strcspn(p, " ");
        if (word > bytes && strncmp(p, name, bytes) == 0 && p[bytes] == '=') {
            memcpy(room, p + bytes + 1, word - bytes - 1);
            room[word - bytes - 1] = '\0';
            return room;
        }
        p += word;
    }
    return NULL;
}

static bool pmi_is(const char *command)
{
    char room[PMI_LINE];
    const char *is = pmi_value("cmd", room);
    return is && strcmp(is, command) == 0;
}

/* Asks, and hears an answer of this kind that reports no failure. */
static bool pmi_ask(const char *line, const char *answer)
{
    char room[PMI_LINE];
    if (!pmi_say(line) || !pmi_hear(ncs_clock() + PMI_ANSWER))
        return false;
    const char *code = pmi_value("rc", room);
    return (!code || strcmp(code, "0") == 0) && pmi_is(answer);
}

/* ---- the exchange ---- */

static bool pmi_says(const char *variable, int count)
{
    const char *text = getenv(variable);
    int64_t n;
    return text && ncs_parse_int(text, &n) && n == count;
}

/* The variable may be left over from a process above, and the descriptor be another file by now. */
static bool pmi_find(void)
{
    const char *text = getenv("PMI_FD");
    struct stat about;
    int64_t fd;
    if (!text || !ncs_parse_int(text, &fd) || fd < 3 || fd > INT_MAX || fstat((int)fd, &about) != 0 || !S_ISSOCK(about.st_mode))
        return false;
    pmi.fd = (int)fd;
    fcntl(pmi.fd, F_SETFD, FD_CLOEXEC);
    return true;
}

bool ncs_pmi_open(int number, int processes)
{
    char room[PMI_LINE];
    if (pmi.tried)
        return pmi.open;
    pmi.tried = true;
    if (!pmi_says("PMI_RANK", number) || !pmi_says("PMI_SIZE", processes) || !pmi_find())
        return false;
    if (!pmi_ask("cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init") ||
        !pmi_ask("cmd=get_my_kvsname\n", "my_kvsname") || !pmi_value("kvsname", room) || strlen(room) >= sizeof pmi.space)
        return false;
    memcpy(pmi.space, room, strlen(room) + 1);
    pmi.open = true;
    return true;
}

/* Enters the barrier once. */
static bool pmi_enter(void)
{
    if (!pmi.waits && !pmi.passed)
        pmi.waits = pmi_say("cmd=barrier_in\n");
    return pmi.waits || pmi.passed;
}

/* True when all processes have entered the barrier. */
static bool pmi_pass(int64_t until)
{
    if (!pmi.passed && pmi_hear(until)) {
        pmi.passed = pmi_is("barrier_out");
        errno = ECONNRESET;
    }
    pmi.waits &= !pmi.passed;
    return pmi.passed;
}

bool ncs_pmi_put(const char *key, const char *text)
{
    char line[PMI_LINE];
    if (!pmi.open || strlen(text) > NCS_PMI_MOST)
        return false;
    snprintf(line, sizeof line, "cmd=put kvsname=%s key=%s value=%s\n", pmi.space, key, text);
    return pmi_ask(line, "put_result") && pmi_enter();
}

enum ncs_pmix_got ncs_pmi_get(const char *key, int64_t patience, char **text)
{
    char line[PMI_LINE], room[PMI_LINE];
    *text = NULL;
    if (!pmi.open || !pmi_enter())
        return NCS_PMIX_FAILED;
    if (!pmi_pass(ncs_clock() + patience))
        return errno == ETIMEDOUT ? NCS_PMIX_LATE : NCS_PMIX_FAILED;
    snprintf(line, sizeof line, "cmd=get kvsname=%s key=%s\n", pmi.space, key);
    if (pmi_ask(line, "get_result"))
        *text = ncs_copy_text(pmi_value("value", room));
    return *text ? NCS_PMIX_GOT : NCS_PMIX_FAILED;
}

/* A process that leaves in the middle of a barrier does so without a word: the launcher then ends the others. */
void ncs_pmi_close(void)
{
    if (pmi.open && (!pmi.waits || pmi_pass(ncs_clock() + PMI_ANSWER / 10)))
        pmi_ask("cmd=finalize\n", "finalize_ack");
    pmi.open = false;
}
