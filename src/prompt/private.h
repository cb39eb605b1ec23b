/* Shared by the files of the room prompt. */
#ifndef NCS_PROMPT_PRIVATE_H
#define NCS_PROMPT_PRIVATE_H

#include "base/map.h"
#include "prompt/prompt.h"
#include "prompt/shell.h"
#include "report/text.h"
#include "scenario/scenario.h"
#include "script/session.h"

/* An input that changed the run, to be repeated when the run starts anew. */
enum input_kind { INPUT_LINE, INPUT_STEP, INPUT_GO };

struct input {
    enum input_kind kind;
    char *text; /* LINE: of Lua, without its address */
    int *rank;  /* LINE: its addressees; NULL: all */
    size_t ranks;
    int64_t events;              /* STEP */
    int line;                    /* LINE: number of its first line among all inputs */
    const struct ncs_code *code; /* LINE: its compiled code, if just read; NULL: read it again */
    char *failure;               /* LINE: the error of the first rank, if it failed on all its ranks; NULL = none */
    bool asks_help;              /* LINE: a call of help */
};

/* The settings of the command line; `:reset` and similar commands change them. */
struct settings {
    int ranks;  /* 0: the file's, or NCS_PROMPT_RANKS */
    int policy; /* -1: the file's */
    bool seeded;
    int64_t seed;
    char *file; /* NULL = none */
};

/* A rank's reply to the latest input. */
struct last_reply {
    char *text; /* NULL = nothing */
    bool failed;
};

struct ncs_tutor;

struct ncs_prompt {
    struct ncs_prompt_options options;
    struct ncs_tutor *tutor; /* gives a lesson; NULL = none */
    struct ncs_shell shell;  /* of a lesson with files */
    struct last_reply *last; /* by rank */
    bool helped;             /* the latest input was answered with help */
    struct settings settings;
    struct ncs_report_style style;

    struct ncs_scenario *scenario;
    struct ncs_session *session;
    struct ncs_run *_Atomic run; /* read by signal handlers; NULL: no run */
    struct ncs_diagnosis state;  /* state of the run; see prompt_look */
    struct ncs_snapshot snapshot;
    bool looked; /* state and snapshot are current */

    struct input *input;
    size_t inputs, inputs_room;
    int lines;          /* of all inputs */
    bool held;          /* time passes by `:step` alone */
    char absent[40];    /* a buffer that a lesson's check has asked for and that does not exist */
    uint64_t task_from; /* calls that were made before the task of a lesson */
    size_t seen_before; /* operations that were over before the latest input */
    bool dictated;      /* the lines come from a lesson's file, not from the user */
    bool silent;        /* inputs are being repeated: nothing is printed */

    struct ncs_str begun; /* input that continues */
    int *to;              /* its address; NULL: all */
    size_t tos;

    size_t errors_reported, expects_reported; /* serial of the last error printed; expectations printed */
    struct ncs_map wrongs_reported;           /* the printed ones among the kept wrong results, by call */
    uint64_t wrongs_counted;
    struct ncs_str waiting_printed; /* the waiting ranks as last printed */
};

/* ---- prompt.c ---- */

/* Ends the run if it has used up the memory budget. */
void prompt_end_if_spent(struct ncs_prompt *p);
/* Starts the run anew and repeats its first `inputs` inputs. If that fails, returns false and keeps the old run. */
bool prompt_restart(struct ncs_prompt *p, const struct settings *settings, size_t inputs, struct ncs_error *err);
void prompt_put(struct ncs_prompt *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void prompt_write(struct ncs_prompt *p, struct ncs_str *text);       /* and frees it */
void prompt_write_lines(struct ncs_prompt *p, struct ncs_str *text); /* the same, broken to the terminal's width */
int prompt_columns(const struct ncs_prompt *p);                      /* of the terminal; 0 = none */
/* Appends text that is a lesson's or a file's, line by line, so that a terminal does not obey it. */
void prompt_add_safe(struct ncs_str *out, const char *text);
void prompt_complain(struct ncs_prompt *p, const struct ncs_error *err);
/* Brings state and snapshot up to date. */
void prompt_look(struct ncs_prompt *p);
/* By the state that was last looked at: the rank waits or works on its last line; the rank was killed. */
bool prompt_busy(const struct ncs_prompt *p, int rank);
const struct ncs_snap_context *prompt_context(const struct ncs_prompt *p, int rank); /* NULL = unknown */
bool prompt_dead(const struct ncs_prompt *p, int rank);
void prompt_mark_seen(struct ncs_prompt *p); /* draw.c */
void prompt_forget_replies(struct ncs_prompt *p);
int prompt_ranks(const struct ncs_prompt *p);

/* ---- input.c ---- */

/* Carries out a new input, keeps it, and prints its effects. */
void prompt_do(struct ncs_prompt *p, struct input input);
/* Carries out an input without printing or keeping it. */
void prompt_redo(struct ncs_prompt *p, const struct input *input);
void prompt_input_free(struct input *input); /* the contents */

/* save.c: appends all lines as a scenario; returns how many failed, and are comments. */
size_t prompt_scenario(struct ncs_prompt *p, struct ncs_str *out);

/* ---- report.c ---- */

/* Prints the events since the last call of it. */
void prompt_report(struct ncs_prompt *p);
/* Appends who waits in the present state; nothing if no rank does. `all`: without a limit of lines. */
void prompt_waiting(struct ncs_prompt *p, bool all, struct ncs_str *out);
bool prompt_somebody_waits(const struct ncs_prompt *p); /* by the state that was last looked at */

void prompt_help(const struct ncs_prompt *p, const char *topic, struct ncs_str *out);

/* ---- commands.c, show.c ---- */

/* Appends the list of what can be typed. */
void prompt_overview(const struct ncs_prompt *p, struct ncs_str *out);

/* Carries out ":waits" ...; false: the user leaves the prompt. */
bool prompt_command(struct ncs_prompt *p, const char *line);

struct prompt_command {
    const char *name, *arguments, *text;
    bool (*run)(struct ncs_prompt *p, const char *arguments);
};
extern const struct prompt_command prompt_commands[]; /* a name of NULL at the end */

/* tutor.c */
extern const struct prompt_command tutor_commands[];
void tutor_after(struct ncs_prompt *p);         /* a line has been done */
void tutor_after_command(struct ncs_prompt *p); /* one of the shell */
void tutor_after_restart(struct ncs_prompt *p);
bool tutor_takes_answer(struct ncs_prompt *p, const char *line); /* false: the line is none */
void tutor_empty_line(struct ncs_prompt *p);

bool show_ranks(struct ncs_prompt *p, const char *arguments);
bool show_comms(struct ncs_prompt *p, const char *arguments);
bool show_streams(struct ncs_prompt *p, const char *arguments);
bool show_buffers(struct ncs_prompt *p, const char *arguments);
bool show_waits(struct ncs_prompt *p, const char *arguments);
bool show_why(struct ncs_prompt *p, const char *arguments);
bool show_journal(struct ncs_prompt *p, const char *arguments);
bool show_time(struct ncs_prompt *p, const char *arguments);
bool show_drawing(struct ncs_prompt *p, const char *arguments); /* draw.c */

#endif
