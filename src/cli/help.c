/* The help of a command, written from its option table. */
#include <string.h>

#include "cli/option.h"

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
    ncs_str_addf(out, "usage: ncclscript %s [options]%s%s\n\n%s\n", command->name,
                 command->operands ? " " : "", command->operands ? command->operands : "",
                 command->summary);
    if (command->about)
        ncs_str_addf(out, "\n%s", command->about);
    ncs_options_table(command->option, out);
}
