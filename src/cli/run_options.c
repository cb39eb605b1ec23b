/* The options of `run`, and the settings of a run that follow from them. */
#include "cli/run_options.h"

#include <ctype.h>
#include <string.h>

#include "api/model.h"
#include "api/version.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cli/job.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "cli/report_files.h"
#include "report/dump/dump.h"

static const char *const drivers[] = { "sim", "nccl", NULL };
static const char *const policies[] = {
    [NCS_POLICY_STRICT] = "strict",
    [NCS_POLICY_TYPICAL] = "typical",
    NULL,
};
static const char *const contexts[] = { "fiber", "thread", NULL };
static const char *const drawings[] = { "calls", "steps", "tree", NULL };
static const char *const processes[] = { "auto", "one", NULL };
static const char *const jobs[] = { "auto", NULL };
static const char *const colors[] = {
    [NCS_COLOR_AUTO] = "auto",
    [NCS_COLOR_ALWAYS] = "always",
    [NCS_COLOR_NEVER] = "never",
    NULL,
};

/* Operations of which samples are kept for drawings. */
enum { NCS_RUN_LOOK = 4096 };

const struct ncs_option ncs_run_option[] = {
    [NCS_RUN_RANKS] = NCS_ROW_NUMBER("ranks", 'n', "RANKS", "as declared", "Running", "number of ranks", 1, NCS_RANKS_MOST),
    [NCS_RUN_DRIVER] = NCS_ROW_WORDS("driver", 0, "sim", "Running", "the simulator, or real NCCL", drivers),
    [NCS_RUN_NCCL_LIB] = NCS_ROW_TEXTS("nccl-lib", 0, "PATH", "libnccl.so.2", "Running", "the NCCL library of driver nccl"),
    [NCS_RUN_CUDART_LIB] = NCS_ROW_TEXTS("cudart-lib", 0, "PATH", "libcudart.so.13", "Running",
                                         "the CUDA runtime library of driver nccl"),
    [NCS_RUN_NCCL] = { "nccl-version", 0, NCS_OPTION_CHOICE, "VERSION", NCS_NCCL_DEFAULT_TEXT, "Running",
                       "the version of NCCL to simulate: " NCS_NCCL_RANGE, ncs_nccl_profiles, 0, 0 },
    [NCS_RUN_SEED] = NCS_ROW_NUMBER("seed", 0, "N", "0", "Running", "choose the schedule by this number; 0: first in, first out",
                                    0, INT64_MAX),
    [NCS_RUN_SCHEDULE] = NCS_ROW_TEXTS("schedule", 0, "TEXT|@FILE", NULL, "Running",
                                       "replay the schedule that --seed N -v printed"),
    [NCS_RUN_TIMEOUT] = NCS_ROW_TIME("timeout", 0, "as declared", "Running",
                                     "limit of each run, as 10s; on NCCL, time without progress"),
    [NCS_RUN_MEMORY] = NCS_OPTION_MEMORY("Running"),
    [NCS_RUN_POLICY] = NCS_ROW_WORDS("policy", 0, "as declared", "Running",
                                     "strict: what NCCL promises; typical: what it mostly does", policies),
    [NCS_RUN_MODEL] = NCS_ROW_WORDS("model", 0, "as declared", "Running", "model virtual time on the links of this machine",
                                    ncs_model_names),
    [NCS_RUN_RANKS_AS] = NCS_ROW_WORDS("ranks-as", 0, "fiber", "Running", "run each rank as a fiber or as a thread", contexts),
    [NCS_RUN_SET] = NCS_ROW_TEXTS("set", 0, "NAME=VALUE", NULL, "Running", "set a parameter; may be given again"),
    [NCS_RUN_NO_VERIFY] = NCS_ROW_FLAG("no-verify", 0, "Running", "do not check the results of collectives"),
    [NCS_RUN_FAIL_ON] = NCS_ROW_WORDS("fail-on", 0, "error", "Running", "also fail a run that passes with findings of this kind",
                                      ncs_fail_on_names),
    [NCS_RUN_REPAIR] = NCS_ROW_FLAG("repair", 0, "Running", "try the suggested changes, and report whether they work"),
    [NCS_RUN_PROVE] = NCS_ROW_FLAG("prove", 0, "Running", "try all explanations of a hang; may take long"),
    [NCS_RUN_UNSAFE] = NCS_ROW_FLAG("unsafe", 0, "Running",
                                    "let scripts run programs, use files, set any variable NCCL_* or CUDA_*"),
    [NCS_RUN_SELECT] = NCS_ROW_TEXTS("select", 'k', "EXPRESSION", NULL, "Suites",
                                     "only cases whose names match, as \"ring and not ranks=8\""),
    [NCS_RUN_LIST] = NCS_ROW_FLAG("list", 0, "Suites", "print the names of the cases, run nothing"),
    [NCS_RUN_REPEAT] = NCS_ROW_NUMBER("repeat", 0, "N", "1", "Suites", "run each case with N seeds, from --seed on", 1, 1000000),
    [NCS_RUN_FAIL_FAST] = NCS_ROW_FLAG("fail-fast", 0, "Suites", "stop after the first run with an unexpected end"),
    [NCS_RUN_JOBS] = { "jobs", 'j', NCS_OPTION_INT, "N|auto", "1", "Suites", "run cases in N processes, or in one per core", jobs,
                       0, 1024 },
    [NCS_RUN_PROCESSES] = NCS_ROW_WORDS("processes", 0, "auto", "Launchers",
                                        "auto: those of mpirun, srun, torchrun make one run; one: each its own", processes),
    [NCS_RUN_RENDEZVOUS] = NCS_ROW_TEXTS("rendezvous", 0, "HOST:PORT", "as the launcher says", "Launchers",
                                         "where the processes meet: a free port of the host of process 0"),
    [NCS_RUN_FORMAT] = NCS_ROW_WORDS("format", 0, "text", "Output", "tree and dot show who waits for whom",
                                     ncs_report_format_names),
    [NCS_RUN_REPORT] = NCS_OPTION_REPORT(ncs_report_format_names),
    [NCS_RUN_DRAW] = { "draw", 0, NCS_OPTION_MODE, NULL, NULL, "Output",
                       "also draw each collective, or the steps of its ring or tree", drawings, 0, 0 },
    [NCS_RUN_LEAKS] = NCS_ROW_FLAG("leaks", 0, "Output", "list what the ranks made and did not free, with lines"),
    [NCS_RUN_TRACE] = NCS_ROW_TEXTS("trace", 0, "FILE", NULL, "Output", "write a timeline for Perfetto and chrome://tracing"),
    [NCS_RUN_HTML] = NCS_ROW_TEXTS("html", 0, "FILE|DIR", NULL, "Output",
                                   "write the run as one page: timeline, waits, every call"),
    [NCS_RUN_RECORD] = NCS_ROW_TEXTS("record", 0, "FILE", NULL, "Output",
                                     "write the calls of the run as a scenario, in YAML if FILE ends so"),
    [NCS_RUN_DUMP] = { "dump", 0, NCS_OPTION_PAIR, "DIR", NULL, "Output", "write what detectors of hangs read: dumps, logs",
                       ncs_dump_format_names, 0, 0 },
    [NCS_RUN_NO_TIMES] = NCS_ROW_FLAG("no-times", 0, "Output",
                                      "no wall-clock times: equal runs print equal bytes in every format"),
    [NCS_RUN_COLOR] = NCS_ROW_WORDS("color", 0, "auto", "Output", "colours in the text", colors),
    [NCS_RUN_VERBOSE] = NCS_ROW_FLAG("verbose", 'v', "Output", "the full report of every run, with its trace hash and waits"),
    [NCS_RUN_QUIET] = NCS_ROW_FLAG("quiet", 'q', "Output", "print only failures and the summary"),
    [NCS_RUN_DEBUG] = NCS_OPTION_DEBUG,
    [NCS_RUN_HELP] = NCS_OPTION_HELP,
    { 0 },
};

