/* The lines that a user types in lessons: kept, so that a teacher can mark them again. */
#ifndef NCS_CLI_LESSON_LINES_H
#define NCS_CLI_LESSON_LINES_H

#include "cli/lesson_pages.h"

/* From now on lines are typed in the lesson with that key (cli/lesson_progress.h), begun at a step from 0. */
void ncs_lesson_lines_begin(const char *key, size_t step);
/* Keeps a line; NULL: the lines that a statement began with are dropped. For ncs_console_run. */
void ncs_lesson_lines_keep(void *arg, const char *line);

/* Appends all kept lines to a page, in a part that ncs_lesson_mark_files finds. */
void ncs_lesson_lines_page(struct ncs_str *out);

/* Types the lines of each file (a certificate, or the file of kept lines) again in the built-in lessons, and prints a table:
 * a row for each file. False if a file cannot be read or has no lines, after a message on standard error. */
bool ncs_lesson_mark_files(const char *const *file, size_t files, const struct ncs_lesson_entry *entry, size_t entries);

#endif
