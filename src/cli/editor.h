/* Reads a user's lines: with history and completion on a terminal, plainly elsewhere. */
#ifndef NCS_CLI_EDITOR_H
#define NCS_CLI_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

struct ncs_editor;

/* Called for each word that may replace the text from *from to the end. */
struct ncs_editor_completer {
    void (*complete)(void *arg, const char *text, size_t bytes, size_t *from, void (*on_word)(void *list, const char *word),
                     void *list);
    void *arg;
};

enum ncs_edited {
    NCS_EDITED_LINE,
    NCS_EDITED_PASTED,      /* a line of a multi-line paste; more follow */
    NCS_EDITED_INTERRUPTED, /* Ctrl-C: the line is dropped */
    NCS_EDITED_END,
};

/* Lines are edited on a terminal, unless it is dumb or the program was built without libedit;
 * ncs_editor_edits tells. The history comes from a file (NCCLSCRIPT_HISTORY, else under XDG_STATE_HOME or
 * ~/.local/state); if it cannot be read, *trouble says why, and the editor works without it. */
struct ncs_editor *ncs_editor_open(const struct ncs_editor_completer *completer, const char **trouble);
void ncs_editor_close(struct ncs_editor *e); /* writes the history; NULL is a no-op */
bool ncs_editor_edits(const struct ncs_editor *e);

/* The next line without its end, valid until the next call. Signals that arrive meanwhile are handled by
 * the caller's handlers. */
enum ncs_edited ncs_editor_read(struct ncs_editor *e, const char *prompt, const char **line);
/* Adds a complete input, of one or several lines, to the history. */
void ncs_editor_remember(struct ncs_editor *e, const char *input);

#endif
