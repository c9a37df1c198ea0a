package correction

import "testing"

// TestIsTotal checks that a row is a total if its first filled cell begins with a word such as Total, and no letter follows the word.
func TestIsTotal(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]bool{
		"Total": true, "Total: Account": true, "Gesamt 7": true, "Sum\u00a0of all": true, "Totally": false, "Summeñ": false, "Total×2": true,
		"Total水": false, "Totalлист": false,
	} {
		l := line{}
		l.Cells = []string{"", first}
		if got := l.isTotal(); got != want {
			t.Errorf("%q: %v, want %v", first, got, want)
		}
	}
}
