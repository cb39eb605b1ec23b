/* What is wrong with a source: a list that grows while it is read, so that all mistakes of a file
 * are said in one go, in the shape of a compiler's messages. */
#ifndef NCS_BASE_COMPLAINT_H
#define NCS_BASE_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/source.h"

#define NCS_COMPLAINTS_KEPT 50 /* errors; further ones are only counted, further warnings dropped */

struct ncs_complaint {
    bool warning;           /* does not stop anything */
    struct ncs_span at;
    char *text;             /* lower case: the fact, the offending text, what was expected */
    char *hint;             /* what to do about it; NULL = none */
    char *note;             /* another place, and what is there; NULL = none */
    struct ncs_span note_at;
};

struct ncs_complaints {
    const struct ncs_source *source;
    struct ncs_complaint *item;
    size_t count, room;
    size_t errors;          /* all of them, kept or not */
    bool open;              /* the last one was kept, and takes a hint and a note */
};

/* Adds an error; returns false. Of two complaints about one span the first is kept, but
 * an error stands for a warning. */
bool ncs_complain(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ncs_complain_warning(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Of the complaint that was added last, unless it was left out. Both return false. */
bool ncs_complain_hint(struct ncs_complaints *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool ncs_complain_note(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* All that are kept in the order of their places; the list is the caller's (ncs_free). */
const struct ncs_complaint **ncs_complaints_in_order(const struct ncs_complaints *c);

/* Appends all, in the order of their places: "file:line:column: error: text", the line with a caret,
 * then "note:" and "hint:" lines; at the end how many were left out. */
void ncs_complaints_text(const struct ncs_complaints *c, struct ncs_str *out);
/* The first error as a plain one (status NCS_BAD_INPUT), for who can say only one; true = there is
 * none. */
bool ncs_complaints_error(const struct ncs_complaints *c, struct ncs_error *err);
void ncs_complaints_free(struct ncs_complaints *c);

#endif
