/* Standard output whose failures are noticed, color, and errors with their place in the source. */
#define _GNU_SOURCE /* strcasestr, fopencookie */
#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/safe.h"
#include "base/source.h"
#include "cli/job.h"
#include "cli/progress.h"
#include "run/verdict.h"

static int failure;       /* errno of the first write that failed */
static bool other_failed; /* another output file is incomplete */
static bool diverted;
static bool printed_lack;

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

/* Reads only the variables: the locale that they name need not be installed, and the terminal is not asked. */
bool ncs_wants_unicode(void)
{
    const char *name = is_set("LC_ALL") ? "LC_ALL" : is_set("LC_CTYPE") ? "LC_CTYPE" : "LANG";
    const char *value = getenv(name), *term = getenv("TERM");
    if (!value || (term && strcmp(term, "dumb") == 0))
        return false;
    return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
}

int ncs_out_columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Retries after signals, so that a signal during a full pipe leaves no half-written text. */
static ssize_t write_whole(void *unused, const char *bytes, size_t count)
{
    (void)unused;
    return ncs_write_all(STDOUT_FILENO, bytes, count) ? (ssize_t)count : 0;
}

void ncs_out_open(void)
{
    /* A terminal does not stay full, and its editor knows only the C library's own stream. */
    FILE *out = isatty(STDOUT_FILENO) ? NULL : fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_whole });
    if (out)
        stdout = out;
}

static void output_remember(bool failed)
{
    if (!failed || failure)
        return;
    failure = errno ? errno : EIO;
    if (failure == EPIPE) {
        ncs_job_drop(128 + SIGPIPE);
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
        _exit(128 + SIGPIPE); /* it is blocked */
    }
}

void ncs_out_document(const char *bytes, size_t count)
{
    if (failure)
        return;
    ncs_progress_clear();
    errno = 0;
    output_remember(fwrite(bytes, 1, count, stdout) != count);
}

void ncs_out_divert(void)
{
    diverted = true;
}

void ncs_out_bytes(const char *bytes, size_t count)
{
    if (!diverted) {
        ncs_out_document(bytes, count);
        return;
    }
    ncs_progress_clear();
    fwrite(bytes, 1, count, stderr);
}

void ncs_out(const char *text)
{
    ncs_out_bytes(text, strlen(text));
}

void ncs_err(const char *text)
{
    ncs_progress_clear();
    fputs(text, stderr);
}

void ncs_out_flush(void)
{
    if (failure)
        return;
    errno = 0;
    output_remember(fflush(stdout) == EOF);
}

int ncs_out_finish(int status)
{
    ncs_out_flush();
    if (!failure) {
        errno = 0;
        output_remember(close(STDOUT_FILENO) != 0); /* a network file system reports failed writes here */
    }
    if (!failure)
        return other_failed ? NCS_EXIT_OUTPUT : status;
    fprintf(stderr, "ncclscript: cannot write the output: %s\n", strerror(failure));
    return NCS_EXIT_OUTPUT;
}

void ncs_out_file_failed(void)
{
    other_failed = true;
}

void ncs_out_to(const char *file, const struct ncs_str *text)
{
    struct ncs_error err = { 0 };
    const char *bytes = text->text ? text->text : "";
    if (strcmp(file, "-") == 0) {
        ncs_out_document(bytes, text->bytes);
    } else if (!ncs_file_write(file, bytes, text->bytes, true, &err)) {
        ncs_print_error(&err);
        other_failed = true;
    }
}

/* ---- errors ---- */

/* A regular file's text up to the end of a line; NULL if it cannot be read. */
static char *text_until(const char *file, int line, size_t *bytes)
{
    struct stat st;
    if (stat(file, &st) != 0 || !S_ISREG(st.st_mode))
        return NULL;
    FILE *f = fopen(file, "r");
    if (!f)
        return NULL;
    struct ncs_str text = { 0 };
    char *piece = NULL;
    size_t room = 0;
    ssize_t got = 0;
    while (line-- > 0 && (got = getline(&piece, &room, f)) >= 0)
        ncs_str_add_bytes(&text, piece, (size_t)got);
    free(piece);
    fclose(f);
    *bytes = text.bytes;
    if (got >= 0)
        return ncs_str_take(&text);
    ncs_str_free(&text);
    return NULL;
}

/* Prints the source line and, if the column is known, a caret below it. */
static void print_source(const struct ncs_error *err)
{
    size_t bytes;
    char *text = text_until(err->file, err->line, &bytes);
    if (!text)
        return;
    struct ncs_source source;
    struct ncs_str out = { 0 };
    ncs_source_init(&source, err->file, text, bytes);
    size_t at = ncs_source_byte(&source, err->line, err->column);
    ncs_source_show(&source, (struct ncs_span){ at, (size_t)err->bytes }, &out);
    if (err->column <= 0)
        out.text[strcspn(out.text, "\n") + 1] = '\0';
    fputs(out.text, stderr);
    ncs_str_free(&out);
    ncs_source_free(&source);
    ncs_free(text);
}

int ncs_print_error(const struct ncs_error *err)
{
    struct ncs_str text = { 0 };
    ncs_out_flush();
    ncs_progress_clear();
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
    printed_lack |= err->status == NCS_NO_MEMORY;
    return ncs_verdict_exit(ncs_status_verdict(err->status));
}

bool ncs_printed_lack(void)
{
    return printed_lack;
}

bool ncs_print_complaints(const struct ncs_complaints *c)
{
    struct ncs_str text = { 0 };
    ncs_out_flush();
    ncs_complaints_text(c, &text);
    ncs_err(text.text ? text.text : "");
    ncs_str_free(&text);
    printed_lack |= c->no_memory;
    return c->errors > 0;
}
