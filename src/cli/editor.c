#include "cli/editor.h"

#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/output.h"
#include "cli/state_file.h"

#ifdef NCCLSCRIPT_EDIT
#include <histedit.h>
#else
typedef void EditLine;
typedef void History;
#endif

#define HISTORY_LINES 2000
#define PASTED_MOST ((size_t)1 << 20)

struct ncs_editor {
    EditLine *edit; /* NULL: lines are read plainly */
    History *history;
    char *history_file; /* NULL = none is kept */
    const char *prompt;
    struct ncs_editor_completer completer;
    char *line;            /* the last returned line: edited, */
    struct ncs_str read;   /* or plain */
    struct ncs_str pasted; /* lines that have not been given */
    size_t given;          /* bytes of `pasted` that have been returned */
};

bool ncs_editor_edits(const struct ncs_editor *e)
{
    return e->edit != NULL;
}

/* ---- plain lines ---- */

static enum ncs_edited read_plain(struct ncs_editor *e, const char **line)
{
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        fputs(e->prompt, stdout);
        fflush(stdout);
    }
    switch (ncs_file_line(stdin, NCS_FILE_LIMIT, &e->read)) {
    case NCS_LINE_READ: break;
    case NCS_LINE_LONG: ncs_err("ncclscript: a line of the input is longer than 16 MiB\n"); return NCS_EDITED_END;
    case NCS_LINE_NONE:
        if (errno != EINTR)
            return NCS_EDITED_END;
        clearerr(stdin);
        return NCS_EDITED_INTERRUPTED;
    }
    e->read.text[strcspn(e->read.text, "\r\n")] = 0;
    *line = e->read.text;
    return NCS_EDITED_LINE;
}

#ifdef NCCLSCRIPT_EDIT

/* ---- the library ---- */

#define EACH_FUNCTION(F) \
    F(el_init);          \
    F(el_end);           \
    F(el_get);           \
    F(el_getc);          \
    F(el_gets);          \
    F(el_insertstr);     \
    F(el_line);          \
    F(el_push);          \
    F(el_reset);         \
    F(el_set);           \
    F(el_source);        \
    F(history);          \
    F(history_init);     \
    F(history_end)

static struct {
#define FIELD(name) __typeof__(name) *name
    EACH_FUNCTION(FIELD);
} lib;

/* A build for other systems has the library compiled in. Otherwise only a prompt opens it: with the libraries that it needs, it
 * would be a tenth of every start. */
static bool open_library(void)
{
#ifdef NCCLSCRIPT_PORTABLE
#define FIND(name) lib.name = name
#else
    void *handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = dlopen("libedit.so.0", RTLD_NOW | RTLD_LOCAL); /* as others than Debian call it */
    if (!handle)
        return false;
#define FIND(name) *(void **)&lib.name = dlsym(handle, #name)
#endif
    EACH_FUNCTION(FIND);
    return true;
}

/* ---- the history's file ---- */

static char *history_path(void)
{
    const char *own = getenv("NCCLSCRIPT_HISTORY");
    return own ? ncs_copy_text(own) : ncs_state_file("history");
}

/* Returns why the history is not kept; NULL = it is kept. */
static const char *open_history(struct ncs_editor *e)
{
    HistEvent event;
    e->history = lib.history_init();
    if (!e->history)
        return "no memory for a history";
    lib.history(e->history, &event, H_SETSIZE, HISTORY_LINES);
    lib.history(e->history, &event, H_SETUNIQUE, 1);
    e->history_file = history_path();
    struct stat file;
    if (!e->history_file || stat(e->history_file, &file) != 0)
        return NULL;
    bool device = S_ISCHR(file.st_mode); /* /dev/null means no history; other devices never end */
    if (S_ISREG(file.st_mode) && lib.history(e->history, &event, H_LOAD, e->history_file) >= 0)
        return NULL;
    ncs_free(e->history_file);
    e->history_file = NULL;
    return device ? NULL : "the history cannot be read, and is not kept";
}

static void save_history(struct ncs_editor *e)
{
    HistEvent event;
    if (e->history_file && *e->history_file && ncs_state_folder(e->history_file)) {
        mode_t mask = umask(077);
        lib.history(e->history, &event, H_SAVE, e->history_file);
        umask(mask);
    }
}

/* ---- completion ---- */

struct words {
    char **word;
    size_t count, room;
};

