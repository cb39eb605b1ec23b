/* The commands of the program. */
#ifndef NCS_CLI_COMMAND_H
#define NCS_CLI_COMMAND_H

#include "cli/option.h"

#define NCS_COMMAND(name) extern const struct ncs_command ncs_cmd_##name;
#include "cli/commands.def"
#undef NCS_COMMAND

extern const struct ncs_command *const ncs_commands[]; /* NULL at the end */

struct ncs_exit_status {
    int status; /* -1 at the end */
    const char *text;
};
extern const struct ncs_exit_status ncs_exit_statuses[];

extern const char ncs_program_version[]; /* "ncclscript 1.0.0" */
extern const char ncs_program_about[];   /* the sentence of --help */

/* How to use the program: its first commands, or all. With its options, and if whole its exit statuses. */
void ncs_program_commands(bool whole, struct ncs_str *out);
void ncs_program_help(const struct ncs_option *option, bool whole, struct ncs_str *out);

#endif
