/* The list of mistakes found in a source while it is read, so that one run reports all mistakes of a file,
 * in the format of compilers. */
#ifndef NCS_BASE_COMPLAINT_H
#define NCS_BASE_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/source.h"

#define NCS_COMPLAINTS_KEPT 50 /* errors; further ones are only counted, further warnings dropped */

struct ncs_complaint {
    bool warning; /* reported, but nothing fails because of it */
    struct ncs_span at;
    char *text; /* lower case: the fact, the offending text, what was expected */
    char *hint; /* how to repair it; NULL = none */
    char *note; /* a related place, and a text about it; NULL = none */
    struct ncs_span note_at;
};

struct ncs_complaints {
    const struct ncs_source *source;
    struct ncs_complaint *item;
    size_t count, room;
    size_t errors;  /* all of them, kept or not */
    bool open;      /* the last one was kept, and takes a hint and a note */
    bool no_memory; /* the host has none to read the source: the error is no mistake in it */
};

/* Adds an error; returns false. The first complaint about a span is kept, except that an error replaces a warning. */
bool ncs_complain(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void ncs_complain_warning(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Add a hint or note to the complaint that was added last, if it was kept. Both return false. */
bool ncs_complain_hint(struct ncs_complaints *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool ncs_complain_note(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The kept complaints in the order of their places. The caller frees the list (ncs_free), not its elements. */
const struct ncs_complaint **ncs_complaints_in_order(const struct ncs_complaints *c);

/* Appends the kept complaints in the order of their places: "file:line:column: error: text", the line with
 * a caret, then "note:" and "hint:" lines; at the end the number of complaints left out. */
void ncs_complaints_text(const struct ncs_complaints *c, struct ncs_str *out);
enum ncs_status ncs_complaints_status(const struct ncs_complaints *c); /* NCS_OK, NCS_BAD_INPUT or NCS_NO_MEMORY */
/* Copies the first error, with that status, for callers that report only one, and returns false; true
 * = there is no error. */
bool ncs_complaints_error(const struct ncs_complaints *c, struct ncs_error *err);
void ncs_complaints_free(struct ncs_complaints *c);

#endif
