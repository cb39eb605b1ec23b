/* Where the program writes: results on standard output, everything else on standard error. */
#ifndef NCS_CLI_OUTPUT_H
#define NCS_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/complaint.h"
#include "base/error.h"
#include "base/str.h"

enum { NCS_EXIT_OUTPUT = 74 }; /* not all of what there is to say could be written */

enum ncs_color { NCS_COLOR_AUTO, NCS_COLOR_ALWAYS, NCS_COLOR_NEVER };

/* Is this stream to be coloured? The option beats NO_COLOR, that beats CLICOLOR_FORCE, and without
 * any of them only a terminal that is not dumb is. */
bool ncs_wants_color(enum ncs_color option, FILE *stream);

/* Does the locale of the environment say that text is UTF-8? */
bool ncs_wants_unicode(void);
/* Cells of a line of standard output; 80 where it is no terminal. */
int ncs_out_width(void);

/* Call first. */
void ncs_out_open(void);
/* Writes text to standard output. The first failure is remembered and told by ncs_out_finish; a
 * reader that went away ends the program as SIGPIPE does. */
void ncs_out(const char *text);
void ncs_out_bytes(const char *bytes, size_t count);
void ncs_out_flush(void);
/* From now on the two above write to standard error: standard output is for one document alone. */
void ncs_out_divert(void);
void ncs_out_document(const char *bytes, size_t count);
/* Call last: `status`, or NCS_EXIT_OUTPUT after a line on standard error when not all could be written. */
int ncs_out_finish(int status);
/* For ncs_out_finish: a file beside standard output is not whole, as the caller has told. */
void ncs_out_file_failed(void);

/* Writes text to standard error. */
void ncs_err(const char *text);

/* "file:line:col: error: text", the line of the source with a caret, and the hint. */
void ncs_print_error(const struct ncs_error *err);
/* All of them; false when there is no error among them. */
bool ncs_print_complaints(const struct ncs_complaints *c);

#endif
