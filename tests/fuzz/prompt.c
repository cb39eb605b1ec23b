/* Whatever is typed at the prompt, it is answered in whole lines, ends no process, and the prompt takes the next
 * line. A line that would compute for ever is given up. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/mem.h"
#include "base/str.h"
#include "prompt/prompt.h"

enum { LINES_MOST = 12, LINE_MOST = 400, SECONDS_MOST = 2 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static struct ncs_prompt *prompt;

static void on_alarm(int number)
{
    (void)number;
    if (prompt)
        ncs_prompt_break(prompt);
}

static void on_text(void *arg, const char *text)
{
    size_t *told = arg, n = strlen(text);
    if (n == 0 || text[n - 1] != '\n')
        abort(); /* no whole lines */
    *told += n;
}

/* Files are not for random names. */
static bool writes(const char *line)
{
    line += strspn(line, " \t\r");
    return strncmp(line, ":save", 5) == 0 || strncmp(line, ":load", 5) == 0;
}

static void set_alarm(int seconds)
{
    struct itimerval timer = { .it_value = { .tv_sec = seconds }, .it_interval = { .tv_sec = seconds } };
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_word(void *arg, const char *word)
{
    size_t *words = arg;
    *words += strlen(word);
}

/* True: the prompt goes on. */
static bool take(const char *line, size_t *told)
{
    struct ncs_str status = { 0 };
    size_t from = 0;
    ncs_prompt_complete(prompt, line, strlen(line), &from, on_word, told);
    if (from > strlen(line))
        abort(); /* past the text */
    enum ncs_prompt_wants wants = writes(line) ? NCS_PROMPT_LINE : ncs_prompt_feed(prompt, line);
    ncs_prompt_status(prompt, &status);
    if (!strstr(status.text, "rank"))
        abort();
    ncs_str_free(&status);
    return wants != NCS_PROMPT_QUIT;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    size_t told = 0;
    struct ncs_prompt_options options = { .settings = { .ranks = 2, .policy = -1 }, .out = on_text, .out_arg = &told };
    struct ncs_error err = { 0 };
    signal(SIGALRM, on_alarm);
    prompt = ncs_prompt_new(&options, &err);
    if (!prompt)
        abort();
    set_alarm(SECONDS_MOST);
    bool on = true;
    for (size_t at = 0, lines = 0; on && at < bytes && lines < LINES_MOST; lines++) {
        char line[LINE_MOST + 1];
        size_t n = 0;
        for (; at < bytes && data[at] != '\n'; at++)
            if (n < LINE_MOST && data[at])
                line[n++] = (char)data[at];
        at++;
        line[n] = 0;
        on = take(line, &told);
    }
    ncs_prompt_end(prompt);
    set_alarm(0);
    ncs_prompt_free(prompt);
    prompt = NULL;
    return 0;
}
