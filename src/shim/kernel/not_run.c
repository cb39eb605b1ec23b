/* Counts the launches of kernels that the simulator lacks, by their readable names: instances of a template are one. */
#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shim/kernel/kernel.h"
#include "shim/shim.h"

struct not_run {
    char *name;
    unsigned launches;
    struct not_run *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct not_run *first_not_run;

/* A part of a C++ name is its length and its text; the rest, such as types, ends the name. */
void ncs_shim_add_kernel(struct ncs_str *out, const char *name)
{
    static const char unnamed[] = "_GLOBAL__N_";
    size_t parts = 0;
    const char *at = strncmp(name, "_Z", 2) == 0 ? name + 2 : name;
    at += *at == 'N';
    while (at != name) {
        char *text;
        at += *at == 'L'; /* of a static function */
        unsigned long bytes = isdigit((unsigned char)*at) ? strtoul(at, &text, 10) : 0;
        if (bytes == 0 || strnlen(text, bytes) < bytes)
            break;
        at = text + bytes;
        if (strncmp(text, unnamed, strlen(unnamed)) == 0)
            continue;
        ncs_str_add(out, parts++ ? "::" : "");
        ncs_str_add_bytes(out, text, bytes);
    }
    if (parts == 0)
        ncs_str_add(out, name);
}

/* True the first time. */
static bool count_launch(const char *name)
{
    pthread_mutex_lock(&lock);
    struct not_run **at = &first_not_run;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    bool is_new = !*at;
    if (is_new) {
        *at = ncs_new(sizeof **at);
        (*at)->name = ncs_copy_text(name);
    }
    (*at)->launches++;
    pthread_mutex_unlock(&lock);
    return is_new;
}

void ncs_shim_count_kernel(const char *name)
{
    struct ncs_str readable = { 0 };
    ncs_shim_add_kernel(&readable, name);
    if (count_launch(readable.text))
        ncs_shim_warn("kernel %s: %s", readable.text,
                      ncs_shim_skips_kernels()
                          ? "the simulator lacks it and leaves it out, so what it would write is missing"
                          : "the simulator lacks it, so its launch fails (`exec --kernels skip` leaves it out)");
    ncs_str_free(&readable);
}

void ncs_shim_list_kernels(struct ncs_str *out)
{
    pthread_mutex_lock(&lock);
    for (const struct not_run *k = first_not_run; k; k = k->next) {
        ncs_str_addf(out, "%s%s", out->bytes ? ", " : "", k->name);
        if (k->launches > 1)
            ncs_str_addf(out, " (%u launches)", k->launches);
    }
    pthread_mutex_unlock(&lock);
}
