#include <boxscore/boxscore.h>

int main(void)
{
    return 0;
}
