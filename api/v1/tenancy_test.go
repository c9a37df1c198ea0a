package v1_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/dashboard"
	"switchyard/api/route"
	"switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
)

// records has the id that all records of an account share, the id of a click, and the id of the account.
type records struct {
	id      uuid.UUID
	click   string
	account uuid.UUID
}

// unknownIDs returns ids that no account has.
func unknownIDs() records {
	return records{uuid.New(), models.FormatClickID(models.NewClickID()), uuid.New()}
}

func (r records) named(name string) string {
	switch name {
	case "click_id", "clickId":
		return r.click
	case "account":
		return r.account.String()
	}
	return r.id.String()
}

func (r records) masked(text []byte) string {
	return strings.NewReplacer(r.id.String(), "ID", r.click, "ID", r.account.String(), "ID").Replace(string(text))
}

type call struct {
	method, path string
	body         any
}

// place is a place for an id in a request: a function that returns the request with this id.
type place func(records) call

// namesRecords lists query parameters that name records, although neither type nor name shows it.
var namesRecords = []string{"campaign", "source", "link", "totals_for"}

func namesRecord(p route.Param) bool {
	return p.Type == "uuid" || strings.HasSuffix(p.Name, "_id") || slices.Contains(namesRecords, p.Name)
}

// places returns all places of a route for the id of a record. The other ids of each request are the caller's own.
func (e env) places(t *testing.T, row route.Route) (out []place) {
	t.Helper()
	op := row.Method + " " + row.Path
	var body any
	if b := e.bodies()[op]; b != nil {
		body = b
	}
	own := ownPath(e, row)
	add := func(p place) { out = append(out, p) }
	for _, param := range row.PathParams() {
		if param != "provider" {
			add(func(r records) call {
				return call{row.Method, strings.ReplaceAll(row.Path, "{"+param+"}", r.named(param)), body}
			})
		}
	}
	for _, q := range row.Query {
		if namesRecord(q) {
			add(func(r records) call { return call{row.Method, own + "?" + q.Name + "=" + r.named(q.Name), body} })
		}
	}
	for _, at := range idPlaces(reflect.TypeOf(row.Body)) {
		if body == nil {
			t.Fatalf("%s takes an id as %v: give it a body in bodies", op, at)
		}
		add(func(r records) call { return call{row.Method, own, setAt(body, at, r.named(at[len(at)-1]))} })
	}
	if takesPaths(reflect.TypeOf(row.Body)) && len(e.inside("")[op]) == 0 {
		t.Fatalf("%s takes the paths of a flow: give it bodies in inside", op)
	}
	for i := range e.inside("")[op] {
		add(func(r records) call { return call{row.Method, own, e.inside(r.id.String())[op][i]} })
	}
	return out
}

// ownPath returns the path of a route with the id of the caller's own record.
func ownPath(e env, row route.Route) string {
	kinds := map[string]string{
		"campaigns": "campaign", "short-links": "smartlink", "networks": "network", "traffic-sources": "source", "copilot": "copilot rule",
		"notes": "note", "views": "view", "blocks": "block list", "offers": "offer", "landers": "lander",
	}
	words := strings.Split(strings.TrimPrefix(row.Path, "/app/api"), "/")
	return strings.NewReplacer("{id}", e.ids[kinds[words[1]]], "{provider}", models.GoogleAds).Replace(row.Path)
}

// idPlaces returns the paths of all ids in a body. "*" is the first item of a list.
func idPlaces(typ reflect.Type) (out [][]string) {
	for typ != nil && (typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Struct) {
		if o, ok := reflect.Zero(typ).Interface().(interface{ OptValue() any }); ok {
			typ = reflect.TypeOf(o.OptValue())
		} else if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		} else {
			break
		}
	}
	switch {
	case typ == nil:
	case typ == reflect.TypeFor[uuid.UUID](), typ == reflect.TypeFor[uuid.NullUUID]():
		return [][]string{nil}
	case typ.Kind() == reflect.Slice:
		for _, at := range idPlaces(typ.Elem()) {
			out = append(out, append([]string{"*"}, at...))
		}
	case typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]():
		for i := range typ.NumField() {
			out = append(out, fieldPlaces(typ.Field(i))...)
		}
	}
	return out
}

func fieldPlaces(f reflect.StructField) (out [][]string) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case f.Anonymous && name == "":
		return idPlaces(f.Type)
	case name == "" || name == "-":
		return nil
	case f.Tag.Get("format") == "uuid", name == "id", name == "link", name == "click_id":
		return [][]string{{name}}
	}
	for _, at := range idPlaces(f.Type) {
		out = append(out, append([]string{name}, at...))
	}
	return out
}

func takesPaths(typ reflect.Type) bool {
	for i := 0; typ != nil && typ.Kind() == reflect.Struct && i < typ.NumField(); i++ {
		f := typ.Field(i)
		if f.Tag.Get("is") == "paths" || f.Anonymous && takesPaths(f.Type) {
			return true
		}
	}
	return false
}

func setAt(body any, at []string, text string) any {
	if len(at) == 0 {
		return text
	}
	if at[0] == "*" {
		list := reflect.ValueOf(body)
		var first any
		if list.IsValid() && list.Kind() == reflect.Slice && list.Len() > 0 {
			first = list.Index(0).Interface()
		}
		return []any{setAt(first, at[1:], text)}
	}
	out, _ := body.(object)
	if out = maps.Clone(out); out == nil {
		out = object{}
	}
	out[at[0]] = setAt(out[at[0]], at[1:], text)
	return out
}

