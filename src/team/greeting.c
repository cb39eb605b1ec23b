#include "team/greeting.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/safe.h"
#include "team/address.h"
#include "team/seal.h"

static void greeting_fill(struct team_greeting *g)
{
    *g = (struct team_greeting){
        .order = TEAM_ORDER, .protocol = TEAM_PROTOCOL, .of_long = sizeof(long), .of_pointer = sizeof(void *)
    };
    memcpy(g->magic, TEAM_MAGIC, sizeof g->magic);
    snprintf(g->version, sizeof g->version, "%s", NCCLSCRIPT_VERSION);
}

bool team_fill_hello(struct team_hello *hello, const struct ncs_team_options *options)
{
    const struct ncs_launcher *l = options->launcher;
    *hello = (struct team_hello){ .number = l->number,
                                  .processes = l->processes,
                                  .local = l->local,
                                  .locals = l->locals,
                                  .pid = getpid(),
                                  .bytes = (uint32_t)options->hello_bytes };
    greeting_fill(&hello->greeting);
    team_host(hello->host);
    return team_draw(hello->nonce, sizeof hello->nonce);
}

const char *team_check_greeting(const struct team_greeting *greeting, char room[252])
{
    struct team_greeting own;
    struct ncs_str version = { 0 };
    char text[sizeof greeting->version];
    greeting_fill(&own);
    if (greeting->order != own.order || greeting->of_long != own.of_long || greeting->of_pointer != own.of_pointer)
        return "its processor orders bytes otherwise than that of process 0, or has words of another size";
    memcpy(text, greeting->version, sizeof text);
    text[sizeof text - 1] = '\0';
    if (greeting->protocol == own.protocol && strcmp(text, own.version) == 0)
        return NULL;
    ncs_safe_line(&version, text);
    snprintf(room, 252, "it is ncclscript %s, and process 0 is ncclscript %s", version.text ? version.text : "of no version",
             own.version);
    ncs_str_free(&version);
    return room;
}

const char *team_check_hello(const struct team_hello *hello, int processes, char room[252])
{
    if (hello->processes != processes)
        snprintf(room, 252, "it is one of %d processes, and process 0 is one of %d", hello->processes, processes);
    else if (hello->number < 1 || hello->number >= processes)
        snprintf(room, 252, "its number is %d, and the members' are 1 to %d", hello->number, processes - 1);
    else if (hello->bytes > NCS_TEAM_HELLO_MOST)
        snprintf(room, 252, "its hello is too long");
    else
        return NULL;
    return room;
}

void team_name_host(char to[256], const char said[256])
{
    struct ncs_str whole = { 0 }, host = { 0 };
    ncs_str_add_bytes(&whole, said, strnlen(said, 255));
    ncs_safe_name(&host, whole.text);
    snprintf(to, 256, "%s", host.text ? host.text : "");
    ncs_str_free(&whole);
    ncs_str_free(&host);
}

const char *team_patience_text(int64_t patience, char room[32])
{
    return ncs_format_duration(patience, room, 32);
}
