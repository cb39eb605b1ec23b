#include "report/places.h"

#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/* The words before a number, and the ones that replace them around a name. */
struct form {
    const char *before, *open, *close;
};

static const struct form text_form[] = { { "line ", "", "" }, { NULL, NULL, NULL } };
static const struct form json_form[] = { { "\"line\": ", "\"line\": null, \"at\": \"", "\"" },
                                         { "line ", "", "" }, { NULL, NULL, NULL } };

static const struct form *form_at(const struct form *form, const char *p)
{
    for (; form->before; form++)
        if (strncmp(p, form->before, strlen(form->before)) == 0)
            return form;
    return NULL;
}

void ncs_report_name_lines(struct ncs_str *report, bool json,
                           const char *(*name)(void *arg, long line), void *arg)
{
    struct ncs_str out = { 0 };
    const char *done = report->text;
    for (const char *p = done; p && *p;) {
        const struct form *form = form_at(json ? json_form : text_form, p);
        char *end = NULL;
        long line = form ? strtol(p + strlen(form->before), &end, 10) : 0;
        const char *known = form ? name(arg, line) : NULL;
        if (!known) {
            p++;
            continue;
        }
        ncs_str_add_bytes(&out, done, (size_t)(p - done));
        ncs_str_addf(&out, "%s%s%s", form->open, known, form->close);
        done = p = end;
    }
    if (done)
        ncs_str_add(&out, done);
    ncs_str_free(report);
    *report = out;
}

const char *ncs_report_place(const struct ncs_report_run *run, int line)
{
    return run->place && line > 0 ? run->place(run->place_arg, line) : NULL;
}

void ncs_report_name_places(const struct ncs_report_run *run, struct ncs_str *text)
{
    if (run->place && text->bytes)
        ncs_report_name_lines(text, false, run->place, run->place_arg);
}
