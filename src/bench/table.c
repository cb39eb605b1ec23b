#include "bench/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"

/* Where nccl-tests' name of a type is not its name in Lua. */
static const char *const type_names[ncclNumTypes] = {
    [ncclFloat16] = "half",      [ncclFloat32] = "float",     [ncclFloat64] = "double",
    [ncclFloat8e4m3] = "f8e4m3", [ncclFloat8e5m2] = "f8e5m2",
};

const char *ncs_bench_type_name(int type)
{
    return type_names[type] ? type_names[type] : ncs_dtype_name(type);
}

int ncs_bench_type(const char *name)
{
    for (int type = 0; type < ncclNumTypes; type++)
        if (type_names[type] && strcmp(type_names[type], name) == 0)
            return type;
    return ncs_dtype_from_name(name);
}

/* A number with as many digits after the point as fit into the column, at most two. */
static void add_number(struct ncs_str *out, int width, double value)
{
    char text[64];
    int digits = 2;
    while (snprintf(text, sizeof text, "%.*f", digits, value) > width && digits > 0)
        digits--;
    if (strlen(text) > (size_t)width)
        snprintf(text, sizeof text, "%.*e", width >= 7 ? 1 : 0, value);
    ncs_str_addf(out, "  %*s", width, text);
}

static void add_each_head(struct ncs_str *out, bool units)
{
    static const char *const name[] = { "i_min", "i_max", "i_p99", "i_cv%" }, *const unit[] = { "(us)", "(us)", "(us)", "(%)" };
    for (int i = 0; i < 4; i++)
        ncs_str_addf(out, "  %7s", units ? unit[i] : name[i]);
}

void ncs_bench_table_head(const struct ncs_bench_options *o, struct ncs_str *out)
{
    const char *time = o->enqueueing ? "cputime" : "time";
    ncs_str_addf(out, "#\n# %10s  %12s  %8s  %6s  %6s  %*s  %*s\n", "", "", "", "", "", o->each ? 40 : 21, "out-of-place",
                 o->each ? 66 : 31, "in-place");
    ncs_str_addf(out, "# %10s  %12s  %8s  %6s  %6s", "size", "count", "type", "redop", "root");
    for (int place = 0; place < 2; place++) {
        ncs_str_addf(out, "  %7s  %6s  %6s  %6s", time, "algbw", "busbw", "#wrong");
        if (o->each)
            add_each_head(out, false);
    }
    if (o->timestamps)
        ncs_str_addf(out, "  %19s", "timestamp");
    ncs_str_addf(out, "\n# %10s  %12s  %8s  %6s  %6s", "(B)", "(elements)", "", "", "");
    for (int place = 0; place < 2; place++) {
        ncs_str_addf(out, "%*s%7s  %6s  %6s", place == 0 || o->each ? 2 : 10, "", "(us)", "(GB/s)", "(GB/s)");
        if (o->each) {
            ncs_str_addf(out, "  %6s", "");
            add_each_head(out, true);
        }
    }
    if (o->timestamps)
        ncs_str_addf(out, "%*s%s", o->each ? 2 : 10, "", "YYYY-MM-DD hh:mm:ss");
    ncs_str_add(out, "\n");
}

static void add_figure(const struct ncs_bench_figure *f, struct ncs_str *out)
{
    add_number(out, 7, f->time);
    add_number(out, 6, f->algbw);
    add_number(out, 6, f->busbw);
    if (f->checked)
        ncs_str_addf(out, "  %6" PRIu64, f->wrong);
    else
        ncs_str_addf(out, "  %6s", "N/A");
    if (f->each.times == 0)
        return;
    add_number(out, 7, f->each.least);
    add_number(out, 7, f->each.most);
    add_number(out, 7, f->each.p99);
    add_number(out, 7, f->each.mean > 0 ? 100 * f->each.deviation / f->each.mean : 0);
}

void ncs_bench_table_row(const struct ncs_bench_row *row, const char *timestamp, struct ncs_str *out)
{
    ncs_str_addf(out, "%12zu  %12zu  %8s  %6s  %6d", row->size, row->count, ncs_bench_type_name(row->type),
                 row->op < 0 ? "none" : ncs_bench_ops[row->op], row->root);
    add_figure(&row->out, out);
    add_figure(&row->in, out);
    if (timestamp)
        ncs_str_addf(out, "  %19s", timestamp);
    ncs_str_add(out, "\n");
}
