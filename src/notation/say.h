/* Writing the translation: lines of Lua, each of which knows its line of YAML. What is said has been
 * checked before. */
#ifndef NCS_NOTATION_SAY_H
#define NCS_NOTATION_SAY_H

#include "notation/notation.h"
#include "notation/scene.h"

struct ncs_speech {
    struct ncs_scene *scene;
    struct ncs_translation *out;
    size_t room;         /* of out->line */
    int last;            /* line of YAML of the last line */
    int indent;
    bool flat;           /* names are globals of the file's own, there are too many for locals */
    bool in_function;    /* locals that are made here are not seen below */
    bool split;          /* long lists of steps become functions */
    bool wide;           /* each option has a line of its own */
    const char *loops[NCS_STEPS_DEEPEST]; /* names of the counts of the repeats around */
    size_t loop_count;
};

/* ---- lines ---- */

void ncs_say_begin(struct ncs_speech *s, struct ncs_span at); /* a line; says its indentation */
void ncs_say_begin_again(struct ncs_speech *s);               /* of the same line of YAML */
void ncs_say(struct ncs_speech *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ncs_say_end(struct ncs_speech *s);
/* Is the line that is being said too long? */
bool ncs_say_is_long(const struct ncs_speech *s);
void ncs_say_blank(struct ncs_speech *s, struct ncs_span at);
/* The line of YAML of a scalar's text, and of further lines of that text: *step more for each. */
int ncs_say_lines_of(const struct ncs_speech *s, const struct ncs_yaml_node *scalar, int *step);
void ncs_say_begin_at(struct ncs_speech *s, int line);

/* ---- values ---- */

void ncs_say_quoted(struct ncs_speech *s, const char *text, size_t bytes);
void ncs_say_literal(struct ncs_speech *s, const struct ncs_yaml_node *node);
/* How often something is repeated: what is no whole number is an error. */
void ncs_say_times(struct ncs_speech *s, const struct ncs_yaml_node *node);
void ncs_say_expression(struct ncs_speech *s, const struct ncs_yaml_node *node);
void ncs_say_text(struct ncs_speech *s, const struct ncs_yaml_node *node);
void ncs_say_list(struct ncs_speech *s, const struct ncs_yaml_node *list);
void ncs_say_value(struct ncs_speech *s, const struct ncs_form_field *field,
                   const struct ncs_yaml_node *node);
/* What stands before a method's colon, at the beginning of a statement unless `inside`. */
void ncs_say_object(struct ncs_speech *s, const struct ncs_yaml_node *node, const char *otherwise,
                    bool inside);

/* ---- calls ---- */

/* (ARGUMENTS, { OPTIONS, label }) of fields, as `map` gives them or else the step; `step` NULL: without
 * a label. */
void ncs_say_call(struct ncs_speech *s, const struct ncs_form_field *fields,
                  const struct ncs_yaml_node *map, const struct ncs_step *step);
/* `open` NAME = VALUE, NAME = VALUE ...; how many there are then, `said` of them before. */
size_t ncs_say_options(struct ncs_speech *s, const struct ncs_form_field *fields,
                       const struct ncs_yaml_node *map, const struct ncs_step *step,
                       const char *open, size_t said);
/* The label of a step whose call takes none, as a comment on a line of its own. */
void ncs_say_label_above(struct ncs_speech *s, const struct ncs_step *step);
/* `local NAME = ` or `NAME = `. */
void ncs_say_new(struct ncs_speech *s, const char *name, bool local);

/* A name for a local of the translation's own: `name`, with '_' behind it while the file has one. */
#define NCS_OWN_ROOM 64
const char *ncs_say_own(const struct ncs_speech *s, const char *name, char room[NCS_OWN_ROOM]);

/* ---- parts ---- */

void ncs_say_scenario(struct ncs_speech *s);
void ncs_say_sections(struct ncs_speech *s);
void ncs_say_steps(struct ncs_speech *s, const struct ncs_yaml_node *list);
void ncs_say_declared(struct ncs_speech *s, const struct ncs_form_field *field,
                      const struct ncs_yaml_node *node);

/* ---- verbs ---- */

void ncs_say_grow(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_destroy(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_add(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_sync(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_sleep(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_barrier(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_do(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_group(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_repeat(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_thread(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_expect(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_fault(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_print(struct ncs_speech *s, const struct ncs_step *step);
void ncs_say_lua(struct ncs_speech *s, const struct ncs_step *step);

#endif
