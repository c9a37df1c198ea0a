package cli

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// setNice sets the priority of the process. 0 is the usual priority, and 19 the lowest. Linux keeps a priority for each thread, and
// a new thread inherits it.
func setNice(nice int) error {
	for range 2 { // the second pass reaches threads started during the first
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err == nil {
				err = unix.Setpriority(unix.PRIO_PROCESS, id, nice)
			}
			if err != nil && !errors.Is(err, unix.ESRCH) { // ESRCH: the thread has ended
				return err
			}
		}
	}
	return nil
}
