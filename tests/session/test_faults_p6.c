#include "each_fault.h"

int main(void)
{
    return each_fault("virtual:p6");
}
