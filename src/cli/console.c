#include "cli/console.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "cli/editor.h"
#include "cli/output.h"
#include "run/verdict.h"

/* The prompt whose ranks are running, for the signal handler; NULL while lines are read. */
static struct ncs_prompt *_Atomic working;
static atomic_int interrupts; /* since the ranks began to run */

static void on_interrupt(int number)
{
    (void)number;
    struct ncs_prompt *p = atomic_load(&working);
    if (!p)
        return; /* the read ends */
    if (atomic_fetch_add(&interrupts, 1) >= 2)
        _exit(ncs_verdict_exit(NCS_INTERRUPTED)); /* a call inside Lua does not return */
    ncs_prompt_break(p);
}

static void catch_interrupts(void)
{
    struct sigaction action = { .sa_handler = on_interrupt }; /* reads are not begun again */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool ncs_console_is_terminal(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

void ncs_console_write(void *arg, const char *text)
{
    (void)arg;
    ncs_out(text);
}

static enum ncs_prompt_wants feed(struct ncs_prompt *p, const char *line)
{
    atomic_store(&interrupts, 0);
    atomic_store(&working, p);
    enum ncs_prompt_wants wants = ncs_prompt_feed(p, line);
    atomic_store(&working, NULL);
    ncs_out_flush();
    return wants;
}

/* "4 ranks, 2 waiting 7> ", and dots of the same width for continued input. */
static void make_prompt(const struct ncs_prompt *p, bool goes_on, struct ncs_str *out)
{
    ncs_str_clear(out);
    ncs_prompt_status(p, out);
    for (size_t i = 0; goes_on && i < out->bytes; i++)
        out->text[i] = i + 3 < out->bytes ? ' ' : '.';
    ncs_str_add(out, "> ");
}

static void console_complete(void *arg, const char *text, size_t bytes, size_t *from,
                             void (*on_word)(void *list, const char *word), void *list)
{
    ncs_prompt_complete(arg, text, bytes, from, on_word, list);
}

/* An interrupt drops a continued input on a terminal, and ends the input from elsewhere. */
static bool goes_on_after_interrupt(struct ncs_prompt *p)
{
    if (!ncs_console_is_terminal())
        return false;
    ncs_prompt_abandon(p);
    ncs_out("\n");
    ncs_out_flush();
    return true;
}

static void show_line(const char *line, bool goes_on)
{
    ncs_out(goes_on ? ">> " : "> ");
    ncs_out(line);
    ncs_out("\n");
}

static int read_lines(struct ncs_prompt *p, struct ncs_editor *e, bool echo, void (*typed)(void *arg, const char *line),
                      void *arg)
{
    struct ncs_str prompt = { 0 }, input = { 0 };
    enum ncs_prompt_wants wants = NCS_PROMPT_LINE;
    int status = 0;
    while (wants != NCS_PROMPT_QUIT) {
        const char *line = "";
        make_prompt(p, wants != NCS_PROMPT_LINE, &prompt);
        enum ncs_edited edited = ncs_editor_read(e, prompt.text, &line);
        if (edited == NCS_EDITED_INTERRUPTED) {
            wants = NCS_PROMPT_LINE;
            ncs_str_clear(&input);
            if (typed)
                typed(arg, NULL);
            if (goes_on_after_interrupt(p))
                continue;
            status = ncs_verdict_exit(NCS_INTERRUPTED);
        }
        if (edited == NCS_EDITED_END || edited == NCS_EDITED_INTERRUPTED)
            break;
        bool abandons = wants == NCS_PROMPT_MORE && !*line && edited == NCS_EDITED_LINE && ncs_editor_edits(e);
        if (echo)
            show_line(line, wants != NCS_PROMPT_LINE);
        ncs_str_addf(&input, "%s%s", input.bytes ? "\n" : "", line);
        if (typed)
            typed(arg, abandons ? NULL : line);
        if (abandons)
            ncs_prompt_abandon(p);
        wants = abandons ? NCS_PROMPT_LINE : feed(p, line);
        if (wants != NCS_PROMPT_MORE && wants != NCS_PROMPT_TEXT) {
            ncs_editor_remember(e, input.text);
            ncs_str_clear(&input);
        }
    }
    ncs_prompt_end(p);
    ncs_str_free(&prompt);
    ncs_str_free(&input);
    return status;
}

int ncs_console_run(struct ncs_prompt *p, bool echo, void (*typed)(void *arg, const char *line), void *arg)
{
    const char *trouble;
    struct ncs_editor_completer completer = { console_complete, p };
    struct ncs_editor *e = ncs_editor_open(&completer, &trouble);
    catch_interrupts();
    if (trouble) {
        ncs_err(trouble);
        ncs_err("\n");
    }
    int status = read_lines(p, e, echo && !ncs_editor_edits(e), typed, arg);
    if (ncs_editor_edits(e))
        ncs_out("\n");
    ncs_editor_close(e);
    signal(SIGINT, SIG_DFL);
    return status;
}
