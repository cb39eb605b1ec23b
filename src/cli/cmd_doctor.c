/* ncclscript doctor: reports which drivers can run here, what real runs lack, and how to add it. */
#include <stdio.h>
#include <string.h>

#include "api/version.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/safe.h"
#include "cli/command.h"
#include "cli/doctor_facts.h"
#include "cli/doctor_hosts.h"
#include "cli/health.h"
#include "cli/output.h"
#include "team/team.h"

#define PATIENCE_NS ((int64_t)60 * 1000000000) /* for all processes to come */

enum { NCCL_LIB, CUDART_LIB, HOSTS, RENDEZVOUS, FORMAT, HELP };

static const struct ncs_option options[] = {
    [NCCL_LIB] = NCS_ROW_TEXTS("nccl-lib", 0, "PATH", "libnccl.so.2", "Looking", "the NCCL library"),
    [CUDART_LIB] = NCS_ROW_TEXTS("cudart-lib", 0, "PATH", "libcudart.so.13", "Looking", "the CUDA runtime library"),
    [HOSTS] = NCS_ROW_FLAG("hosts", 0, "Launchers", "compare the machines of all processes that a launcher has started"),
    [RENDEZVOUS] = NCS_ROW_TEXTS("rendezvous", 0, "HOST:PORT", "as the launcher says", "Launchers",
                                 "where the processes meet: a free port of the host of process 0"),
    [FORMAT] = NCS_ROW_WORDS("format", 0, "text", "Output", "text, or one JSON object", ncs_text_or_json),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* ---- saying ---- */

/* Whether the simulator can be the NCCL that is installed: what it says may not hold there. */
static void add_profile(struct ncs_str *out, int version)
{
    const char *before = ncs_nccl_profile_before(version);
    struct ncs_str text = { 0 };
    if (!before)
        ncs_str_add(&text, "older than " NCS_NCCL_OLDEST ", the oldest version that the simulator can be");
    else if (strcmp(before, NCS_NCCL_NEWEST) == 0)
        ncs_str_add(&text, "newer than " NCS_NCCL_NEWEST ", the newest version that the simulator can be");
    else
        ncs_str_addf(&text, "the simulator can be %s, and not this version", before);
    ncs_doctor_add_line(out, "", text.text);
    ncs_str_free(&text);
}

/* Compares a library with the functions that this program calls: those of api.lua. */
static void doctor_add_library(struct ncs_str *out, const char *key, const struct ncs_library *l, const struct ncs_error *lack)
{
    struct ncs_str text = { 0 };
    char version[24];
    if (l->handle)
        ncs_str_addf(&text, "%s, %s", ncs_library_version(l, version, sizeof version), l->path);
    else
        ncs_str_addf(&text, "not found: %s", lack->text);
    ncs_doctor_add_line(out, key, text.text);
    ncs_str_clear(&text);
    if (l->handle && l->lib == NCS_LIB_NCCL && l->version && !ncs_nccl_is_profile(l->version))
        add_profile(out, l->version);
    if (l->absents) {
        ncs_str_addf(&text, "has %d of the %d functions that %s has; not: %s", l->bound, l->bound + l->absents,
                     l->lib == NCS_LIB_NCCL ? "2.30.4" : "13.0", l->absent.text);
        ncs_doctor_add_line(out, "", text.text);
    }
    ncs_str_free(&text);
}

static void add_devices(struct ncs_str *out, const struct ncs_health *h)
{
    struct ncs_str text = { 0 };
    if (h->driver)
        ncs_str_addf(&text, "for CUDA up to %d.%d", h->driver / 1000, h->driver % 1000 / 10);
    else
        ncs_str_add(&text, h->lib[1].handle ? "none" : "unknown without the CUDA runtime");
    ncs_doctor_add_line(out, "driver", text.text);
    ncs_str_clear(&text);
    if (h->devices > 0)
        ncs_str_addf(&text, "%d", h->devices);
    else
        ncs_str_addf(&text, "none%s%s", h->why ? ": " : "", h->why ? h->why : "");
    ncs_doctor_add_line(out, "GPUs", text.text);
    for (int i = 0; i < h->devices && i < NCS_HEALTH_DEVICES; i++) {
        const struct ncs_health_device *d = &h->device[i];
        ncs_str_clear(&text);
        ncs_str_addf(&text, "%d: %s, capability %d.%d", i, d->name[0] ? d->name : "unnamed", d->major, d->minor);
        ncs_doctor_add_line(out, "", text.text);
    }
    ncs_str_free(&text);
}

static void add_real_runs(struct ncs_str *out, const struct ncs_health *h)
{
    struct ncs_str text = { 0 };
    if (ncs_health_can_run(h)) {
        ncs_str_addf(&text, "possible: scenarios of up to %d rank%s", h->devices, h->devices == 1 ? "" : "s");
        if (ncs_health_can_share(h))
            ncs_str_addf(&text, h->several ? "; more with several on a GPU" : "; more with NCCL_MULTI_RANK_GPU_ENABLE=1");
        ncs_doctor_add_line(out, "real runs", text.text);
    } else {
        ncs_doctor_add_line(out, "real runs", "not possible here; the simulator needs none of this");
    }
    ncs_str_free(&text);
    const char *line = h->todo.text;
    for (const char *key = "to do"; line && *line; key = "") {
        size_t bytes = strcspn(line, "\n");
        ncs_str_addf(out, "%-10s  %.*s\n", key, (int)bytes, line);
        line += bytes + (line[bytes] != '\0');
    }
}

static void doctor_add_json_text(const struct ncs_health *h, struct ncs_str *out)
{
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, h->sim_fault ? "does not work: %s" : "works: NCCL", h->sim_fault);
    for (int i = 0; !h->sim_fault && ncs_nccl_profiles[i]; i++)
        ncs_str_addf(&text, "%s %s", i ? "," : "", ncs_nccl_profiles[i]);
    ncs_doctor_add_line(out, "simulator", text.text);
    ncs_str_free(&text);
    doctor_add_library(out, "NCCL", &h->lib[0], &h->lack[0]);
    doctor_add_library(out, "CUDA", &h->lib[1], &h->lack[1]);
    add_devices(out, h);
    add_real_runs(out, h);
}

