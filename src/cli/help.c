/* The help of the program and of a command, written from their tables. */
#include <string.h>

#include "cli/command.h"

void ncs_option_form(const struct ncs_option *o, struct ncs_str *out)
{
    ncs_str_addf(out, "--%s", o->name);
    bool mode = o->type == NCS_OPTION_MODE, pair = o->type == NCS_OPTION_PAIR;
    for (size_t i = 0; (!o->argument || pair) && o->choices && o->choices[i]; i++)
        ncs_str_addf(out, "%s%s", i > 0 ? "|" : mode ? "[=" : " ", o->choices[i]);
    if (o->argument)
        ncs_str_addf(out, " %s", o->argument);
    if (mode)
        ncs_str_add(out, "]");
}

/* "-n, --ranks RANKS", "    --policy strict|typical" */
static void add_usage(const struct ncs_option *o, struct ncs_str *out)
{
    if (o->letter)
        ncs_str_addf(out, "-%c, ", o->letter);
    else
        ncs_str_add(out, "    ");
    ncs_option_form(o, out);
}

static size_t widest(const struct ncs_option *option)
{
    size_t width = 0;
    for (; option->name; option++) {
        struct ncs_str usage = { 0 };
        add_usage(option, &usage);
        width = usage.bytes > width ? usage.bytes : width;
        ncs_str_free(&usage);
    }
    return width;
}

void ncs_options_table(const struct ncs_option *option, struct ncs_str *out)
{
    size_t width = widest(option);
    const char *group = NULL;
    for (; option->name; option++) {
        if (!group || strcmp(group, option->group) != 0)
            ncs_str_addf(out, "\n%s\n", option->group);
        group = option->group;
        struct ncs_str usage = { 0 };
        add_usage(option, &usage);
        ncs_str_addf(out, "  %-*s  %s", (int)width, usage.text, option->text);
        if (option->preset)
            ncs_str_addf(out, " (default: %s)", option->preset);
        ncs_str_add(out, "\n");
        ncs_str_free(&usage);
    }
}

void ncs_options_help(const struct ncs_command *command, struct ncs_str *out)
{
    ncs_str_addf(out, "usage: ncclscript %s [options]%s%s\n\n%s\n", command->name, command->operands ? " " : "",
                 command->operands ? command->operands : "", command->summary);
    if (command->about)
        ncs_str_addf(out, "\n%s", command->about);
    ncs_options_table(command->option, out);
}

enum { FIRST = 6, EVERY = 99 }; /* commands of a first help, and of a whole one */

void ncs_program_commands(bool whole, struct ncs_str *out)
{
    ncs_str_addf(out, "usage: ncclscript COMMAND [options] [operands]\n\n%s\n", ncs_program_about);
    ncs_str_add(out, "\nCommands\n");
    for (const struct ncs_command *const *c = ncs_commands; *c && c < ncs_commands + (whole ? EVERY : FIRST); c++) {
        struct ncs_str form = { 0 };
        ncs_str_addf(&form, "%s%s%s", (*c)->name, (*c)->operands ? " " : "", (*c)->operands ? (*c)->operands : "");
        ncs_str_addf(out, "  %-18s  %s\n", form.text, (*c)->summary);
        ncs_str_free(&form);
    }
    ncs_str_addf(out, "  %-18s  %s\n", "help [COMMAND]",
                 whole ? "show the help of a command" : "more: all commands and exit statuses; a command and its options");
}

void ncs_program_help(const struct ncs_option *option, bool whole, struct ncs_str *out)
{
    ncs_program_commands(whole, out);
    ncs_options_table(option, out);
    ncs_str_add(out, whole ? "\nExit status\n" : "");
    for (const struct ncs_exit_status *e = ncs_exit_statuses; e->text && whole; e++)
        ncs_str_addf(out, "  %-4d %s\n", e->status, e->text);
}
