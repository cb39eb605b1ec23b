/* The table of the commands, and the exit statuses that they share. */
#include "cli/command.h"

const struct ncs_command *const ncs_commands[] = {
#define NCS_COMMAND(name) &ncs_cmd_##name,
#include "cli/commands.def"
#undef NCS_COMMAND
    NULL,
};

const struct ncs_exit_status ncs_exit_statuses[] = {
    { 0, "as expected" },
    { 1, "a result was wrong, an expectation failed, or --fail-on counts a finding" },
    { 2, "bad usage, or a scenario that does not load" },
    { 3, "hang" },
    { 4, "a call failed or a rank raised an error, and nothing caught it" },
    { 5, "nothing was executed" },
    { 6, "ranks were lost: faults stopped every one" },
    { 7, "the memory budget was used up (--memory)" },
    { 70, "a fault of ncclscript itself" },
    { 74, "not all of the output could be written" },
    { 77, "skipped: no such driver or hardware here" },
    { 124, "past the time limit, or computing without end" },
    { 130, "interrupted" },
    { 141, "the reader of the output went away" },
    { -1, NULL },
};
