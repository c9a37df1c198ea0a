package v1_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/v1"
	"switchyard/db/dbtest"
)

type compared struct {
	Version string
	Groups  []struct {
		State string
		Arms  []comparedArm
	}
	LeftOut []struct{ ID, Reason string } `json:"left_out"`
}

type comparedArm struct {
	ID                          string
	Clicks, Conversions, Weight float64
	Best, Proposed              *float64
}

func compareOf(t *testing.T, s *apitest.Server, campaign uuid.UUID, query string) (out compared) {
	t.Helper()
	raw := s.Do("GET", fmt.Sprintf("/campaigns/%s/compare?%s", campaign, query), nil).Want(200, "").Map()
	text, err := json.Marshal(raw)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A comparison has the figures of a report. Its version and proposed weights can be sent to PATCH the flow, once.
func TestCompareCampaign(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 1500, 6)
	path := func(offers ...uuid.UUID) string {
		var list []map[string]any
		for _, id := range offers {
			list = append(list, map[string]any{"id": id, "weight": 100})
		}
		text, _ := json.Marshal([]map[string]any{{"id": r.stream, "name": "Path 1", "action": "offer", "destinations": list}})
		return string(text)
	}
	dbtest.Exec(t, s.DB, `UPDATE campaigns SET streams = $2 WHERE id = $1`, r.campaigns[0], path(r.offers...))
	got := compareOf(t, s, r.campaigns[0], "by=offer")
	if len(got.Groups) != 1 || len(got.Groups[0].Arms) != 2 || len(got.LeftOut) != 0 {
		t.Fatalf("want one group with both offers, and nothing left out: %+v", got)
	}
	body := map[string]any{"path_id": r.stream}
	var sum float64
	var weights []map[string]any
	for _, a := range got.Groups[0].Arms {
		report := fmt.Sprintf("/reports/performance?dimension=campaign_id&f.campaign_id=%s&f.offer_id=%s", r.campaigns[0], a.ID)
		want := s.Do("GET", report, nil).Want(200, "").Map()["totals"].(map[string]any)
		if a.Clicks != number(want["clicks"]) || a.Conversions != number(want["conversions"]) || a.Weight != 100 || a.Best == nil || a.Proposed == nil {
			t.Fatalf("arm %+v, want %v", a, want)
		}
		sum += *a.Best
		weights = append(weights, map[string]any{"id": a.ID, "weight": *a.Proposed})
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("the probabilities add up to %v, want 1", sum)
	}
	body["destinations"] = weights
	change := func(status int, code string) {
		t.Helper()
		s.Do("PATCH", fmt.Sprintf("/campaigns/%s/flow", r.campaigns[0]), body, "If-Match", `"`+got.Version+`"`).Want(status, code)
	}
	change(200, "")
	change(409, "stale")
	if again := compareOf(t, s, r.campaigns[0], "by=offer"); again.Version == got.Version || again.Groups[0].Arms[0].Weight != *got.Groups[0].Arms[0].Proposed {
		t.Errorf("after the change want a new version and the proposed weight: %+v", again)
	}

	early := compareOf(t, s, r.campaigns[0], "by=offer&from=2001-01-01&to=2001-01-02")
	if early.Groups[0].State != "too_early" || slices.ContainsFunc(early.Groups[0].Arms, func(a comparedArm) bool {
		return a.Best != nil || a.Proposed != nil
	}) {
		t.Errorf("without figures want too_early, and no estimates: %+v", early)
	}
	if paths := compareOf(t, s, r.campaigns[0], ""); len(paths.Groups) != 0 || len(paths.LeftOut) != 1 || paths.LeftOut[0].Reason != "not_drawn" {
		t.Errorf("want no groups, and the path left out as not_drawn: %+v", paths)
	}
	s.As(s.ReadKey).Do("GET", fmt.Sprintf("/campaigns/%s/compare", r.campaigns[0]), nil).Want(200, "")
	s.Do("GET", fmt.Sprintf("/campaigns/%s/compare?by=moon", r.campaigns[0]), nil).Want(400, "invalid_input")
	s.Do("GET", "/campaigns/x/compare", nil).Want(400, "invalid_id")
	s.Do("GET", fmt.Sprintf("/campaigns/%s/compare", uuid.New()), nil).Want(404, "not_found")
}

func TestCompareTooManyClicks(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{LargeReport: -1}})
	r := newTrafficEnv(t, s, 20, 2)
	s.Do("GET", fmt.Sprintf("/campaigns/%s/compare", r.campaigns[0]), nil).Want(400, "too_large")
}
