package bind_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models/bind"
)

type keyed struct {
	Name  string          `json:"name"`
	ID    uuid.UUID       `json:"id"`
	At    time.Time       `json:"at"`
	Raw   json.RawMessage `json:"raw"`
	Any   any             `json:"any"`
	Inner bind.Opt[struct {
		Weight int `json:"weight"`
	}] `json:"inner"`
	List []struct {
		Filters []string `json:"filters"`
		Self    *keyed   `json:"self"`
	} `json:"list"`
}

type answered struct {
	CreatedAt string `json:"created_at"`
	Raw       []struct {
		URL string `json:"url"`
	} `json:"raw"`
}

func TestKeys(t *testing.T) {
	t.Parallel()
	alone, both := bind.KeysOf(keyed{}), bind.KeysOf(keyed{}, &answered{})
	for _, c := range []struct {
		keys *bind.Keys
		body string
		want string // text of the error; empty: no error
	}{
		{alone, `{"name": 1, "id": {"x": 1}, "any": {"x": 1}, "raw": [{"x": 1}], "_note": {"x": 1}, "inner": {"weight": 1}}`, ""},
		{alone, `{"list": [{"filters": ["x"]}, {"self": {"name": "n", "list": [{"x": 1}]}}, null, 3]}`, ""},
		{alone, `{"naame": "n"}`, "naame is unknown; did you mean name?"},
		{alone, `{"Name": "n"}`, "did you mean name?"},
		{alone, `{"completely": "other"}`, "completely is unknown"},
		{alone, `{"inner": {"wieght": 3}}`, "inner.wieght is unknown; did you mean weight?"},
		{alone, `{"list": [{}, {"filter": []}]}`, "list[1].filter is unknown; did you mean filters?"},
		{alone, `{"created_at": "x"}`, "created_at is unknown"},
		{both, `{"created_at": "x", "raw": [{"url": "u"}]}`, ""},
		{both, `{"raw": [{"ulr": "u"}]}`, "raw[0].ulr is unknown; did you mean url?"},
		{nil, `{"x": 1}`, ""},
	} {
		err := c.keys.Check([]byte(c.body))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}
