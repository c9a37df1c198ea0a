package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

// limits checks the rate limit headers of an answer. A 401 needs none, because it belongs to no account. The public
// description of the API, which is recognized by its lack of an envelope, needs none either.
func limits(a client.Answer) error {
	if bare := a.Data == nil && a.Code == ""; bare || a.Status == http.StatusUnauthorized {
		return nil
	}
	limit, err1 := strconv.Atoi(a.Header.Get("RateLimit-Limit"))
	left, err2 := strconv.Atoi(a.Header.Get("RateLimit-Remaining"))
	reset, err3 := strconv.Atoi(a.Header.Get("RateLimit-Reset"))
	if errors.Join(err1, err2, err3) != nil || limit < 60 || left < 0 || left >= limit || reset < 0 || reset > 60 {
		return fmt.Errorf("rate limit headers: limit %q, remaining %q, reset %q", a.Header.Get("RateLimit-Limit"),
			a.Header.Get("RateLimit-Remaining"), a.Header.Get("RateLimit-Reset"))
	}
	return nil
}

type refusal struct {
	method, path string
	body         any
	status       int
	code         string
}

func (r refusal) check(ctx context.Context, api *client.API, headers ...string) error {
	answer, err := api.Call(ctx, r.method, r.path, r.body, headers...)
	if err != nil {
		return err
	}
	if answer.Status != r.status || answer.Code != r.code {
		return fmt.Errorf("%s %s: status %d %q instead of %d %q: %.300s",
			r.method, r.path, answer.Status, answer.Code, r.status, r.code, answer.Body)
	}
	return nil
}

// rules checks, by examples, the rules that the API documentation states for all calls.
func (t *traffic) rules(ctx context.Context) {
	missing := "00000000-0000-4000-8000-000000000001"
	for _, r := range []refusal{
		{"GET", "/nowhere", nil, 404, "not_found"},
		{"DELETE", "/stats/overview", nil, 405, "method_not_allowed"},
		{"POST", "/offers", []byte("{nonsense"), 400, "bad_body"},
		{"POST", "/offers", []byte("[1]"), 400, "bad_body"},
		{"POST", "/offers", object{"url": "https://example.com/"}, 400, "required"},
		{"POST", "/offers", object{"name": "param", "url": "https://example.com/"}, 409, "duplicate_name"},
		{"POST", "/offers", object{"name": "x", "url": "ftp://example.com/"}, 400, "invalid_url"},
		{"GET", "/offers?cursor=bm9uc2Vuc2U", nil, 400, "invalid_input"},
		{"GET", "/offers?limit=many", nil, 400, "invalid_input"},
		{"GET", "/offers?from=yesterday", nil, 400, "invalid_input"},
		{"GET", "/campaigns/" + missing, nil, 404, "not_found"},
		{"GET", "/campaigns/not-an-id", nil, 400, "invalid_id"},
		{"POST", "/campaigns", object{"name": "n", "alias": "some-alias", "streams": []any{}}, 400, "no_streams"},
		{"GET", "/reports/performance?dimension=nonsense", nil, 400, "invalid_dimension"},
		{"POST", "/webhooks", object{"url": "http://example.com/", "events": []string{"link.broken"}}, 400, "invalid_url"},
	} {
		if err := r.check(ctx, t.api); err != nil {
			t.problem("%s", err)
		}
	}
	anonymous := *t.api
	anonymous.Key = "sy_f_nobody"
	if err := (refusal{"GET", "/offers", nil, 401, "unauthenticated"}).check(ctx, &anonymous); err != nil {
		t.problem("%s", err)
	}
	for _, check := range []func(context.Context) error{t.idempotency, t.description} {
		if err := check(ctx); err != nil {
			t.problem("%s", err)
		}
	}
}

// idempotency repeats a POST with one Idempotency-Key. The second answer must be a replay. Another body must be refused.
func (t *traffic) idempotency(ctx context.Context) error {
	body := object{"name": "twice", "url": "https://example.com/{clickid}"}
	var bodies [2]string
	for i := range bodies {
		a, err := t.api.Call(ctx, http.MethodPost, "/offers", body, "Idempotency-Key", "smoke-1")
		if err != nil {
			return err
		}
		if a.Status != http.StatusCreated || (a.Header.Get("Idempotent-Replayed") == "true") != (i == 1) {
			return fmt.Errorf("idempotency, call %d: status %d, replayed %q: %.200s",
				i+1, a.Status, a.Header.Get("Idempotent-Replayed"), a.Body)
		}
		bodies[i] = string(a.Data)
	}
	if bodies[0] != bodies[1] {
		return fmt.Errorf("idempotency: the repeated answer differs: %s %s", bodies[0], bodies[1])
	}
	body["name"] = "another"
	again := refusal{http.MethodPost, "/offers", body, 422, "idempotency_key_reused"}
	return again.check(ctx, t.api, "Idempotency-Key", "smoke-1")
}

