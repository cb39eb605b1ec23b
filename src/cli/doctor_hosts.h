/* The report of `doctor --hosts`: what all processes have in common, and what differs. */
#ifndef NCS_CLI_DOCTOR_HOSTS_H
#define NCS_CLI_DOCTOR_HOSTS_H

#include "base/str.h"
#include "cli/doctor_compare.h"

/* 0 if nothing differs that counts, and all processes can make real runs; 1 otherwise. */
int ncs_doctor_hosts_status(const struct ncs_comparison *c);

/* A line "nccl        2.30.4", in the texts of both reports. */
void ncs_doctor_add_line(struct ncs_str *out, const char *key, const char *text);
void ncs_doctor_hosts_text(const struct ncs_comparison *c, struct ncs_str *out);
/* One line: an object of schema ncclscript.doctor-hosts/1. */
void ncs_doctor_hosts_json(const struct ncs_comparison *c, struct ncs_str *out);
/* The lines of a text, NULL or not, as an array. */
json_t *ncs_doctor_lines(const char *text);

#endif
