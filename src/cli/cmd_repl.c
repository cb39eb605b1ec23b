/* ncclscript repl: a prompt for lines that run on all ranks. */
#include "api/version.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "scenario/scenario.h"

enum { RANKS, POLICY, SEED, SET, NCCL, MEMORY, UNSAFE, ECHO, COLOR, HELP };

static const char *const policies[] = { "strict", "typical", NULL };
static const char *const colors[] = { "auto", "always", "never", NULL };

static const struct ncs_option options[] = {
    [RANKS] = NCS_ROW_NUMBER("ranks", 'n', "RANKS", "as declared, or 4", "Running", "number of ranks", 1, NCS_RANKS_MOST),
    [POLICY] = NCS_ROW_WORDS("policy", 0, "as declared", "Running", "strict: what NCCL promises; typical: what it mostly does",
                             policies),
    [SEED] = NCS_ROW_NUMBER("seed", 0, "N", "0", "Running", "choose the schedule by this number; 0: first in, first out", 0,
                            INT64_MAX),
    [SET] = NCS_ROW_TEXTS("set", 0, "NAME=VALUE", NULL, "Running", "set a parameter of the file; may be given again"),
    [NCCL] = { "nccl-version", 0, NCS_OPTION_CHOICE, "VERSION", NCS_NCCL_DEFAULT_TEXT, "Running",
               "the version of NCCL to simulate: " NCS_NCCL_RANGE, ncs_nccl_profiles, 0, 0 },
    [MEMORY] = NCS_OPTION_MEMORY("Running"),
    [UNSAFE] = NCS_ROW_FLAG("unsafe", 0, "Running", "let lines run programs, use files, set any variable NCCL_* or CUDA_*"),
    [ECHO] = NCS_ROW_FLAG("echo", 0, "Output", "print each line before its replies, if input is not typed"),
    [COLOR] = NCS_ROW_WORDS("color", 0, "auto", "Output", "colours in the text", colors),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

static int repl_main(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    struct ncs_prompt_options o = {
        .file = parsed->operands ? parsed->operand[0] : NULL,
        .settings = {
            .set = v[SET].text, .sets = v[SET].texts,
            .ranks = (int)v[RANKS].number,
            .seeded = v[SEED].number != 0, .seed = v[SEED].number,
            .policy = v[POLICY].given ? (int)v[POLICY].number : -1,
            .nccl_version = v[NCCL].given ? ncs_nccl_version_code(ncs_nccl_profiles[v[NCCL].number])
                                          : 0,
            .unsafe = v[UNSAFE].given,
        },
        .color = ncs_wants_color((enum ncs_color)v[COLOR].number, stdout),
        .unicode = ncs_wants_unicode(), .columns = ncs_out_columns,
        .out = ncs_console_write,
    };
    struct ncs_error err = { 0 };
    ncs_memory_limit("repl", &v[MEMORY], 1);
    if (ncs_console_is_terminal())
        ncs_out("A line of Lua runs on every rank, @2 LINE on rank 2. :help shows more, :quit leaves.\n");
    struct ncs_prompt *p = ncs_prompt_new(&o, &err);
    if (!p)
        return ncs_print_error(&err);
    int status = ncs_console_run(p, v[ECHO].given, NULL, NULL);
    ncs_prompt_free(p);
    return status;
}

const struct ncs_command ncs_cmd_repl = {
    .name = "repl",
    .operands = "[FILE]",
    .summary = "a prompt: each line runs on all ranks of a simulated run",
    .about = "Each line of Lua runs on every rank, as a line of a scenario does. @2 LINE runs on rank 2,\n"
             "@0,3 LINE and @1..3 LINE on some ranks. If ranks wait, the prompt continues with the other\n"
             "ranks. FILE is a scenario to run first. :help lists the commands.\n"
             "Without a terminal, repl reads the lines from standard input and prints only the replies.\n",
    .option = options,
    .several = "one file at a time",
    .main = repl_main,
};
