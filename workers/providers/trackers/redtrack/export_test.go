package redtrack

import (
	"context"
	"net/http"
	"time"

	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
)

// ReadAtOnce is Read without waiting. It also returns the longest single wait that Read would have made.
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

// NewTestLog returns a Log that calls wait instead of sleeping.
func NewTestLog(client *http.Client, access trackers.Access, zone *time.Location, wait func(time.Duration)) (*Log, error) {
	log, err := NewLog(client, access, zone, LogEvery)
	if err == nil {
		log.api.Wait = func(_ context.Context, d time.Duration) error {
			wait(d)
			return nil
		}
	}
	return log, err
}
