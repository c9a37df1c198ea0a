package bind

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

type inner struct {
	Weight decimal.Decimal `json:"weight" bad:"invalid_weight"`
}

type sample struct {
	ID    uuid.UUID           `json:"id" bad:"invalid_id"`
	Name  Opt[string]         `json:"name"`
	Cap   Opt[int]            `json:"cap" bad:"invalid_cap"`
	On    bool                `json:"on" bad:"invalid_status"`
	Money models.Money        `json:"money" bad:"invalid_number"`
	Limit *int                `json:"limit" bad:"invalid_number"`
	Map   map[string]string   `json:"map"`
	Lists map[string][]string `json:"lists"`
	Items []inner             `json:"items"`
	Raw   json.RawMessage     `json:"raw"`
	Any   any                 `json:"any"`
	Loose string              `json:"loose" loose:"true"`
	Ratio float64             `json:"ratio"`
}

func TestThreeStates(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Opt[string]{
		`{}`:            {},
		`{"name":null}`: {Set: true, Null: true},
		`{"name":""}`:   {Set: true},
		`{"name":"x"}`:  {Set: true, Value: "x"},
		`{"Name":"x"}`:  {},
	} {
		var s sample
		if err := Decode([]byte(body), &s); err != nil || s.Name != want {
			t.Errorf("the body %s sets name to %+v (error %v), want %+v", body, s.Name, err, want)
		}
	}
}

func TestWrongTypes(t *testing.T) {
	t.Parallel()
	for body, code := range map[string]string{
		`{"id":"x"}`: "invalid_id", `{"id":{}}`: "invalid_id", `{"id":"{6ba7b810-9dad-11d1-80b4-00c04fd430c8}"}`: "invalid_id",
		`{"cap":"1"}`: "invalid_cap", `{"cap":1.5}`: "invalid_cap", `{"on":"true"}`: "invalid_status", `{"on":1}`: "invalid_status",
		`{"money":"1"}`: "invalid_number", `{"money":[]}`: "invalid_number", `{"limit":true}`: "invalid_number",
		`{"map":[]}`: "invalid_input", `{"map":{"a":1}}`: "invalid_input", `{"lists":{"a":"b"}}`: "invalid_input",
		`{"items":{}}`: "invalid_input", `{"items":[1]}`: "invalid_input", `{"items":[{"weight":"1"}]}`: "invalid_weight",
		`{"ratio":"1"}`: "invalid_input", `{"name":{"a":1}}`: "invalid_input",
		`{"cap":null,"on":null,"money":null,"limit":null,"map":null,"items":null,"id":null,"ratio":null}`: "",
		`{"loose":5}`: "", `{"cap":5.0}`: "", `{"cap":5e0}`: "", `{"money":-1e-999999999999}`: "", `{"any":[1,{"a":2}]}`: "",
	} {
		var s sample
		err := Decode([]byte(body), &s)
		e, _ := models.AsError(err)
		if (err == nil) != (code == "") || e != nil && e.Code != code {
			t.Errorf("%s: %v, want %q", body, err, code)
		}
	}
}

func TestHugeNumbersStayCheap(t *testing.T) {
	t.Parallel()
	for raw, sign := range map[string]int{"1e999999999": 1, "-1e99999999999999": -1, "1e-999999999": 0, "0e999": 0} {
		var s sample
		if err := Decode([]byte(`{"money":`+raw+`,"limit":`+raw+`}`), &s); err != nil {
			t.Fatalf("the number %s is refused: %v", raw, err)
		}
		if s.Money.Sign() != sign || len(s.Money.String()) > 60 {
			t.Errorf("the number %s became %.80s, want the sign %d and at most 60 characters", raw, s.Money, sign)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 15, 4, 5, 6, time.FixedZone("x", 3600))
	for query, want := range map[string]Range{
		"":                       {"2026-02-23 00:00:00", "2026-03-01 23:59:59"},
		"from=2026-02-28":        {"2026-02-28 00:00:00", "2026-03-01 23:59:59"},
		"to=2026-01-10":          {"2026-01-04 00:00:00", "2026-01-10 23:59:59"},
		"to=2026-02-28+12:00:00": {"2026-02-23 00:00:00", "2026-02-28 12:00:00"},
		"from=2024-02-29+01:02:03&to=2024-02-29+01:02:03": {"2024-02-29 01:02:03", "2024-02-29 01:02:03"},
	} {
		q, err := Query(query)
		if err != nil {
			t.Fatal(err)
		}
		w, err := ParseWindow(q, now)
		if err != nil || w.Range() != want {
			t.Errorf("the query %q gives the window %v (error %v), want %v", query, w.Range(), err, want)
		}
	}
}

// FuzzDecode checks that any input gives a value, or an error that a client may see.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"id":"` + uuid.NewString() + `","money":1e5,"items":[{"weight":1}]}`, `{"a":"\u0000"}`, `[`,
		`{"name":"\ud800","any":{"x":[[]]}}`, "\xef\xbb\xbf{}", `{"cap":1e400}`, `{"lists":{"a":["b"]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var s sample
		err := Decode(body, &s)
		if err == nil {
			return
		}
		if e, ok := models.AsError(err); !ok || e.Kind != models.KindInvalid {
			t.Errorf("the body %q gives the error %v, want one that a client may see", body, err)
		}
	})
}
