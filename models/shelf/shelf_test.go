package shelf_test

import (
	"testing"
	"unsafe"

	"switchyard/models/shelf"
)

func TestTextsStandSideBySide(t *testing.T) {
	t.Parallel()
	s := shelf.New(10)
	var got []string
	for _, text := range []string{"one", "", "seven", "12"} {
		got = append(got, s.Put(text))
	}
	if got[0] != "one" || got[1] != "" || got[2] != "seven" || got[3] != "12" {
		t.Fatalf("%q", got)
	}
	if first, last := unsafe.StringData(got[0]), unsafe.StringData(got[3]); unsafe.Add(unsafe.Pointer(first), 8) != unsafe.Pointer(last) {
		t.Error("the texts were moved")
	}
}
