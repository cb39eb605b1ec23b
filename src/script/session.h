/* Lines for the ranks of a session (run/session.h), in the environment of a scenario's file. Names
 * that a line makes at its outermost level stay, with or without `local`, and may hide ready-made
 * ones. Use all of this on the runner's thread, while the run is at rest. */
#ifndef NCS_SCRIPT_SESSION_H
#define NCS_SCRIPT_SESSION_H

#include "run/session.h"
#include "script/script.h"

struct ncs_session;
struct ncs_code; /* text that was read once, for any number of ranks */

enum ncs_reply_kind {
    NCS_REPLY_NOTHING, /* it ran, and gave no value */
    NCS_REPLY_VALUES,
    NCS_REPLY_ERROR,
    NCS_REPLY_HELP,        /* the text is a topic */
    NCS_REPLY_INTERRUPTED, /* ncs_run_break */
};

struct ncs_reply {
    int rank;
    int line; /* of the text that was given */
    enum ncs_reply_kind kind;
    char *text; /* NULL = none */
};

/* `script` is an opened and declared scenario file, which the session takes over; NULL = none.
 * Places name `prompt` as the file of all other lines. The scenario is checked and borrowed. */
struct ncs_session *ncs_session_new(struct ncs_script *script, const struct ncs_scenario *scenario, const char *prompt,
                                    bool unsafe);
void ncs_session_free(struct ncs_session *s); /* NULL is a no-op; after the run */
struct ncs_program ncs_session_program(struct ncs_session *s);
enum ncs_read { NCS_READ_WHOLE, NCS_READ_OPEN, NCS_READ_WRONG };

/* Reads Lua text whose first line has the number `line`: an expression, whose value is the reply,
 * or statements. OPEN: the text is incomplete. WRONG: err has the reason, with a place's file and
 * line. The session owns the code. */
enum ncs_read ncs_session_read(struct ncs_session *s, const char *text, int line, const struct ncs_code **code,
                               struct ncs_error *err);
/* Reads the statements of the script one by one, without its declaration. */
bool ncs_session_read_script(struct ncs_session *s, void (*on_code)(void *arg, const struct ncs_code *code), void *arg,
                             struct ncs_error *err);

/* Appends statements in the form in which they run: names that they make local stay. */
void ncs_session_keep(const char *text, size_t bytes, struct ncs_str *out);
/* Also appends those names to `names`, separated by blanks; NULL = not wanted. */
void ncs_session_keep_names(const char *text, size_t bytes, struct ncs_str *out, struct ncs_str *names);
/* The text of the script, if it is Lua; NULL = none. */
const char *ncs_session_text(const struct ncs_session *s);

/* Queues the code: the rank runs it when it is free. */
void ncs_session_give(struct ncs_session *s, int rank, const struct ncs_code *code);
/* True if the rank has finished all code that it was given. */
bool ncs_session_is_free(const struct ncs_session *s, int rank);

/* The replies of the ranks since the last ncs_session_forget, in their order. */
const struct ncs_reply *ncs_session_replies(const struct ncs_session *s, size_t *count);
void ncs_session_forget(struct ncs_session *s);

/* An object that a rank holds, in a variable or without a name. */
struct ncs_holding {
    const char *name;  /* of the variable; NULL = none */
    const char *class; /* "buffer", "stream", "comm" ... */
    const char *text;
};
void ncs_session_holdings(struct ncs_session *s, int rank, void (*on_holding)(void *arg, const struct ncs_holding *h), void *arg);

/* The class of a path ("world", "nccl", "" = the environment) on rank 0: "comm", "buffer",
 * "library", "table" ...; NULL = no such path. Only looks names up, calls nothing. */
const char *ncs_session_class(struct ncs_session *s, const char *path);
/* The names behind the path: with `methods` (a colon) its methods, else its fields. */
void ncs_session_names(struct ncs_session *s, const char *path, bool methods, void (*on_name)(void *arg, const char *name),
                       void *arg);

/* Reads up to `most` elements of the buffer in a rank's variable, without the driver. Returns the
 * buffer's number of elements, or -1 if the variable is no buffer. */
int64_t ncs_session_elements(struct ncs_session *s, int rank, const char *variable, double *element, size_t most);
/* The data type (ncclDataType_t) of the buffer in a rank's variable; -1 if it is no buffer. */
int ncs_session_dtype(struct ncs_session *s, int rank, const char *variable);
/* The address of the buffer in a rank's variable; NULL if it is no buffer, or empty. */
const void *ncs_session_address(struct ncs_session *s, int rank, const char *variable);

#endif
