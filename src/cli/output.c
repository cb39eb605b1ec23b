/* Standard output whose failures are seen, colour, and errors with their place in the source. */
#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/safe.h"

static int failure; /* errno of the first write that failed */

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

bool ncs_wants_color(enum ncs_color option, FILE *stream)
{
    if (option != NCS_COLOR_AUTO)
        return option == NCS_COLOR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
        return true;
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
}

static void remember(bool failed)
{
    if (!failed || failure)
        return;
    failure = errno ? errno : EIO;
    if (failure == EPIPE) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
        _exit(128 + SIGPIPE); /* it is blocked */
    }
}

void ncs_out(const char *text)
{
    if (failure)
        return;
    errno = 0;
    remember(fputs(text, stdout) == EOF);
}

void ncs_out_flush(void)
{
    if (failure)
        return;
    errno = 0;
    remember(fflush(stdout) == EOF);
}

int ncs_out_finish(int status)
{
    ncs_out_flush();
    if (!failure) {
        errno = 0;
        remember(close(STDOUT_FILENO) != 0); /* where a network file system tells */
    }
    if (!failure)
        return status;
    fprintf(stderr, "ncclscript: standard output: %s\n", strerror(failure));
    return 70;
}

/* ---- errors ---- */

/* The line of a regular file, without its end; NULL if it cannot be had. */
static char *source_line(const char *file, int line)
{
    struct stat st;
    if (stat(file, &st) != 0 || !S_ISREG(st.st_mode))
        return NULL;
    FILE *f = fopen(file, "r");
    if (!f)
        return NULL;
    char *text = NULL;
    size_t room = 0;
    ssize_t bytes = -1;
    for (int i = 0; i < line; i++)
        if ((bytes = getline(&text, &room, f)) < 0)
            break;
    fclose(f);
    if (bytes < 0) {
        free(text);
        return NULL;
    }
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

/* The source line and, when the column is known, a caret below it. Long lines are cut: who wants
 * to read more than a screen's width has the file. */
static void print_source(const struct ncs_error *err)
{
    enum { WIDTH = 160 };
    char *text = source_line(err->file, err->line);
    if (!text)
        return;
    size_t bytes = strlen(text), at = err->column > 0 ? (size_t)err->column - 1 : 0;
    if (bytes <= WIDTH && at <= bytes) {
        struct ncs_str whole = { 0 }, before = { 0 };
        char kept = text[at];
        ncs_safe_line(&whole, text);
        text[at] = '\0';
        ncs_safe_line(&before, text);
        text[at] = kept;
        fprintf(stderr, "%5d | %s\n", err->line, whole.text ? whole.text : "");
        if (err->column > 0)
            fprintf(stderr, "      | %*s^\n", (int)ncs_safe_width(before.text ? before.text : ""),
                    "");
        ncs_str_free(&whole);
        ncs_str_free(&before);
    }
    free(text);
}

void ncs_print_error(const struct ncs_error *err)
{
    struct ncs_str text = { 0 };
    ncs_out_flush();
    ncs_safe_line(&text, err->file[0] ? err->file : "ncclscript");
    if (err->file[0] && err->line > 0)
        ncs_str_addf(&text, ":%d", err->line);
    if (err->file[0] && err->line > 0 && err->column > 0)
        ncs_str_addf(&text, ":%d", err->column);
    ncs_str_add(&text, ": error: ");
    ncs_safe_line(&text, err->text);
    fprintf(stderr, "%s\n", text.text);
    if (err->file[0] && err->line > 0)
        print_source(err);
    if (err->hint[0]) {
        ncs_str_clear(&text);
        ncs_safe_line(&text, err->hint);
        fprintf(stderr, "  hint: %s\n", text.text);
    }
    ncs_str_free(&text);
}
