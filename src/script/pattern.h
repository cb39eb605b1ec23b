/* The matcher of string.find, match, gmatch and gsub, with a limit on its steps. Lua's own matcher
 * can run for hours if a text nearly matches a pattern with several repetitions, and nothing can
 * stop it. */
#ifndef NCS_SCRIPT_PATTERN_H
#define NCS_SCRIPT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#define NCS_PATTERN_CAPTURES 32

struct ncs_capture {
    const char *from;
    ptrdiff_t bytes; /* or one of these values: */
};
enum { NCS_CAPTURE_OPEN = -1, NCS_CAPTURE_PLACE = -2 };

struct ncs_matcher {
    lua_State *L;
    const char *text, *text_end; /* both end in a zero byte behind the end */
    const char *pattern, *pattern_end;
    int depth;
    uint64_t steps, most; /* of all matches since the matcher was made */
    int captures;
    struct ncs_capture capture[NCS_PATTERN_CAPTURES];
};

/* The end of a match that begins at `at`; NULL = none. Raises if the pattern is malformed or the
 * steps are used up. The caller handles an anchor (^). */
const char *ncs_pattern_match(struct ncs_matcher *m, const char *at);

/* Pushes all captures of a match from `from` to `to`, or, if there are none and `whole`, the match.
 * Returns their number. */
int ncs_pattern_push(struct ncs_matcher *m, const char *from, const char *to, bool whole);
/* Puts find, gmatch, gsub and match of Lua's string library into the table on top. Their work
 * counts as instructions of the script. */
void ncs_lua_search(lua_State *L);

/* Pushes capture i, from 0. If the pattern has no captures, 0 is the match. */
void ncs_pattern_push_one(struct ncs_matcher *m, int i, const char *from, const char *to);

#endif
