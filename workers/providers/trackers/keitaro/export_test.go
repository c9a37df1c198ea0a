package keitaro

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

var FromPHP = fromPHP

// Address replaces Keitaro's macros by our tokens, for a tracker in which creative_id is sub-parameter 9, two traffic
// sources send the field "source" in different parameters, and the parameter camp fills ad_campaign_id.
func Address(raw string) string {
	r := &reader{extra: map[string]int{"creative_id": 9}, paramNames: map[string][]string{
		"source": {"site", "src"}, "ad_campaign_id": {"camp"},
	}}
	return r.address(raw)
}