static void editor_add_word(void *list, const char *word)
{
    struct words *w = list;
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->word[i], word) == 0)
            return;
    char *copy = ncs_copy_text(word);
    NCS_PUSH(w->word, w->count, w->room, copy);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The length of the words' common beginning. */
static size_t common(const struct words *w)
{
    size_t n = strlen(w->word[0]);
    for (size_t i = 1; i < w->count; i++)
        for (size_t k = 0; k < n; k++)
            if (w->word[i][k] != w->word[0][k])
                n = k;
    return n;
}

static void list_words(const struct words *w)
{
    size_t width = 0;
    for (size_t i = 0; i < w->count; i++)
        width = strlen(w->word[i]) > width ? strlen(w->word[i]) : width;
    size_t columns = 78 / (width + 2) ? 78 / (width + 2) : 1;
    putchar('\n');
    for (size_t i = 0; i < w->count; i++)
        printf("%-*s%s", (int)width + 2, w->word[i], (i + 1) % columns == 0 || i + 1 == w->count ? "\n" : "");
}

static unsigned char editor_complete(EditLine *edit, int key)
{
    struct ncs_editor *e;
    struct words w = { 0 };
    unsigned char result = CC_ERROR;
    (void)key;
    lib.el_get(edit, EL_CLIENTDATA, &e);
    const LineInfo *info = lib.el_line(edit);
    size_t bytes = (size_t)(info->cursor - info->buffer), from = bytes;
    if (bytes == 0 || strspn(info->buffer, " \t") >= bytes) { /* to indent by hand */
        return lib.el_insertstr(edit, "    ") == 0 ? CC_REFRESH : CC_ERROR;
    }
    struct ncs_str text = { 0 };
    ncs_str_add_bytes(&text, info->buffer, bytes);
    e->completer.complete(e->completer.arg, text.text, bytes, &from, editor_add_word, &w);
    ncs_str_free(&text);
    if (w.count) {
        size_t typed = bytes - from, shared = common(&w);
        qsort(w.word, w.count, sizeof *w.word, by_text);
        struct ncs_str rest = { 0 };
        if (shared > typed)
            ncs_str_add_bytes(&rest, w.word[0] + typed, shared - typed);
        if (rest.bytes && lib.el_insertstr(edit, rest.text) == 0)
            result = CC_REFRESH;
        if (!rest.bytes && w.count > 1) {
            list_words(&w);
            result = CC_REDISPLAY;
        }
        ncs_str_free(&rest);
    }
    NCS_FREE_ALL(w.word, w.count);
    return result;
}

/* ---- pasted text, which the terminal puts between ESC [200~ and ESC [201~ ---- */

static void read_pasted(EditLine *edit, struct ncs_str *text)
{
    static const char end[] = "\033[201~";
    char c;
    while (lib.el_getc(edit, &c) == 1 && text->bytes < PASTED_MOST) {
        c = c == '\r' ? '\n' : c == '\t' ? ' ' : c;
        ncs_str_add_bytes(text, &c, 1);
        size_t n = sizeof end - 1;
        if (text->bytes >= n && memcmp(text->text + text->bytes - n, end, n) == 0) {
            text->bytes -= n;
            text->text[text->bytes] = 0;
            return;
        }
    }
}

static unsigned char paste(EditLine *edit, int key)
{
    struct ncs_editor *e;
    struct ncs_str text = { 0 };
    (void)key;
    lib.el_get(edit, EL_CLIENTDATA, &e);
    read_pasted(edit, &text);
    char *newline = text.text ? strchr(text.text, '\n') : NULL;
    if (newline) {
        *newline = 0;
        ncs_str_add(&e->pasted, newline + 1);
    }
    if (text.bytes && *text.text)
        lib.el_insertstr(edit, text.text);
    ncs_str_free(&text);
    if (newline)
        lib.el_push(edit, "\n");
    return CC_REFRESH;
}

/* The next complete pasted line. Text after the last line end becomes the beginning of the next typed line. */
static enum ncs_edited next_pasted(struct ncs_editor *e, const char **line)
{
    char *text = e->pasted.text + e->given, *end = strchr(text, '\n');
    if (end)
        *end = 0;
    printf("%s%s\n", e->prompt, text);
    *line = text;
    e->given += strlen(text) + 1;
    return NCS_EDITED_PASTED;
}

static bool has_pasted(struct ncs_editor *e)
{
    if (e->given < e->pasted.bytes)
        return true;
    ncs_str_clear(&e->pasted);
    e->given = 0;
    return false;
}

/* ---- editing ---- */

