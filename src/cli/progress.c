#include "cli/progress.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/safe.h"
#include "base/str.h"
#include "base/thread.h"

#define PAUSE_NS ((int64_t)100 * 1000 * 1000)

static struct {
    bool wanted, shown;
    int64_t last; /* time of the last line */
} progress;

void ncs_progress_start(void)
{
    const char *term = getenv("TERM");
    progress.wanted = isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
    progress.last = ncs_clock(); /* the first line appears only after an interval */
}

void ncs_progress_stop(void)
{
    ncs_progress_clear();
    progress.wanted = false;
}

void ncs_progress_clear(void)
{
    if (!progress.shown)
        return;
    progress.shown = false;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Keeps the first `width` characters of UTF-8; wide ones may still exceed a line that is so narrow. */
static void progress_cut(struct ncs_str *line, size_t width)
{
    for (size_t i = 0; i < line->bytes; i++)
        if (((unsigned char)line->text[i] & 0xc0) != 0x80 && width-- == 0) {
            line->text[line->bytes = i] = '\0';
            return;
        }
}

void ncs_progress_show(size_t done, size_t all, size_t unexpected, const char *name)
{
    if (!progress.wanted || ncs_clock() - progress.last < PAUSE_NS)
        return;
    struct ncs_str line = { 0 };
    ncs_str_addf(&line, "%zu of %zu", done, all);
    if (unexpected)
        ncs_str_addf(&line, ", %zu unexpected", unexpected);
    ncs_str_add(&line, "  ");
    ncs_safe_line(&line, name);
    progress_cut(&line, columns() - 1);
    fprintf(stderr, "\r%s\033[K", line.text);
    fflush(stderr);
    ncs_str_free(&line);
    progress.shown = true;
    progress.last = ncs_clock();
}
