package bind_test

import (
	"net/url"
	"testing"

	"switchyard/models"
	"switchyard/models/bind"
)

// TestInt reads whole numbers of a query. A number outside the range becomes the nearest number in the range, even if it does not
// fit into 64 bits. A text that is not a whole number is refused.
func TestInt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 20, "7": 7, "+7": 7, "-7": 1, "0": 1, "500": 100, "99999999999999999999": 100, "+99999999999999999999": 100, "-99999999999999999999": 1,
	} {
		if got, err := bind.Int(url.Values{"limit": {text}}, "limit", 20, 1, 100); err != nil || got != want {
			t.Errorf("%q is read as %d, want %d: %v", text, got, want, err)
		}
	}
	for _, text := range []string{"x", "1.5", "+-5", "--5", "-", "5-", "1_000", " 5"} {
		got, err := bind.Int(url.Values{"limit": {text}}, "limit", 20, 1, 100)
		if e, ok := models.AsError(err); !ok || e.Code != "invalid_input" {
			t.Errorf("%q is read as %d, want the error invalid_input: %v", text, got, err)
		}
	}
}
