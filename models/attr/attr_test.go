package attr_test

import (
	"log/slog"
	"reflect"
	"testing"

	"switchyard/models/attr"
)

func TestWith(t *testing.T) {
	t.Parallel()
	if got := attr.From(t.Context()); got != nil {
		t.Errorf("an empty context has %v", got)
	}
	outer := attr.With(t.Context(), slog.String("request_id", "r1"), slog.String("account_id", "a"))
	inner := attr.With(outer, slog.String("request_id", "r2"), slog.Int("attempt", 3))
	want := []slog.Attr{slog.String("request_id", "r2"), slog.String("account_id", "a"), slog.Int("attempt", 3)}
	if got := attr.From(inner); !reflect.DeepEqual(got, want) {
		t.Errorf("inner = %v, want %v", got, want)
	}
	want = []slog.Attr{slog.String("request_id", "r1"), slog.String("account_id", "a")}
	if got := attr.From(outer); !reflect.DeepEqual(got, want) {
		t.Errorf("the outer context changed to %v, want %v", got, want)
	}
}
