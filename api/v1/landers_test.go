package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
)

func lander(name string) map[string]any {
	return map[string]any{"name": name, "url": "https://page.example/?c={clickid}"}
}

func TestLanderRoundTrip(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/landers", map[string]any{
		"name": " Quiz ", "url": "https://page.example", "click_slots": 20, "group_name": "G", "country": "de",
		"tags": []string{"a", "A", " b "}, "notes": "n",
	}).Want(201, "").Map()
	same(t, made, map[string]any{
		"name": "Quiz", "url": "https://page.example", "click_slots": 20, "group_name": "G",
		"country": "DE", "tags": "[a b]", "notes": "n", "status": "active",
	})
	id := made["id"]

	patched := s.Do("PATCH", "/landers", map[string]any{"id": id, "protection": map[string]any{"mode": "click"}})
	if p := patched.Want(200, "").Map(); p["status"] != nil || p["protection"].(map[string]any)["mode"] != "click" {
		t.Errorf("want the new protection, and no status: %v", p)
	}
	put := s.Do("PUT", "/landers", with(lander("Story"), "id", id)).Want(200, "").Map()
	if len(put) != 1 || put["id"] != id {
		t.Errorf("PUT answers %v, want only the id", put)
	}
	row := rowOf(t, s, "/landers", id)
	same(t, row, map[string]any{
		"name": "Story", "click_slots": 1, "group_name": "", "country": "", "tags": "[]",
		"notes": "", "clicks": 0,
	})
	if row["protection"].(map[string]any)["mode"] != "click" {
		t.Errorf("PUT changed the protection: %v", row["protection"])
	}

	paused := s.Do("PATCH", "/landers", map[string]any{"id": id, "is_active": false, "protection": 5}).Want(200, "").Map()
	if len(paused) != 2 || paused["status"] != "paused" {
		t.Errorf("want only the id and the status paused: %v", paused)
	}
	s.Do("PUT", "/landers", with(lander("Story"), "id", id)).Want(200, "")
	if row := rowOf(t, s, "/landers", id); row["status"] != "paused" {
		t.Error("PUT resumed a paused page")
	}

	path := fmt.Sprintf("/landers/%s/clone", id)
	for _, want := range []string{"Story (copy)", "Story (copy 2)"} {
		copied := s.Do("POST", path, nil).Want(201, "").Map()
		if copied["name"] != want || copied["protection"].(map[string]any)["mode"] != "click" {
			t.Errorf("copy is %v, want the name %q", copied, want)
		}
	}
	gone := s.Do("DELETE", fmt.Sprintf("/landers?id=%s", id), nil).Want(200, "").Map()
	if gone["deactivated"] != true {
		t.Errorf("want the page deactivated: %v", gone)
	}
	s.Do("DELETE", fmt.Sprintf("/landers?id=%s", id), nil).Want(404, "not_found")
	if rows := s.Do("GET", "/landers", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 2 {
		t.Errorf("want two pages after the deletion: %v", rows)
	}
	s.Do("POST", "/landers", lander("story")).Want(201, "") // the name is free again
}

func TestLanderErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/landers", lander("Taken")).Want(201, "").Map()["id"]
	other := s.Do("POST", "/landers", lander("Other")).Want(201, "").Map()["id"]
	s.Do("PUT", "/landers", with(lander("TAKEN"), "id", other)).Want(409, "duplicate_name")
	refusedIDs(t, s, "/landers", lander)
	s.Do("POST", "/landers/x/clone", nil).Want(400, "invalid_id")
	refused(t, s, "/landers", id, map[string]refusal{
		"not json":      {`name=x`, 400, "bad_body"},
		"array":         {`[]`, 400, "bad_body"},
		"no name":       {lander(" "), 400, "required"},
		"no url":        {map[string]any{"name": "x"}, 400, "required"},
		"long name":     {lander(strings.Repeat("ä", 256)), 400, "too_long"},
		"long notes":    {with(lander("x"), "notes", strings.Repeat("x", 2001)), 400, "too_long"},
		"long group":    {with(lander("x"), "group_name", strings.Repeat("x", 256)), 400, "too_long"},
		"ftp":           {with(lander("x"), "url", "ftp://x.example"), 400, "invalid_url"},
		"slots text":    {with(lander("x"), "click_slots", "3"), 400, "invalid_number"},
		"slots half":    {with(lander("x"), "click_slots", 1.5), 400, "invalid_number"},
		"slots zero":    {with(lander("x"), "click_slots", 0), 400, "out_of_range"},
		"slots many":    {with(lander("x"), "click_slots", 21), 400, "out_of_range"},
		"country form":  {with(lander("x"), "country", "DEU"), 400, "invalid_country"},
		"country type":  {with(lander("x"), "country", true), 400, "invalid_country"},
		"tags type":     {with(lander("x"), "tags", "a"), 400, "invalid_input"},
		"many tags":     {with(lander("x"), "tags", manyTags(21)), 400, "invalid_input"},
		"name type":     {with(lander("x"), "name", 1), 400, "invalid_input"},
		"same name":     {lander("TAKEN"), 409, "duplicate_name"},
		"slots null":    {with(lander("null"), "click_slots", nil), 201, ""},
		"ignored field": {with(lander("spare"), "protection", 7), 201, ""},
	})
}

