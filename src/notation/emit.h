/* Writes the translation: lines of Lua, each mapped to its line of YAML. The file has been checked before. */
#ifndef NCS_NOTATION_EMIT_H
#define NCS_NOTATION_EMIT_H

#include "notation/notation.h"
#include "notation/scope.h"

struct ncs_emitter {
    struct ncs_scope *scope;
    struct ncs_translation *out;
    size_t room; /* of out->line */
    int last;    /* line of YAML of the last line */
    int indent;
    bool flat;                            /* names are globals of the file, because there are too many for locals */
    bool in_function;                     /* locals that are made here are invisible to later steps */
    bool split;                           /* long lists of steps become functions */
    bool wide;                            /* each option gets its own line */
    const char *loops[NCS_STEPS_DEEPEST]; /* loop variables of the enclosing repeats */
    size_t loop_count;
};

/* ---- lines ---- */

void ncs_emit_begin(struct ncs_emitter *s, struct ncs_span at); /* begins a line with its indentation */
void ncs_emit_begin_again(struct ncs_emitter *s);               /* begins a line for the same line of YAML */
void ncs_emit(struct ncs_emitter *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ncs_emit_end(struct ncs_emitter *s);
/* A whole line for this place, and one for the same line of YAML as the line before. */
void ncs_emit_line_at(struct ncs_emitter *s, struct ncs_span at, const char *text);
void ncs_emit_line(struct ncs_emitter *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The line that ends a block: its indentation is that of the block's begin. */
void ncs_emit_close(struct ncs_emitter *s, const char *end);
/* True if the current line is too long. */
bool ncs_emit_is_long(const struct ncs_emitter *s);
void ncs_emit_blank(struct ncs_emitter *s, struct ncs_span at);
/* The line of YAML at which a scalar's text begins; *step is the lines of YAML per further line of text. */
int ncs_emit_lines_of(const struct ncs_emitter *s, const struct ncs_yaml_node *scalar, int *step);
void ncs_emit_begin_at(struct ncs_emitter *s, int line);

/* ---- values ---- */

void ncs_emit_quoted(struct ncs_emitter *s, const char *text, size_t bytes);
void ncs_emit_literal(struct ncs_emitter *s, const struct ncs_yaml_node *node);
/* Emits a number of repetitions, with a run-time check that it is a whole number. */
void ncs_emit_times(struct ncs_emitter *s, const struct ncs_yaml_node *node);
void ncs_emit_expression(struct ncs_emitter *s, const struct ncs_yaml_node *node);
void ncs_emit_text(struct ncs_emitter *s, const struct ncs_yaml_node *node);
void ncs_emit_list(struct ncs_emitter *s, const struct ncs_yaml_node *list);
void ncs_emit_value(struct ncs_emitter *s, const struct ncs_schema_field *field, const struct ncs_yaml_node *node);
/* Emits the object before a method's colon, at the beginning of a statement unless `inside`. */
void ncs_emit_object(struct ncs_emitter *s, const struct ncs_yaml_node *node, const char *otherwise, bool inside);

/* ---- calls ---- */

/* Emits (ARGUMENTS, { OPTIONS, label }) of fields, from `map` or else from the step; with `step` NULL, no label. */
void ncs_emit_call(struct ncs_emitter *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map,
                   const struct ncs_step *step);
/* Emits `open` NAME = VALUE, NAME = VALUE ...; `emitted` options were emitted before. Returns their number now. */
size_t ncs_emit_options(struct ncs_emitter *s, const struct ncs_schema_field *fields, const struct ncs_yaml_node *map,
                        const struct ncs_step *step, const char *open, size_t emitted);
/* Emits the label of a step whose call takes none, as a comment on a line of its own. */
void ncs_emit_label_above(struct ncs_emitter *s, const struct ncs_step *step);
/* Emits `local NAME = ` or `NAME = `. */
void ncs_emit_new(struct ncs_emitter *s, const char *name, bool local);

/* A free name for a local that only the translation uses: `name`, followed by '_' while the file uses that name. */
#define NCS_OWN_ROOM 64
const char *ncs_emit_own(const struct ncs_emitter *s, const char *name, char room[NCS_OWN_ROOM]);

/* ---- parts ---- */

void ncs_emit_scenario(struct ncs_emitter *s);
void ncs_emit_sections(struct ncs_emitter *s);
void ncs_emit_steps(struct ncs_emitter *s, const struct ncs_yaml_node *list);

/* ---- verbs ---- */

void ncs_emit_grow(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_destroy(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_add(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_sync(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_sleep(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_barrier(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_do(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_group(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_repeat(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_graph(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_thread(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_expect(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_fault(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_print(struct ncs_emitter *s, const struct ncs_step *step);
void ncs_emit_lua(struct ncs_emitter *s, const struct ncs_step *step);

#endif
