/* ncclscript completions: what Tab completes in bash, zsh and fish, written from the option tables. */
#include <string.h>

#include "cli/command.h"
#include "cli/folder.h"
#include "cli/output.h"

enum { DIRECTORY, HELP };

static const struct ncs_option options[] = {
    [DIRECTORY] = NCS_ROW_TEXTS("directory", 0, "DIR", NULL, "Output", "write the files for all shells into this directory"),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* ---- what there is to complete ---- */

static void shell_add_word(void *out, const char *word)
{
    ncs_str_addf(out, " %s", word);
}

/* The words that an option's value can be, each after a blank; empty: any text. */
static void shell_add_choices(const struct ncs_option *o, struct ncs_str *out)
{
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        shell_add_word(out, o->choices[i]);
}

static bool shell_names_files(const char *argument)
{
    return argument && (strstr(argument, "FILE") || strstr(argument, "DIR") || strstr(argument, "PATH"));
}

static bool shell_takes_value(const struct ncs_option *o)
{
    return o->type != NCS_OPTION_FLAG && o->type != NCS_OPTION_MODE;
}

static void shell_add_options(const struct ncs_command *c, struct ncs_str *out)
{
    for (const struct ncs_option *o = c->option; o->name; o++) {
        if (o->letter)
            ncs_str_addf(out, " -%c", o->letter);
        ncs_str_addf(out, " --%s", o->name);
        for (size_t i = 0; o->type == NCS_OPTION_MODE && o->choices[i]; i++)
            ncs_str_addf(out, " --%s=%s", o->name, o->choices[i]);
    }
}

static void shell_add_operands(const struct ncs_command *c, struct ncs_str *out)
{
    if (c->words)
        c->words(shell_add_word, out);
}

/* ---- bash ---- */

static void bash_values(const struct ncs_command *c, struct ncs_str *out)
{
    for (const struct ncs_option *o = c->option; o->name; o++) {
        struct ncs_str words = { 0 };
        if (!shell_takes_value(o))
            continue;
        shell_add_choices(o, &words);
        ncs_str_addf(out, "        %s:--%s", c->name, o->name);
        if (o->letter)
            ncs_str_addf(out, " | %s:-%c", c->name, o->letter);
        ncs_str_addf(out, ") words='%s' kind=%s ;;\n", words.text ? words.text + 1 : "",
                     words.text                       ? "words"
                     : shell_names_files(o->argument) ? "files"
                                                      : "none");
        ncs_str_free(&words);
    }
}

static void bash_words(const struct ncs_command *c, struct ncs_str *out)
{
    ncs_str_addf(out, "        %s:-*) words='", c->name);
    shell_add_options(c, out);
    ncs_str_addf(out, "' kind=words ;;\n        %s:*) words='", c->name);
    shell_add_operands(c, out);
    ncs_str_addf(out, "' kind=%s ;;\n", shell_names_files(c->operands) ? "files" : "words");
}

static void write_bash(struct ncs_str *out)
{
    ncs_str_add(out, "# bash completion of ncclscript, written by `ncclscript completions bash`\n"
                     "_ncclscript() {\n"
                     "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
                     "    local words='' kind=none i\n"
                     "    COMPREPLY=()\n"
                     "    # --option=value comes as three words.\n"
                     "    if [[ $cur == = ]]; then cur=''\n"
                     "    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                     "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
                     "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
                     "            if ((i == COMP_CWORD - 1)); then COMPREPLY=($(compgen -c -- \"$cur\"))\n"
                     "            else compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); fi\n"
                     "            return\n"
                     "        fi\n"
                     "    done\n"
                     "    if ((COMP_CWORD == 1)); then\n"
                     "        COMPREPLY=($(compgen -W '--help --version help");
    for (const struct ncs_command *const *c = ncs_commands; *c; c++)
        shell_add_word(out, (*c)->name);
    ncs_str_add(out, "' -- \"$cur\"))\n        return\n    fi\n    case $command:$prev in\n");
    for (const struct ncs_command *const *c = ncs_commands; *c; c++)
        bash_values(*c, out);
    ncs_str_add(out, "        *) kind=operand ;;\n    esac\n"
                     "    [[ $kind == operand ]] && case $command:$cur in\n");
    for (const struct ncs_command *const *c = ncs_commands; *c; c++)
        bash_words(*c, out);
    ncs_str_add(out, "        help:*) words='");
    for (const struct ncs_command *const *c = ncs_commands; *c; c++)
        shell_add_word(out, (*c)->name);
    ncs_str_add(out, "' kind=words ;;\n"
                     "    esac\n"
                     "    [[ $kind == operand ]] && kind=none\n"
                     "    [[ $words ]] && COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                     "    if [[ $kind == files ]]; then\n"
                     "        compopt -o filenames 2>/dev/null\n"
                     "        COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
                     "    fi\n"
                     "}\n"
                     "complete -F _ncclscript ncclscript\n");
}

/* ---- zsh ---- */

/* Text between quotes, in brackets. */
static void add_zsh_text(struct ncs_str *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            ncs_str_add(out, "\\");
        if (*text == '\'')
            ncs_str_add(out, "'\\''");
        else
            ncs_str_add_bytes(out, text, 1);
    }
}