static json_t *library_json(const struct ncs_library *l, const struct ncs_error *lack)
{
    char version[24];
    if (!l->handle)
        return json_pack("{s:b, s:s}", "found", 0, "why", lack->text);
    json_t *o = json_pack("{s:b, s:s, s:s, s:i, s:i, s:s}", "found", 1, "version",
                          ncs_library_version(l, version, sizeof version), "path", l->path, "functions", l->bound, "lacks",
                          l->absents, "absent", l->absent.text ? l->absent.text : "");
    if (o && l->lib == NCS_LIB_NCCL) /* the version that the simulator can be that is nearest and not newer */
        json_object_set_new(o, "profile",
                            ncs_nccl_profile_before(l->version) ? json_string(ncs_nccl_profile_before(l->version)) : json_null());
    return o;
}

static void format_health(const struct ncs_health *h, struct ncs_str *out)
{
    json_t *devices = json_array(), *profiles = json_array();
    for (int i = 0; i < h->devices && i < NCS_HEALTH_DEVICES; i++)
        json_array_append_new(devices, json_pack("{s:i, s:s, s:i, s:i}", "device", i, "name", h->device[i].name, "major",
                                                 h->device[i].major, "minor", h->device[i].minor));
    for (int i = 0; ncs_nccl_profiles[i]; i++)
        json_array_append_new(profiles, json_string(ncs_nccl_profiles[i]));
    json_t *o = json_pack("{s:s, s:{s:b, s:s?, s:o}, s:o, s:o, s:i, s:i, s:s?, s:o, s:b, s:b, s:o}", "schema",
                          "ncclscript.doctor/1", "simulator", "works", h->sim_fault == NULL, "why", h->sim_fault, "nccl",
                          profiles, "nccl", library_json(&h->lib[0], &h->lack[0]), "cuda", library_json(&h->lib[1], &h->lack[1]),
                          "driver", h->driver, "gpus", h->devices, "why", h->why, "devices", devices, "several_ranks_per_gpu",
                          h->several, "real_runs", ncs_health_can_run(h), "to_do", ncs_doctor_lines(h->todo.text));
    ncs_json_line(o, JSON_PRESERVE_ORDER, out);
}

/* ---- this machine ---- */

static void examine_machine(struct ncs_health *h, const struct ncs_option_value *v)
{
    const char *const given[2] = { ncs_option_last(&v[NCCL_LIB]), ncs_option_last(&v[CUDART_LIB]) };
    ncs_health_examine(h, given);
}

static int examine(const struct ncs_option_value *v, struct ncs_str *out)
{
    struct ncs_health h;
    int status = 2;
    examine_machine(&h, v);
    if (!ncs_health_misnamed(&h)) {
        (v[FORMAT].number == 1 ? format_health : doctor_add_json_text)(&h, out);
        status = h.sim_fault ? 70 : 0;
    } else {
        ncs_print_error(ncs_health_misnamed(&h));
    }
    ncs_health_free(&h);
    return status;
}

