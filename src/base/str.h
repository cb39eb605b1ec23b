/* A text that grows. It always ends with a zero byte; `text` is never NULL after the first append. */
#ifndef NCS_BASE_STR_H
#define NCS_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct ncs_str {
    char *text;
    size_t bytes; /* without the final zero */
    size_t room;
};

void ncs_str_add(struct ncs_str *s, const char *text);
void ncs_str_add_bytes(struct ncs_str *s, const void *bytes, size_t count);
void ncs_str_addf(struct ncs_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ncs_str_addv(struct ncs_str *s, const char *fmt, va_list args);
void ncs_str_clear(struct ncs_str *s); /* empties, keeps the memory */
char *ncs_str_take(struct ncs_str *s); /* the text, which the caller frees (ncs_free); s is empty */
void ncs_str_free(struct ncs_str *s);

/* Appends a list of ranks, "0, 1, 3"; runs of four and more as "4..9". */
void ncs_str_add_ranks(struct ncs_str *s, const int *ranks, size_t count);

/* Appends a list of ranks for a line: evenly spaced ranks as "1, 3, 5, ..., 1023", and the end of a list
 * that is still too long as "and 340 more". */
void ncs_str_add_many_ranks(struct ncs_str *s, const int *ranks, size_t count);
/* True if a text such as "ranks 0, 2, 4..7" names the rank. A text without numbers names every rank. */
bool ncs_is_listed(const char *text, int rank);

#endif
