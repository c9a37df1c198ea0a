package v1_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/geodatabase"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

func TestGeoDatabase(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	jobstest.Answer(s.Jobs, jobs.ConnectGeo, func(account uuid.UUID, a jobs.ConnectGeoArgs) (jobs.ConnectedGeo, error) {
		key, err := geodatabase.New(s.Store).Open(t.Context(), account, a.Key)
		if key == "away" {
			return jobs.ConnectedGeo{}, models.Errorf(models.KindBadGateway, "network_error", "the key could not be tried")
		}
		if err != nil || !strings.HasSuffix(key, "right") {
			return jobs.ConnectedGeo{}, models.Invalid("key_refused", "the key was tried and did not work")
		}
		return jobs.ConnectedGeo{Provider: a.Provider, Enabled: a.Enabled},
			geodatabase.New(s.Store).Save(t.Context(), account, a.Provider, a.Key, a.Enabled)
	})
	get := func() map[string]any { return s.Do("GET", "/geo-database", nil).Want(200, "").Map() }
	put := func(body any) map[string]any { return s.Do("PUT", "/geo-database", body).Want(200, "").Map() }
	got := get()
	same(t, got, map[string]any{"planIncludes": true, "connected": nil, "budgetPerMinute": 60.0})
	for _, p := range got["providers"].([]any) {
		s.Do("PUT", "/geo-database", map[string]any{"provider": p.(map[string]any)["provider"]}).Want(400, "key_required")
	}
	for code, bodies := range map[string][]any{
		"invalid_provider": {map[string]any{}, map[string]any{"provider": "dbip", "key": "x"}},
		"key_required":     {map[string]any{"provider": "ipinfo"}, map[string]any{"provider": "ipinfo", "key": " "}},
		"invalid_key": {
			map[string]any{"provider": "ipinfo", "key": strings.Repeat("k", 201)},
			map[string]any{"provider": "ipinfo", "key": 7},
			map[string]any{"provider": "ipinfo", "key": "ri ght"},
			map[string]any{"provider": "ipdata", "key": "right\nX-Other: 1"},
			map[string]any{"provider": "ip2location", "key": "right\u0001x"},
			map[string]any{"provider": "ipinfo", "key": "schlüssel"},
			map[string]any{"provider": "maxmind", "key": "right"},
			map[string]any{"provider": "maxmind", "key": "123:"},
			map[string]any{"provider": "maxmind", "key": "me:right"},
			map[string]any{"provider": "maxmind", "key": "1:2:right"},
		},
		"key_refused":   {map[string]any{"provider": "ipinfo", "key": "wrong"}},
		"invalid_input": {map[string]any{"provider": "ipinfo", "enabled": "no"}, map[string]any{"provider": "ipinfo", "keys": "x"}},
	} {
		for _, body := range bodies {
			s.Do("PUT", "/geo-database", body).Want(400, code)
		}
	}
	s.Do("PUT", "/geo-database", map[string]any{"provider": "ipinfo", "key": "away"}).Want(502, "network_error")
	s.As(s.ReadKey).Do("PUT", "/geo-database", map[string]any{"provider": "ipinfo", "key": "right"}).Want(403, "read_only_key")
	if get()["connected"] != nil {
		t.Error("a refused call has connected a geo database")
	}

	same(t, put(map[string]any{"provider": "ipinfo", "key": "right"}), map[string]any{"saved": true, "provider": "ipinfo", "enabled": true})
	same(t, get()["connected"].(map[string]any), map[string]any{"provider": "ipinfo", "enabled": true, "failingSince": nil, "error": nil})
	if raw := string(s.Do("GET", "/geo-database", nil).Raw); strings.Contains(raw, "right") {
		t.Errorf("the key is shown: %s", raw)
	}
	s.Do("PUT", "/geo-database", map[string]any{"provider": "maxmind"}).Want(400, "key_required")
	same(t, put(map[string]any{"provider": "ipinfo", "enabled": false}), map[string]any{"saved": true, "enabled": false})
	same(t, get()["connected"].(map[string]any), map[string]any{"provider": "ipinfo", "enabled": false})
	same(t, put(map[string]any{"provider": "maxmind", "key": " 123456:right\n"}), map[string]any{"provider": "maxmind", "enabled": true})

	dbtest.Exec(t, s.DB, `UPDATE geo_databases SET failing_since = $2, failure = 'the provider refused the key' WHERE account_id = $1`,
		s.Account.ID, time.Now())
	alerts := s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
	if len(alerts) != 1 || alerts[0].(map[string]any)["type"] != "geo_database.failing" {
		t.Errorf("want one alert for the failing geo database: %v", alerts)
	}

	_, foreign, _ := s.NewAccount("scale")
	other := s.As(foreign)
	same(t, other.Do("DELETE", "/geo-database", nil).Want(200, "").Map(), map[string]any{"disconnected": false})
	same(t, other.Do("GET", "/geo-database", nil).Want(200, "").Map(), map[string]any{"connected": nil, "budgetPerMinute": 1200.0})
	same(t, s.Do("DELETE", "/geo-database", nil).Want(200, "").Map(), map[string]any{"disconnected": true})
	same(t, get(), map[string]any{"connected": nil})
	_, starter, _ := s.NewAccount("starter")
	s.As(starter).Do("PUT", "/geo-database", map[string]any{"provider": "ipinfo", "key": "right"}).Want(402, "plan_limit")

	bare := apitest.New(t, apitest.Options{NoKey: true})
	bare.Do("PUT", "/geo-database", map[string]any{"provider": "ipinfo", "key": "right"}).Want(400, "no_encryption_key")
}
