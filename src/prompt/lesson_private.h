/* A lesson as it was read: its texts are copies, so that the lesson's own code cannot change them. */
#ifndef NCS_PROMPT_LESSON_PRIVATE_H
#define NCS_PROMPT_LESSON_PRIVATE_H

#include <lua.h>

#include "prompt/lesson.h"
#include "script/heap.h"

#define NCS_LESSON_MARKING "ncclscript.marking" /* of the registry: the functions of lua/marking.lua */

struct lesson_pair {
    char *first, *second;
};

/* A list of texts, or of pairs of texts. */
struct lesson_list {
    struct lesson_pair *item;
    size_t items, room;
};

enum lesson_text { LESSON_TEXT, LESSON_SETUP, LESSON_TASK, LESSON_RIGHT, LESSON_SOLUTION, LESSON_ANSWER, LESSON_TEXTS };

struct lesson_step {
    char *text[LESSON_TEXTS]; /* NULL = the step has none */
    struct lesson_list hints; /* first alone */
    struct lesson_list wrong; /* what is typed, and (a part of) the reply */
    struct lesson_list files; /* name and text, by name */
    bool fills, reply, has_calls;
    int table, check; /* references to the step's table and its function; check: LUA_NOREF = none */
};

struct ncs_lesson {
    struct ncs_heap heap;
    int64_t left; /* instructions of the function that runs */
    lua_State *L;
    char *name, *title;
    int ranks;
    struct lesson_step *step;
    size_t steps;
};

/* Calls the lesson's own code, with limited steps and memory. */
int lesson_call(struct ncs_lesson *l, int args, int results);
/* Opens the libraries that lessons have. */
void lesson_open_libraries(lua_State *L);

#endif
