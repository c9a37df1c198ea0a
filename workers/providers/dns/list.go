package dns

import (
	"errors"

	"github.com/libdns/libdns"
)

// maxPages is how many pages of a list are read.
const maxPages = 200

// pages reads a list page by page, from page 1, as long as there are more.
func pages[T any](page func(n int) (items []T, more bool, err error)) ([]T, error) {
	var all []T
	for n := 1; n <= maxPages; n++ {
		items, more, err := page(n)
		if err != nil {
			return nil, err
		}
		if all = append(all, items...); !more || len(items) == 0 {
			return all, nil
		}
	}
	return nil, errors.New("the provider's list has too many pages")
}

// names are the names of zones.
func names[Z ~struct{ Name string }](zones []Z) []string {
	out := make([]string, len(zones))
	for i, z := range zones {
		out[i] = struct{ Name string }(z).Name
	}
	return out
}

// withName are the records with a name.
func withName(list []libdns.Record, name string) []libdns.RR {
	var out []libdns.RR
	for _, record := range list {
		if r := record.RR(); bare(r.Name) == bare(name) {
			out = append(out, r)
		}
	}
	return out
}
