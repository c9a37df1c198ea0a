package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

const maxName = 255

// freeName finds the name of a copy: "N (copy)", then "N (copy 2)" and so on, the first that is not among taken
// (lower case). A name too long for the ending is cut.
func freeName(name string, taken []string) string {
	for n := 1; ; n++ {
		ending := " (copy)"
		if n > 1 {
			ending = fmt.Sprintf(" (copy %d)", n)
		}
		runes := []rune(name)
		if room := maxName - len(ending); len(runes) > room {
			runes = runes[:room]
		}
		candidate := string(runes) + ending
		if !slices.Contains(taken, strings.ToLower(candidate)) {
			return candidate
		}
	}
}

// lockNames holds the account's row until the transaction ends, so that two calls at once that look before they write
// (for a free name, for room in the plan) come one after the other.
func (s *Store) lockNames(ctx context.Context, account uuid.UUID) error {
	_, err := get[uuid.UUID](ctx, s, "account", `SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE`, account)
	return err
}
