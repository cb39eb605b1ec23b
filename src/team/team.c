/* What a team is made of, for its leader and for its members. */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "team/address.h"
#include "team/inside.h"
#include "team/socket.h"
#include "team/wire.h"

void team_describe(struct ncs_peer *peer, const struct ncs_team_options *options)
{
    void *hello = ncs_new(options->hello_bytes);
    team_host(peer->host);
    peer->pid = getpid();
    peer->local = options->launcher->local;
    peer->locals = options->launcher->locals;
    if (options->hello_bytes)
        memcpy(hello, options->hello, options->hello_bytes);
    peer->hello = hello;
    peer->hello_bytes = options->hello_bytes;
}

static int team_links(const struct ncs_team *team)
{
    return team->self == 0 ? team->processes : 1;
}

struct ncs_team *team_new(const struct ncs_team_options *options)
{
    struct ncs_team *team = ncs_new(sizeof *team);
    team->self = options->launcher->number;
    team->processes = options->launcher->processes;
    team->wake = team->events = -1;
    team->peers = ncs_new((size_t)team->processes * sizeof *team->peers);
    team->links = ncs_new((size_t)team_links(team) * sizeof *team->links);
    for (int i = 0; i < team_links(team); i++) {
        team->links[i].fd = -1;
        pthread_mutex_init(&team->links[i].sends, NULL);
    }
    team_describe(&team->peers[team->self], options);
    return team;
}

void team_free(struct ncs_team *team)
{
    for (int i = 0; i < team_links(team); i++) {
        struct team_link *link = &team->links[i];
        if (link->fd >= 0)
            close(link->fd);
        pthread_mutex_destroy(&link->sends);
        team_link_unseal(link);
        ncs_inbox_free(&link->inbox);
    }
    for (int i = 0; i < team->processes; i++)
        ncs_free((void *)team->peers[i].hello);
    if (team->events >= 0)
        close(team->events);
    if (team->wake >= 0)
        close(team->wake);
    ncs_free(team->links);
    ncs_free(team->peers);
    ncs_free(team);
}

int ncs_team_size(const struct ncs_team *team)
{
    return team->processes;
}

const struct ncs_peer *ncs_team_peer(const struct ncs_team *team, int number)
{
    return &team->peers[number];
}
