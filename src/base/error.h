/* An error: the fact, its place and what was expected, filled once, at the origin, in a struct that the
 * caller owns. Result codes of NCCL and CUDA are not errors of this kind: they are data. */
#ifndef NCS_BASE_ERROR_H
#define NCS_BASE_ERROR_H

#include <stdbool.h>

enum ncs_status {
    NCS_OK = 0,
    NCS_BAD_INPUT, /* the user's file, option or value: exit 2 */
    NCS_NO_DEVICE, /* a driver or hardware that is not here: exit 77 */
    NCS_NO_MEMORY, /* the host is out of memory, address space, descriptors or processes: exit 7 */
    NCS_INTERNAL,  /* a fault of ncclscript itself: exit 70 */
};

struct ncs_error {
    enum ncs_status status;
    int line, column; /* from 1; 0 = unknown. The column counts code points, as editors do. */
    int bytes;        /* of the offending text at the column; 0 = unknown */
    char file[256];   /* empty = no file */
    char text[1024];  /* lower case, one line: the fact, the offending text, what was expected */
    char hint[256];   /* how to repair it; empty = none */
};

/* The status for an errno: NCS_NO_MEMORY if the host is out of memory, descriptors or processes, else NCS_BAD_INPUT. */
enum ncs_status ncs_status_of(int code);

/* Fills err (may be NULL) with status and a formatted text, and clears the place; returns false. */
bool ncs_fail(struct ncs_error *err, enum ncs_status status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Add the place or the hint to an error that has been filled. Both return false, as ncs_fail does. */
bool ncs_fail_at(struct ncs_error *err, const char *file, int line, int column);
bool ncs_fail_hint(struct ncs_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
