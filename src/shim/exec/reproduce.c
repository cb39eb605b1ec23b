#include "shim/exec/exec.h"

#include <stdlib.h>

#include "base/channel.h"
#include "base/mem.h"
#include "reproduce/write.h"
#include "shim/exec/places.h"
#include "shim/many/server.h"
#include "shim/shim.h"

static char *reproduce_place(void *arg, const struct ncs_call *call)
{
    (void)arg;
    const char *name = ncs_places_name(call->place.line);
    return name ? ncs_copy_text(name) : NULL;
}

/* To the program that started this one, which chooses. */
static void send_ways(struct ncs_reproduced_writing *w, const struct ncs_reproduced *ending)
{
    struct ncs_str text = { 0 };
    int file = ncs_channel_open_as(getenv(NCS_WAYS), S_IFREG, O_WRONLY | O_TRUNC);
    if (file < 0)
        return;
    ncs_reproduced_add_ways(w, ending, &text);
    ncs_shim_write(file, text.text, text.bytes);
    close(file);
    ncs_str_free(&text);
}

bool ncs_exec_reproduce(const struct ncs_result *result, const char *file, const char *program, ncs_channel_tell *tell)
{
    struct ncs_workload job;
    struct ncs_reproduced ending;
    struct ncs_error err = { 0 };
    struct ncs_run_options options = { .policy = result->policy };
    ncs_reproduced_of(result, &ending);
    char **last = ncs_reproduced_last(result, &ending);
    bool written = ncs_workload_read(&job, &(struct ncs_workload_source){ .journal = result->journal,
                                                                          .ranks = result->ranks,
                                                                          .place = reproduce_place,
                                                                          .diagnosis = &result->diagnosis,
                                                                          .last = (const char *const *)last,
                                                                          .one_process = !server_is_open() });
    if (!written)
        ncs_shim_warn("%s was not written: the program made no call that a scenario can make", file);
    struct ncs_reproduced_writing w = {
        .file = file, .origin = program, .workload = &job, .options = &options, .lists_losses = true
    };
    if (written && !(written = ncs_reproduced_write(&w, &ending, &err)))
        ncs_shim_warn("%s: %s", file, err.text);
    if (written) {
        send_ways(&w, &ending);
        tell(NCS_CHANNEL_SCENARIO, "");
    }
    ncs_reproduced_free_last(last, result);
    ncs_reproduced_free(&ending);
    ncs_workload_free(&job);
    return written;
}
