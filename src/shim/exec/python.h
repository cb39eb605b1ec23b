/* The line of Python that makes a call of NCCL or CUDA through a binding. */
#ifndef NCS_EXEC_PYTHON_H
#define NCS_EXEC_PYTHON_H

/* The site of the calling thread's innermost Python frame that is of the program's own; if all frames belong to
 * installed packages, of the innermost one. A thread of an engine in C has the site of the thread that it works for (NCS_SITE_ELSEWHERE). 0 = unknown. */
int ncs_python_site(void);

#endif
