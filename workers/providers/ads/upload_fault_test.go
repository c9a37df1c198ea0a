package ads

import (
	"fmt"
	"testing"
)

// TestTikTokCodes: only codes about the token, the app and the pixel count as a refusal of the credentials.
func TestTikTokCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		40001: "refused", 40105: "refused", 40000: "event", 40002: "event", 40062: "event", 40100: "busy", 40132: "busy", 40007: "", 40202: "",
		40700: "", 50000: "",
	} {
		f := tiktokFault(200, fmt.Appendf(nil, `{"code":%d,"message":"words","request_id":"r","data":{}}`, code))
		got := ""
		switch {
		case f.refused:
			got = "refused"
		case f.event:
			got = "event"
		case f.after > 0:
			got = "busy"
		}
		if got != want {
			t.Errorf("code %d: %q, want %q", code, got, want)
		}
	}
}

// TestMetaCodes: the code of a rate limit asks for a pause, and is no refusal of the credentials.
func TestMetaCodes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{4, 80004, 80005, 80006, 80008} {
		if f := metaFault(400, fmt.Appendf(nil, `{"error":{"message":"words","code":%d}}`, code)); f.after == 0 || f.refused {
			t.Errorf("code %d: %+v", code, f)
		}
	}
}
