package v1_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
)

// twoPaths makes a campaign with the paths A and B. It returns the flow's address in the API and its paths.
func (d *campaignEnv) twoPaths(t *testing.T) (flowPath string, streams []map[string]any) {
	t.Helper()
	a := map[string]any{"name": "A", "action": "offer", "daily_cap": 5, "destinations": []any{
		map[string]any{"id": d.offer}, map[string]any{"url": "https://x.example", "weight": 50},
	}}
	made := d.make(t, with(d.campaign("Two"), "streams", []any{a, redirectPath("B")}))
	return campaignPath(made["id"]) + "/flow", streamsOf(made)
}

func TestChangePath(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	flowPath, streams := d.twoPaths(t)
	one, two := streams[0]["id"], streams[1]["id"]
	read := d.Do("GET", flowPath, nil).Want(200, "")
	version := read.Map()["version"]
	if tag := read.Header.Get("ETag"); tag != fmt.Sprintf("%q", version) {
		t.Errorf("the ETag is %s, want the version %v", tag, version)
	}
	same(t, d.Do("PUT", flowPath, read.Map()).Want(200, "").Map(), map[string]any{"version": version}) // the same flow keeps its version

	changed := d.Do("PATCH", flowPath, map[string]any{
		"path_id": one, "weight": 7, "is_active": false, "daily_cap": nil,
		"destinations": []any{map[string]any{"id": d.offer, "weight": 1}},
	}, "If-Match", fmt.Sprintf("W/%q", version)).Want(200, "")
	paths := streamsOf(changed.Map())
	same(t, paths[0], map[string]any{"id": one, "name": "A", "weight": 7.0, "is_active": false, "daily_cap": nil})
	same(t, paths[0]["destinations"].([]any)[0].(map[string]any), map[string]any{"id": d.offer, "weight": 1.0})
	same(t, paths[0]["destinations"].([]any)[1].(map[string]any), map[string]any{"url": "https://x.example", "weight": 50.0})
	same(t, paths[1], streams[1])
	if now := changed.Map()["version"]; now == version || changed.Header.Get("ETag") != fmt.Sprintf("%q", now) {
		t.Errorf("after the change the version is %v (before: %v) and the ETag %s, want a new version in both",
			now, version, changed.Header.Get("ETag"))
	}

	old := fmt.Sprintf("%q", version)
	d.Do("PUT", flowPath, read.Map(), "If-Match", old).Want(409, "stale")
	d.Do("PATCH", flowPath, map[string]any{"path_id": one, "weight": 1}, "If-Match", old).Want(409, "stale")
	d.Do("PUT", flowPath, read.Map(), "If-Match", old+", "+changed.Header.Get("ETag")).Want(200, "")
	d.Do("PATCH", flowPath, map[string]any{"path_id": one, "weight": 1}, "If-Match", "*").Want(200, "")

	for name, c := range map[string]struct {
		body   map[string]any
		status int
		code   string
	}{
		"no changes":   {map[string]any{"path_id": one}, 400, "no_fields"},
		"no path_id":   {map[string]any{"weight": 1}, 400, "required"},
		"invalid id":   {map[string]any{"path_id": "A", "weight": 1}, 400, "invalid_input"},
		"unknown path": {map[string]any{"path_id": uuid.NewString(), "weight": 1}, 404, "not_found"},
		"misspelt":     {map[string]any{"path_id": one, "wieght": 1}, 400, "invalid_input"},
		"negative":     {map[string]any{"path_id": one, "weight": -1}, 400, "invalid_input"},
		"null weight":  {map[string]any{"path_id": one, "weight": nil}, 400, "invalid_input"},
		"cap":          {map[string]any{"path_id": one, "daily_cap": 0}, 400, "invalid_cap"},
		"large cap":    {map[string]any{"path_id": one, "daily_cap": 1e10}, 400, "invalid_cap"},
		"no such destination": {map[string]any{"path_id": one, "destinations": []any{
			map[string]any{"id": d.lander, "weight": 1},
		}}, 400, "invalid_destination"},
		"every weight 0": {map[string]any{"path_id": two, "destinations": []any{
			map[string]any{"url": "https://x.example", "weight": 0},
		}}, 400, "zero_weights"},
	} {
		if a := d.Do("PATCH", flowPath, c.body); a.Status != c.status || a.Code != c.code {
			t.Errorf("%s: %d %s, want %d %s", name, a.Status, a.Code, c.status, c.code)
		}
	}
	d.Do("PATCH", flowPath, map[string]any{"path_id": one, "weight": 0, "is_active": true}).Want(200, "")
	d.Do("PATCH", flowPath, map[string]any{"path_id": two, "weight": 0}).Want(400, "zero_path_weights")
	_, other, _ := d.NewAccount("scale")
	d.As(other).Do("PATCH", flowPath, map[string]any{"path_id": one, "weight": 1}).Want(404, "not_found")
	d.As(other).Do("GET", flowPath, nil).Want(404, "not_found")
}

// Simultaneous changes of different fields do not undo each other. Of several writers with the same If-Match, one succeeds.
func TestChangesOfPathsAtOnce(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	flowPath, streams := d.twoPaths(t)
	var all sync.WaitGroup
	patch := func(body map[string]any) {
		all.Go(func() {
			if a := d.Do("PATCH", flowPath, body); a.Status != http.StatusOK {
				t.Errorf("%v: %d %s", body, a.Status, a.Code)
			}
		})
	}
	for i := 1; i <= 4; i++ {
		for _, p := range streams {
			patch(map[string]any{"path_id": p["id"], "weight": i * 10})
		}
	}
	patch(map[string]any{"path_id": streams[0]["id"], "is_active": false})
	patch(map[string]any{"path_id": streams[1]["id"], "daily_cap": 9})
	all.Wait()
	now := d.Do("GET", flowPath, nil).Want(200, "")
	paths := streamsOf(now.Map())
	same(t, paths[0], map[string]any{"is_active": false, "daily_cap": 5.0})
	same(t, paths[1], map[string]any{"is_active": true, "daily_cap": 9.0})
	for _, p := range paths {
		if w := p["weight"].(float64); w < 10 || w > 40 {
			t.Errorf("path %v has the weight %v, want one of those that were sent, 10 to 40", p["name"], w)
		}
	}
	answers := make(chan int, 4)
	for i := range 4 {
		go func() {
			answers <- d.Do("PATCH", flowPath, map[string]any{"path_id": paths[i%2]["id"], "weight": 60 + i},
				"If-Match", now.Header.Get("ETag")).Status
		}()
	}
	count := map[int]int{}
	for range 4 {
		count[<-answers]++
	}
	if count[http.StatusOK] != 1 || count[http.StatusConflict] != 3 {
		t.Errorf("number of answers by status: %v, want one 200 and three 409", count)
	}
}
