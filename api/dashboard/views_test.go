package dashboard_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api"
	"switchyard/api/apitest"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
)

type object = map[string]any

// report returns the report of a view, with some members replaced.
func report(more object) object {
	out := object{
		"group": []string{"campaign_id", "country"}, "columns": []string{"clicks", "profit"}, "sort": "-profit", "min_clicks": 10, "having": "profit<0",
		"formulas": "profit/conversions,-cost/(lp_clicks+1.5)",
	}
	for name, v := range more {
		out[name] = v
	}
	return out
}

func rowsOf(a answer) map[string]object {
	out := map[string]object{}
	for _, r := range a.data["rows"].([]any) {
		row := r.(object)
		out[row["name"].(string)] = row
	}
	return out
}

// TestViews: every person can save views of their own and use shared views. Only the author and owners can change a shared view.
func TestViews(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner, writer := signedIn(t, s, "owner@a.example", models.RoleOwner), signedIn(t, s, "writer@a.example", models.RoleContributor)
	other, viewer := signedIn(t, s, "other@a.example", models.RoleMember), signedIn(t, s, "viewer@a.example", models.RoleViewer)
	const path = "/app/api/views"
	save := func(p *person, name string, shared bool) answer {
		t.Helper()
		return p.do("POST", path, object{"name": name, "shared": shared, "report": report(nil)})
	}
	private := save(viewer, " Mine ", false).want(t, 200, "")
	save(viewer, "Team", true).want(t, 403, "role_required")
	shared := save(writer, "Team", true).want(t, 200, "").data["id"].(string)
	save(writer, "TEAM", true).want(t, 409, "duplicate_name")
	save(writer, "Mine", false).want(t, 200, "")
	if private.data["name"] != "Mine" || private.data["mine"] != true || fmt.Sprint(private.data["report"]) !=
		"map[columns:[clicks profit] filters:[] flat:false formulas:profit/conversions,-cost/(lp_clicks+1.5) group:[campaign_id country] having:profit<0 min_clicks:10 sort:-profit]" {
		t.Errorf("the saved view is %v, want it as it was sent", private.data)
	}
	for name, body := range map[string]object{
		"an unknown dimension":                        {"name": "x", "report": report(object{"group": []string{"nothing"}})},
		"a repeated dimension":                        {"name": "x", "report": report(object{"group": []string{"os", "os"}})},
		"no dimension":                                {"name": "x", "report": report(object{"group": []string{}})},
		"an unknown column":                           {"name": "x", "report": report(object{"columns": []string{"luck"}})},
		"a condition on an unknown figure":            {"name": "x", "report": report(object{"having": "luck<0"})},
		"a formula of an unknown figure":              {"name": "x", "report": report(object{"formulas": "luck/clicks"})},
		"a semicolon in a formula":                    {"name": "x", "report": report(object{"formulas": "profit;clicks"})},
		"an order by an unknown figure":               {"name": "x", "report": report(object{"sort": "-luck"})},
		"a filter without a value":                    {"name": "x", "report": report(object{"filters": []object{{"dimension": "os", "values": []string{}}}})},
		"an order by a formula that the view lacks":   {"name": "x", "report": report(object{"sort": "=profit/cost", "formulas": "profit/clicks"})},
		"an order by a dimension that is not grouped": {"name": "x", "report": report(object{"sort": "os"})},
	} {
		if got := viewer.do("POST", path, body); got.status != 400 {
			t.Errorf("a view with %s gets %d %s, want 400", name, got.status, got.code)
		}
	}
	viewer.do("POST", path, object{"name": "", "report": report(nil)}).want(t, 400, "required")
	viewer.do("POST", path, object{"name": strings.Repeat("x", 81), "report": report(nil)}).want(t, 400, "too_long")
	viewer.do("POST", path, object{"name": "x", "report": report(nil), "names": "x"}).want(t, 400, "invalid_input")

	if seen := rowsOf(viewer.do("GET", path, nil)); len(seen) != 2 || seen["Team"]["may_change"] != false || seen["Team"]["author"] == "" || seen["Mine"]["may_change"] != true {
		t.Errorf("a viewer sees the views %v, want an own view and a shared view", seen)
	}
	if seen := rowsOf(other.do("GET", path, nil)); len(seen) != 1 {
		t.Errorf("another person sees the views %v, want only the shared one", seen)
	}
	privateID := private.data["id"].(string)
	other.do("PATCH", path+"/"+privateID, object{"name": "Taken"}).want(t, 404, "not_found")
	owner.do("DELETE", path+"/"+privateID, nil).want(t, 404, "not_found")
	for _, p := range []*person{other, viewer} {
		p.do("PATCH", path+"/"+shared, object{"name": "Taken"}).want(t, 403, "not_author")
		p.do("DELETE", path+"/"+shared, nil).want(t, 403, "not_author")
	}
	viewer.do("PATCH", path+"/"+privateID, object{"shared": true}).want(t, 403, "role_required")
	writer.do("PATCH", path+"/"+shared, object{}).want(t, 400, "no_fields")
	writer.do("PATCH", path+"/"+shared, object{"report": report(object{"sort": "-country"})}).want(t, 200, "")
	writer.do("PATCH", path+"/"+shared, object{"report": report(object{"sort": "-=-cost/clicks", "formulas": "profit/clicks,-cost/clicks"})}).want(t, 200, "")
	writer.do("PATCH", path+"/"+shared, object{"report": report(object{"sort": "clicks"})}).want(t, 200, "")
	if got := owner.do("PATCH", path+"/"+shared, object{"name": "Ours"}).want(t, 200, ""); got.data["report"].(object)["sort"] != "clicks" {
		t.Errorf("after an owner renamed a view, its report is %v, want it unchanged", got.data)
	}

	viewer.do("PUT", path+"/default", object{"view": shared}).want(t, 200, "")
	other.do("PUT", path+"/default", object{"view": privateID}).want(t, 404, "not_found")
	if got := viewer.do("GET", path, nil).data["default"]; got != shared {
		t.Errorf("the default view is %v, want %v", got, shared)
	}
	viewer.do("PUT", path+"/default", object{"view": nil}).want(t, 200, "")
	viewer.do("PUT", path+"/default", object{"view": shared}).want(t, 200, "")
	owner.do("DELETE", path+"/"+shared, nil).want(t, 200, "")
	if got := viewer.do("GET", path, nil); got.data["default"] != nil || len(rowsOf(got)) != 1 {
		t.Errorf("after the default view was deleted, the list is %v, want one view and no default", got.data)
	}
	for i := range models.MaxViews - 1 {
		save(viewer, fmt.Sprint("v", i), false).want(t, 200, "")
	}
	save(viewer, "one more", false).want(t, 400, "too_many")

	foreign, _, _ := s.NewAccount("growth")
	token := link(t, s, foreign, models.LinkEntry, "they@b.example", models.RoleOwner)
	stranger := browserOf(t, s)
	stranger.do("POST", "/app/api/links/use", object{"token": token, "password": password}).want(t, 200, "")
	stranger.do("PATCH", path+"/"+privateID, object{"name": "x"}).want(t, 404, "not_found")
	if seen := rowsOf(stranger.do("GET", path, nil)); len(seen) != 0 {
		t.Errorf("another account sees the views %v, want none", seen)
	}
}

