package main

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// setNice makes the process give way to others on its machine: 0 not at all, 19 as far as possible. Linux keeps it for
// each thread, and new ones have that of the thread that starts them.
func setNice(nice int) error {
	for range 2 { // threads that were started meanwhile
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err == nil {
				err = unix.Setpriority(unix.PRIO_PROCESS, id, nice)
			}
			if err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
				return err
			}
		}
	}
	return nil
}
