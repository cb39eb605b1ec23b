/* The commands of the program. */
#ifndef NCS_CLI_COMMAND_H
#define NCS_CLI_COMMAND_H

#include "cli/option.h"

#define NCS_COMMAND(name) extern const struct ncs_command ncs_cmd_##name;
#include "cli/commands.def"
#undef NCS_COMMAND

extern const char ncs_program_version[]; /* "ncclscript 0.1.0" */

#endif
