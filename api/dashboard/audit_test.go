package dashboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// entries returns the rows of the audit log, newest first, each as a text with its operation, e-mail and changes.
func entries(t *testing.T, owner *person, query string) (out []string) {
	t.Helper()
	for _, row := range owner.do("GET", "/app/api/audit"+query, nil).want(t, 200, "").rowsOf(t) {
		var changes []string
		for _, c := range row["changes"].([]any) {
			c := c.(map[string]any)
			changes = append(changes, fmt.Sprint(c["field"], " ", c["before"], " ", c["after"]))
		}
		out = append(out, fmt.Sprint(row["operation"], " ", row["email"], ": ", strings.Join(changes, ", ")))
	}
	return out
}

// TestAuditHasEntries: the account's audit log records sign-ins, invitations and their use, a reset of a password and the use of
// an operator's link, each with the person's e-mail.
func TestAuditHasEntries(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner := browserOf(t, s)
	use := func(p *person, token string) {
		t.Helper()
		p.do("POST", "/app/api/links/use", map[string]any{"token": token, "name": "Ana", "password": password}).want(t, 200, "")
	}
	use(owner, link(t, s, s.Account, models.LinkEntry, "ana@example.com", models.RoleOwner))
	ben := browserOf(t, s)
	use(ben, invited(t, owner, "ben@example.com", models.RoleViewer))
	use(ben, invited(t, owner, "ben@example.com", models.RoleMember))
	use(ben, link(t, s, s.Account, models.LinkReset, "ben@example.com", models.RoleMember))
	ben.do("POST", "/app/api/session", map[string]any{"email": "ben@example.com", "password": password}).want(t, 200, "")
	want := []string{
		`POST /app/api/session ben@example.com: `,
		`POST /app/api/links/use ben@example.com: kind null "reset"`,
		`POST /app/api/links/use ben@example.com: kind null "invite", role "viewer" "member"`,
		`POST /app/api/team ana@example.com: `,
		`POST /app/api/links/use ben@example.com: kind null "invite", role null "viewer"`,
		`POST /app/api/team ana@example.com: `,
		`POST /app/api/links/use ana@example.com: kind null "entry", role null "owner"`,
	}
	if got := entries(t, owner, ""); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	rows := owner.do("GET", "/app/api/audit", nil).want(t, 200, "").rowsOf(t)
	if made, used := rows[3]["record"], rows[2]["record"]; made != used || made == nil {
		t.Errorf("the entry of the invitation has the record %v, and the entry of its use has %v, want the same", made, used)
	}
}

// TestAuditNamesPeople: the log shows the name and the e-mail, so that a member who takes another person's name can be
// distinguished.
func TestAuditNamesPeople(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner := withPassword(t, s, "ana@example.com", models.RoleOwner)
	ben := withPassword(t, s, "ben@example.com", models.RoleMember)
	ben.do("PATCH", "/app/api/me", map[string]any{"name": "Ana"}).want(t, 200, "")
	ben.do("POST", "/api/v1/offers", map[string]any{"name": "o", "url": "https://shop.example/"}).want(t, 201, "")
	row := owner.do("GET", "/app/api/audit?what=offers", nil).want(t, 200, "").rowsOf(t)[0]
	if row["who"] != "Ana" || row["email"] != "ben@example.com" || row["refused"] != 0.0 {
		t.Errorf("the entry is %v, want the name Ana and the email address ben@example.com", row)
	}
}

// TestAuditHasMoves: if a session moves to another account, that account's log has an entry with the person's e-mail.
func TestAuditHasMoves(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner := withPassword(t, s, "ana@example.com", models.RoleOwner)
	other, _, _ := s.NewAccount("scale")
	ben := browserOf(t, s)
	entry := link(t, s, other, models.LinkEntry, "ben@example.com", models.RoleOwner)
	ben.do("POST", "/app/api/links/use", map[string]any{"token": entry, "password": password}).want(t, 200, "")
	join := invited(t, owner, "ben@example.com", models.RoleViewer)
	browserOf(t, s).do("POST", "/app/api/links/use", map[string]any{"token": join, "password": password}).want(t, 200, "")
	ben.do("POST", "/app/api/session/account", map[string]any{"account": s.Account.ID}).want(t, 200, "")
	if got := entries(t, owner, "?what=session"); len(got) != 1 || got[0] != "POST /app/api/session/account ben@example.com: " {
		t.Errorf("the log has %q, want only the switch to the account", got)
	}
}

