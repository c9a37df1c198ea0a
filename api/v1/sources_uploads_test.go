package v1_test

import (
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// TestSourceUploads: uploads begin in shadow mode and with caps. Stopped uploads raise an alert until a PUT starts them again.
func TestSourceUploads(t *testing.T) {
	t.Parallel()
	s, id, path := newSource(t, apitest.Options{Plan: "growth"})
	body := object{
		"provider": "tiktok", "credentials": object{"access_token": sourceToken, "pixel_code": "PX"}, "is_enabled": false,
		"conversions_enabled": true,
	}
	s.Do("PUT", path, body).Want(200, "")
	same(t, s.Do("GET", path, nil).Want(200, "").Map(), map[string]any{"mode": "shadow", "daily_cap_count": 10000.0, "daily_cap_value": 100000.0, "send_keys": false})
	for name, wrong := range map[string]any{"mode": "loud", "daily_cap_count": 0, "daily_cap_value": -1} {
		s.Do("PUT", path, object{"provider": "tiktok", name: wrong}).Want(400, "invalid_input")
	}
	s.Do("PUT", path, object{"provider": "tiktok", "mode": "live", "daily_cap_count": 7, "daily_cap_value": 12.5, "send_keys": true}).Want(200, "")
	same(t, s.Do("GET", path, nil).Want(200, "").Map(), map[string]any{
		"mode": "live", "daily_cap_count": 7.0, "daily_cap_value": 12.5, "conversions_enabled": true, "send_keys": true,
	})
	for _, q := range []string{
		`UPDATE source_integrations SET uploads_stopped = 'too few', uploads_stopped_at = now() WHERE source_id = $1`,
		`INSERT INTO conversion_uploads (id, account_id, source_id, click_id, conversion_id, goal, status, action, value, currency, worth,
			happened_at, changed_at, result, reason)
		SELECT new_id(), account_id, source_id, new_id(), new_id(), '', 'approved', 'upload', 2.5, 'EUR', 3, now(), now(), r, 'why'
		FROM source_integrations, unnest('{rejected,accepted,accepted,pending}'::text[]) r WHERE source_id = $1`,
		`UPDATE conversion_uploads SET keys = '{email,phone}' WHERE source_id = $1`,
		`INSERT INTO conversion_match_keys (id, account_id, click_id, names, sealed, received_at)
		SELECT new_id(), account_id, click_id, '{email}', '\x01', now() FROM conversion_uploads WHERE source_id = $1 AND result = 'accepted'`,
	} {
		dbtest.Exec(t, s.DB, q, id)
	}
	uploads := s.Do("GET", path, nil).Want(200, "").Map()["uploads"].(map[string]any)
	same(t, uploads, map[string]any{"accepted": 2.0, "rejected": 1.0, "pending": 1.0, "shadow": 0.0, "skipped": 0.0, "stopped": "too few"})
	shares := uploads["match_keys"].(map[string]any)
	keys := shares["keys"].([]any)
	same(t, shares, map[string]any{"conversions": 4.0})
	same(t, keys[0].(map[string]any), map[string]any{"key": "email", "conversions": 2.0, "share": 0.5})
	same(t, keys[8].(map[string]any), map[string]any{"key": "country", "conversions": 0.0, "share": 0.0})
	rows := uploads["rows"].([]any)
	if len(rows) != 4 {
		t.Fatalf("want four uploads: %v", rows)
	}
	same(t, rows[0].(map[string]any), map[string]any{"action": "upload", "value": 2.5, "currency": "EUR", "reason": "why", "status": "approved", "keys": []any{"email", "phone"}})
	if raw := string(s.Do("GET", "/alerts", nil).Want(200, "").Raw); !strings.Contains(raw, "uploads.stopped") || !strings.Contains(raw, "too few") {
		t.Errorf("the alert uploads.stopped, with its reason, is missing: %s", raw)
	}
	s.Do("PUT", path, object{"provider": "tiktok"}).Want(200, "")
	if raw := string(s.Do("GET", "/alerts", nil).Want(200, "").Raw); strings.Contains(raw, "uploads.stopped") {
		t.Errorf("uploads were started again, but the alert is still there: %s", raw)
	}
}
