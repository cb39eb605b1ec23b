/* ncclscript schema: the JSON Schema of scenarios in YAML. */
#include "cli/command.h"
#include "cli/output.h"
#include "notation/notation.h"

static const struct ncs_option options[] = { NCS_OPTION_HELP, { 0 } };

static int schema_main(const struct ncs_parsed *parsed)
{
    struct ncs_str out = { 0 };
    (void)parsed;
    ncs_notation_schema(&out);
    ncs_out(out.text);
    ncs_str_free(&out);
    return 0;
}

const struct ncs_command ncs_cmd_schema = {
    .name = "schema",
    .summary = "print the JSON Schema of scenarios in YAML",
    .about = "The schema is JSON Schema draft 7, for editors and for checks without ncclscript. Editors with\n"
             "the YAML language server read the place of the schema from the first line of a file:\n"
             "  # yaml-language-server: $schema=scenario.schema.json\n",
    .option = options,
    .main = schema_main,
};
