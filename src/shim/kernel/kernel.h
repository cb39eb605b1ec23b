/* Kernels that the simulator runs on the host. A compiled program registers each of its kernels under the name that the
 * compiler gave it; at a launch, the name says which function of this folder does the same work. */
#ifndef NCS_SHIM_KERNEL_H
#define NCS_SHIM_KERNEL_H

#include <stdbool.h>

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

#endif
