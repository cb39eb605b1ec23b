#include "api/model.h"

/* Where the figures come from:
 * ll, overhead: NCCL 2.30.7, src/graph/tuning.cc (llMaxBws, getNetOverhead).
 * hgx-a100: ring 231 on one host (NVIDIA/nccl#527, NVIDIA/nccl-tests#175); four HDR NICs of 22.8 each, 91 between
 *   two hosts (NVIDIA/nccl-tests#100); memory 1.9 TB/s and PCIe 4 x16 as NVIDIA specifies the A100 80 GB.
 * hgx-h100: ring 370, NVLink SHARP 480 (NVIDIA/nccl-tests#212, 476 in #290); eight NDR NICs of 47 each
 *   (NVIDIA/nccl-tests#290, #267); memory 3.35 TB/s and PCIe 5 x16 as NVIDIA specifies the H100 SXM. */
/* clang-format off */
const struct ncs_model ncs_models[] = {
    { .name = "plain", .about = "10 us for each operation, and its bytes at 100 GB/s" },
    { .name = "hgx-a100", .about = "8 A100 SXM4 80 GB with NVSwitch, 4 HDR NICs", .gpus = 8, .nics = 4, .ring = 231,
      .ll = { 87.7, 22.5, 19 }, .nic = 22.8, .pair = 231, .memory = 950, .pcie = 25, .overhead = 2 },
    { .name = "hgx-h100", .about = "8 H100 SXM5 with NVSwitch, 8 NDR NICs", .gpus = 8, .nics = 8, .ring = 370,
      .nvls = 480, .ll = { 141, 45, 35 }, .nic = 47, .pair = 370, .memory = 1650, .pcie = 50, .overhead = 1 },
};
/* clang-format on */

const char *const ncs_model_names[] = { "plain", "hgx-a100", "hgx-h100", NULL };

_Static_assert(sizeof ncs_models / sizeof *ncs_models + 1 == sizeof ncs_model_names / sizeof *ncs_model_names,
               "a name for each model");
