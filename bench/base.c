/* A program that is linked to a shared library of one function (bench/one.c), and calls it. */
int bench_one(int n);

int main(void)
{
    return bench_one(0);
}
