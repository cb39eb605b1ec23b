/* Faults that exec's options ask for: when they are due, and what happens then. */
#ifndef NCS_SHIM_FAULT_H
#define NCS_SHIM_FAULT_H

#include "api/driver.h"
#include "base/str.h"
#include "run/notices.h"

/* Reads the list (run/fault_text.h) and watches the journal's calls. Warns about a list that is not valid. */
void ncs_exec_faults_open(const char *text, const struct ncs_machine *machine, struct ncs_journal *journal);
/* If faults stopped every thread that has a rank, adds that to the notices and returns true. */
bool ncs_exec_faults_lost(struct ncs_notices *notices);
/* Appends a line for each thread without a rank that a fault stopped: findings cannot name it. */
void ncs_exec_faults_unnamed(struct ncs_str *out);
/* True if a fault stopped some thread. */
bool ncs_exec_faults_stopped(void);
/* Appends a line for each fault that waited for a call that never came. */
void ncs_exec_faults_unused(const struct ncs_journal *journal, struct ncs_str *out);

#endif