// TestForeignIDs: every operation answers another account's id like an id that does not exist. It is called by session and, if
// keys may call it, by key. Nothing in the other account, the victim, changes. All records of a victim have the
// same id, so one call tries all of them. The second victim has a row in every table.
func TestForeignIDs(t *testing.T) { //nolint:tparallel // the subtests are parallel, and the code after them needs them to have ended
	t.Parallel()
	s := apitest.New(t)
	if err := store.EnsureSharedDomains(t.Context(), s.DB, []string{"localhost"}); err != nil {
		t.Fatal(err)
	}
	victim := newEnv(t, s)
	victim.people()
	click := newTrafficEnv(t, victim.Server, 30, 2).visits[0].ID
	rowEverywhere := records{uuid.Must(uuid.NewV7()), "", uuid.New()}
	rowEverywhere.click = models.FormatClickID(rowEverywhere.id)
	dbtest.FillAccountAs(t, s.DB, rowEverywhere.account, rowEverywhere.id)
	victims := []records{{victim.oneID(t), models.FormatClickID(click), victim.Account.ID}, rowEverywhere}
	before := []map[string]string{footprint(t, victim.Server, victims[0].account), footprint(t, victim.Server, victims[1].account)}
	rows := slices.Concat(v1.Routes(v1.Deps{}), dashboard.Routes(dashboard.Deps{}))
	tried := make([]int, len(rows))
	t.Run("all", func(t *testing.T) { // returns when all subtests have ended
		const callers = 4 // several accounts, because the calls of an account per minute are limited
		for n := range callers {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				e := newEnv(t, s.In(t))
				person := e.people()
				for i := n; i < len(rows); i += callers {
					row := rows[i].WithDefaults()
					ways := []*apitest.Server{e.Server, person}
					if row.Callers == route.People {
						ways = ways[1:]
					}
					t.Run(row.Method+row.Path, func(t *testing.T) {
						for _, s := range ways {
							tried[i] += env{s.In(t), e.ids}.tryForeignIDs(t, victims, row)
						}
					})
				}
			})
		}
	})
	sum := 0
	for _, n := range tried {
		sum += n
	}
	t.Logf("%d places", sum)
	for i, v := range victims {
		for table, sum := range footprint(t, victim.Server, v.account) {
			if before[i][table] != sum {
				t.Errorf("a call with a foreign id changed rows of %s", table)
			}
		}
	}
}

// tryForeignIDs puts the ids of each victim into each place of the route's requests, and compares the answers with those to
// unknown ids.
func (e env) tryForeignIDs(t *testing.T, victims []records, row route.Route) (tried int) {
	t.Helper()
	nobody := unknownIDs()
	for _, at := range e.places(t, row) {
		random := at(nobody)
		want := e.do(random)
		for _, v := range victims {
			foreign := at(v)
			got := e.do(foreign)
			if differ(got, v, want, nobody) {
				want = e.do(random) // time may have changed the answer
			}
			alike(t, foreign, got, v, want, nobody)
			tried++
		}
	}
	return tried
}

// alike fails the test unless two answers are the same, apart from ids and times.
func alike(t *testing.T, foreign call, got apitest.Answer, v records, want apitest.Answer, nobody records) {
	t.Helper()
	if differ(got, v, want, nobody) {
		text, _ := json.Marshal(foreign.body)
		t.Errorf("%s %s %s\nanother's: %d %.300s\nnobody's:  %d %.300s", foreign.method, foreign.path, text, got.Status, got.Raw,
			want.Status, want.Raw)
	}
	if got.Status == http.StatusTooManyRequests {
		t.Errorf("%s %s: refused by the rate limit, so the answers cannot be compared", foreign.method, foreign.path)
	}
}

// fresh matches ids and times, which differ between answers to the same call.
var fresh = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[^"]*`)

func differ(got apitest.Answer, v records, want apitest.Answer, nobody records) bool {
	a, b := v.masked(got.Raw), nobody.masked(want.Raw)
	return got.Status != want.Status || a != b && fresh.ReplaceAllLiteralString(a, "NEW") != fresh.ReplaceAllLiteralString(b, "NEW")
}

// do makes a call. No worker runs here, so it does not wait for a job.
func (e env) do(c call) apitest.Answer {
	return e.Do(c.method, c.path, c.body, "Prefer", "respond-async")
}

// footprint returns the number and a checksum of an account's rows by table, except API keys and stored answers.
func footprint(t *testing.T, s *apitest.Server, account uuid.UUID) map[string]string {
	t.Helper()
	var tables []string
	err := s.DB.SelectContext(t.Context(), &tables, `SELECT table_name FROM information_schema.columns
		WHERE column_name = 'account_id' AND table_schema = 'public' AND table_name NOT IN ('api_keys', 'idempotency_keys')`)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, table := range tables {
		var sum string
		err := s.DB.GetContext(t.Context(), &sum, fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '|'
			ORDER BY r::text)), '') FROM %q r WHERE account_id = $1`, table), account)
		if err != nil {
			t.Fatal(err)
		}
		out[table] = sum
	}
	return out
}