static void add_zsh_value(struct ncs_str *out, const struct ncs_option *o)
{
    struct ncs_str words = { 0 };
    if (!shell_takes_value(o))
        return;
    shell_add_choices(o, &words);
    ncs_str_add(out, ":");
    add_zsh_text(out, o->argument ? o->argument : o->name);
    if (words.text)
        ncs_str_addf(out, ":(%s)", words.text + 1);
    else
        ncs_str_add(out, shell_names_files(o->argument) ? ":_files" : ": ");
    ncs_str_free(&words);
}

/* '*--set=[set a parameter]:NAME=VALUE: ', for the long and the short form. */
static void zsh_option(const struct ncs_option *o, struct ncs_str *out)
{
    for (int form = o->letter ? 0 : 1; form < 2; form++) {
        ncs_str_add(out, " \\\n            '*");
        if (form == 0)
            ncs_str_addf(out, "-%c", o->letter);
        else
            ncs_str_addf(out, "--%s%s", o->name, shell_takes_value(o) ? "=" : "");
        ncs_str_add(out, "[");
        add_zsh_text(out, o->text);
        ncs_str_add(out, "]");
        add_zsh_value(out, o);
        ncs_str_add(out, "'");
    }
}

static void zsh_command(const struct ncs_command *c, struct ncs_str *out)
{
    struct ncs_str words = { 0 };
    ncs_str_addf(out, "    %s)\n        _arguments", c->name);
    for (const struct ncs_option *o = c->option; o->name; o++)
        zsh_option(o, out);
    shell_add_operands(c, &words);
    if (c->program)
        ncs_str_add(out, " \\\n            '*::program:_normal'");
    else if (words.text)
        ncs_str_addf(out, " \\\n            '*:word:(%s)'", words.text + 1);
    else if (shell_names_files(c->operands))
        ncs_str_add(out, " \\\n            '*:file:_files'");
    ncs_str_add(out, "\n        ;;\n");
    ncs_str_free(&words);
}

static void write_zsh(struct ncs_str *out)
{
    ncs_str_add(out, "#compdef ncclscript\n"
                     "# zsh completion of ncclscript, written by `ncclscript completions zsh`\n"
                     "local -a commands\n"
                     "commands=(\n");
    for (const struct ncs_command *const *c = ncs_commands; *c; c++) {
        ncs_str_addf(out, "    '%s:", (*c)->name);
        add_zsh_text(out, (*c)->summary);
        ncs_str_add(out, "'\n");
    }
    ncs_str_add(out, "    'help:show the help of a command'\n)\n"
                     "if ((CURRENT == 2)); then\n"
                     "    _describe command commands\n"
                     "    return\n"
                     "fi\n"
                     "local command=$words[2]\n"
                     "shift words\n"
                     "((CURRENT--))\n"
                     "case $command in\n");
    for (const struct ncs_command *const *c = ncs_commands; *c; c++)
        zsh_command(*c, out);
    ncs_str_add(out, "    help) _describe command commands ;;\nesac\n");
}

