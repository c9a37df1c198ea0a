package token

import "testing"

func TestIsURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"https://a.example": true, "HTTP://a.example/p?q={clickid}#f": true, "https://{param.host}/x": true,
		"https://a.example/{date:YYYY-MM-DD,UTC}": true, "http://[::1]:80/": true, "http://ümlaut.example/": true,
		"": false, "a.example": false, "//a.example": false, "ftp://a.example": false, "javascript:alert(1)": false,
		"https://": false, "https:///x": false, "https://a b": false, "https://a\n.example": false, "https://a.example:x": false,
	} {
		if got := IsURL(url); got != want {
			t.Errorf("%q: %v", url, got)
		}
	}
}
