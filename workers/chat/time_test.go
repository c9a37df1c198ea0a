package chat

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/workers/providers/ai"
)

// TestLookupsEndEarly checks that slow look-ups leave time for the model's last turn.
func TestLookupsEndEarly(t *testing.T) {
	t.Parallel()
	read := 0
	s := &session{mark: "data-x", worker: &worker{o: Options{Reads: func(uuid.UUID) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			read++
			<-r.Context().Done()
		})
	}}}}
	ctx, cancel := context.WithTimeout(t.Context(), finalTime+50*time.Millisecond)
	defer cancel()
	c := ai.Call{Name: "list_suggestions", Arguments: "{}"}
	out := s.results(ctx, []ai.Call{c, c, c})
	if ctx.Err() != nil || !s.mustEnd(ctx) {
		t.Error("the last turn has too little time, or is not marked as final")
	}
	if read > 1 || len(out) != 3 || !strings.Contains(out[2].Text, "no time for more") || !out[2].Failed {
		t.Errorf("%d look-ups: %+v", read, out)
	}
}
