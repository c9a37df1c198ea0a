package models_test

import (
	"encoding/json"
	"testing"

	"switchyard/models"
)

func TestTokenMacros(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: `{}`, `{"b":"1","a":"2"}`: `{"b":"1","a":"2"}`, `{"b":"1","a":"2","b":"3"}`: `{"b":"3","a":"2"}`,
		`{ " b " : "\"" }`: `{"b":"\""}`,
		`[]`:               "", `"x"`: "", `null`: "", `{"a":1}`: "", `{"a":null}`: "", `{"a":{"b":"c"}}`: "",
		`{"a":["b"]}`: "", `{"a":"b"`: "", `{"a"`: "", `{`: "", ``: "",
	} {
		var m models.TokenMacros
		if err := m.UnmarshalJSON([]byte(text)); (err == nil) != (want != "") {
			t.Errorf("reading %s gives the error %v, want success: %t", text, err, want != "")
			continue
		}
		if want == "" {
			continue
		}
		if got, err := json.Marshal(m); err != nil || string(got) != want {
			t.Errorf("%s becomes %s (%v), want %s", text, got, err, want)
		}
	}
	if raw, err := json.Marshal(models.TokenMacros(nil)); err != nil || string(raw) != `{}` {
		t.Errorf("nil macros become %s, %v, want an empty object", raw, err)
	}
}
