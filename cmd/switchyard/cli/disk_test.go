package cli

import (
	"os"
	"testing"

	"switchyard/db/spool"
	"switchyard/models"
)

// TestDiskCheck: the disk check fails after a refused write. It is optional, so the process stays ready.
func TestDiskCheck(t *testing.T) {
	t.Parallel()
	open := func() (line, string) {
		dir := t.TempDir()
		s, err := spool.Open(dir, spool.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return line{spool: s}, dir
	}
	clicks, _ := open()
	postbacks, dir := open()
	if free := freeRatio(dir); free <= 0 || free > 1 {
		t.Errorf("the free part of the volume is %v, want more than 0 and at most 1", free)
	}
	track := &tracking{clicks: clicks, postbacks: postbacks}
	check := track.checks("/proc")[0] // /proc has no size, which does not count as full
	if check.Name != "disk" || !check.Optional || check.Advice == "" {
		t.Errorf("the first check is %+v, want the optional check disk with an advice", check)
	}
	if err := check.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := postbacks.spool.Append(t.Context(), spool.Record{Click: &models.Click{ID: models.NewClickID()}}); err == nil {
		t.Fatal("a spool whose directory was removed accepted a record")
	}
	if err := check.Run(t.Context()); err == nil {
		t.Error("the check passes after a refused write")
	}
}