// TestAuditHasRefusals: the wrong passwords that are entered for a person in an hour are a single entry with their number. The entry
// is only in the logs of the person's own accounts.
func TestAuditHasRefusals(t *testing.T) {
	t.Parallel()
	s := behindProxy(t)
	owner := withPassword(t, s, "ana@example.com", models.RoleOwner)
	other, _, _ := s.NewAccount("scale")
	attacker := browserOf(t, s)
	entry := link(t, s, other, models.LinkEntry, "eve@example.com", models.RoleOwner)
	attacker.do("POST", "/app/api/links/use", map[string]any{"token": entry, "password": password}).want(t, 200, "")
	token := invited(t, attacker, "ana@example.com", models.RoleViewer)
	stranger := browserOf(t, s)
	for range 3 {
		stranger.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": wrongPassword}).want(t, 401, "wrong_sign_in")
		stranger.do("POST", "/app/api/session", map[string]any{"email": "nobody@example.com", "password": wrongPassword}).want(t, 401, "wrong_sign_in")
	}
	owner.do("POST", "/app/api/session/confirm", map[string]any{"password": wrongPassword}, "Idempotency-Key", "once").want(t, 401, "wrong_sign_in")
	stranger.do("POST", "/app/api/links/use", map[string]any{"token": token, "password": wrongPassword}, "X-Forwarded-For", "198.51.100.7").
		want(t, 401, "wrong_sign_in")
	refused, entries, last := 0.0, 0, map[string]any{}
	for _, row := range owner.do("GET", "/app/api/audit", nil).want(t, 200, "").rowsOf(t) {
		if row["refused"] == 0.0 {
			continue
		}
		if entries++; entries == 1 {
			last = row
		}
		refused += row["refused"].(float64)
	}
	// A new hour may begin during the test.
	if refused != 5 || entries > 2 {
		t.Errorf("%v wrong passwords in %d entries, want 5 in one or two", refused, entries)
	}
	if last["email"] != "ana@example.com" || last["address"] != "198.51.100.7" || last["operation"] != "POST /app/api/links/use" {
		t.Errorf("the entry of the wrong passwords is %v, want ana@example.com with the address and the operation of the last call", last)
	}
	for _, row := range attacker.do("GET", "/app/api/audit", nil).want(t, 200, "").rowsOf(t) {
		if row["refused"] != 0.0 || row["email"] == "ana@example.com" {
			t.Errorf("the account that invited has the entry %v, want none about ana@example.com and her wrong passwords", row)
		}
	}
}

// TestAuditNamesRecords: an entry has the present name of its record, and the entry of a dry run has dry_run.
func TestAuditNamesRecords(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner := withPassword(t, s, "ana@example.com", models.RoleOwner)
	owner.do("POST", "/api/v1/offers", map[string]any{"name": "Shoes", "url": "https://shop.example/"}).want(t, 201, "")
	owner.do("POST", "/api/v1/webhooks", map[string]any{"name": "Hook", "url": "https://hooks.acme.com/in", "events": []string{"link.broken"}}).want(t, 201, "")
	owner.do("POST", "/api/v1/logs/postbacks/replay", map[string]any{"dry_run": true}).want(t, 200, "")
	names := func(what string) (out []any) {
		for _, row := range owner.do("GET", "/app/api/audit?what="+what, nil).want(t, 200, "").rowsOf(t) {
			out = append(out, row["name"])
		}
		return out
	}
	if got := names("offers"); !slices.Equal(got, []any{"Shoes"}) {
		t.Errorf("the offer's entry has the name %v, want Shoes", got)
	}
	if got := names("webhooks"); !slices.Equal(got, []any{"Hook"}) {
		t.Errorf("the endpoint's entry has the name %v, want Hook", got)
	}
	offer := owner.do("GET", "/app/api/audit?what=offers", nil).want(t, 200, "").rowsOf(t)[0]["record"]
	owner.do("PUT", "/api/v1/offers", map[string]any{"id": offer, "name": "Boots", "url": "https://shop.example/"}).want(t, 200, "")
	if got := names("offers"); !slices.Equal(got, []any{"Boots", "Boots"}) {
		t.Errorf("the entries of a renamed offer have the names %v, want the new name Boots twice", got)
	}
	if got := entries(t, owner, "?what=logs"); !slices.Equal(got, []string{`POST /logs/postbacks/replay ana@example.com: dry_run null true`}) {
		t.Errorf("the entry of a dry run is %v, want it with dry_run true", got)
	}
}

