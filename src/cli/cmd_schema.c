/* ncclscript schema: the JSON Schema of scenarios in YAML. */
#include "cli/command.h"
#include "cli/output.h"
#include "notation/notation.h"

static const struct ncs_option options[] = { NCS_OPTION_HELP, { 0 } };

static int schema_main(const struct ncs_command *self, int argc, char **argv)
{
    struct ncs_parsed parsed;
    if (!ncs_options_parse(self, argc, argv, &parsed))
        return 2;
    struct ncs_str out = { 0 };
    int status = 0;
    if (parsed.help) {
        ncs_options_help(self, &out);
    } else if (parsed.operands) {
        ncs_usage_error(self->name, NULL, "takes no operands, `%s` is one", parsed.operand[0]);
        status = 2;
    } else {
        ncs_notation_schema(&out);
    }
    if (out.text)
        ncs_out(out.text);
    ncs_str_free(&out);
    ncs_parsed_free(self, &parsed);
    return status;
}

const struct ncs_command ncs_cmd_schema = {
    .name = "schema",
    .summary = "print the JSON Schema of scenarios in YAML",
    .about = "Draft 7, for editors and for checks without ncclscript. Editors with the YAML language\n"
             "server read where it is from a file's first line:\n"
             "  # yaml-language-server: $schema=scenario.schema.json\n",
    .option = options,
    .main = schema_main,
};
