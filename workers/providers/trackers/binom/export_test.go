package binom

import (
	"context"
	"net/http"
	"time"

	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
)

// ReadAtOnce reads like Read, but without waiting. It also returns the longest wait that it has left out.
func ReadAtOnce(ctx context.Context, client *http.Client, access trackers.Access) (trackerimport.Result, time.Duration, error) {
	var longest time.Duration
	api, host, err := newAPI(client, access)
	if err != nil {
		return trackerimport.Result{}, 0, err
	}
	api.Wait = func(_ context.Context, d time.Duration) error {
		longest = max(longest, d)
		return nil
	}
	result, err := read(ctx, api, host, nil)
	return result, longest, err
}
