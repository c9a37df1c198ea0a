//go:build !linux

package spool

func (f realFile) syncData() error { return f.Sync() }
