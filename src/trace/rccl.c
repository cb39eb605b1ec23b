/* Reads what RCCL's recorder writes with RCCL_REPLAY_FILE=NAME.json (RCCL 2.22 to 2.27, src/misc/recorder.cc): one file
 * for each process, close to JSON, a call in each line. Each line is translated into the one that NCCL's log would have
 * for the call, so that both are read alike. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trace/lines.h"
#include "trace/log.h"

static bool rccl_is(const struct trace_file *file)
{
    const char *text = file->text.text, *at = text + strspn(text, " \t\r\n");
    return at[0] == '{' && strstr(at, "version : ") && strstr(at, "context : [");
}

/* The text behind "key : ", in a list of such fields; NULL = none. */
static const char *field(const char *text, const char *key)
{
    char whole[40];
    snprintf(whole, sizeof whole, "%s : ", key);
    for (const char *at = text; (at = strstr(at, whole)); at++)
        if (at > text && (at[-1] == '[' || at[-1] == ' '))
            return at + strlen(whole);
    return NULL;
}

static uint64_t field_number(const char *text, const char *key, int base)
{
    const char *at = field(text, key);
    return at ? strtoull(at, NULL, base) : 0; /* "(nil)" is 0 */
}

/* The name that NCCL gives a function: RCCL writes some of its letters otherwise. */
static const char *rccl_function(const char *name, size_t bytes)
{
    for (int i = 0; i < NCS_FN_COUNT; i++) {
        const struct ncs_fn_info *info = &ncs_fn_info[i];
        if (info->counted && info->name && strlen(info->name) == bytes + 4 && strncasecmp(info->name + 4, name, bytes) == 0)
            return info->name + 4;
    }
    return NULL;
}

struct rccl_line {
    const char *origin; /* "file:number" for host and process */
    unsigned long thread;
    int device;
};

static void translate_call(const struct rccl_line *l, const char *name, const char *fields, bool sized, struct ncs_str *out)
{
    const char *send = field(fields, "sendbuff"), *recv = field(fields, "recvbuff");
    ncs_str_addf(out,
                 "%s:%lu [%d] NCCL INFO %s: opCount %" PRIx64 " sendbuff 0x%" PRIx64 " recvbuff 0x%" PRIx64 " count %" PRIu64
                 " datatype %d op %d root %d comm 0x%" PRIx64 " [nranks=%d] stream 0x%" PRIx64,
                 l->origin, l->thread, l->device, name, field_number(fields, "opCount", 16),
                 send ? field_number(send, "addr", 16) : 0, recv ? field_number(recv, "addr", 16) : 0,
                 sized ? field_number(fields, "count", 10) : 1, (int)field_number(fields, "datatype", 10),
                 (int)field_number(fields, "op", 10), (int)field_number(fields, "root", 10), field_number(fields, "comm", 16),
                 (int)field_number(fields, "nranks", 10), field_number(fields, "stream", 16));
}

/* One line for each line, so that numbers stay; an empty one where nothing counts. */
static void translate_line(const char *origin, const char *text, int *depth, struct ncs_str *out)
{
    text += strspn(text, " \t,");
    const char *colon = strstr(text, " : [");
    struct rccl_line l = { .origin = origin,
                           .thread = (unsigned long)field_number(text, "thread", 10),
                           .device = (int)field_number(text, "device", 10) };
    if (text[0] == '{' || text[0] == '}') {
        bool opens = text[0] == '{';
        if (opens || *depth > 0)
            ncs_str_addf(out, "%s:1 NCCL CALL %s()", origin, opens ? "ncclGroupStart" : "ncclGroupEnd");
        *depth += opens ? 1 : *depth > 0 ? -1 : 0;
        return;
    }
    if (!colon)
        return;
    size_t bytes = (size_t)(colon - text);
    bool ragged = bytes == 9 && strncasecmp(text, "alltoallv", 9) == 0; /* each rank has counts of its own */
    const char *name = rccl_function(text, ragged ? bytes - 1 : bytes);
    if (name && strstr(text, "context : ["))
        translate_call(&l, name, colon, !ragged, out);
    else if (strncmp(text, "CommInitDev", 11) == 0)
        ncs_str_addf(out,
                     "%s:%lu [%d] NCCL INFO ncclCommInitRank comm 0x%" PRIx64 " rank %d nranks %d cudaDev %d busId 0 "
                     "commId 0x%" PRIx64 " - Init COMPLETE",
                     origin, l.thread, l.device, field_number(colon, "comm", 16), (int)field_number(colon, "rank", 10),
                     (int)field_number(colon, "size", 10), (int)field_number(colon, "dev", 10),
                     field_number(colon, "uniqueID", 10));
    else if (strncmp(text, "CommDestroy", 11) == 0 || strncmp(text, "CommAbort", 9) == 0)
        ncs_str_addf(out, "%s:%lu [%d] NCCL INFO comm 0x%" PRIx64 " rank 0 nranks 1 - %s COMPLETE", origin, l.thread, l.device,
                     field_number(colon, "comm", 16), text[4] == 'A' ? "Abort" : "Destroy");
}

static enum trace_taken rccl_take(void *state, struct trace_file *file)
{
    struct log *l = state;
    struct trace_file log = { .path = file->path };
    struct ncs_lines lines = ncs_lines_of(&file->text);
    const char *slash = strrchr(file->path, '/'), *base = slash ? slash + 1 : file->path;
    char origin[96];
    int depth = 0;
    snprintf(origin, sizeof origin, "%.64s:%zu", base, l->kepts + 1);
    for (char *p = origin; *p; p++)
        *p = *p == ' ' || *p == '\t' ? '_' : *p;
    while (ncs_lines_next(&lines)) {
        if (lines.number > 1) /* the first one opens the file */
            translate_line(origin, lines.text.text, &depth, &log.text);
        ncs_str_add(&log.text, "\n");
    }
    l->any_call = true;
    l->splits |= strstr(file->text.text, "CommSplit : [") != NULL;
    enum trace_taken taken = ncs_log_take(state, &log);
    ncs_str_free(&log.text);
    return taken;
}

static bool rccl_finish(void *state)
{
    struct log *l = state;
    if (l->splits)
        ncs_record_note(l->record, "RCCL's records of splits do not name the ranks of the new communicators: calls on these are "
                                   "read as those of a log without lines of INIT");
    return ncs_log_finish(state);
}

const struct trace_reader ncs_reader_rccl = {
    .kind = "RCCL records",
    .word = "record",
    .is = rccl_is,
    .bytes = sizeof(struct log),
    .take = rccl_take,
    .finish = rccl_finish,
    .end = ncs_log_end,
};
