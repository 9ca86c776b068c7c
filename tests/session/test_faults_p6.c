/* Faults at every register access on the P6. */
#include "each_fault.h"

int main(void)
{
    return each_fault("virtual:p6,part=plain");
}
