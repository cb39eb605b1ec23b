#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum ncs_status ncs_status_of(int code)
{
    bool short_of = code == ENOMEM || code == EMFILE || code == ENFILE || code == EAGAIN;
    return short_of ? NCS_NO_MEMORY : NCS_BAD_INPUT;
}

bool ncs_fail(struct ncs_error *err, enum ncs_status status, const char *fmt, ...)
{
    if (!err)
        return false;
    *err = (struct ncs_error){ .status = status };
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    return false;
}

bool ncs_fail_at(struct ncs_error *err, const char *file, int line, int column)
{
    if (!err)
        return false;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    err->line = line;
    err->column = column;
    return false;
}

bool ncs_fail_hint(struct ncs_error *err, const char *fmt, ...)
{
    if (!err)
        return false;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->hint, sizeof err->hint, fmt, args);
    va_end(args);
    return false;
}