static char *editor_prompt_of(EditLine *edit)
{
    struct ncs_editor *e;
    lib.el_get(edit, EL_CLIENTDATA, &e);
    return (char *)e->prompt;
}

static bool wants_editing(void)
{
    const char *term = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static const char *editor_open_edit(struct ncs_editor *e)
{
    if (!wants_editing())
        return NULL;
    if (!open_library())
        return "lines cannot be edited: libedit is not installed";
    if (!setlocale(LC_CTYPE, ""))
        setlocale(LC_CTYPE, "C.UTF-8");
    e->edit = lib.el_init("ncclscript", stdin, stdout, stderr);
    if (!e->edit)
        return "the terminal does not support editing";
    const char *trouble = open_history(e);
    lib.el_set(e->edit, EL_CLIENTDATA, e);
    lib.el_set(e->edit, EL_PROMPT, editor_prompt_of);
    lib.el_set(e->edit, EL_EDITOR, "emacs");
    lib.el_set(e->edit, EL_SIGNAL, 0);
    if (e->history)
        lib.el_set(e->edit, EL_HIST, lib.history, e->history);
    lib.el_set(e->edit, EL_ADDFN, "ncs-complete", "complete the word", editor_complete);
    lib.el_set(e->edit, EL_ADDFN, "ncs-paste", "take pasted text", paste);
    lib.el_set(e->edit, EL_BIND, "^I", "ncs-complete", NULL);
    lib.el_set(e->edit, EL_BIND, "\033[200~", "ncs-paste", NULL);
    lib.el_set(e->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    lib.el_source(e->edit, NULL);
    return trouble;
}

static void switch_pasting(bool on)
{
    fputs(on ? "\033[?2004h" : "\033[?2004l", stdout);
    fflush(stdout);
}

static enum ncs_edited editor_read_edited(struct ncs_editor *e, const char **line)
{
    int count = 0;
    if (has_pasted(e))
        return next_pasted(e, line);
    switch_pasting(true);
    errno = 0;
    const char *text = lib.el_gets(e->edit, &count);
    int why = errno;
    switch_pasting(false);
    if (!text && (count < 0 || why == EINTR)) {
        lib.el_reset(e->edit);
        return NCS_EDITED_INTERRUPTED;
    }
    if (!text)
        return NCS_EDITED_END;
    const char *more = strchr(text, '\n'); /* of several lines that the history has brought back */
    if (more && more[1])
        ncs_str_add(&e->pasted, more + 1);
    ncs_free(e->line);
    e->line = ncs_copy_text(text);
    e->line[strcspn(e->line, "\r\n")] = 0;
    *line = e->line;
    return e->pasted.bytes > e->given ? NCS_EDITED_PASTED : NCS_EDITED_LINE;
}

void ncs_editor_remember(struct ncs_editor *e, const char *input)
{
    HistEvent event;
    struct ncs_str entry = { 0 };
    if (!e->history || !*input)
        return;
    ncs_str_addf(&entry, "%s\n", input);
    lib.history(e->history, &event, H_ENTER, entry.text);
    ncs_str_free(&entry);
}

static void editor_close_edit(struct ncs_editor *e)
{
    if (e->history) {
        save_history(e);
        lib.history_end(e->history);
    }
    if (e->edit)
        lib.el_end(e->edit);
    ncs_free(e->history_file);
}

#else

static const char *editor_open_edit(struct ncs_editor *e)
{
    (void)e;
    return NULL;
}

static enum ncs_edited editor_read_edited(struct ncs_editor *e, const char **line)
{
    return read_plain(e, line);
}

void ncs_editor_remember(struct ncs_editor *e, const char *input)
{
    (void)e;
    (void)input;
}

static void editor_close_edit(struct ncs_editor *e)
{
    (void)e;
}

#endif

struct ncs_editor *ncs_editor_open(const struct ncs_editor_completer *completer, const char **trouble)
{
    struct ncs_editor *e = ncs_new(sizeof *e);
    e->completer = *completer;
    *trouble = editor_open_edit(e);
    return e;
}

enum ncs_edited ncs_editor_read(struct ncs_editor *e, const char *prompt, const char **line)
{
    e->prompt = prompt;
    return e->edit ? editor_read_edited(e, line) : read_plain(e, line);
}

void ncs_editor_close(struct ncs_editor *e)
{
    if (!e)
        return;
    editor_close_edit(e);
    ncs_free(e->line);
    ncs_str_free(&e->read);
    ncs_str_free(&e->pasted);
    ncs_free(e);
}
