/* Names of addresses in this process's code, from the symbols of its files. */
#ifndef NCS_EXEC_SYMBOL_H
#define NCS_EXEC_SYMBOL_H

/* "train_step+0x1a2", or the file's "train+0x4711" if no symbol is known. Plain characters only; the
 * caller frees it. */
char *ncs_symbol_name(void *address);

#endif
