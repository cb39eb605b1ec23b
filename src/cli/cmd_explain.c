/* ncclscript explain: what a finding means, by its rule; a result code; a function. */
#include "base/near.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/report.h"

static const struct ncs_option options[] = { NCS_OPTION_HELP, { 0 } };

static void list_topics(struct ncs_str *out)
{
    ncs_str_add(out, "usage: ncclscript explain [TOPIC]\n\nTopics\n");
    for (const struct ncs_topic *t = ncs_topics; t->id; t++)
        ncs_str_addf(out, "  %-22s  %s\n", t->id, t->title);
    ncs_str_add(out, "\nalso each result code (ncclInvalidUsage, 5) and function (ncclSend)\n");
}

static bool explain(const char *name, struct ncs_str *out)
{
    size_t count;
    if (ncs_explain(name, out))
        return true;
    const char *const *names = ncs_explained(&count);
    ncs_usage_error("explain", ncs_nearest(name, names, count), "unknown topic `%s`", name);
    return false;
}

static int explain_main(const struct ncs_parsed *parsed)
{
    struct ncs_str out = { 0 };
    bool known = true;
    if (parsed->operands)
        known = explain(parsed->operand[0], &out);
    else
        list_topics(&out);
    if (known)
        ncs_out(out.text);
    ncs_str_free(&out);
    return known ? 0 : 2;
}

const struct ncs_command ncs_cmd_explain = {
    .name = "explain",
    .operands = "[TOPIC]",
    .summary = "say what a finding, a result code or a function means",
    .option = options,
    .several = "one topic at a time",
    .main = explain_main,
};
