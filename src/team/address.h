/* Where the leader is to be found, and the token that its members know. */
#ifndef NCS_TEAM_ADDRESS_H
#define NCS_TEAM_ADDRESS_H

#include "team/team.h"
#include "team/wire.h"

enum { TEAM_PLACES = 16 };

enum team_way { TEAM_BY_OPTION, TEAM_BY_PMIX, TEAM_BY_FILE, TEAM_BY_PMI, TEAM_BY_HOST, TEAM_NO_WAY };

struct team_place {
    char host[256];
    int port;
};

struct team_address {
    struct team_place places[TEAM_PLACES]; /* to be tried in this order */
    int count;
    uint8_t token[TEAM_TOKEN];
};

/* The leader: listens, and lets the members know. -1 and err otherwise. *file: what is to be removed when all have joined, to be
 * freed with ncs_free; NULL = nothing. */
int team_publish(const struct ncs_team_options *options, struct team_address *out, char **file, struct ncs_error *err);

/* A member: false and err if it will never know; true with no places if it is to ask again soon. *way is where it has come to: at
 * first 0. A way that fails in one process fails in all of a job, so all take the same. */
bool team_find(const struct ncs_team_options *options, enum team_way *way, int64_t until, struct team_address *out,
               struct ncs_error *err);

/* Ends the connection to the launcher, which the ways may have opened. */
void team_leave_launcher(void);

/* The one-host file (one_host.c). Its path, by the job's name; NULL and err if the folder is not ours alone. */
char *team_file_path(const char *job, struct ncs_error *err);
bool team_file_write(const char *path, const struct team_address *address, struct ncs_error *err);
bool team_file_read(const char *path, struct team_address *address);

/* The name of this host. */
void team_host(char host[256]);

/* The token as 32 digits. */
void team_token_text(const uint8_t token[TEAM_TOKEN], char text[2 * TEAM_TOKEN + 1]);
bool team_token_parse(const char *text, uint8_t token[TEAM_TOKEN]);

#endif
