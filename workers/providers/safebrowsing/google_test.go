package safebrowsing

import "testing"

// TestIsExpression: in place of the requested address, the list may name a parent of its host and the beginning of its path.
func TestIsExpression(t *testing.T) {
	t.Parallel()
	const asked = "https://shop.a.example/buy/now.html?x=1"
	for listed, want := range map[string]bool{
		asked: true, "a.example/": true, "http://a.example/buy/": true, "shop.a.example/buy/now.html": true,
		"shop.a.example/buy/now.html?x=1": true, "shop.a.example": true, "https://SHOP.a.example/": true,
		"shop.a.example/buy/now.html?x=2": false, "b.example/": false, "hop.a.example/": false, "a.example/bu": false,
		"a.example/sell/": false, "other.a.example/": false, "://": false,
	} {
		if got := isExpression(listed, asked); got != want {
			t.Errorf("isExpression(%q) is %v", listed, got)
		}
	}
}