// TestMarks: a change of a record becomes a mark in the account's plots, with the author of the change.
func TestMarks(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	owner, writer := signedIn(t, s, "owner@a.example", models.RoleOwner), signedIn(t, s, "writer@a.example", models.RoleContributor)
	other, viewer := signedIn(t, s, "other@a.example", models.RoleContributor), signedIn(t, s, "viewer@a.example", models.RoleViewer)
	if err := store.EnsureSharedDomains(t.Context(), s.DB, []string{"links.example.com"}); err != nil {
		t.Fatal(err)
	}
	campaign := func(name string) string {
		return owner.do("POST", "/api/v1/campaigns", object{"name": name, "alias": name, "destination_url": "https://a.example/"}).want(t, 201, "").data["id"].(string)
	}
	one, two := campaign("one-mark"), campaign("two-mark")
	writer.do("PATCH", "/api/v1/campaigns/"+one, object{"name": "uno", "status": "paused"}).want(t, 200, "")
	s.Do("POST", "/offers", object{"name": "offer", "url": "https://a.example/"}).Want(201, "")
	owner.do("POST", "/api/v1/tools/check-links", object{"url": "nothing"}) // no change

	window := url.Values{"from": {time.Now().AddDate(0, 0, -1).UTC().Format(time.DateTime)}, "to": {time.Now().AddDate(0, 0, 1).UTC().Format(time.DateTime)}}
	marks := func(p *person, campaignID string) (changes []string, notes []object) {
		t.Helper()
		query := url.Values{"from": window["from"], "to": window["to"]}
		if campaignID != "" {
			query.Set("campaign", campaignID)
		}
		got := p.do("GET", "/app/api/marks?"+query.Encode(), nil).want(t, 200, "")
		for _, c := range got.data["changes"].([]any) {
			c := c.(object)
			changes = append(changes, fmt.Sprint(c["by"], " ", c["operation"], " ", c["record"]))
		}
		for _, n := range got.data["notes"].([]any) {
			notes = append(notes, n.(object))
		}
		return changes, notes
	}
	want := []string{"key POST /offers offer", "person PATCH /campaigns/{id} uno", "person POST /campaigns two-mark", "person POST /campaigns uno"}
	if got, _ := marks(viewer, ""); !slices.Equal(got, want) {
		t.Errorf("the changes are %q, want %q", got, want)
	}
	if got, _ := marks(viewer, one); !slices.Equal(got, []string{want[1], want[3]}) {
		t.Errorf("the changes of campaign one are %q, want %q", got, []string{want[1], want[3]})
	}
	list := s.Do("GET", "/campaigns/"+one+"/changes?limit=1", nil).Want(200, "").Map()
	first := list["rows"].([]any)[0].(object)
	if fmt.Sprint(first["fields"]) != "[name status]" || first["campaign_id"] != one || list["next_cursor"] == nil {
		t.Errorf("the newest change of campaign one is %v, want the fields name and status, and a further page", list)
	}
	s.Do("GET", "/campaigns/"+uuid.NewString()+"/changes", nil).Want(404, "not_found")

	at := time.Now().UTC().Format(time.DateTime)
	viewer.do("POST", "/app/api/notes", object{"at": at, "text": "x"}).want(t, 403, "role_required")
	writer.do("POST", "/app/api/notes", object{"at": "soon", "text": "x"}).want(t, 400, "invalid_date")
	writer.do("POST", "/app/api/notes", object{"at": at, "text": "x", "campaign_id": uuid.NewString()}).want(t, 400, "invalid_campaign")
	writer.do("POST", "/app/api/notes", object{"at": at, "text": strings.Repeat("x", 501)}).want(t, 400, "too_long")
	note := writer.do("POST", "/app/api/notes", object{"at": at, "text": "budget <b>", "campaign_id": one}).want(t, 200, "").data["id"].(string)
	writer.do("POST", "/app/api/notes", object{"at": at, "text": "for all"}).want(t, 200, "")
	for campaignID, n := range map[string]int{"": 2, one: 2, two: 1} { // "for all" is a note of every campaign
		if _, notes := marks(viewer, campaignID); len(notes) != n {
			t.Errorf("%d notes of campaign %q, want %d: %v", len(notes), campaignID, n, notes)
		}
	}
	other.do("PUT", "/app/api/notes/"+note, object{"at": at, "text": "y"}).want(t, 403, "not_author")
	other.do("DELETE", "/app/api/notes/"+note, nil).want(t, 403, "not_author")
	if got := owner.do("PUT", "/app/api/notes/"+note, object{"at": at, "text": "y"}).want(t, 200, ""); got.data["campaign_id"] != nil || got.data["text"] != "y" {
		t.Errorf("the changed note is %v, want the text y and no campaign", got.data)
	}
	writer.do("DELETE", "/app/api/notes/"+note, nil).want(t, 200, "")
	writer.do("DELETE", "/app/api/notes/"+note, nil).want(t, 404, "not_found")
	foreign, _, _ := s.NewAccount("growth")
	token := link(t, s, foreign, models.LinkEntry, "they@b.example", models.RoleOwner)
	stranger := browserOf(t, s)
	stranger.do("POST", "/app/api/links/use", object{"token": token, "password": password}).want(t, 200, "")
	if changes, notes := marks(stranger, ""); len(changes)+len(notes) != 0 {
		t.Errorf("another account sees the changes %v and the notes %v, want none", changes, notes)
	}

	// A change by the Copilot is a mark of the campaign too.
	id := uuid.MustParse(two)
	action := copilot.Action{Op: copilot.OpPauseCampaign, CampaignID: uuid.NullUUID{UUID: id, Valid: true}}
	record, err := dbcopilot.NewSuggestions(s.Store).Record(t.Context(), s.Account.ID, action)
	if err != nil {
		t.Fatal(err)
	}
	proposal, err := dbcopilot.NewProposals(s.Store).Create(t.Context(), copilot.Proposal{
		Owned: models.Owned{AccountID: s.Account.ID}, CampaignID: action.CampaignID, Title: action.Title(record), Action: action, Digest: action.JudgedDigest(record),
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	preview := viewer.do("GET", "/api/v1/copilot/preview?id="+proposal.ID.String(), nil).want(t, 200, "")
	if fmt.Sprint(preview.data["before"], preview.data["after"], preview.data["stale"]) != "map[status:active] map[status:paused] <nil>" {
		t.Errorf("the preview is %v, want the status active before, paused after, and not stale", preview.data)
	}
	stranger.do("GET", "/api/v1/copilot/preview?id="+proposal.ID.String(), nil).want(t, 404, "not_found")
	if _, err := dbcopilot.NewProposals(s.Store).Apply(t.Context(), s.Account.ID, proposal.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	if got, _ := marks(viewer, two); len(got) != 2 || !strings.HasPrefix(got[0], "copilot POST /copilot") {
		t.Errorf("the changes of campaign two are %q, want two, the first by the Copilot", got)
	}
	preview = viewer.do("GET", "/api/v1/copilot/preview?id="+proposal.ID.String(), nil).want(t, 200, "")
	if preview.data["stale"] == nil {
		t.Errorf("the preview of an applied proposal is %v, want it stale", preview.data)
	}
}

// TestRecordedCalls: every call whose changes are marked in plots is an operation of the API.
func TestRecordedCalls(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, r := range api.Table(api.Deps{}) {
		rows[r.Method+" "+r.Path] = true
	}
	for _, call := range store.RecordedCalls() {
		if !rows[call] {
			t.Errorf("the API has no operation %s, whose changes are marked in plots", call)
		}
	}
}
