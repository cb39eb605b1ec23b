/* Sites: the places in a program that make calls, by numbers. A site is an address of compiled code, or a line that
 * Python or the program itself names. While the program runs, a site costs a look-up; places.h finds out
 * its name when a report begins. */
#ifndef NCS_EXEC_SITE_H
#define NCS_EXEC_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "api/local.h"

struct ncs_site {
    const void *address; /* that the call returns to; NULL = a named line */
    char *module;        /* of another process: the address is one of this file's symbols; NULL = of this process */
    char *file;          /* as named; NULL = none */
    char *path;          /* absolute; NULL = none */
    int line;
    char *function; /* NULL = none */
};

/* The place of a site in the journal has a number from here on for its line. */
#define NCS_SITE_FIRST 1000000000
#define NCS_SITES_MOST 100000 /* bounds memory: a program that generates code may call from any number of addresses */

/* The site of the call that returns to this address; 0 = unknown. Any thread may ask, and should
 * not hold the token: interpreters are read on the way. */
int ncs_site_find(void *caller);

/* The site of a line that the program names; 0 = there are too many. Copies the texts, each of which may be NULL. */
int ncs_site_named(const char *file, int line, const char *function);

/* As a function: a thread that runs no such line makes the calls, while another one waits there. */
#define NCS_SITE_ELSEWHERE "(in another thread)"

/* Describes a site for another process; the number of one that another process has described. */
struct wire_site;
void ncs_site_describe(int site, struct wire_site *out);
int ncs_site_described(const struct wire_site *described);

/* The place of a site, to be used as ncs_local's `where`. */
struct ncs_place ncs_site_place(void *site);

/* The sites so far are 1 to this; of each the facts, which never change. */
size_t ncs_site_count(void);
const struct ncs_site *ncs_site_at(int site);

/* When the first site was found, shortly after the program began. */
time_t ncs_site_begin(void);

/* ---- python.c: the line of Python that makes a call of NCCL or CUDA through a binding ---- */

/* The site of the calling thread's innermost Python frame that is of the program's own; if all frames belong to
 * installed packages, of the innermost one. A thread of an engine in C has the site of the thread that it works for (NCS_SITE_ELSEWHERE). 0 = unknown. */
int ncs_python_site(void);

/* ---- symbol.c: names of addresses in code, from the symbols of its files ---- */

/* "train_step+0x1a2", or the file's "train+0x4711" if no symbol is known. Plain characters only; the
 * caller frees it. module: the file whose symbols have the address; NULL = it is an address in this process. */
char *ncs_symbol_name(const char *module, void *address);

#endif
