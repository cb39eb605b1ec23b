/* The environment variables that a scenario may set. They reach the real NCCL and CUDA, which take
 * some of them as libraries to load (NCCL_NET_PLUGIN, CUDA_INJECTION64_PATH) and files to write
 * (NCCL_DEBUG_FILE, CUDA_CACHE_PATH) or read (NCCL_CONF_FILE): so it is a list of what is allowed, and
 * a variable that a later version brings needs --unsafe until somebody has looked at it. */
#ifndef NCS_API_ENVIRONMENT_H
#define NCS_API_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Their names, in order. */
const char *const *ncs_environment_names(size_t *count);

/* Whether a scenario may set the variable; false and err, with the near name as its hint. With
 * `unsafe` any that NCCL or CUDA could read. */
bool ncs_environment_allows(const char *name, size_t bytes, bool unsafe, struct ncs_error *err);

/* Whether it may set it, being allowed, to that value: no paths. */
bool ncs_environment_takes(const char *name, const char *value, bool unsafe, struct ncs_error *err);

#endif
