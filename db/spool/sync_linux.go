package spool

import "syscall"

// syncData brings the bytes and the size of the file to stable storage, not its times.
func (f realFile) syncData() error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