// TestAuditNamesWhatChanged: an entry about costs, blocked values, a bulk change, a replaced offer or an undo names the
// campaign, the source or the offer, if it is about a single one.
func TestAuditNamesWhatChanged(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner := withPassword(t, s, "ana@example.com", models.RoleOwner)
	call := func(path string, body map[string]any) map[string]any {
		t.Helper()
		a := owner.do("POST", "/api/v1"+path, body, "Prefer", "respond-async")
		if a.status >= 300 {
			t.Fatalf("POST %s: %d %s", path, a.status, a.code)
		}
		return a.data
	}
	last := func() string {
		t.Helper()
		row := owner.do("GET", "/app/api/audit?limit=1", nil).want(t, 200, "").rowsOf(t)[0]
		ids := ""
		for _, c := range row["changes"].([]any) {
			if c := c.(map[string]any); c["field"] == "ids" {
				ids = fmt.Sprint(" ", c["after"])
			}
		}
		return fmt.Sprint(row["kind"], " ", row["name"], ids)
	}
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, account_id, host, is_verified, is_default) VALUES ($1, $1, 'go.acme.com', true, true)`, s.Account.ID)
	boots := call("/offers", map[string]any{"name": "Boots", "url": "https://shop.example/"})["id"]
	socks := call("/offers", map[string]any{"name": "Socks", "url": "https://shop.example/"})["id"]
	zone := call("/traffic-sources", map[string]any{"name": "Zone"})["id"]
	shoes := call("/campaigns", map[string]any{"name": "Shoes", "alias": "shoes-1", "offer_id": boots})["id"]
	hats := call("/campaigns", map[string]any{"name": "Hats", "alias": "hats-1", "offer_id": boots})["id"]
	day := time.Now().UTC().Format(time.DateOnly)
	check := func(path string, body map[string]any, want string) map[string]any {
		t.Helper()
		answer := call(path, body)
		if got := last(); got != want {
			t.Errorf("the entry of POST %s names %q, want %q", path, got, want)
		}
		return answer
	}
	undo := func(change map[string]any, want string) {
		t.Helper()
		check(fmt.Sprintf("/changes/%v/undo", change["change_id"]), nil, want)
	}
	block := func(scope, key string, id any, value string) map[string]any {
		return map[string]any{"scope": scope, key: id, "dimension": "sub1", "values": []string{value}}
	}

	job := check("/corrections/cost/set", map[string]any{"campaign_id": shoes, "from": day, "to": day, "cpc": 1, "apply": true}, "campaigns Shoes")
	check("/corrections/cost/set", map[string]any{"source_id": zone, "from": day, "to": day, "cpc": 1, "apply": true}, "traffic-sources Zone")
	dbtest.Exec(t, s.DB, `UPDATE cost_changes SET first_day = now(), last_day = now()`)
	id := job["job"].(map[string]any)["id"]
	check(fmt.Sprintf("/corrections/cost/changes/%v/undo", id), nil, "campaigns Shoes")

	check("/blocks", block("source", "source_id", zone, "a"), "traffic-sources Zone")
	check("/blocks", map[string]any{"scope": "account", "dimension": "asn", "values": []string{"3320"}}, " ")
	check("/blocks", block("campaign", "campaign_id", hats, "a"), "campaigns Hats")
	blocked := check("/blocks", block("campaign", "campaign_id", hats, "b"), "campaigns Hats")
	check("/blocks/undo", map[string]any{"id": blocked["id"]}, "campaigns Hats")
	values := owner.do("GET", "/api/v1/blocks?q=a", nil).want(t, 200, "").rowsOf(t)
	check("/blocks/remove", map[string]any{"ids": []any{values[0]["id"]}}, "campaigns Hats")
	check("/blocks", block("campaign", "campaign_id", hats, "a"), "campaigns Hats")
	// This value is blocked in two scopes, so the entry names no record.
	check("/blocks/remove", map[string]any{"dimension": "sub1", "values": []string{"a"}}, " ")

	undo(check("/campaigns/bulk", map[string]any{"ids": []any{shoes}, "group_name": "G"}, "campaigns Shoes"), "campaigns Shoes")
	undo(check("/campaigns/bulk", map[string]any{"ids": []any{shoes, hats}, "group_name": "G"}, `  "Shoes, Hats"`), `  "Shoes, Hats"`)
	fields := func() (out []string) {
		t.Helper()
		for _, c := range owner.do("GET", "/app/api/audit?limit=1", nil).want(t, 200, "").rowsOf(t)[0]["changes"].([]any) {
			if c := c.(map[string]any); c["field"] != "ids" && c["field"] != "change_id" {
				out = append(out, fmt.Sprint(c["field"], " ", c["before"], " ", c["after"]))
			}
		}
		return out
	}
	call("/campaigns/bulk", map[string]any{"ids": []any{hats}, "group_name": "H"})
	moved := check("/campaigns/bulk", map[string]any{"ids": []any{shoes, hats}, "group_name": "G", "source_id": zone}, `  "Shoes, Hats"`)
	if got, want := fields(), []string{`group_name ["", "H"] "G"`, `source_id null "Zone"`}; !slices.Equal(got, want) {
		t.Errorf("the entry has the fields %q, want %q", got, want)
	}
	undo(moved, `  "Shoes, Hats"`)
	if got, want := fields(), []string{`group_name "G" ["", "H"]`, `source_id "Zone" null`}; !slices.Equal(got, want) {
		t.Errorf("the entry of the undo has the fields %q, want %q", got, want)
	}
	undo(check(fmt.Sprintf("/offers/%v/replace", boots), map[string]any{"with": socks}, "offers Boots"), "offers Boots")
	if got, want := fields(), []string{`campaigns null "Hats, Shoes"`}; !slices.Equal(got, want) {
		t.Errorf("the entry of the undo has the fields %q, want %q", got, want)
	}
}
