#include "shim/exec/exec.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "shim/many/server.h"
#include "shim/shim.h"

#define TOLD_NOTE "  note "
#define TOLD_ABOVE "  note  the ranks and the cause are as reported above\n"

void ncs_exec_told_keep(const struct ncs_str *report)
{
    if (stall_report() >= 0)
        ncs_shim_write(stall_report(), report->text, report->bytes);
}

/* NULL = nothing is kept. */
static char *told_read(void)
{
    struct stat at;
    if (stall_report() < 0 || fstat(stall_report(), &at) != 0 || at.st_size == 0)
        return NULL;
    char *text = ncs_new((size_t)at.st_size + 1);
    if (pread(stall_report(), text, (size_t)at.st_size, 0) == at.st_size)
        return text;
    ncs_free(text);
    return NULL;
}

static size_t told_line(const char *at)
{
    size_t bytes = strcspn(at, "\n");
    return bytes + (at[bytes] == '\n');
}

static bool told_is_note(const char *line)
{
    return strncmp(line, TOLD_NOTE, strlen(TOLD_NOTE)) == 0;
}

static const char *told_skip_notes(const char *at)
{
    while (told_is_note(at))
        at += told_line(at);
    return at;
}

/* True if the lines behind the first ones are equal apart from notes. */
static bool told_equals(const char *a, const char *b)
{
    a = told_skip_notes(a + told_line(a));
    b = told_skip_notes(b + told_line(b));
    while (*a && told_line(a) == told_line(b) && memcmp(a, b, told_line(a)) == 0) {
        a = told_skip_notes(a + told_line(a));
        b = told_skip_notes(b + told_line(b));
    }
    return !*a && !*b;
}

static bool told_has_line(const char *text, const char *line)
{
    while (*text && (told_line(text) != told_line(line) || memcmp(text, line, told_line(line)) != 0))
        text += told_line(text);
    return *text != '\0';
}

void ncs_exec_told_shorten(struct ncs_str *report)
{
    char *before = report->text ? told_read() : NULL;
    if (before && told_equals(before, report->text)) {
        struct ncs_str shorter = { 0 };
        const char *at = report->text;
        ncs_str_add_bytes(&shorter, at, told_line(at));
        for (at += told_line(at); *at; at += told_line(at))
            if (told_is_note(at) && !told_has_line(before, at))
                ncs_str_add_bytes(&shorter, at, told_line(at));
        ncs_str_add(&shorter, TOLD_ABOVE);
        ncs_str_free(report);
        *report = shorter;
    }
    ncs_free(before);
}
