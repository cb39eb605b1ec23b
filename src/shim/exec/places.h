/* What the sites of a program are called in reports: "train.c:66", "train_step+0x1a2". */
#ifndef NCS_EXEC_PLACES_H
#define NCS_EXEC_PLACES_H

#include "api/journal.h"
#include "api/snapshot.h"
#include "base/str.h"
#include "report/places.h"

/* Finds the source lines of all sites, and gives the calls of the journal and the snapshot their places: calls at one
 * line have one place, and numbers have the order of lines. Once, before the diagnosis. */
void ncs_places_settle(struct ncs_journal *journal, struct ncs_snapshot *snapshot);

/* The place of a call as ncs_places_settle gave it to the call. */
struct ncs_place ncs_places_settled(struct ncs_place old);

/* "train.c:66"; NULL if the line is no site. While the program runs, a name is found when it is first asked for. */
const char *ncs_places_name(int line);
/* True if reports call the place so. */
bool ncs_places_is(int line, const char *name);

/* Appends " at train.c:66"; nothing if the line is no site. */
void ncs_places_add(struct ncs_str *out, int line);

/* Appends a line about sources that are newer than the program: their lines may have moved, so they are not quoted. */
void ncs_places_note(struct ncs_str *notes);

/* For reports. */
extern const struct ncs_report_places ncs_places;

#endif
