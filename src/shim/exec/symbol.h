/* Names of places in the code of this process, from the symbols of its files. */
#ifndef NCS_EXEC_SYMBOL_H
#define NCS_EXEC_SYMBOL_H

/* "train_step+0x1a2", or "train+0x4711" by the file where no symbol is known. The caller's. Of plain
 * characters only. */
char *ncs_symbol_name(void *address);

#endif
