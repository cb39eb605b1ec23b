/* Paths of source files. */
#ifndef NCS_BASE_PATH_H
#define NCS_BASE_PATH_H

/* The path from the root on, without `.`, `..` and doubled slashes; a relative one begins at the working directory.
 * A name such as "<string>" stays. The caller frees it. */
char *ncs_path_absolute(const char *file);

/* As reports show it: from the working directory on if the file is in it, else the file's name. A part of `path`. */
const char *ncs_path_short(const char *path);

#endif
