/* The script that an interpreter runs: it names a program better than the interpreter does. */
#ifndef NCS_BASE_INTERPRETER_H
#define NCS_BASE_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>

/* The script or module that this command line runs: train.py of `python3 -u train.py`, and of `torchrun --nproc-per-node 8
 * train.py`; pkg.train of `python3 -m pkg.train`. The program itself, argv[0], if it is no interpreter that this file knows, or if
 * there is no script, as in `python3 -c`. A part of argv. */
const char *ncs_interpreter_script(char *const *argv);

/* The same for the running process. Copies it into `out`, which is left empty if the kernel does not show the command line. */
void ncs_interpreter_own_script(char *out, size_t room);

/* The same for any process. False: it is an interpreter without a script, or the kernel does not show its command line. */
bool ncs_interpreter_script_of(int process, char *out, size_t room);

#endif
