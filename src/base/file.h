/* Reads and writes whole files as text in memory. */
#ifndef NCS_BASE_FILE_H
#define NCS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

#define NCS_FILE_LIMIT ((size_t)16 << 20) /* bytes of a file that a person wrote */

/* Appends the contents of file ("-": standard input). Returns false and err, with the file as its place,
 * if the file is missing, a folder, unreadable, or longer than limit; a regular file's length is checked
 * before it is read. `wanted` names what was expected instead of a folder: "a file of Lua text". */
bool ncs_file_read(const char *file, size_t limit, const char *wanted, struct ncs_str *text, struct ncs_error *err);

/* As ncs_file_read, for names that an untrusted text chose: reads only a regular file inside the folder of
 * the name, so no link that leads out of it. err must not be NULL. */
bool ncs_file_read_within(const char *file, size_t limit, const char *wanted, struct ncs_str *text, struct ncs_error *err);

enum ncs_line_read { NCS_LINE_READ, NCS_LINE_NONE, NCS_LINE_LONG };

/* Replaces *line with the next line, without its end. NONE: the file has ended, or errno is set. LONG:
 * *line holds the first limit bytes of a longer line; the next call returns its rest. */
enum ncs_line_read ncs_file_line(FILE *in, size_t limit, struct ncs_str *line);

/* Writes to a descriptor that blocks. False, with errno: not all could be written. */
bool ncs_write_all(int fd, const char *text, size_t bytes);
/* Writes a file completely or not at all. Replaces an existing regular file only if `replace`; writes to a
 * terminal or a pipe in any case. */
bool ncs_file_write(const char *file, const char *text, size_t bytes, bool replace, struct ncs_error *err);

#endif
