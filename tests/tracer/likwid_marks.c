/* A program with all of LIKWID's instrumentation marks. */
#include <likwid-marker.h>

int main(void)
{
    int nevents = 3, count = 5;
    double events[3] = {1, 2, 3}, time = 4;
    (void)events;
    LIKWID_MARKER_INIT;
    LIKWID_MARKER_THREADINIT;
    LIKWID_MARKER_REGISTER("solve");
    for (int i = 0; i < 7; i++) {
        LIKWID_MARKER_START("solve");
        LIKWID_MARKER_STOP("solve");
        LIKWID_MARKER_SWITCH;
    }
    LIKWID_MARKER_START("again");
    LIKWID_MARKER_STOP("again");
    LIKWID_MARKER_RESET("again");
    LIKWID_MARKER_GET("solve", &nevents, events, &time, &count);
    LIKWID_MARKER_WRITE_FILE("/dev/null");
    LIKWID_MARKER_CLOSE;
    return nevents + count + (int)time;
}
