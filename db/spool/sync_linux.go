package spool

import "syscall"

// syncData writes the bytes and the size of the file to stable storage, but not its timestamps.
func (f realFile) syncData() error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
