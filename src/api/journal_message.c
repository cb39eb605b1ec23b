/* Keeps the library's message about a failed call with its record: the code alone seldom shows
 * what to change. */
#include <stdio.h>
#include <string.h>

#include "api/journal_private.h"
#include "base/hash.h"
#include "base/mem.h"

enum { NCS_SAID = 1024 }; /* bytes of a text */
enum { TEXTS = 256 };     /* different messages that are kept: a program may fail in a loop */

const char *ncs_journal_ask_error(const struct ncs_journal *j, const struct ncs_call *call, int rc)
{
    static _Thread_local char both[NCS_SAID];
    const struct ncs_api *api = j->own->api;
    const char *text = NULL;

    if (!api)
        return NULL;
    if (ncs_fn_info[call->fn].result == NCS_RESULT_CUDA)
        return api->cudaGetErrorString ? api->cudaGetErrorString((cudaError_t)rc) : NULL;
    /* NCCL's last message is about this call only if the library was called and logged a message. */
    const char *why = ncs_call_rare(call)->why;
    bool silent = call->faulted || (why && !ncs_call_rare(call)->warned);
    if (!silent && api->ncclGetLastError)
        text = api->ncclGetLastError(NULL);
    if (why && text && *text) {
        snprintf(both, sizeof both, "%s (%s)", text, why);
        return both;
    }
    if (why)
        return why;
    if ((!text || !*text) && api->ncclGetErrorString)
        text = api->ncclGetErrorString((ncclResult_t)rc);
    return text && *text ? text : NULL;
}

const char *ncs_journal_keep_text(struct ncs_journal *j, const char *text)
{
    struct ncs_map *texts = &j->own->texts;
    uint64_t key = ncs_hash_bytes(0, text, strlen(text));
    char *kept = ncs_map_get(texts, key);

    if (!kept && texts->count < TEXTS) {
        kept = ncs_copy_text(text);
        ncs_map_put(texts, key, kept);
    }
    return kept;
}

static void free_text(void *value, void *arg)
{
    (void)arg;
    ncs_free(value);
}

void ncs_journal_free_texts(struct ncs_journal *j)
{
    ncs_map_each(&j->own->texts, free_text, NULL);
    ncs_map_free(&j->own->texts);
}
