// Package attr carries what every log line of a piece of work should tell (request_id, account_id, job) in its
// context, so that the code that logs does not have to know it. The log handler adds them to each record.
package attr

import (
	"context"
	"log/slog"
	"slices"
)

type key struct{}

// With adds attributes to ctx. One with the same key as an earlier one replaces it.
func With(ctx context.Context, attrs ...slog.Attr) context.Context {
	all := slices.Clone(From(ctx))
	for _, a := range attrs {
		same := func(b slog.Attr) bool { return b.Key == a.Key }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i] = a
			continue
		}
		all = append(all, a)
	}
	return context.WithValue(ctx, key{}, all)
}

// From returns the attributes of ctx in the order in which their keys were first added. Do not change the slice.
func From(ctx context.Context) []slog.Attr {
	all, _ := ctx.Value(key{}).([]slog.Attr)
	return all
}
