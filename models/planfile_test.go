package models

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParsePlans checks that the printed built-in table reads back as the same table, and that errors name what is wrong with a
// file.
func TestParsePlans(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(Plans)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParsePlans(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Plans, got); diff != "" {
		t.Errorf("the printed table reads back differently:\n%s", diff)
	}
	change := func(old, replacement string) string {
		out := strings.Replace(string(raw), old, replacement, 1)
		if out == string(raw) {
			t.Fatalf("%s is not in the printed table", old)
		}
		return out
	}
	for file, want := range map[string]string{
		`{}`:                                   "is not a JSON array",
		`[]`:                                   "has 0 plans",
		change(`"starter"`, `"Starter"`):       `the name "Starter"`,
		change(`"growth"`, `"starter"`):        `plan "starter" appears twice`,
		change(`"offers":50,`, ``):             "offers is missing",
		change(`"offers":50,`, `"offer":50,`):  `unknown field "offer"`,
		change(`"offers":50,`, `"offers":-2,`): "offers is -2, it must be at least 0, or -1 for unlimited",
		change(`"history_days":30`, `"history_days":-1`):             "history_days is -1, it must be at least 1",
		change(`"postback_days":30`, `"postback_days":9`):            "postback_days is 9, it must be at least 30",
		change(`"calls_per_minute":60`, `"calls_per_minute":999999`): "may be at most 100000",
	} {
		if _, err := ParsePlans([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the file %.60s gives the error %v, want %s in it", file, err, want)
		}
	}
}
