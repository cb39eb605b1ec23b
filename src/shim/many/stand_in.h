/* The threads that stand in for those of the program, and the way back: functions of the program that the machine runs. */
#ifndef NCS_SHIM_STAND_IN_H
#define NCS_SHIM_STAND_IN_H

#include "shim/many/server.h"

/* Starts a thread that makes the calls of one of the program, and copies `given`. False: there can be no more threads. */
bool stand_in_start(const struct stand_in *given);

#endif
