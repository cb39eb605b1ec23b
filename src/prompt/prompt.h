/* The prompt: runs typed lines on the ranks of a run that waits for them. Knows nothing of terminals:
 * lines come in, text goes out. */
#ifndef NCS_PROMPT_PROMPT_H
#define NCS_PROMPT_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"
#include "run/run.h"
#include "script/script.h"

struct ncs_prompt;
struct ncs_shell_host;

struct ncs_prompt_options {
    const char *file;                    /* a scenario whose statements run first; NULL = none; borrowed */
    struct ncs_script_settings settings; /* the settings to read it with: ranks, seed, policy, set, unsafe */
    bool color, unicode;
    int (*columns)(void); /* of the terminal, asked for each text; NULL or 0: none, and texts stay as they are */
    void (*out)(void *arg, const char *text); /* whole lines */
    void *out_arg;
    const struct ncs_shell_host *shell; /* a lesson's; NULL = none; borrowed */
};

#define NCS_PROMPT_RANKS 4 /* without -n and without a file */

/* Starts the ranks, which run the file. NULL and err on failure. */
struct ncs_prompt *ncs_prompt_new(const struct ncs_prompt_options *options, struct ncs_error *err);
void ncs_prompt_free(struct ncs_prompt *p); /* NULL is a no-op */

/* TEXT: as MORE, and an empty line is a part of it. */
enum ncs_prompt_wants { NCS_PROMPT_LINE, NCS_PROMPT_MORE, NCS_PROMPT_TEXT, NCS_PROMPT_QUIT };

/* Takes a line of input without its end: Lua for the ranks, optionally after @RANKS, or a :command. MORE:
 * the input continues on the next line. */
enum ncs_prompt_wants ncs_prompt_feed(struct ncs_prompt *p, const char *line);
/* Drops a continued input; false if there was none. */
bool ncs_prompt_abandon(struct ncs_prompt *p);
/* The input has ended: reports an unfinished continued line. */
void ncs_prompt_end(struct ncs_prompt *p);
/* Async-signal-safe: the ranks stop computing. */
void ncs_prompt_break(struct ncs_prompt *p);

/* Calls on_word for each completion of the text from *from to its end. */
void ncs_prompt_complete(struct ncs_prompt *p, const char *text, size_t bytes, size_t *from,
                         void (*on_word)(void *arg, const char *word), void *arg);

/* "4 ranks 7", "4 ranks, 2 waiting 7", "4 ranks, held 7": ends with the number of the next line. */
void ncs_prompt_status(const struct ncs_prompt *p, struct ncs_str *out);

#endif
