/* ncclscript man: the manual pages, written from the option tables. */
#define _GNU_SOURCE /* popen */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/folder.h"
#include "cli/output.h"

enum { DIRECTORY, HELP };

static const struct ncs_option options[] = {
    [DIRECTORY] = NCS_ROW_TEXTS("directory", 0, "DIR", NULL, "Output",
                                "write all pages into this directory, as ncclscript-run.1"),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* ---- text for roff ---- */

/* Hyphens stay hyphens, as they are typed. A line that begins with a control character begins with \& before it. */
static void add_roff(struct ncs_str *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\''))
            ncs_str_add(out, "\\&");
        if (text[i] == '\\')
            ncs_str_add(out, "\\e");
        else if (text[i] == '-')
            ncs_str_add(out, "\\-");
        else
            ncs_str_add_bytes(out, &text[i], 1);
    }
}

static void man_add_line(struct ncs_str *out, const char *before, const char *text)
{
    ncs_str_add(out, before);
    add_roff(out, text, strlen(text));
    ncs_str_add(out, "\n");
}

/* Prose is filled; indented lines stay as they are. */
static void man_add_text(struct ncs_str *out, const char *text)
{
    bool literal = false;
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        bool indented = *line == ' ';
        if (indented != literal && end > line) {
            ncs_str_add(out, indented ? ".nf\n" : ".fi\n");
            literal = indented;
        }
        if (end == line)
            ncs_str_add(out, ".PP");
        add_roff(out, line, (size_t)(end - line));
        ncs_str_add(out, "\n");
    }
    if (literal)
        ncs_str_add(out, ".fi\n");
}

static void man_add_head(struct ncs_str *out, const char *name)
{
    ncs_str_add(out, ".TH \"");
    for (const char *c = name; *c; c++) {
        char upper = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
        add_roff(out, &upper, 1);
    }
    ncs_str_addf(out, "\" 1 \"\" \"%s\" \"User Commands\"\n", ncs_program_version);
}

/* ---- a command's page ---- */

static void man_add_options(struct ncs_str *out, const struct ncs_option *option)
{
    const char *group = NULL;
    for (; option->name; option++) {
        struct ncs_str form = { 0 };
        if (!group || strcmp(group, option->group) != 0)
            man_add_line(out, ".SS ", option->group);
        group = option->group;
        if (option->letter)
            ncs_str_addf(&form, "-%c, ", option->letter);
        ncs_option_form(option, &form);
        man_add_line(out, ".TP\n.B ", form.text);
        ncs_str_clear(&form);
        ncs_str_addf(&form, option->preset ? "%s (default: %s)" : "%s", option->text, option->preset);
        man_add_line(out, "", form.text);
        ncs_str_free(&form);
    }
}

static void page_of_command(const struct ncs_command *c, struct ncs_str *out)
{
    struct ncs_str name = { 0 };
    ncs_str_addf(&name, "ncclscript-%s", c->name);
    man_add_head(out, name.text);
    ncs_str_add(out, ".SH NAME\n");
    ncs_str_addf(&name, " - %s", c->summary);
    man_add_line(out, "", name.text);
    ncs_str_addf(out, ".SH SYNOPSIS\n.B ncclscript %s\n[options]", c->name);
    man_add_line(out, c->operands ? " " : "", c->operands ? c->operands : "");
    if (c->about) {
        ncs_str_add(out, ".SH DESCRIPTION\n");
        man_add_text(out, c->about);
    }
    ncs_str_add(out, ".SH OPTIONS\n");
    man_add_options(out, c->option);
    ncs_str_add(out, ".SH SEE ALSO\n.BR ncclscript (1)\n");
    ncs_str_free(&name);
}

/* ---- the program's page ---- */

static void page_of_program(struct ncs_str *out)
{
    man_add_head(out, "ncclscript");
    ncs_str_add(out, ".SH NAME\nncclscript \\- run, verify and explain NCCL scenarios\n"
                     ".SH SYNOPSIS\n.B ncclscript\n.I COMMAND\n[options] [operands]\n.SH DESCRIPTION\n");
    man_add_text(out, ncs_program_about);
    ncs_str_add(out, ".SH COMMANDS\n");
    for (const struct ncs_command *const *c = ncs_commands; *c; c++) {
        ncs_str_addf(out, ".TP\n.BR ncclscript\\-%s (1)\n", (*c)->name);
        man_add_line(out, "", (*c)->summary);
    }
    ncs_str_add(out, ".SH EXIT STATUS\n");
    for (const struct ncs_exit_status *e = ncs_exit_statuses; e->text; e++) {
        ncs_str_addf(out, ".TP\n.B %d\n", e->status);
        man_add_line(out, "", e->text);
    }
    ncs_str_add(out, ".SH SEE ALSO\n.B ncclscript explain\nhas a page for each finding, word, result code, exit "
                     "status and function.\n");
}

static int man_write_pages(const char *directory)
{
    struct ncs_str out = { 0 };
    page_of_program(&out);
    bool ok = ncs_folder_write(directory, "ncclscript.1", &out);
    for (const struct ncs_command *const *c = ncs_commands; *c && ok; c++) {
        struct ncs_str name = { 0 };
        ncs_str_addf(&name, "ncclscript-%s.1", (*c)->name);
        page_of_command(*c, &out);
        ok = ncs_folder_write(directory, name.text, &out);
        ncs_str_free(&name);
    }
    return ok ? 0 : 74;
}

/* Roff is for man(1): on a terminal a pager shows the help, which says the same. */
static bool man_shown(const struct ncs_command *command)
{
    struct ncs_str text = { 0 };
    FILE *pager = isatty(STDOUT_FILENO) ? popen("{ ${PAGER:-less} || more || cat; } 2>/dev/null", "w") : NULL;
    if (!pager)
        return false;
    if (command)
        ncs_options_help(command, &text);
    else
        ncs_program_help(&(struct ncs_option){ 0 }, true, &text);
    signal(SIGPIPE, SIG_IGN); /* who reads may stop */
    fwrite(text.text, 1, text.bytes, pager);
    ncs_str_free(&text);
    pclose(pager);
    return true;
}

static int man_main(const struct ncs_parsed *parsed)
{
    const char *name = parsed->operands ? parsed->operand[0] : NULL;
    const char *directory = ncs_option_last(&parsed->value[DIRECTORY]);
    const struct ncs_command *const *c = ncs_commands;
    struct ncs_str out = { 0 };
    if (directory)
        return man_write_pages(directory);
    while (name && *c && strcmp((*c)->name, name) != 0)
        c++;
    if (name && !*c) {
        ncs_usage_error("man", NULL, "unknown command `%s`", name);
        return 2;
    }
    if (man_shown(name ? *c : NULL))
        return 0;
    if (name)
        page_of_command(*c, &out);
    else
        page_of_program(&out);
    ncs_out(out.text);
    ncs_str_free(&out);
    return 0;
}

static void man_offer_commands(void (*on_word)(void *arg, const char *word), void *arg)
{
    for (const struct ncs_command *const *c = ncs_commands; *c; c++)
        on_word(arg, (*c)->name);
}

const struct ncs_command ncs_cmd_man = {
    .name = "man",
    .operands = "[COMMAND]",
    .summary = "print the manual page of a command",
    .about = "On a terminal, the text is shown by $PAGER, less or more. Elsewhere the page has the format of\n"
             "man(1):\n"
             "  ncclscript man run | man -l -\n",
    .option = options,
    .several = "one command at a time",
    .words = man_offer_commands,
    .main = man_main,
};
