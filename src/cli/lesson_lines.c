/* The file has a record for each line: "KEY SESSION STEP >TEXT", or "KEY SESSION STEP !" where the user dropped what a
 * statement began with. A session is one call of `ncclscript lesson`; STEP is the one that it began with. */
#include "cli/lesson_lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/state_file.h"
#include "report/html/html.h"

#define LINES_BYTES ((off_t)4 << 20) /* the course needs some ten KB */

static char session[400]; /* "KEY SESSION STEP", or empty */
static int kept = -1;

void ncs_lesson_lines_begin(const char *key, size_t step)
{
    char *path = ncs_state_file("lesson-lines");
    snprintf(session, sizeof session, "%.300s %llx-%d %zu", key, (unsigned long long)time(NULL), (int)getpid(), step);
    if (path && ncs_state_folder(path))
        kept = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (kept < 0)
        ncs_err("ncclscript lesson: the lines that you type are not kept\n");
    ncs_free(path);
}

/* One write for each record: lessons in several terminals share the file. */
void ncs_lesson_lines_keep(void *arg, const char *line)
{
    struct stat st;
    struct ncs_str record = { 0 };
    (void)arg;
    ncs_str_addf(&record, "%s %s%s\n", session, line ? ">" : "!", line ? line : "");
    bool fits = kept >= 0 && fstat(kept, &st) == 0 && st.st_size + (off_t)record.bytes <= LINES_BYTES;
    if (fits && write(kept, record.text, record.bytes) != (ssize_t)record.bytes)
        fits = false;
    if (kept >= 0 && !fits) {
        close(kept);
        kept = -1;
        ncs_err("ncclscript lesson: from here on, the lines that you type are not kept\n");
    }
    ncs_str_free(&record);
}

void ncs_lesson_lines_page(struct ncs_str *out)
{
    char *path = ncs_state_file("lesson-lines");
    struct ncs_str text = { 0 };
    struct ncs_error ignored = { 0 };
    if (path && ncs_file_read_within(path, LINES_BYTES, "a list of lines", &text, &ignored)) {
        ncs_str_add(out, "<details><summary>The lines that were typed</summary>\n<p>A teacher marks them again: "
                         "<code>ncclscript lesson --mark FILE</code></p>\n<pre id=\"lines\">\n");
        ncs_html_text(out, text.text ? text.text : "");
        ncs_str_add(out, "</pre></details>\n");
    }
    ncs_str_free(&text);
    ncs_free(path);
}