/* ---- the machines of all processes ---- */

static void member_heard(void *arg, int from, const struct ncs_message *message)
{
    (void)arg, (void)from, (void)message; /* a member is asked nothing: its hello is all it has to say */
}

/* Returns the exit status. */
static int compare_team(const struct ncs_team *team, bool json, struct ncs_str *out)
{
    int processes = ncs_team_size(team);
    struct ncs_told *told = ncs_new((size_t)processes * sizeof *told);
    struct ncs_comparison c;
    for (int i = 0; i < processes; i++) {
        const struct ncs_peer *peer = ncs_team_peer(team, i);
        told[i] = (struct ncs_told){ .host = peer->host, .text = peer->hello, .bytes = peer->hello_bytes };
    }
    ncs_doctor_compare(&c, told, processes);
    (json ? ncs_doctor_hosts_json : ncs_doctor_hosts_text)(&c, out);
    int status = ncs_doctor_hosts_status(&c);
    ncs_doctor_forget(&c);
    ncs_free(told);
    return status;
}

static int doctor_refuse(const struct ncs_error *err)
{
    ncs_print_error(err);
    return err->status == NCS_BAD_INPUT ? 2 : err->status == NCS_INTERNAL ? 70 : 1;
}

static int lead_team(const struct ncs_team_options *meeting, bool json)
{
    struct ncs_error err = { 0 };
    struct ncs_str out = { 0 };
    struct ncs_team *team = ncs_team_gather(meeting, &err);
    if (!team)
        return doctor_refuse(&err);
    int status = compare_team(team, json, &out);
    ncs_out(out.text);
    ncs_out_flush(); /* a launcher may end all processes as soon as one of them has ended with another status than 0 */
    ncs_team_end(team, status);
    ncs_str_free(&out);
    return status;
}

static int join_team(const struct ncs_team_options *meeting)
{
    struct ncs_error err = { 0 };
    struct ncs_team *team = ncs_team_join(meeting, &err);
    if (!team)
        return doctor_refuse(&err);
    int status = ncs_team_serve(team, member_heard, NULL, &err);
    ncs_team_end(team, 0);
    return status < 0 ? doctor_refuse(&err) : status;
}

static int examine_hosts(const struct ncs_option_value *v, const struct ncs_launcher *launcher)
{
    struct ncs_health h;
    examine_machine(&h, v);
    char *facts = ncs_doctor_facts(&h, NCS_TEAM_HELLO_MOST);
    struct ncs_team_options meeting = {
        .launcher = launcher,
        .rendezvous = ncs_option_last(&v[RENDEZVOUS]),
        .patience = PATIENCE_NS,
        .hello = facts,
        .hello_bytes = strlen(facts),
    };
    int status = launcher->number == 0 ? lead_team(&meeting, v[FORMAT].number == 1) : join_team(&meeting);
    ncs_free(facts);
    ncs_health_free(&h);
    return status;
}

/* ---- the command ---- */

static int doctor_main(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    struct ncs_launcher launcher;
    struct ncs_error err = { 0 };
    struct ncs_str out = { 0 };
    if (v[RENDEZVOUS].given && !v[HOSTS].given) {
        ncs_usage_error("doctor", NULL, "--rendezvous is for --hosts");
        return 2;
    }
    if (v[RENDEZVOUS].given && !ncs_team_check_rendezvous(ncs_option_last(&v[RENDEZVOUS]), &err))
        return doctor_refuse(&err);
    if (v[HOSTS].given && ncs_launcher_find(&launcher))
        return examine_hosts(v, &launcher);
    if (v[HOSTS].given)
        ncs_err("this is the only process: start it with a launcher, as mpirun -np 2 ncclscript doctor --hosts\n");
    int status = examine(v, &out);
    if (out.text)
        ncs_out(out.text);
    ncs_str_free(&out);
    return status;
}

const struct ncs_command ncs_cmd_doctor = {
    .name = "doctor",
    .summary = "report what can run here and what is missing for real NCCL",
    .about = "doctor looks for NCCL, the CUDA runtime, the driver and GPUs in the same places as --driver nccl,\n"
             "and tries the simulator. If the simulator works, the exit status is 0, even if NCCL or a GPU is\n"
             "missing.\n"
             "\n"
             "Under a launcher, as `mpirun -np 16 ncclscript doctor --hosts`, all processes examine their machines.\n"
             "Process 0 prints one report, with the differences. The exit status of all is 0 if nothing that matters\n"
             "differs and real runs are possible in every process, and 1 otherwise.\n",
    .option = options,
    .main = doctor_main,
};
