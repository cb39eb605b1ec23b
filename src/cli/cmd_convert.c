/* ncclscript convert: translates a YAML scenario to Lua. */
#include <sys/stat.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/output.h"
#include "notation/notation.h"
#include "script/script.h"

enum { OUTPUT, FORCE, UNSAFE, HELP };

static const struct ncs_option options[] = {
    [OUTPUT] = NCS_ROW_TEXTS("output", 'o', "FILE", "standard output", "Output", "write to FILE, completely or not at all"),
    [FORCE] = NCS_ROW_FLAG("force", 0, "Output", "replace FILE when it exists"),
    [UNSAFE] = NCS_ROW_FLAG("unsafe", 0, "Output", "env may name libraries and files, as in `run --unsafe`"),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* Translates a file; false after its mistakes have been printed on standard error. */
static bool convert_file(const char *file, bool unsafe, struct ncs_translation *out)
{
    struct ncs_reading reading = { 0 };
    struct ncs_error err = { 0 };
    bool ok = ncs_reading_open(&reading, file, &err);
    if (ok && !reading.yaml) {
        ok = ncs_fail(&err, NCS_BAD_INPUT, "is no scenario in YAML");
        ncs_fail_at(&err, file, 0, 0);
        ncs_fail_hint(&err, "these are named *.yaml or *.yml, and have `steps:` at their top level");
    }
    if (!ok) {
        ncs_print_error(&err);
    } else {
        ok = ncs_notation_translate(&reading.source, unsafe, out, &reading.complaints);
        ncs_print_complaints(&reading.complaints);
    }
    ncs_reading_close(&reading);
    return ok;
}

static int write_lua(const struct ncs_option_value *v, const struct ncs_str *lua)
{
    struct ncs_error err = { 0 };
    struct stat st;
    const char *file = ncs_option_last(&v[OUTPUT]);
    if (!file) {
        ncs_out(lua->text);
        return 0;
    }
    if (ncs_file_write(file, lua->text, lua->bytes, v[FORCE].given, &err))
        return 0;
    if (!v[FORCE].given && stat(file, &st) == 0 && !S_ISDIR(st.st_mode))
        ncs_fail_hint(&err, "--force replaces it");
    return ncs_print_error(&err);
}

static int convert_main(const struct ncs_parsed *parsed)
{
    struct ncs_translation lua = { 0 };
    bool done = convert_file(parsed->operand[0], parsed->value[UNSAFE].given, &lua);
    int status = done ? write_lua(parsed->value, &lua.lua) : 2;
    ncs_translation_free(&lua);
    return status;
}

const struct ncs_command ncs_cmd_convert = {
    .name = "convert",
    .operands = "FILE.yaml",
    .summary = "translate a YAML scenario to Lua",
    .about = "`run` translates a YAML file in the same way: the Lua file has the same verdict and the same\n"
             "values. FILE may be `-`, standard input.\n",
    .option = options,
    .missing = "no scenario was given",
    .several = "one file at a time",
    .main = convert_main,
};
