//go:build !linux

package clicklog

func (f realFile) syncData() error { return f.Sync() }