const struct ncs_report_format *ncs_run_format(const struct ncs_option_value *v)
{
    return ncs_report_format_of(ncs_report_format_names[v[NCS_RUN_FORMAT].number]);
}

enum ncs_fail_on ncs_run_fail_on(const struct ncs_option_value *v)
{
    return (enum ncs_fail_on)v[NCS_RUN_FAIL_ON].number;
}

int ncs_run_jobs(const struct ncs_option_value *v)
{
    int64_t number = v[NCS_RUN_JOBS].number;
    if (ncs_job_leads()) /* the others serve this process, and no copy of it */
        return 1;
    return number < 0 ? ncs_cores() : number > 1 ? (int)number : 1;
}

struct ncs_script_settings ncs_run_settings(const struct ncs_option_value *v)
{
    return (struct ncs_script_settings){
        .set = v[NCS_RUN_SET].text,
        .sets = v[NCS_RUN_SET].texts,
        .ranks = (int)v[NCS_RUN_RANKS].number,
        .seeded = v[NCS_RUN_SEED].given,
        .seed = v[NCS_RUN_SEED].number,
        .policy = v[NCS_RUN_POLICY].given ? (int)v[NCS_RUN_POLICY].number : -1,
        .nccl_version = v[NCS_RUN_NCCL].given ? ncs_nccl_version_code(ncs_nccl_profiles[v[NCS_RUN_NCCL].number]) : 0,
        .driver = drivers[v[NCS_RUN_DRIVER].number],
        .unsafe = v[NCS_RUN_UNSAFE].given,
    };
}

