/* Marks kept lines again. They may come from a stranger: they can neither load nor save files, and none runs for long. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/lesson_folder.h"
#include "cli/lesson_lines.h"
#include "cli/lesson_progress.h"
#include "cli/output.h"

#define FILE_BYTES ((size_t)32 << 20) /* of a certificate */
#define LINE_SECONDS 10               /* for a line of a learner's; then it is interrupted */
#define STEPS 1000

struct mark_record {
    const char *session; /* "SESSION STEP" */
    size_t bytes;        /* of the session */
    const char *line;    /* NULL: what a statement began with was dropped */
};

struct marker {
    struct mark_record *record;
    size_t records, room;
    char marks[STEPS + 1];
};

/* ---- reading ---- */

/* Turns the page's text back into lines: ncs_html_text escapes as &#38; only. */
static void unescape(char *text)
{
    char *to = text, *end;
    for (char *at = text; *at; at++) {
        long c = strncmp(at, "&#", 2) == 0 ? strtol(at + 2, &end, 10) : 0;
        if (c > 0 && c < 128 && *end == ';') {
            *to++ = (char)c;
            at = end;
        } else {
            *to++ = *at;
        }
    }
    *to = 0;
}

/* The kept lines inside a file's text: all of it, or a part of a certificate. */
static char *mark_lines_in(char *text)
{
    static const char begin[] = "<pre id=\"lines\">\n";
    char *at = strstr(text, begin);
    if (!at)
        return text;
    at += sizeof begin - 1;
    at[strcspn(at, "<")] = 0;
    unescape(at);
    return at;
}

/* Collects the records of a lesson. The lines of the text have ended before; `bytes` are all of them. */
static void mark_collect(struct marker *m, const char *text, const char *end, const char *key)
{
    size_t n = strlen(key);
    m->records = 0;
    for (const char *at = text; at < end; at += strlen(at) + 1) {
        if (strncmp(at, key, n) != 0 || at[n] != ' ')
            continue;
        const char *session = at + n + 1, *step = strchr(session, ' '), *what = step ? strchr(step + 1, ' ') : NULL;
        if (!what || (what[1] != '>' && what[1] != '!'))
            continue;
        struct mark_record r = { session, (size_t)(what - session), what[1] == '>' ? what + 2 : NULL };
        NCS_PUSH(m->record, m->records, m->room, r);
    }
}

static bool is_same_session(const struct mark_record *a, const struct mark_record *b)
{
    return a->bytes == b->bytes && memcmp(a->session, b->session, a->bytes) == 0;
}

/* ---- typing ---- */

static struct ncs_prompt *volatile working;

static void on_alarm(int number)
{
    (void)number;
    if (working)
        ncs_prompt_break(working);
}

static void mark_unheard(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static void mark_progress(void *arg, size_t step, enum ncs_step_done how)
{
    struct marker *m = arg;
    if (step >= STEPS)
        return;
    for (size_t i = strlen(m->marks); i <= step; i++)
        m->marks[i] = NCS_STEP_SKIPPED;
    m->marks[step] = ncs_lesson_better(m->marks[step], (char)how);
}

static void type_line(struct ncs_prompt *p, const char *line)
{
    struct itimerval limit = { .it_value.tv_sec = LINE_SECONDS }, none = { 0 };
    working = p;
    setitimer(ITIMER_REAL, &limit, NULL);
    if (line)
        ncs_prompt_feed(p, line);
    else
        ncs_prompt_abandon(p);
    setitimer(ITIMER_REAL, &none, NULL);
    working = NULL;
}

/* Types the lines of the session that begins at a record. */
static void mark_session(struct marker *m, struct ncs_lesson *lesson, size_t from)
{
    const char *step = strchr(m->record[from].session, ' ');
    struct ncs_error err = { 0 };
    struct ncs_tutor_options o = { .lesson = lesson,
                                   .first = (size_t)strtoul(step, NULL, 10),
                                   .stranger = true,
                                   .out = mark_unheard,
                                   .progress = mark_progress,
                                   .progress_arg = m };
    if (ncs_lesson_needs_folder(lesson) && !(o.shell = ncs_lesson_folder_open(NULL, &err))) {
        ncs_print_error(&err);
        return;
    }
    struct ncs_tutor *t = ncs_tutor_new(&o, &err);
    for (size_t i = from; t && i < m->records; i++)
        if (is_same_session(&m->record[i], &m->record[from]))
            type_line(ncs_tutor_prompt(t), m->record[i].line);
    if (!t)
        ncs_print_error(&err);
    ncs_tutor_free(t);
    ncs_lesson_folder_close();
}

static struct ncs_lesson_score mark_lesson(struct marker *m, struct ncs_lesson *lesson)
{
    memset(m->marks, 0, sizeof m->marks);
    for (size_t i = 0; i < m->records; i++) {
        bool begun = false;
        for (size_t k = 0; k < i && !begun; k++)
            begun = is_same_session(&m->record[k], &m->record[i]);
        if (!begun)
            mark_session(m, lesson, i);
    }
    return ncs_lesson_score(lesson, m->marks);
}

/* ---- the table ---- */

static bool mark_file(const char *file, const struct ncs_lesson_entry *entry, size_t entries, int width)
{
    struct ncs_str text = { 0 }, row = { 0 };
    struct ncs_error err = { 0 };
    struct marker m = { 0 };
    size_t solved = 0, shown = 0, tasks = 0, records = 0;
    bool ok = ncs_file_read(file, FILE_BYTES, "a certificate or a file of typed lines", &text, &err);
    char *lines = ok && text.bytes ? mark_lines_in(text.text) : NULL, *end = lines ? lines + strlen(lines) : NULL;
    for (char *at = lines; at && (at = strchr(at, '\n'));)
        *at++ = 0;
    ncs_str_addf(&row, "%-*s", width, file);
    for (size_t i = 0; lines && i < entries; i++) {
        mark_collect(&m, lines, end, entry[i].name);
        records += m.records;
        struct ncs_lesson_score s = mark_lesson(&m, entry[i].lesson);
        ncs_str_addf(&row, m.records ? " %2zu" : "  -", s.solved);
        solved += s.solved;
        shown += s.shown;
        tasks += s.tasks;
    }
    if (ok && !records)
        ok = ncs_fail(&err, NCS_BAD_INPUT, "%s: has no typed lines, expected a page of `lesson --certificate`", file);
    if (ok) {
        ncs_str_addf(&row, "  %zu of %zu, %zu after a look\n", solved, tasks, shown);
        ncs_out(row.text);
    } else {
        ncs_print_error(&err);
    }
    ncs_free(m.record);
    ncs_str_free(&row);
    ncs_str_free(&text);
    return ok;
}

bool ncs_lesson_mark_files(const char *const *file, size_t files, const struct ncs_lesson_entry *entry, size_t entries)
{
    struct sigaction action = { .sa_handler = on_alarm };
    struct ncs_str head = { 0 };
    int width = 4;
    bool ok = true;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    ncs_lesson_folder_limit(LINE_SECONDS);
    for (size_t i = 0; i < files; i++)
        width = (int)strlen(file[i]) > width ? (int)strlen(file[i]) : width;
    ncs_str_addf(&head, "%-*s", width, "file");
    for (size_t i = 0; i < entries; i++)
        ncs_str_addf(&head, " %2zu", i + 1);
    ncs_str_add(&head, "  tasks solved\n");
    ncs_out(head.text);
    ncs_str_free(&head);
    for (size_t i = 0; i < files; i++)
        ok = mark_file(file[i], entry, entries, width) && ok;
    return ok;
}
