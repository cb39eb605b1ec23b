/* What NCCL checks of the configuration of one collective, and of an encryption. All of it was measured on the libraries
 * 2.31.2 and 2.32.3, with a communicator that is NULL: these checks come first. */
#include "shim/newer.h"

#include <string.h>

#include "api/gen/versions.h"
#include "sim/settings/log.h"
#include "sim/settings/version.h"

#define COLL_CONFIG_LEAST 64 /* bytes up to userProfilerTag */
#define POLICY_MOST 3
#define KEY_LEAST 32 /* bytes of a key */

enum { ENCRYPTION_NONE, ENCRYPTION_KEY };

static ncclResult_t coll_config_is_bad(size_t size, unsigned int magic)
{
    if (size < COLL_CONFIG_LEAST && !sim_version_does(DOES_CONFIG_MAGIC_FIRST)) {
        sim_warn("ncclCollConfig_t size %zu too small (expected >= %d)", size, COLL_CONFIG_LEAST);
        return ncclInvalidArgument;
    }
    if (magic != NCCL_API_MAGIC) {
        sim_warn("ncclCollConfig_t magic mismatch (got 0x%x, expected 0x%x)", magic, NCCL_API_MAGIC);
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

/* A field that the caller's structure is too short for is unset. */
static ncclCollConfig_t coll_config_read(const ncclCollConfig_t *config)
{
    ncclCollConfig_t read = { .minCTAs = NCCL_CONFIG_UNDEF_INT, .forceAlgSelection = 1, .CTAPolicy = NCCL_CONFIG_UNDEF_INT };
    size_t size = config->size < sizeof read ? config->size : sizeof read;
    if (!ncs_shim_is_since(NCCL_VERSION(2, 32, 0)) && size > offsetof(ncclCollConfig_t, launchCompletionEvent))
        size = offsetof(ncclCollConfig_t, launchCompletionEvent);
    memcpy(&read, config, size);
    return read;
}

ncclResult_t ncs_shim_check_coll_config(const ncclCollConfig_t *config)
{
    if (!config)
        return ncclSuccess;
    ncclCollConfig_t read = coll_config_read(config);
    ncclResult_t rc = coll_config_is_bad(config->size, read.magic);
    if (rc)
        return rc;
    if (read.forceAlgSelection != 0 && read.forceAlgSelection != 1) {
        sim_warn("config->forceAlgSelection=%d is invalid, accepted values are 0 or 1", read.forceAlgSelection);
        return ncclInvalidArgument;
    }
    if (read.CTAPolicy != NCCL_CONFIG_UNDEF_INT && (read.CTAPolicy < 0 || read.CTAPolicy > POLICY_MOST)) {
        sim_warn("config->CTAPolicy=%d is invalid, accepted values are [1, %d]", read.CTAPolicy, POLICY_MOST);
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

cudaEvent_t ncs_shim_launch_event(const ncclCollConfig_t *config)
{
    return config ? coll_config_read(config).launchCompletionEvent : NULL;
}

ncclResult_t ncs_shim_check_encryption(const ncclEncryptionConfig_t *config)
{
    if (!config)
        return ncclSuccess;
    if (config->magic != NCCL_API_MAGIC) {
        sim_warn("ncclSetEncryption: config not initialized via NCCL_ENCRYPTION_CONFIG_INITIALIZER");
        return ncclInvalidArgument;
    }
    if (config->size < sizeof *config || config->mode == ENCRYPTION_NONE)
        return ncclSuccess;
    if (config->mode != ENCRYPTION_KEY) {
        sim_warn("ncclSetEncryption: config->mode=%d is not a supported encryption mode", config->mode);
        return ncclInvalidArgument;
    }
    if (!config->psk) {
        sim_warn("ncclSetEncryption: NCCL_ENCRYPTION_MODE_PSK requires config->psk");
        return ncclInvalidArgument;
    }
    if (strlen(config->psk) < KEY_LEAST) {
        sim_warn("ncclSetEncryption: config->psk must be at least %d bytes", KEY_LEAST);
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}
