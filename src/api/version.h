/* Versions of NCCL in ncclGetVersion's coding, and the versions that the simulator can imitate. */
#ifndef NCS_API_VERSION_H
#define NCS_API_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "api/gen/versions.h"

/* "2.30.7" for 23007; 0 = the default. Returns buffer. */
const char *ncs_nccl_version_text(int code, char *buffer, size_t room);
/* 23007 for "2.30.7", 23000 for "2.30"; 0 = no version. */
int ncs_nccl_version_code(const char *text);

/* The versions that the simulator can imitate, oldest first, NULL at the end. */
extern const char *const ncs_nccl_profiles[];
bool ncs_nccl_is_profile(int code);
/* The newest of them that is not newer than a version; NULL if all are newer. */
const char *ncs_nccl_profile_before(int code);

#endif