struct ncs_run_options ncs_run_make_options(const struct ncs_option_value *v, const struct ncs_scenario *s)
{
    struct ncs_run_options o = ncs_scenario_options(s);
    o.driver = drivers[v[NCS_RUN_DRIVER].number];
    o.nccl_lib = ncs_option_last(&v[NCS_RUN_NCCL_LIB]);
    o.cudart_lib = ncs_option_last(&v[NCS_RUN_CUDART_LIB]);
    if (v[NCS_RUN_POLICY].given)
        o.policy = (enum ncs_policy)v[NCS_RUN_POLICY].number;
    o.seeded = v[NCS_RUN_SEED].number != 0;
    o.seed = (uint64_t)v[NCS_RUN_SEED].number;
    o.own_threads = v[NCS_RUN_RANKS_AS].number == 1;
    o.verify = o.verify && !v[NCS_RUN_NO_VERIFY].given;
    if (v[NCS_RUN_TIMEOUT].given)
        o.timeout = v[NCS_RUN_TIMEOUT].number;
    if (v[NCS_RUN_MODEL].given)
        o.model = (int)v[NCS_RUN_MODEL].number;
    o.timeline = v[NCS_RUN_TRACE].given || v[NCS_RUN_HTML].given || v[NCS_RUN_DUMP].given;
    o.repair = v[NCS_RUN_REPAIR].given;
    o.prove = v[NCS_RUN_PROVE].given;
    o.leaks = v[NCS_RUN_LEAKS].given;
    o.look = v[NCS_RUN_DRAW].given ? NCS_RUN_LOOK : 0;
    o.once = v[NCS_RUN_UNSAFE].given;
    return o;
}