func TestLanderProtection(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/landers", lander("P")).Want(201, "").Map()["id"]
	protect := func(p any) apitest.Answer {
		return s.Do("PATCH", "/landers", map[string]any{"id": id, "protection": p})
	}
	full := map[string]any{
		"enabled": true, "mode": "signed", "ttlSeconds": 60, "bindIp": true, "bindUserAgent": true, "singleUse": true,
		"blockBots": true, "countries": []string{"de", "DE", "fr"}, "denyCountries": []string{"US"},
		"devices": []string{"Mobile"}, "referrers": []string{" News.Example "},
		"fallbackUrl": "https://elsewhere.example/{sub1}", "fallbackStatus": 403,
	}
	want := map[string]any{
		"enabled": true, "mode": "signed", "ttlSeconds": 60, "bindIp": true, "bindUserAgent": true, "singleUse": true,
		"blockBots": true, "countries": "[DE FR]", "denyCountries": "[US]", "devices": "[mobile]",
		"referrers": "[news.example]", "fallbackUrl": "https://elsewhere.example/{sub1}", "fallbackStatus": 403,
	}
	same(t, protect(full).Want(200, "").Map()["protection"].(map[string]any), want)
	// A member that is left out keeps its value. null resets a member to its default.
	want["singleUse"], want["ttlSeconds"], want["countries"], want["fallbackUrl"] = false, 3600, "[]", ""
	part := map[string]any{"singleUse": false, "ttlSeconds": nil, "countries": nil, "fallbackUrl": ""}
	same(t, protect(part).Want(200, "").Map()["protection"].(map[string]any), want)
	same(t, protect(map[string]any{}).Want(200, "").Map()["protection"].(map[string]any), want)

	long := make([]string, 101)
	for i := range long {
		long[i] = fmt.Sprintf("r%d.example", i)
	}
	for name, c := range map[string]struct {
		member string
		value  any
		code   string
	}{
		"enabled type":       {"enabled", "yes", "invalid_input"},
		"mode":               {"mode", "strict", "invalid_input"},
		"mode empty":         {"mode", "", "invalid_input"},
		"mode type":          {"mode", 1, "invalid_input"},
		"ttl low":            {"ttlSeconds", 59, "invalid_input"},
		"ttl high":           {"ttlSeconds", 86401, "invalid_input"},
		"ttl type":           {"ttlSeconds", "60", "invalid_input"},
		"bind type":          {"bindIp", 1, "invalid_input"},
		"agent type":         {"bindUserAgent", 1, "invalid_input"},
		"single type":        {"singleUse", []int{}, "invalid_input"},
		"bots type":          {"blockBots", "no", "invalid_input"},
		"country":            {"countries", []string{"DEU"}, "invalid_input"},
		"country unknown":    {"countries", []string{"XX"}, "invalid_input"},
		"country empty":      {"countries", []string{""}, "invalid_input"},
		"country type":       {"countries", "DE", "invalid_input"},
		"deny":               {"denyCountries", []any{1}, "invalid_input"},
		"device":             {"devices", []string{"fridge"}, "invalid_input"},
		"referrer long":      {"referrers", []string{strings.Repeat("x", 256)}, "invalid_input"},
		"referrers many":     {"referrers", long, "invalid_input"},
		"fallback form":      {"fallbackUrl", "ftp://x.example", "invalid_fallback"},
		"fallback script":    {"fallbackUrl", "javascript:1", "invalid_fallback"},
		"fallback long":      {"fallbackUrl", "https://x.example/" + strings.Repeat("x", 4000), "invalid_fallback"},
		"fallback type":      {"fallbackUrl", 5, "invalid_fallback"},
		"status":             {"fallbackStatus", 200, "invalid_input"},
		"status as a text":   {"fallbackStatus", "302", "invalid_input"},
		"status with a half": {"fallbackStatus", 302.5, "invalid_input"},
	} {
		a := protect(map[string]any{"enabled": false, c.member: c.value})
		if a.Status != http.StatusBadRequest || a.Code != c.code {
			t.Errorf("%s: answered %d %s, want 400 %s", name, a.Status, a.Code, c.code)
		}
	}
	same(t, rowOf(t, s, "/landers", id)["protection"].(map[string]any), want) // nothing was saved

	for _, none := range []any{nil, 5, "x", []any{}, true} {
		protect(none).Want(400, "bad_body")
	}
	s.Do("PATCH", "/landers", map[string]any{"id": id}).Want(400, "bad_body")
	s.Do("PATCH", "/landers", `[]`).Want(400, "bad_body")
	for _, bad := range []any{"true", 1, nil} {
		s.Do("PATCH", "/landers", map[string]any{"id": id, "is_active": bad}).Want(400, "invalid_input")
	}
	s.Do("PATCH", "/landers", map[string]any{"protection": full}).Want(400, "invalid_id")
	_, otherKey, _ := s.NewAccount("scale")
	foreign := s.As(otherKey).Do("POST", "/landers", lander("F")).Want(201, "").Map()["id"]
	for _, missing := range []any{foreign, uuid.NewString()} {
		s.Do("PATCH", "/landers", map[string]any{"id": missing, "protection": full}).Want(404, "not_found")
		s.Do("POST", fmt.Sprintf("/landers/%v/clone", missing), nil).Want(404, "not_found")
	}
}

func TestLanderAllowance(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	_, err := s.DB.ExecContext(t.Context(), `INSERT INTO landers (id, account_id, name, url)
		SELECT gen_random_uuid(), $1, 'l' || n, 'https://x.example' FROM generate_series(1, 499) n`, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := s.Do("POST", "/landers", lander("last")).Want(201, "").Map()["id"]
	s.Do("POST", "/landers", lander("more")).Want(402, "plan_limit")
	s.Do("POST", fmt.Sprintf("/landers/%v/clone", id), nil).Want(402, "plan_limit")
	s.Do("DELETE", fmt.Sprintf("/landers?id=%v", id), nil).Want(200, "")
	s.Do("POST", "/landers", lander("more")).Want(201, "")
}
