/* The hello of a member, and what is wrong with one. */
#ifndef NCS_TEAM_GREETING_H
#define NCS_TEAM_GREETING_H

#include "team/team.h"
#include "team/wire.h"

/* False: the system gives no random numbers. */
bool team_fill_hello(struct team_hello *hello, const struct ncs_team_options *options);

/* NULL: a process of the same version. The magic has been looked at. */
const char *team_check_greeting(const struct team_greeting *greeting, char room[252]);
/* NULL: it fits a job of so many processes. */
const char *team_check_hello(const struct team_hello *hello, int processes, char room[252]);

/* A host's name as another process says it: made safe for texts. */
void team_name_host(char to[256], const char said[256]);

/* "10 s". */
const char *team_patience_text(int64_t patience, char room[32]);

#endif
