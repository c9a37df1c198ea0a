package deploy

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestClickHouseBeside: every process knows the server, which is confined as the others are.
func TestClickHouseBeside(t *testing.T) {
	t.Parallel()
	var c compose
	if err := yaml.Unmarshal(read(t, "clickhouse.yaml"), &c); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"migrate", "web", "worker", "clock"} {
		if !strings.HasPrefix(c.Services[name].Environment["CLICKS_URL"], "clickhouse://switchyard:") {
			t.Errorf("%s does not know ClickHouse", name)
		}
	}
	s := c.Services["clickhouse"]
	if !s.ReadOnly || s.User == "" || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") ||
		!slices.Equal(s.Networks, []string{"back"}) || len(s.Ports) > 0 {
		t.Errorf("the server is not confined: %+v", s)
	}
}
