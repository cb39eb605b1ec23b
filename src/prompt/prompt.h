/* The prompt: what people type, line by line, on the ranks of a run that waits for them. Knows nothing of
 * terminals: lines come in, text goes out. */
#ifndef NCS_PROMPT_PROMPT_H
#define NCS_PROMPT_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "run/run.h"
#include "script/script.h"

struct ncs_prompt;

struct ncs_prompt_options {
    const char *file;           /* a scenario whose statements are run first; NULL = none; borrowed */
    struct ncs_script_settings settings; /* what it is read with: ranks, seed, policy, set, unsafe */
    bool color, unicode;
    int width;                  /* of a line of drawings; 0 = 80 */
    void (*out)(void *arg, const char *text); /* whole lines */
    void *out_arg;
};

#define NCS_PROMPT_RANKS 4 /* without -n and without a file */

/* The ranks are there, and have run the file. NULL and err when that cannot be. */
struct ncs_prompt *ncs_prompt_new(const struct ncs_prompt_options *options, struct ncs_error *err);
void ncs_prompt_free(struct ncs_prompt *p); /* NULL is a no-op */

enum ncs_prompt_wants { NCS_PROMPT_LINE, NCS_PROMPT_MORE, NCS_PROMPT_QUIT };

/* Takes a line of input without its end: Lua for the ranks, perhaps behind @RANKS, or a :command. MORE: what
 * was begun goes on in the next one. */
enum ncs_prompt_wants ncs_prompt_feed(struct ncs_prompt *p, const char *line);
/* Forgets what was begun; false when nothing was. */
bool ncs_prompt_abandon(struct ncs_prompt *p);
/* There is no more input: tells of what was begun and never ended. */
void ncs_prompt_end(struct ncs_prompt *p);
/* Async-signal-safe: the ranks give up what they compute. */
void ncs_prompt_break(struct ncs_prompt *p);

/* Calls on_word for what may stand in place of the text from *from up to its end. */
void ncs_prompt_complete(struct ncs_prompt *p, const char *text, size_t bytes, size_t *from,
                         void (*on_word)(void *arg, const char *word), void *arg);

/* "4 ranks 7", "4 ranks, 2 waiting 7", "4 ranks, held 7": the number is that of the next line. */
void ncs_prompt_status(const struct ncs_prompt *p, struct ncs_str *out);

#endif
