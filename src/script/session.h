/* Lines for the ranks of a session (run/session.h), in the environment that a scenario's file has. Names that a
 * line makes at its outermost level stay, whether it says `local` or not, and may stand before ready-made
 * ones. All of this is for the runner's thread, while the run is at rest. */
#ifndef NCS_SCRIPT_SESSION_H
#define NCS_SCRIPT_SESSION_H

#include "run/session.h"
#include "script/script.h"

struct ncs_session;
struct ncs_code; /* what was read once, and is given to any number of ranks */

enum ncs_reply_kind {
    NCS_REPLY_NOTHING,     /* it has been run, and gave no value */
    NCS_REPLY_VALUES,
    NCS_REPLY_ERROR,
    NCS_REPLY_HELP,        /* the text is a topic */
    NCS_REPLY_INTERRUPTED, /* ncs_run_break */
};

struct ncs_reply {
    int rank;
    int line;              /* of the text that was given */
    enum ncs_reply_kind kind;
    char *text;            /* NULL = none */
};

/* `script` is a scenario's file that has been opened and declared, taken over; NULL: there is none. `prompt` is
 * what places name as the file of lines that belong to no other. The scenario is borrowed, and checked. */
struct ncs_session *ncs_session_new(struct ncs_script *script, const struct ncs_scenario *scenario,
                                    const char *prompt, bool unsafe);
void ncs_session_free(struct ncs_session *s); /* NULL is a no-op; after the run */
struct ncs_program ncs_session_program(struct ncs_session *s);
enum ncs_read { NCS_READ_WHOLE, NCS_READ_OPEN, NCS_READ_WRONG };

/* Lua text whose first line has the number `line`: a value, which is replied, or statements. OPEN: the
 * text is the beginning of something. WRONG: err says why, its file and line are those of places. The code
 * is the session's. */
enum ncs_read ncs_session_read(struct ncs_session *s, const char *text, int line,
                               const struct ncs_code **code, struct ncs_error *err);
/* The statements of the script one after the other; its declaration is left out. */
bool ncs_session_read_script(struct ncs_session *s,
                             void (*on_code)(void *arg, const struct ncs_code *code), void *arg,
                             struct ncs_error *err);

/* Appends a text of statements with what they make local made to stay, as it is run. */
void ncs_session_keep(const char *text, size_t bytes, struct ncs_str *out);
/* The script's own, of Lua; NULL = there is none. */
const char *ncs_session_text(const struct ncs_session *s);

/* To be run once the rank comes to it. */
void ncs_session_give(struct ncs_session *s, int rank, const struct ncs_code *code);
/* Whether the rank has come to the end of all that it was given. */
bool ncs_session_is_free(const struct ncs_session *s, int rank);

/* What ranks have replied, in that order, since this was asked last; for ncs_session_forget. */
const struct ncs_reply *ncs_session_replies(const struct ncs_session *s, size_t *count);
void ncs_session_forget(struct ncs_session *s);

/* What a rank holds: its variables that are objects, and objects without a name. */
struct ncs_holding {
    const char *name;      /* of the variable; NULL = none */
    const char *class;     /* "buffer", "stream", "comm" ... */
    const char *text;
};
void ncs_session_holdings(struct ncs_session *s, int rank,
                          void (*on_holding)(void *arg, const struct ncs_holding *h), void *arg);

/* What a path ("world", "nccl", "" = the environment) is on rank 0: "comm", "buffer", "library", "table" ...;
 * NULL = nothing. Evaluates names alone: nothing is called. */
const char *ncs_session_class(struct ncs_session *s, const char *path);
/* The names behind it: with a colon its methods, else its fields. */
void ncs_session_names(struct ncs_session *s, const char *path, bool methods,
                       void (*on_name)(void *arg, const char *name), void *arg);

/* The elements of a buffer that a rank's variable is, read without the driver: as many as `most`; how many it
 * has, or -1 when it is none. */
int64_t ncs_session_elements(struct ncs_session *s, int rank, const char *variable, double *element,
                             size_t most);

#endif
