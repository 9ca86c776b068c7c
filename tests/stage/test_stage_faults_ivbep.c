/* Faulty device files on Ivy Bridge-EP. */
#include "stage/fault_injection.h"

int main(void)
{
    return inject_faults("virtual:ivbep,part=plain");
}
