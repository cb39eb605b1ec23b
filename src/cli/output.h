/* The program's output: results on standard output, everything else on standard error. */
#ifndef NCS_CLI_OUTPUT_H
#define NCS_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/complaint.h"
#include "base/error.h"
#include "base/str.h"

enum { NCS_EXIT_OUTPUT = 74 }; /* exit status if output was lost */

enum ncs_color { NCS_COLOR_AUTO, NCS_COLOR_ALWAYS, NCS_COLOR_NEVER };

/* True if this stream is to be colored. The option precedes NO_COLOR, which precedes CLICOLOR_FORCE;
 * without them only a terminal that is not dumb gets color. */
bool ncs_wants_color(enum ncs_color option, FILE *stream);

/* True if the environment's locale uses UTF-8. */
bool ncs_wants_unicode(void);
/* The width of the terminal that standard output is, in cells; 0 if it is none. */
int ncs_out_columns(void);

/* Call first. */
void ncs_out_open(void);
/* Write text to standard output. The first failure is remembered, and reported by ncs_out_finish; a closed
 * pipe ends the program as SIGPIPE does. */
void ncs_out(const char *text);
void ncs_out_bytes(const char *bytes, size_t count);
void ncs_out_flush(void);
/* From now on ncs_out and ncs_out_bytes write to standard error: standard output is only for a document. */
void ncs_out_divert(void);
/* Replaces the file ("-": ncs_out_document); complains if it cannot be written, and ncs_out_finish fails then. */
void ncs_out_to(const char *file, const struct ncs_str *text);
void ncs_out_document(const char *bytes, size_t count);
/* Call last. Returns `status`, or NCS_EXIT_OUTPUT after a line on standard error if any output was lost. */
int ncs_out_finish(int status);
/* Makes ncs_out_finish fail: another output file is incomplete, which the caller has reported. */
void ncs_out_file_failed(void);

/* Writes text to standard error. */
void ncs_err(const char *text);

/* Prints "file:line:col: error: text", the line of the source with a caret, and the hint. */
int ncs_print_error(const struct ncs_error *err); /* returns the exit status of a command that this error ends */
/* True if an error printed so far is a lack of the host: then the input is not to blame. */
bool ncs_printed_lack(void);
/* Prints all complaints; false if there is no error among them. */
bool ncs_print_complaints(const struct ncs_complaints *c);

#endif
