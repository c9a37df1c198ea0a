package adupload

import (
	"encoding/base64"
	"testing"

	"switchyard/models"
)

// TestPage checks that platforms get the address of the page, without the parts that contain our id of the click or identify
// the visitor.
func TestPage(t *testing.T) {
	t.Parallel()
	c := models.Click{ID: models.NewClickID()}
	id := models.FormatClickID(c.ID)
	// A landing page's key has the id of the click among its bytes.
	key := base64.RawURLEncoding.EncodeToString(append([]byte{1, 2}, append(c.ID[:], 3, 4)...))
	for destination, want := range map[string]string{
		"https://lander.example/page?a=1&clickid=" + id + "&b=%20x#top":    "https://lander.example/page?a=1&b=%20x",
		"https://u:p@lander.example/?lp_key=" + key + "&fbclid=abc":        "https://lander.example/?fbclid=abc",
		"https://offer.example/go/" + id + "?aff=7":                        "https://offer.example/?aff=7",
		"https://offer.example/?s1=x-" + id:                                "https://offer.example/",
		"https://offer.example/?s=" + c.ID.String() + "&&u=%zz":            "https://offer.example/",
		"https://lander.example":                                           "https://lander.example",
		"https://offer.example/?email=jane%40x.example&x=jane@x.example&y": "https://offer.example/?y",
		"javascript:alert(1)":                                              "",
		"//lander.example/":                                                "",
		"":                                                                 "",
	} {
		c.Destination = destination
		if got := pageOf(c); got != want {
			t.Errorf("%s: %q, want %q", destination, got, want)
		}
	}
}
