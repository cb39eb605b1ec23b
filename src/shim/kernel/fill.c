/* PyTorch's kernel that fills a contiguous tensor with a value, as tensor.fill_, torch.ones and torch.full launch it
 * (names of 2.15). Its arguments: the number of elements, the value, and an array of one pointer. */
#include <stdbool.h>
#include <stdint.h>
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

static const struct {
    const char *name;
    size_t bytes;
} element_types[] = {
    { "a", 1 }, { "h", 1 }, { "b", 1 }, { "s", 2 }, { "t", 2 }, { "i", 4 }, { "j", 4 }, { "l", 8 }, { "m", 8 },
    { "f", 4 }, { "d", 8 },
    { "N3c104HalfE", 2 },              { "N3c108BFloat16E", 2 },
    { "N3c1011Float8_e5m2E", 1 },      { "N3c1013Float8_e4m3fnE", 1 },
    { "N3c1014Float8_e8m0fnuE", 1 },   { "N3c1015Float8_e4m3fnuzE", 1 },
    { "N3c1015Float8_e5m2fnuzE", 1 },  { "N3c107complexINS3_4HalfEEE", 4 },
    { "N3c107complexINS3_8BFloat16EEE", 4 }, { "N3c107complexIfEE", 8 },
    { "N3c107complexIdEE", 16 },
};

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
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++) {
        const char *rest = at;
        if (!skip_text(&rest, element_types[i].name) || !skip_text(&rest, "EESt5arrayIPcLm1EE"))
            continue;
        if (!skip_text(&rest, "Lb0E"))
            skip_text(&rest, "Lb1E");
        return strcmp(rest, "EEviT0_T1_") == 0 ? element_types[i].bytes : 0;
    }
    return 0;
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
