package token_test

import (
	"net/url"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/template"
	"switchyard/models/token"
)

// Macros stay unchanged for the source that fills them. No other text can end a parameter, or begin another one.
func TestAppendMacros(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"{clickid}": "{clickid}", "[click_id]": "[click_id]", "##SUB_ID_SHORT(action)##": "##SUB_ID_SHORT(action)##",
		"${SUBID}": "${SUBID}", "{{campaign.id}}": "{{campaign.id}}", "{:click_id}": "{:click_id}", "__CLICKID__": "__CLICKID__",
		"[[[subid1]]]": "[[[subid1]]]", "!!!clickRef!!!": "!!!clickRef!!!", "#s2#": "#s2#", "%CLICK%": "%CLICK%", "%%CLICK%%": "%%CLICK%%",
		"pre-{zone}/{ad}": "pre-{zone}%2F{ad}",
		"a b&c=d#e":       "a%20b%26c%3Dd%23e",
		"{a}&evil=1":      "{a}%26evil%3D1",
		"{a&b}":           "%7Ba%26b%7D",
		"{a b}":           "%7Ba%20b%7D",
		"{}":              "%7B%7D", "##": "%23%23", "[": "%5B", "100%": "100%25", "{1}": "%7B1%7D",
		"\"><script>{x}": "%22%3E%3Cscript%3E{x}",
		"ü\r\n":          "%C3%BC%0D%0A",
		"":               "",
	} {
		if got := string(token.AppendMacros([]byte("="), in)); got != "="+want {
			t.Errorf("%q becomes %s, want %s", in, got[1:], want)
		}
	}
}

func TestLinkQuery(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]models.SourceLink{
		"": {ExternalIDParam: "gclid"}, "external_id={id}&cost={c}": {ExternalIDMacro: "{id}", CostMacro: "{c}"},
		"cid=[id]&zo%20ne={z}&b=": {ExternalIDParam: "cid", ExternalIDMacro: "[id]", TokenMacros: models.TokenMacros{{Param: "zo ne", Macro: "{z}"}, {Param: "b", Macro: ""}}},
		"cid={new}&a={a}":         {ExternalIDParam: "cid", ExternalIDMacro: "{new}", TokenMacros: models.TokenMacros{{Param: "CID", Macro: "{old}"}, {Param: "a", Macro: "{a}"}}},
		"cid={old}":               {ExternalIDParam: "cid", TokenMacros: models.TokenMacros{{Param: "cid", Macro: "{old}"}}},
	} {
		if got := token.LinkQuery(l); got != want {
			t.Errorf("%+v: %s, want %s", l, got, want)
		}
	}
}

// Every macro of a known source is unchanged in its link. If values take the place of the macros, each parameter of the link has
// its value.
func TestLinkQueriesOfTemplates(t *testing.T) {
	t.Parallel()
	for _, s := range template.Sources() {
		l := s.Link()
		query := token.LinkQuery(l)
		for _, m := range l.Params() {
			query = strings.Replace(query, "="+m.Macro, "="+"v"+m.Param, 1)
		}
		values, err := url.ParseQuery(query)
		if err != nil || len(values) != len(l.Params()) {
			t.Errorf("%s: the link with values is %s (%v), want each parameter once", s.Key, query, err)
		}
		for _, m := range l.Params() {
			if values.Get(m.Param) != "v"+m.Param {
				t.Errorf("%s: the parameter %s has the value %q in %s, want its own value", s.Key, m.Param, values.Get(m.Param), query)
			}
		}
	}
}
