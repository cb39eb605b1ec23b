/* Kernels that the simulator runs on the host. A compiled program registers each of its kernels under the name that the
 * compiler gave it; at a launch, the name says which function of this folder does the same work. */
#ifndef NCS_SHIM_KERNEL_H
#define NCS_SHIM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* ---- names ---- */

/* `module` is any address that stands for the program or library that registers. Registering must be cheap: PyTorch has
 * 100 000 kernels. `name` stays the caller's. */
void shim_kernel_register(const void *module, const void *host, const char *name);
void shim_kernel_forget(const void *module);
/* The compiler's name of the kernel; NULL = none was registered with this address. */
const char *shim_kernel_name(const void *host);

/* ---- work ---- */

/* One launch: begins every structure of a kernel's arguments. Made by ncs_new; the one who runs it frees it. */
struct kernel_job {
    void (*run)(struct kernel_job *job);
};

/* Each reads the arguments of a launch. NULL = the name is none of its kernels. */
struct kernel_job *shim_kernel_make_verifiable(const char *name, void **args);
struct kernel_job *shim_kernel_make_fill(const char *name, void **args);

/* ---- launches that did nothing ---- */

/* With the token: counts the launch of a kernel that the simulator lacks, and prints its name the first time. */
void ncs_shim_count_kernel(const char *name);
/* True if any was counted. */
bool ncs_shim_counts_kernels(void);
/* Appends "fill (3 launches), scale": all that were counted, in the order of their first launch. */
void ncs_shim_list_kernels(struct ncs_str *out);
/* Appends a compiler's name as people write it, without arguments: "at::native::reduce<Sum>". */
void ncs_shim_add_kernel(struct ncs_str *out, const char *name);

/* ---- types.c: types of elements, as a compiler writes them in names of kernels ---- */

enum value_kind { VALUE_SIGNED, VALUE_UNSIGNED, VALUE_FLOAT, VALUE_OTHER };
struct value_type {
    const char *name;
    int bytes;
    enum value_kind kind;
    int mantissa; /* stored bits of a float */
    int exponent; /* of the largest float */
};
/* The type whose name begins the text; NULL = none. */
const struct value_type *shim_value_type(const char *text);
/* A number as the bits of a float, rounded to nearest; the bits as a number; a number as the type has it. */
uint64_t shim_value_bits(const struct value_type *t, double x);
double shim_value_number(const struct value_type *t, uint64_t bits);
double shim_value_round(const struct value_type *t, double x);

/* ---- values.c: elements whose reduction is known ---- */

/* All results are exact in their type, in whatever order the ranks are combined; only an average of floats may be rounded. */

/* NIL: a copy, which has one contribution. PREMULSUM: a sum in which odd ranks count twice. */
enum value_op { VALUE_NIL, VALUE_SUM, VALUE_PROD, VALUE_MIN, VALUE_MAX, VALUE_PREMULSUM, VALUE_AVG };
struct value_source {
    const struct value_type *type;
    enum value_op op;
    int ranks;
    uint64_t seed;
};
/* The bits of the element that the rank contributes, and of the result. */
uint64_t shim_value_input(const struct value_source *s, uint64_t index, int rank);
uint64_t shim_value_expected(const struct value_source *s, uint64_t index);

#endif
