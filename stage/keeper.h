/* A process between the stage and its program, so that nothing that the program starts outlives
 * either of them, however they end. */
#ifndef BX_STAGE_KEEPER_H
#define BX_STAGE_KEEPER_H

/* To be called in a child process. It goes on in a child of its own, the program to be, and returns
 * there only; here it keeps that one and ends with its exit status, as a shell gives it, after
 * having ended all that it left. Signals that processes send here are passed on to it. */
void bx_keep(void);

#endif
