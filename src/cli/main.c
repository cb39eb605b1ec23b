/* The program: finds the command and hands over. */
#include <lua.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "api/version.h"
#include "base/mem.h"
#include "base/near.h"
#include "cli/command.h"
#include "cli/job.h"
#include "cli/output.h"

enum { VERSION, HELP };
static const struct ncs_option options[] = {
    [VERSION] = { .name = "version", .letter = 'V', .type = NCS_OPTION_FLAG, .group = "Options", .text = "show the versions" },
    [HELP] = { .name = "help", .letter = 'h', .type = NCS_OPTION_FLAG, .group = "Options", .text = "show this help" },
    { 0 },
};
static const struct ncs_command top = { .option = options };

const char ncs_program_version[] = "ncclscript " NCCLSCRIPT_VERSION;

const char ncs_program_about[] = "Runs what every rank of a multi-GPU job does with NCCL, verifies each\n"
                                 "result, and explains hangs.";

static int show_help(bool whole)
{
    struct ncs_str out = { 0 };
    ncs_program_help(options, whole, &out);
    ncs_out(out.text);
    ncs_str_free(&out);
    return 0;
}

static int show_version(void)
{
    ncs_out(ncs_program_version);
    ncs_out("\nsimulates NCCL " NCS_NCCL_DEFAULT_TEXT "\n" LUA_RELEASE "\n");
    return 0;
}

static const struct ncs_command *find_command(const char *name)
{
    const char *names[32] = { "help" };
    size_t count = 1;
    for (const struct ncs_command *const *c = ncs_commands; *c; c++) {
        if (strcmp((*c)->name, name) == 0)
            return *c;
        names[count++] = (*c)->name;
    }
    ncs_usage_error(NULL, ncs_nearest(name, names, count), "unknown command `%s`", name);
    return NULL;
}

static int show_command(const struct ncs_command *command)
{
    struct ncs_str out = { 0 };
    ncs_options_help(command, &out);
    ncs_out(out.text);
    ncs_str_free(&out);
    return 0;
}

static int help_command(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return show_help(true);
    const struct ncs_command *command = find_command(argv[1]);
    return command ? show_command(command) : 2;
}

static int top_option(char **argv)
{
    struct ncs_parsed parsed;
    if (!ncs_options_parse(&top, 2, argv, &parsed))
        return 2;
    bool help = parsed.value[HELP].given, version = parsed.value[VERSION].given;
    ncs_parsed_free(&top, &parsed);
    if (help)
        return show_help(false);
    if (version)
        return show_version();
    ncs_usage_error(NULL, NULL, "no command was given");
    return 2;
}

static int no_command(void)
{
    struct ncs_str out = { 0 };
    ncs_program_commands(false, &out);
    ncs_str_add(&out, "\n`ncclscript repl` opens a prompt\n");
    fputs(out.text, stderr);
    ncs_str_free(&out);
    return 2;
}

/* The number of the command's own words: those before `--` if a program follows. */
static int own_words(const struct ncs_command *command, int argc, char **argv)
{
    for (int i = 1; command->program && i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i;
    return argc;
}

static bool main_takes(const struct ncs_command *command, const struct ncs_parsed *parsed)
{
    if (command->missing && !parsed->operands)
        ncs_usage_error(command->name, NULL, "%s", command->missing);
    else if (command->several && parsed->operands > 1)
        ncs_usage_error(command->name, NULL, "%s", command->several);
    else if (!command->operands && parsed->operands)
        ncs_usage_error(command->name, NULL, "takes no operands, `%s` is one", parsed->operand[0]);
    else
        return true;
    return false;
}

static int run_parsed(const struct ncs_command *command, int argc, char **argv)
{
    struct ncs_parsed parsed;
    int own = own_words(command, argc, argv), status = 2;
    if (!ncs_options_parse(command, own, argv, &parsed))
        return status;
    if (own + 1 < argc)
        parsed.program = argv + own + 1;
    if (parsed.help)
        status = show_command(command);
    else if (main_takes(command, &parsed))
        status = command->main(&parsed);
    if (status == 2 && ncs_printed_lack())
        status = NCS_MEM_EXIT;
    ncs_parsed_free(command, &parsed);
    return status;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2)
        return no_command();
    if (argv[1][0] == '-')
        return top_option(argv);
    if (strcmp(argv[1], "help") == 0)
        return help_command(argc - 1, argv + 1);
    const struct ncs_command *command = find_command(argv[1]);
    return command ? run_parsed(command, argc - 1, argv + 1) : 2;
}

int main(int argc, char **argv)
{
    /* A closed pipe shows as a failed write, which is handled wherever it happens. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* so does a file that is longer than `ulimit -f` allows */
    ncs_mem_begin();
    ncs_out_open();
    return ncs_job_end(ncs_out_finish(run_command(argc, argv)));
}
