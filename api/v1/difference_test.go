package v1_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/models/difference"
)

// TestDifferenceAsked checks the arguments of the job of a comparison, and which comparisons and files are refused.
func TestDifferenceAsked(t *testing.T) {
	t.Parallel()
	s, source, _ := newSource(t, apitest.Options{})
	network := s.Do("POST", "/networks", object{"name": "N"}).Want(201, "").Map()["id"].(string)
	later := []string{"Prefer", "respond-async"}
	window := "?from=2026-11-01&to=2026-11-02 12:00:00&tz=Europe/Berlin&their_tz=America/New_York"
	reader := s.As(s.ReadKey)
	reader.Do("GET", "/traffic-sources/"+source+"/difference"+strings.ReplaceAll(window, " ", "%20"), nil, later...).Want(202, "")
	reader.Do("GET", "/networks/"+network+"/difference?from=2026-11-01&to=2026-11-01", nil, later...).Want(202, "")
	berlin := "?from=2026-11-01%2023:00:00&to=2026-11-02%2022:59:59&tz=Europe/Berlin" // 2 November in Berlin, as the dashboard sends it
	reader.Do("GET", "/networks/"+network+"/difference"+berlin, nil, later...).Want(202, "")
	want := []difference.Args{
		{Kind: difference.OfSource, ID: uuid.MustParse(source), From: "2026-11-01", To: "2026-11-02", TZ: "Europe/Berlin", TheirZone: "America/New_York"},
		{Kind: difference.OfNetwork, ID: uuid.MustParse(network), From: "2026-11-01", To: "2026-11-01", TZ: "UTC"},
		{Kind: difference.OfNetwork, ID: uuid.MustParse(network), From: "2026-11-02", To: "2026-11-02", TZ: "Europe/Berlin"},
	}
	rows := s.Jobs.Rows(jobs.ReadDifference.Kind())
	if len(rows) != len(want) {
		t.Fatalf("%d jobs were submitted, want %d", len(rows), len(want))
	}
	for i, r := range rows {
		var got difference.Args
		raw := dbtest.Get[[]byte](t, s.DB, `SELECT args FROM jobs WHERE id = $1`, r)
		if err := json.Unmarshal(raw, &got); err != nil || got != want[i] {
			t.Errorf("%s, %v; want %+v", raw, err, want[i])
		}
	}
	for _, path := range []string{"/traffic-sources/" + source, "/networks/" + network} {
		s.Do("GET", path+"/difference?from=2026-09-01&to=2026-11-02", nil).Want(400, "too_many")
		s.Do("GET", path+"/difference?tz=Nowhere", nil).Want(400, "invalid_input")
		if got := s.Do("GET", path+"/difference?their_tz=Nowhere", nil).Want(400, "invalid_input").Message; !strings.Contains(got, "their_tz") {
			t.Errorf("the error for a wrong their_tz does not name their_tz: %s", got)
		}
	}
	for _, path := range []string{"/traffic-sources/", "/networks/"} {
		s.Do("GET", path+uuid.NewString()+"/difference", nil).Want(404, "not_found")
		s.Do("GET", path+"x/difference", nil).Want(400, "invalid_id")
	}
	file := func(body object) apitest.Answer {
		return s.Do("POST", "/reports/exports", with(body, "kind", "difference"), later...)
	}
	file(object{}).Want(400, "invalid_id")
	file(object{"source_id": source, "network_id": network}).Want(400, "invalid_id")
	file(object{"network_id": source}).Want(404, "not_found")
	s.Do("POST", "/reports/exports?from=2026-09-01&to=2026-11-02", object{"kind": "difference", "source_id": source}).Want(400, "too_many")
	file(object{"network_id": network, "tz": "Europe/Berlin"}).Want(202, "")
}

// TestNetworkReportAsked checks which files of a network are accepted.
func TestNetworkReportAsked(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	path := "/networks/" + s.Do("POST", "/networks", object{"name": "N"}).Want(201, "").Map()["id"].(string) + "/report"
	for code, body := range map[string]object{
		"empty": {"csv": " "}, "no_rows": {"csv": "date,clicks"}, "invalid_input": {"csv": "color,size\nred,1"},
	} {
		s.Do("POST", path, body).Want(400, code)
	}
	s.Do("POST", "/networks/x/report", object{"csv": "date,clicks\n2026-11-01,1"}).Want(400, "invalid_id")
	s.Do("POST", "/networks/"+uuid.NewString()+"/report", object{"csv": "date,clicks\n2026-11-01,1"}).Want(404, "not_found")
	s.As(s.ReadKey).Do("POST", path, object{"csv": "date,clicks\n2026-11-01,1"}).Want(403, "read_only_key")
	s.Do("POST", path, object{"csv": "date,clicks\n2026-11-01,1"}, "Prefer", "respond-async").Want(202, "")
}