// description reads the machine-readable description, which needs no key.
func (t *traffic) description(ctx context.Context) error {
	open := *t.api
	open.Key = ""
	a, err := open.Call(ctx, http.MethodGet, "/openapi.json", nil)
	if err != nil {
		return err
	}
	var doc struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(a.Body, &doc); err != nil {
		return fmt.Errorf("openapi.json: status %d: %w", a.Status, err)
	}
	if a.Status != http.StatusOK || !strings.HasPrefix(doc.OpenAPI, "3.1") {
		return fmt.Errorf("openapi.json: status %d, version %q", a.Status, doc.OpenAPI)
	}
	for _, path := range []string{"/offers", "/campaigns/{id}", "/reports/performance", "/webhooks/deliveries/redeliver"} {
		if doc.Paths[path] == nil && doc.Paths["/api/v1"+path] == nil {
			return fmt.Errorf("openapi.json does not describe %s", path)
		}
	}
	return nil
}

// strangers checks the calls that need other keys and accounts.
func (t *traffic) strangers(ctx context.Context, f *fleet.Fleet) error {
	reader, err := f.Key(ctx, t.account, "read_only")
	if err != nil {
		return err
	}
	_, other, err := f.Account(ctx, "Somebody else", "growth")
	if err != nil {
		return err
	}
	_, small, err := f.Account(ctx, "Somebody small", "starter")
	if err != nil {
		return err
	}
	campaign, offer := t.campaigns["direct"].id, t.offers["param"]
	for _, r := range []struct {
		api *client.API
		refusal
	}{
		{reader, refusal{"POST", "/offers", object{"name": "r", "url": "https://example.com/"}, 403, "read_only_key"}},
		{reader, refusal{"DELETE", "/offers?id=" + offer, nil, 403, "read_only_key"}},
		{small, refusal{"GET", "/offers", nil, 402, "plan_limit"}},
		{other, refusal{"GET", "/campaigns/" + campaign, nil, 404, "not_found"}},
		{other, refusal{"PATCH", "/campaigns/" + campaign, object{"name": "mine"}, 404, "not_found"}},
		{other, refusal{"DELETE", "/campaigns/" + campaign, nil, 404, "not_found"}},
		{other, refusal{"DELETE", "/offers?id=" + offer, nil, 404, "not_found"}},
		{other, refusal{"PATCH", "/offers", object{"id": offer, "is_active": false}, 404, "not_found"}},
		{other, refusal{"PATCH", "/webhooks", object{"id": t.hooks["/hooks/all"], "active": false}, 404, "not_found"}},
		{other, refusal{"GET", "/logs/clicks/" + t.clicks[0].id, nil, 404, "not_found"}},
	} {
		if err := r.check(ctx, r.api); err != nil {
			t.problem("%s", err)
		}
	}
	var got map[string]any
	if err := other.Get(ctx, "/stats/overview", &got); err != nil || number(asNumber(got["clicks"])).Sign() != 0 {
		t.problem("another account's overview: %v %v", got, err)
	}
	if err := reader.Get(ctx, "/campaigns", nil); err != nil {
		t.problem("%s", err)
	}
	return t.revoked(ctx, f)
}

func asNumber(v any) json.Number { n, _ := v.(json.Number); return n }

// revoked checks that a revoked key is refused, within 10 seconds.
func (t *traffic) revoked(ctx context.Context, f *fleet.Fleet) error {
	var key struct{ ID, Key string }
	if err := f.Command(ctx, &key, "keys", "create", "--account", t.account, "--expires-days", "30"); err != nil {
		return err
	}
	api := client.New(f.URL, key.Key)
	if err := api.Get(ctx, "/offers", nil); err != nil {
		return err
	}
	if err := f.Command(ctx, nil, "keys", "revoke", key.ID); err != nil {
		return err
	}
	began := time.Now()
	wait, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err := client.Poll(wait, 50*time.Millisecond, func() (bool, error) {
		a, err := api.Call(ctx, http.MethodGet, "/offers", nil)
		return a.Status == http.StatusUnauthorized && a.Code == "unauthenticated", err
	})
	if err != nil {
		t.problem("a revoked key is still accepted after %s: %v", time.Since(began), err)
	}
	return nil
}
