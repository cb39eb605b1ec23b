/* Unwritten memory (sim/data/unwritten.h) in meetings: what a rank receives is as unwritten as what was sent. Call these
 * when the data have moved, but for the check. */
#ifndef NCS_SIM_CARRY_H
#define NCS_SIM_CARRY_H

#include <stddef.h>

struct meeting;
struct part;

/* Before the data move. */
void sim_carry_check(const struct meeting *meeting);
void sim_carry_collective(const struct meeting *meeting);
/* So many bytes of the pair have moved to its receive. */
void sim_carry_pair(const struct meeting *meeting, size_t bytes);
/* The send has run ahead: the meeting keeps what is unwritten of its bytes. */
void sim_carry_ahead(struct meeting *meeting);
/* The part's bytes were put to that address. */
void sim_carry_put(const struct part *part, void *to);

#endif