/* Appends a word quoted for a shell. */
static void run_options_add_word(const char *word, struct ncs_str *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+@%";
    if (*word && !word[strspn(word, plain)]) {
        ncs_str_add(out, word);
        return;
    }
    ncs_str_add(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            ncs_str_add(out, "'\\''");
        else
            ncs_str_add_bytes(out, word, 1);
    ncs_str_add(out, "'");
}

void ncs_run_add_command(const struct ncs_option_value *v, const char *name, bool seeded, struct ncs_str *out)
{
    ncs_str_add(out, "ncclscript run");
    for (int row = 0; row < NCS_RUN_SELECT; row++) { /* the options of the group Running */
        const struct ncs_option *o = &ncs_run_option[row];
        if (!v[row].given || (row == NCS_RUN_SEED && seeded))
            continue;
        size_t all = o->type == NCS_OPTION_FLAG ? 1 : v[row].texts;
        for (size_t i = row == NCS_RUN_SET || all == 0 ? 0 : all - 1; i < all; i++) {
            ncs_str_addf(out, " --%s", o->name);
            if (o->type == NCS_OPTION_FLAG)
                continue;
            ncs_str_add(out, " ");
            run_options_add_word(v[row].text[i], out);
        }
    }
    ncs_str_add(out, " ");
    run_options_add_word(name, out);
}

bool ncs_run_read_schedule(const struct ncs_option_value *v, char **schedule, struct ncs_error *err)
{
    const char *given = ncs_option_last(&v[NCS_RUN_SCHEDULE]);
    struct ncs_str text = { 0 };
    *schedule = NULL;
    if (!given)
        return true;
    if (given[0] != '@') {
        *schedule = ncs_copy_text(given);
        return true;
    }
    bool ok = ncs_file_read(given + 1, NCS_FILE_LIMIT, "a schedule", &text, err);
    while (ok && text.bytes > 0 && isspace((unsigned char)text.text[text.bytes - 1]))
        text.text[--text.bytes] = '\0';
    if (ok)
        *schedule = ncs_str_take(&text);
    ncs_str_free(&text);
    return ok;
}

bool ncs_run_options_fit(const struct ncs_option_value *v, struct ncs_error *err)
{
    /* Options for one driver only. */
    static const struct {
        int option, driver;
    } only[] = {
        { NCS_RUN_NCCL_LIB, 1 }, { NCS_RUN_CUDART_LIB, 1 }, { NCS_RUN_NCCL, 0 },  { NCS_RUN_SEED, 0 },
        { NCS_RUN_SCHEDULE, 0 }, { NCS_RUN_POLICY, 0 },     { NCS_RUN_MODEL, 0 }, { NCS_RUN_RANKS_AS, 0 },
        { NCS_RUN_PROVE, 0 },    { NCS_RUN_DUMP, 0 },
    };
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (v[only[i].option].given && v[NCS_RUN_DRIVER].number != only[i].driver)
            return ncs_fail(err, NCS_BAD_INPUT, "--%s is for --driver %s, this run is on %s", ncs_run_option[only[i].option].name,
                            drivers[only[i].driver], drivers[v[NCS_RUN_DRIVER].number]);
    if (v[NCS_RUN_SCHEDULE].given && v[NCS_RUN_REPEAT].number > 1)
        return ncs_fail(err, NCS_BAD_INPUT, "--repeat draws a schedule for each run, --schedule prescribes one");
    if (v[NCS_RUN_REPAIR].given && v[NCS_RUN_FORMAT].number > 1)
        return ncs_fail(err, NCS_BAD_INPUT, "--repair appears in text and JSON, not in --format %s",
                        ncs_report_format_names[v[NCS_RUN_FORMAT].number]);
    if (v[NCS_RUN_DRAW].given && v[NCS_RUN_FORMAT].number > 0)
        return ncs_fail(err, NCS_BAD_INPUT, "--draw is for people: it does not go with --format %s",
                        ncs_report_format_names[v[NCS_RUN_FORMAT].number]);
    if (v[NCS_RUN_DRAW].given && v[NCS_RUN_NO_VERIFY].given)
        return ncs_fail(err, NCS_BAD_INPUT, "--draw shows what verification sees: it does not go with --no-verify");
    return true;
}
