/* The frames of Python that the calling thread runs, read without the interpreter's lock. */
#ifndef NCS_BASE_PYTHON_H
#define NCS_BASE_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks whether the process has an interpreter that this file knows. */
void ncs_python_look(void);

struct ncs_python_frame {
    const void *code; /* NULL = it runs no code of Python */
    const void *file; /* the name of its file, a str */
    uint64_t tail;    /* the length of that name and its last 8 bytes: a new name may come to an old one's address */
    int instruction;  /* its offset in the code, in bytes */
    const char *back; /* the frame around it */
};

/* False: the thread runs no Python. */
bool ncs_python_innermost(struct ncs_python_frame *f);
/* For a thread that has a state of Python and no frame: the innermost frames of the threads that have one, each in turn, from the
 * newest to the oldest. state: what was returned before; NULL = begin. NULL: there are no more, or the thread has no state. */
const void *ncs_python_other(const void *state, struct ncs_python_frame *f);
/* Goes to the frame around; false: there is none. */
bool ncs_python_outer(struct ncs_python_frame *f);

/* Code objects that a caller does not want to see again. An address may come to be that of another one: its file's name
 * tells. */
enum { NCS_PYTHON_KNOWN = 64 };
struct ncs_python_known {
    const void *code, *file;
};
static inline size_t ncs_python_slot(const void *code)
{
    return ((uintptr_t)code >> 5 ^ (uintptr_t)code >> 11) % NCS_PYTHON_KNOWN;
}
/* As ncs_python_outer, but passes frames whose code is in its slot of the table, at most `most` of them. */
bool ncs_python_skip(struct ncs_python_frame *f, const struct ncs_python_known *known, int most);

/* The path of the frame's source, as UTF-8; 0 if it cannot be read, or has no room. */
size_t ncs_python_file(const struct ncs_python_frame *f, char *out, size_t room);
int ncs_python_line(const struct ncs_python_frame *f);
/* False for sources of installed packages, of Python's own library, and of the interpreter's entry. */
bool ncs_python_is_own(const char *file);

#endif