/* ---- fish ---- */

static void add_fish_text(struct ncs_str *out, const char *text)
{
    ncs_str_add(out, "'");
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            ncs_str_add(out, "\\");
        ncs_str_add_bytes(out, text, 1);
    }
    ncs_str_add(out, "'");
}

static void fish_command(const struct ncs_command *c, struct ncs_str *out)
{
    struct ncs_str words = { 0 };
    ncs_str_addf(out, "complete -c ncclscript -n __fish_use_subcommand -f -a %s -d ", c->name);
    add_fish_text(out, c->summary);
    ncs_str_add(out, "\n");
    for (const struct ncs_option *o = c->option; o->name; o++) {
        ncs_str_addf(out, "complete -c ncclscript -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
        if (o->letter)
            ncs_str_addf(out, " -s %c", o->letter);
        shell_add_choices(o, &words);
        if (shell_takes_value(o))
            ncs_str_add(out, shell_names_files(o->argument) ? " -r -F" : " -x");
        if (words.text)
            ncs_str_addf(out, " -a '%s'", words.text + 1);
        ncs_str_add(out, " -d ");
        add_fish_text(out, o->text);
        ncs_str_add(out, "\n");
        ncs_str_free(&words);
    }
    shell_add_operands(c, &words);
    if (words.text || !shell_names_files(c->operands))
        ncs_str_addf(out, "complete -c ncclscript -n '__fish_seen_subcommand_from %s'%s -a '%s'\n", c->name,
                     shell_names_files(c->operands) || c->program ? "" : " -f", words.text ? words.text + 1 : "");
    ncs_str_free(&words);
}

static void write_fish(struct ncs_str *out)
{
    ncs_str_add(out, "# fish completion of ncclscript, written by `ncclscript completions fish`\n");
    for (const struct ncs_command *const *c = ncs_commands; *c; c++)
        fish_command(*c, out);
}

/* ---- the command ---- */

static const struct shell {
    const char *name, *file; /* where the shell looks for it */
    void (*write)(struct ncs_str *out);
} shells[] = {
    { "bash", "ncclscript", write_bash },
    { "zsh", "_ncclscript", write_zsh },
    { "fish", "ncclscript.fish", write_fish },
};
enum { SHELLS = sizeof shells / sizeof *shells };

static int completions_main(const struct ncs_parsed *parsed)
{
    const char *name = parsed->operands ? parsed->operand[0] : NULL;
    const char *directory = ncs_option_last(&parsed->value[DIRECTORY]);
    struct ncs_str out = { 0 };
    for (int i = 0; i < SHELLS; i++) {
        if (directory ? name != NULL : !name || strcmp(name, shells[i].name) != 0)
            continue;
        shells[i].write(&out);
        if (directory && !ncs_folder_write(directory, shells[i].file, &out))
            return 74;
    }
    if (directory && !name)
        return 0;
    if (!out.bytes) {
        ncs_usage_error("completions", NULL,
                        directory ? "a shell or --directory, not both"
                        : name    ? "unknown shell `%s`: expected bash, zsh or fish"
                                  : "no shell was given: expected bash, zsh or fish",
                        name);
        return 2;
    }
    ncs_out(out.text);
    ncs_str_free(&out);
    return 0;
}

static void offer_shells(void (*on_word)(void *arg, const char *word), void *arg)
{
    for (int i = 0; i < SHELLS; i++)
        on_word(arg, shells[i].name);
}

const struct ncs_command ncs_cmd_completions = {
    .name = "completions",
    .operands = "bash|zsh|fish",
    .summary = "print the completions of a shell",
    .about = "To load the completions into the current shell:\n"
             "  eval \"$(ncclscript completions bash)\"\n"
             "  ncclscript completions fish | source\n"
             "An installation puts these files into the directories that the shells read.\n",
    .option = options,
    .several = "one shell at a time",
    .words = offer_shells,
    .main = completions_main,
};
