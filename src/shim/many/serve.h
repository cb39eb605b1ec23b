/* How `exec` starts the machine of a job of many processes (libncclscript-sim.so has these names). */
#ifndef NCS_SHIM_SERVE_H
#define NCS_SHIM_SERVE_H

/* Waits on the listening socket for processes of the program, and serves them until all have ended and `alive` is at its end;
 * a byte in `alive` tells that the program is about to be ended. Returns the exit status; the report is printed when the process
 * exits, or before. */
int ncs_many_serve(int listener, int alive);

/* Ends all processes of the job at once. */
void ncs_many_end_clients(void);

#endif
