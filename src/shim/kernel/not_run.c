/* Counts the launches of kernels that the simulator lacks, by readable names. */
#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "shim/kernel/kernel.h"
#include "shim/many/client.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"

struct not_run {
    char *name;
    unsigned launches;
    struct not_run *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct not_run *first_not_run;

/* A name of a C++ identifier is its length and its text. Moves past it; NULL = none is next. */
static const char *read_identifier(const char **at, size_t *bytes)
{
    char *text;
    unsigned long length = isdigit((unsigned char)**at) ? strtoul(*at, &text, 10) : 0;
    if (length == 0 || strnlen(text, length) < length)
        return NULL;
    *at = text + length;
    *bytes = length;
    return text;
}

/* Moves past one thing in a list of template arguments, which is no identifier. Things that last until an E raise the depth. */
static const char *skip_in_template(const char *at, int *depth)
{
    switch (*at) {
    case 'E': --*depth; return at + 1;
    case 'I':
    case 'N':
    case 'Z':
    case 'X':
    case 'J':
    case 'F': ++*depth; return at + 1;
    case 'U': *depth += at[1] == 'l'; return at + (at[1] ? 2 : 1);
    case 'L': return at + strcspn(at, "E") + (strchr(at, 'E') ? 1 : 0);
    case 'S':
    case 'T':
        if (!islower((unsigned char)at[1]))
            return at + strcspn(at, "_") + (strchr(at, '_') ? 1 : 0);
        return at + 2;
    default: return at + 1;
    }
}

/* Appends the first two identifiers among the template's arguments: they tell most instances apart. */
static void add_template(struct ncs_str *out, const char *at)
{
    int names = 0, depth = 1;
    while (*at && depth > 0 && names < 2) {
        size_t bytes;
        const char *text = read_identifier(&at, &bytes);
        if (!text) {
            at = skip_in_template(at, &depth);
            continue;
        }
        if (text[0] == '_' && isupper((unsigned char)text[1]))
            continue; /* of an unnamed namespace */
        ncs_str_add(out, names++ ? ", " : "<");
        ncs_str_add_bytes(out, text, bytes);
    }
    ncs_str_add(out, names ? ">" : "");
}

static void add_readable(struct ncs_str *out, const char *name)
{
    static const char unnamed[] = "_GLOBAL__N_";
    size_t parts = 0;
    bool is_coded = strncmp(name, "_Z", 2) == 0;
    const char *at = is_coded ? name + 2 : name;
    at += is_coded && *at == 'N';
    while (is_coded) {
        size_t bytes;
        at += *at == 'L'; /* of a static function */
        const char *text = read_identifier(&at, &bytes);
        if (!text)
            break;
        if (strncmp(text, unnamed, strlen(unnamed)) == 0)
            continue;
        ncs_str_add(out, parts++ ? "::" : "");
        ncs_str_add_bytes(out, text, bytes);
    }
    if (parts == 0)
        ncs_str_add(out, name);
    else if (*at == 'I')
        add_template(out, at + 1);
}

/* The program's file has the name, of any bytes and length. */
void ncs_shim_add_kernel(struct ncs_str *out, const char *name)
{
    enum { SHOWN = 200 };
    struct ncs_str readable = { 0 };
    add_readable(&readable, name);
    bool cut = readable.bytes > SHOWN;
    if (cut)
        readable.text[SHOWN] = '\0';
    ncs_safe_line(out, readable.text);
    ncs_str_add(out, cut ? "..." : "");
    ncs_str_free(&readable);
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
    if (!client_is_on())
        sim_outside_kernel();
    if (client_is_on())
        client_count_kernel(readable.text);
    else if (count_launch(readable.text))
        ncs_shim_warn("kernel %s: %s", readable.text,
                      ncs_shim_skips_kernels()
                          ? "the simulator lacks it and leaves it out, so what it would write is missing"
                          : "the simulator lacks it, so its launch fails (`exec --kernels skip` leaves it out)");
    ncs_str_free(&readable);
}

bool ncs_shim_counts_kernels(void)
{
    pthread_mutex_lock(&lock);
    bool any = first_not_run != NULL;
    pthread_mutex_unlock(&lock);
    return any;
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
