#include "api/version.h"

#include <stdio.h>

#include "ncclscript/nccl_abi.h"

/* Nothing here knows how versions before the oldest, or after the newest, differ. */
#define PROFILE(text) text,
const char *const ncs_nccl_profiles[] = { NCS_NCCL_PROFILES(PROFILE) NULL };
#undef PROFILE

const char *ncs_nccl_version_text(int code, char *buffer, size_t room)
{
    if (code == 0)
        code = NCS_NCCL_DEFAULT;
    int base = code < 10000 ? 1000 : 10000; /* before 2.9 the minor version had one digit */
    snprintf(buffer, room, "%d.%d.%d", code / base, code % base / 100, code % 100);
    return buffer;
}

int ncs_nccl_version_code(const char *text)
{
    int major = 0, minor = 0, patch = 0, end = 0;
    int n = sscanf(text, "%2d.%2d%n.%2d%n", &major, &minor, &end, &patch, &end);
    bool fine = n >= 2 && !text[end] && major > 0 && minor >= 0 && patch >= 0;
    return fine ? NCCL_VERSION(major, minor, patch) : 0;
}

bool ncs_nccl_is_profile(int code)
{
    for (const char *const *text = ncs_nccl_profiles; *text; text++)
        if (ncs_nccl_version_code(*text) == code)
            return true;
    return false;
}

const char *ncs_nccl_profile_before(int code)
{
    const char *found = NULL;
    for (const char *const *text = ncs_nccl_profiles; *text && ncs_nccl_version_code(*text) <= code; text++)
        found = *text;
    return found;
}
