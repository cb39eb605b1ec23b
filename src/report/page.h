/* The pages of `explain`: classes of findings, result codes, variables, words of the reports, and families
 * of functions. Their texts are data (pages/) in the form that page_text.c describes. */
#ifndef NCS_REPORT_PAGE_H
#define NCS_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum ncs_page_kind {
    NCS_PAGE_CLASS,  /* a rule of the diagnosis */
    NCS_PAGE_RESULT, /* ncclResult_t */
    NCS_PAGE_ERROR,  /* cudaError_t */
    NCS_PAGE_WORD,
    NCS_PAGE_EXIT,      /* an exit status; its id is "exit-3" */
    NCS_PAGE_OBEYED,    /* a variable of NCCL that the simulator obeys */
    NCS_PAGE_VARIABLE,  /* another one of NCCL or CUDA; it need not be written down (pages/) */
    NCS_PAGE_FUNCTIONS, /* a family of functions; its id is its title */
};

/* Texts are whole lines. Lists are names separated by blanks. NULL = the page has no such part. */
struct ncs_page {
    enum ncs_page_kind kind;
    const char *id, *title;
    const char *group; /* the heading under which a class or family is listed */
    const char *what, *why, *see, *repair;
    const char *scenario, *ends;                         /* runnable, and its verdict */
    const char *finding;                                 /* the scenario's finding; NULL = none */
    const char *also, *names;                            /* pages to read next; its other names */
    const char *blocks, *threads, *findings, *reference; /* of a family */
};
const struct ncs_page *ncs_pages(void); /* an id of NULL at the end */

struct ncs_page_group { /* of classes */
    const char *id, *title;
};
const struct ncs_page_group *ncs_page_groups(void); /* an id of NULL at the end */

/* The target of a name: a page; a function (its family's page and its number); or a group. */
struct ncs_named {
    const struct ncs_page *page;
    int fn; /* enum ncs_fn; -1 = no function */
    const struct ncs_page_group *group;
    const struct ncs_page *exit; /* of a number that is a result code, too */
};

/* All that tables know of a variable, as sentences. The caller frees. */
char *ncs_page_variable(const struct ncs_page *page);

/* The number of a result code, an error or an exit status; -1 = the page has none. */
int ncs_page_number(const struct ncs_page *page);

/* Finds a name; case, '-', '_' and blanks do not matter. Codes have names and numbers, functions
 * their names in C and in Lua ("world:all_reduce"). False = unknown name. */
bool ncs_page_find(const char *name, struct ncs_named *out);
const struct ncs_page *ncs_page(const char *id); /* by its id alone; NULL = unknown */
/* The page of a function's family; NULL = none. */
const struct ncs_page *ncs_page_of_function(int fn);
/* True if the list contains the name. */
bool ncs_list_has(const char *list, const char *name);
/* Copies the next name of the list to `name`. Returns the rest of the list, or NULL at its end. */
const char *ncs_list_next(const char *list, char *name, size_t size);

/* Appends the page of a name as text, its prose filled to the terminal's width (0: as it is). False = unknown name. */
bool ncs_explain(const char *name, int width, struct ncs_str *out);
/* Appends only the page's scenario. False: unknown name, or no scenario. */
bool ncs_explain_scenario(const char *name, struct ncs_str *out);
/* Appends the page (NULL: every page) as one line of JSON each. False = unknown name. */
bool ncs_explain_json(const char *name, struct ncs_str *out);
/* Appends the names of all pages in groups. */
void ncs_explain_list(int width, struct ncs_str *out);
const char *const *ncs_explained(size_t *count); /* all names, for suggestions */

#endif
