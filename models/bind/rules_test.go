package bind_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/bind"
)

// PathBody shows rules that struct tags can express.
type PathBody struct {
	Name    string             `json:"name" required:"true" trim:"true" maxLength:"10"`
	Country string             `json:"country" bad:"invalid_country" format:"country"`
	Weight  models.Money       `json:"weight" bad:"invalid_number,out_of_range" min:"0" max:"99.5"`
	Action  string             `json:"action" enum:"offer,lander" default:"offer"`
	Tags    models.Tags        `json:"tags"`
	Cap     bind.Opt[int]      `json:"cap" bad:"invalid_cap" min:"1"`
	URL     string             `json:"url" maxLength:"40" format:"routable"`
	Next    bind.Opt[[]string] `json:"next" unique:"true" case:"lower" enum:"a,b" empty:"no_next"`
	Limit   *int               `json:"limit" max:"5" default:"3"`
	Goal    bind.Opt[string]   `json:"goal" null:"empty" pattern:"^[a-z]+$"`
	Inner   []struct {
		Slots int `json:"slots" enum:"1,2" bad:"invalid_slots"`
	} `json:"inner" minItems:"1"`
}

func ExampleDecode() {
	var b PathBody
	fmt.Println(bind.Decode([]byte(`{"name": "  ", "cap": 2}`), &b))
	fmt.Println(bind.Decode([]byte(`{"name": "to DE", "weight": "half"}`), &b))
	fmt.Println(bind.Decode([]byte(`{"name": "to DE", "weight": 100}`), &b))
	fmt.Println(bind.Decode([]byte(`{"name": " to DE ", "weight": 0.5, "country": "de", "inner": [{"slots": 1}]}`), &b))
	fmt.Println(b.Name, b.Weight, b.Country, b.Action, *b.Limit)
	// Output:
	// required: name is required
	// invalid_number: weight must be a number
	// out_of_range: weight must be from 0 to 99.5
	// <nil>
	// to DE 0.5 DE offer 3
}

func TestRules(t *testing.T) {
	t.Parallel()
	for members, code := range map[string]string{
		`"x":1`: "", `"name":"` + strings.Repeat("ä", 11) + `"`: "too_long", `"name":null`: "required",
		`"name":" ` + strings.Repeat("ä", 10) + ` "`: "", `"name":5`: "invalid_input",
		`"country":"DEU"`: "invalid_country", `"country":""`: "", `"country":null`: "", `"country":5`: "invalid_country",
		`"weight":99.5`: "", `"weight":99.51`: "out_of_range", `"weight":-0.01`: "out_of_range", `"weight":[]`: "invalid_number",
		`"action":"fly"`: "invalid_input", `"action":""`: "", `"action":"lander"`: "",
		`"tags":["` + strings.Repeat("x", 65) + `"]`: "too_long", `"tags":["a","A"," ","b"]`: "",
		`"cap":0`: "invalid_cap", `"cap":1`: "", `"cap":null`: "", `"cap":"1"`: "invalid_cap",
		`"url":"https://x.example/{sub1}"`: "", `"url":"https://{sub1}.example"`: "invalid_url", `"url":"x"`: "invalid_url",
		`"url":"https://x.example/` + strings.Repeat("x", 30) + `"`: "too_long",
		`"next":[]`: "no_next", `"next":["B","b"]`: "", `"next":["c"]`: "invalid_input", `"next":[" "]`: "invalid_input",
		`"next":null`: "", `"limit":6`: "out_of_range", `"limit":5`: "", `"limit":null`: "",
		`"goal":null`: "invalid_input", `"goal":"x"`: "", `"goal":""`: "invalid_input",
		`"inner":[]`: "invalid_input", `"inner":[{"slots":3}]`: "invalid_slots", `"inner":[{"slots":2}]`: "",
	} {
		var b PathBody
		err := bind.Decode([]byte(`{"name":"n","inner":[{"slots":1}],`+members+`}`), &b)
		e, _ := models.AsError(err)
		if (err == nil) != (code == "") || e != nil && e.Code != code {
			t.Errorf("%s: %v, want %q", members, err, code)
		}
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	var b PathBody
	err := bind.Decode([]byte(`{"name":" a ","tags":["B"," b ","","c"],"next":["A","a"],"inner":[{"slots":1}],"limit":null}`), &b)
	if err != nil {
		t.Fatal(err)
	}
	if b.Name != "a" || !slices.Equal(b.Tags, models.Tags{"B", "c"}) || !slices.Equal(b.Next.Value, []string{"a"}) ||
		b.Action != "offer" || *b.Limit != 3 || b.Cap.Set {
		t.Errorf("a text, a list or a default does not have its stored form: %+v", b)
	}
}
