/* The commands of the program. */
#ifndef NCS_CLI_COMMAND_H
#define NCS_CLI_COMMAND_H

#include "cli/option.h"

extern const struct ncs_command ncs_cmd_run;
extern const struct ncs_command ncs_cmd_check;
extern const struct ncs_command ncs_cmd_repl;
extern const struct ncs_command ncs_cmd_lesson;
extern const struct ncs_command ncs_cmd_explain;
extern const struct ncs_command ncs_cmd_exec;
extern const struct ncs_command ncs_cmd_doctor;
extern const struct ncs_command ncs_cmd_convert;
extern const struct ncs_command ncs_cmd_schema;
extern const struct ncs_command ncs_cmd_compare;
extern const struct ncs_command ncs_cmd_list;
extern const struct ncs_command ncs_cmd_score;
extern const struct ncs_command ncs_cmd_diagnose;

#endif
