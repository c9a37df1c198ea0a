package safebrowsing

import (
	"slices"
	"testing"
)

// FuzzBinary: any answer is read or refused without a panic.
func FuzzBinary(f *testing.F) {
	f.Add([]byte("\x0a\x06\x0a\x02a/\x10\x01"))
	f.Add([]byte("{}"))
	f.Fuzz(func(_ *testing.T, body []byte) {
		_, _ = readThreats(body)
		_, _ = binaryStatus(body)
	})
}

// TestReadThreats reads types that are packed, types that are not, and unknown fields. A type that has no name yet keeps its
// number. An answer in another format is refused.
func TestReadThreats(t *testing.T) {
	t.Parallel()
	got, err := readThreats([]byte("\x12\x03\x08\xac\x02\x0a\x0f\x0a\x02a/\x10\x01\x12\x02\x02\x0f\x1d\x00\x00\x00\x00"))
	if err != nil || len(got) != 1 || got[0].url != "a/" || !slices.Equal(got[0].kinds, []string{"MALWARE", "SOCIAL_ENGINEERING", "15"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, body := range []string{"{}", "<html>", "\x0a\x7f", "\x0a\x02\x12\x05"} {
		if got, err := readThreats([]byte(body)); err == nil {
			t.Errorf("%q is %+v", body, got)
		}
	}
}
