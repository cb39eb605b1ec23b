/* The facts as this project declares them. */
#include "facts.h"

#include "api/gen/api.h"

#define FACTS_NCCL 99999
#define FACTS_CUDA 99999
#define FACTS_NCCL_DEVICE
#define MAGIC_OF_SIM_INFO NCCL_SIM_INFO_MAGIC
#define MAGIC_OF_CONFIG NCCL_CONFIG_MAGIC
#define SIGNATURE(name, result, ...) \
    { "signature of " #name, __builtin_types_compatible_p(__typeof__(*((struct ncs_api *)0)->name), result(__VA_ARGS__)) },

const struct fact ours[] = {
#include "facts.def"
#include "signatures.def"
    { NULL, 0 },
};
