package cli

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestStoppingTellsWhoWaits: when the process stops, a request that takes too long gets an answer before the process ends.
func TestStoppingTellsWhoWaits(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- web{finish: 3 * time.Second}.answer(ctx, l, &handlers{click: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stop()
			<-r.Context().Done()
			w.WriteHeader(http.StatusAccepted)
		})})
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := http.DefaultClient.Do(req); err != nil {
		t.Error(err)
	} else if err := got.Body.Close(); err != nil || got.StatusCode != http.StatusAccepted {
		t.Errorf("the waiting request is answered with %d, want 202: %v", got.StatusCode, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
