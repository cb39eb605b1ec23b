/* --memory: how much of the host's memory a command and its runs may use. */
#ifndef NCS_CLI_MEMORY_H
#define NCS_CLI_MEMORY_H

#include "base/budget.h"
#include "cli/option.h"

#define NCS_OPTION_MEMORY(heading)                                                                                           \
    {                                                                                                                        \
        .name = "memory", .type = NCS_OPTION_SIZE, .argument = "SIZE", .preset = "half of what is free", .group = (heading), \
        .text = "memory limit, as 512M or 4G", .least = NCS_BUDGET_LEAST, .most = INT64_MAX                                  \
    }

/* Sets the budget of this process, when `processes` processes share the memory. From then on, a process
 * that exceeds its budget outside a run ends with a line on standard error. */
void ncs_memory_limit(const char *command, const struct ncs_option_value *v, int processes);

#endif
