package token_test

import (
	"fmt"
	"testing"
	"time"

	"switchyard/models/token"
)

// A template is compiled once and expanded for any number of clicks.
func Example() {
	template := token.Compile("https://shop.example/{country}?click={clickid}&sub={sub1}&raw={_sub1}&{unknown}")
	click := values{"country": "DE", "clickid": "AbC123", "sub1": "a b&c"}
	fmt.Println(string(template.Expand(nil, click)))
	// Output:
	// https://shop.example/DE?click=AbC123&sub=a%20b%26c&raw=a%20b&c&{unknown}
}

func TestExample(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	got := token.Example("https://a.example/{country}?c={clickid}&s={sub3}&k={keyword}&t={timestamp}&r={random:5,9}&x={what}", at)
	want := "https://a.example/US?c=0000000000000000000000&s=test3&k=test&t=1772323200&r=5&x={what}"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if plain := "https://a.example/p?q=1"; token.Example(plain, at) != plain {
		t.Error("an address without tokens is changed")
	}
}
