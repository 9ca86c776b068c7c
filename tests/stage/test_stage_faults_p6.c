#include "stage/spoilt.h"

int main(void)
{
    return inject_faults("virtual:p6");
}
