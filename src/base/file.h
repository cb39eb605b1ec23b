/* Whole files as text in memory. */
#ifndef NCS_BASE_FILE_H
#define NCS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

#define NCS_FILE_LIMIT ((size_t)16 << 20) /* bytes of a file that a person wrote */

/* Appends the contents of file ("-": standard input). False and err, with the file as its place,
 * for what is missing, a folder, unreadable, or longer than limit: of a regular file that is known
 * before it is read. `wanted` says what was expected in place of a folder: "a file of Lua text". */
bool ncs_file_read(const char *file, size_t limit, const char *wanted, struct ncs_str *text,
                   struct ncs_error *err);

/* The same where a stranger has a say in what stands at that name: nothing but a regular file that lies in
 * the folder of the name, so no link that leads out of it. err must not be NULL. */
bool ncs_file_read_within(const char *file, size_t limit, const char *wanted, struct ncs_str *text,
                          struct ncs_error *err);

enum ncs_line_read { NCS_LINE_READ, NCS_LINE_NONE, NCS_LINE_LONG };

/* Replaces *line with the next line, without its end. NONE: there is none, or errno is set. LONG: it has more than
 * limit bytes, of which so many are in *line, and what follows is the rest of it. */
enum ncs_line_read ncs_file_line(FILE *in, size_t limit, struct ncs_str *line);

/* Writes a file whole or not at all. What is there is replaced only when `replace`, unless it is no
 * regular file: a terminal or a pipe is written to. */
bool ncs_file_write(const char *file, const char *text, size_t bytes, bool replace,
                    struct ncs_error *err);

#endif
