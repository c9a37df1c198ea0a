package oldtracker_test

import (
	"testing"

	"switchyard/workers/oldtracker"
)

// TestTarget checks the addresses to which postbacks are forwarded.
func TestTarget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, received, want string }{
		{"https://old.test", "/k/postback?a={x}&b=%20", "https://old.test/k/postback?a={x}&b=%20"},
		{"https://old.test/", "/postback?a=1", "https://old.test/postback?a=1"},
		{"https://old.test/click", "/click?cnv_id=1", "https://old.test/click?cnv_id=1"},
		{"https://old.test/pb?key=k", "/postback?a=1", "https://old.test/pb?key=k&a=1"},
		{"https://old.test?key=k", "/postback?a=1", "https://old.test?key=k&a=1"},
		{"http://203.0.114.5:8080", "/postback?a=1?2", "http://203.0.114.5:8080/postback?a=1?2"},
	} {
		if got := oldtracker.Target(c.base, c.received); got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.base, c.received, got, c.want)
		}
	}
}
