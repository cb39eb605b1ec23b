/* PyTorch's kernel that fills a contiguous tensor with a value, as tensor.fill_, torch.ones and torch.full launch it
 * (names of 2.15). Its arguments: the number of elements, the value, and an array of one pointer. */
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "shim/kernel/kernel.h"

struct fill_job {
    struct kernel_job job;
    char *elements;
    int count;
    size_t bytes;
    unsigned char value[16];
};

static void run_fill(struct kernel_job *job)
{
    const struct fill_job *f = (const struct fill_job *)job;
    for (int i = 0; i < f->count; i++)
        memcpy(f->elements + (size_t)i * f->bytes, f->value, f->bytes);
}

/* Moves past the text if it is next. */
static bool skip_text(const char **at, const char *text)
{
    size_t bytes = strlen(text);
    bool is_next = strncmp(*at, text, bytes) == 0;
    *at += is_next ? bytes : 0;
    return is_next;
}

/* The size of an element; 0 = the name is not of exactly this form. */
static size_t read_fill_name(const char *name)
{
    const char *at = name;
    if (!skip_text(&at, "_ZN2at6native29vectorized_elementwise_kernelILi"))
        return 0;
    at += strspn(at, "0123456789");
    if (!skip_text(&at, "ENS0_11FillFunctorI"))
        return 0;
    const struct value_type *type = shim_value_type(at);
    if (!type)
        return 0;
    at += strlen(type->name);
    if (!skip_text(&at, "EESt5arrayIPcLm1EE"))
        return 0;
    if (!skip_text(&at, "Lb0E"))
        skip_text(&at, "Lb1E");
    return strcmp(at, "EEviT0_T1_") == 0 ? (size_t)type->bytes : 0;
}

struct kernel_job *shim_kernel_make_fill(const char *name, void **args)
{
    size_t bytes = read_fill_name(name);
    if (bytes == 0)
        return NULL;
    struct fill_job *f = ncs_new(sizeof *f);
    f->job.run = run_fill;
    f->bytes = bytes;
    memcpy(&f->count, args[0], sizeof f->count);
    memcpy(f->value, args[1], bytes);
    memcpy(&f->elements, args[2], sizeof f->elements);
    return &f->job;
}
