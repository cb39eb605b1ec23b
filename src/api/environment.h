/* The environment variables that a scenario may set. They reach the real NCCL and CUDA, which
 * take some of them as libraries to load (NCCL_NET_PLUGIN, CUDA_INJECTION64_PATH) and files to
 * write (NCCL_DEBUG_FILE, CUDA_CACHE_PATH) or read (NCCL_CONF_FILE). The list therefore names
 * allowed variables: a variable of a later version needs --unsafe until somebody has checked it. */
#ifndef NCS_API_ENVIRONMENT_H
#define NCS_API_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The names of these variables, in order. */
const char *const *ncs_environment_names(size_t *count);

/* True if a scenario may set the variable. Otherwise false and err, with the nearest allowed
 * name as its hint. With `unsafe`, every name that NCCL or CUDA could read is allowed. */
bool ncs_environment_allows(const char *name, size_t bytes, bool unsafe, struct ncs_error *err);

/* True if a scenario may give an allowed variable this value: without `unsafe`, no path. */
bool ncs_environment_takes(const char *name, const char *value, bool unsafe, struct ncs_error *err);

#endif
