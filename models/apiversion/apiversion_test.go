package apiversion_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/models/apiversion"
)

// inPath matches a version in an address or a path of the adapters. Versions of OAuth are left out.
var inPath = regexp.MustCompile(`"[^"\s]*/(v[0-9]+(?:\.[0-9]+)?(?:beta)?|[0-9]+\.[0-9]+|20[0-9]{2}-[0-9]{2}-[0-9]{2})[/"]`)

// inBase matches the name of a DNS provider and the version in its address.
var inBase = regexp.MustCompile(`"([a-z0-9]+)":\s+\{"https://[^"\s]*/(v[0-9]+|20[0-9]{2}-[0-9]{2}-[0-9]{2})[/"]`)

// TestEveryVersionHasARow reads the paths in the adapters. Each version there is in the table.
func TestEveryVersionHasARow(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, v := range apiversion.Versions {
		known[v.Version] = true
	}
	found := 0
	for _, family := range []string{"ads", "networks", "oauth", "ai", "dns", "geolookup", "safebrowsing", "cloudflare"} {
		files, err := filepath.Glob("../../workers/providers/" + family + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range inPath.FindAllStringSubmatch(string(text), -1) {
				if found++; !known[m[1]] && !strings.Contains(m[0], "/oauth2/") {
					t.Errorf("%s uses version %s in %s, which is not in the table", file, m[1], m[0])
				}
			}
		}
	}
	if found < 35 {
		t.Errorf("%d versions found, so the test looks for the wrong thing", found)
	}
}

// TestDNSVersions: each DNS provider whose address has a version has a row of its own.
func TestDNSVersions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../workers/providers/dns/dns.go")
	if err != nil {
		t.Fatal(err)
	}
	list := inBase.FindAllStringSubmatch(string(text), -1)
	for _, m := range list {
		if !slices.ContainsFunc(apiversion.Versions, func(v apiversion.Version) bool { return v.Provider == m[1] && v.Version == m[2] }) {
			t.Errorf("%s has no row for its version %s", m[1], m[2])
		}
	}
	if len(list) < 10 {
		t.Errorf("%d versions found, so the test looks for the wrong thing", len(list))
	}
}

// TestRows: each row names its page and the day on which it was read. A setting chooses among the rows of one provider.
func TestRows(t *testing.T) {
	t.Parallel()
	seen := map[[2]string]bool{}
	for _, v := range apiversion.Versions {
		key := [2]string{v.Provider, v.Version}
		_, read := time.Parse(time.DateOnly, v.Checked)
		_, ends := time.Parse(time.DateOnly, v.Ends)
		if seen[key] || read != nil || v.Ends != "" && ends != nil || !strings.HasPrefix(v.Page, "https://") || v.Old && v.Setting == "" {
			t.Errorf("%+v", v)
		}
		seen[key] = true
	}
	if !seen[[2]string{models.GoogleAds, models.GoogleAdsVersion}] || !seen[[2]string{models.Meta, models.MetaVersion}] {
		t.Error("the versions that are used by default are not in the table")
	}
}

func usedOf(provider string, chosen map[string]string) (used []apiversion.Version) {
	return slices.DeleteFunc(apiversion.Used(chosen), func(v apiversion.Version) bool { return v.Provider != provider })
}

// TestUsed: a setting replaces the default version. A version that is not in the table has no end.
func TestUsed(t *testing.T) {
	t.Parallel()
	for named, want := range map[string]apiversion.Version{
		"":      {Version: models.MetaVersion},
		"v25.0": {Version: "v25.0", Ends: "2027-02-23"},
		"v99.0": {Version: "v99.0"},
	} {
		got := usedOf(models.Meta, map[string]string{models.Meta: named})
		if len(got) != 1 || got[0].Version != want.Version || got[0].Ends != want.Ends || got[0].Setting != "META_VERSION" {
			t.Errorf("META_VERSION=%q: %+v", named, got)
		}
	}
	if got := usedOf("tiktok", nil); len(got) != 1 || got[0].Version != "v1.3" {
		t.Errorf("%+v", got)
	}
}

// TestEndsSoon: operators are told from 60 days before the end on, and after it.
func TestEndsSoon(t *testing.T) {
	t.Parallel()
	v := apiversion.Version{Ends: "2027-02-23"}
	ends := time.Date(2027, 2, 23, 0, 0, 0, 0, time.UTC)
	for before, want := range map[time.Duration]bool{apiversion.Notice + time.Second: false, apiversion.Notice - time.Second: true, -time.Hour: true} {
		if v.EndsSoon(ends.Add(-before)) != want {
			t.Errorf("%s before the end: %v", before, !want)
		}
	}
	if (apiversion.Version{}).EndsSoon(ends) {
		t.Error("a version without an announced end ends soon")
	}
}

// TestStale: a row counts for a year after its page was read.
func TestStale(t *testing.T) {
	t.Parallel()
	newest := ""
	for _, v := range apiversion.Versions {
		newest = max(newest, v.Checked)
	}
	read, err := time.Parse(time.DateOnly, newest)
	if err != nil {
		t.Fatal(err)
	}
	if got := apiversion.Stale(read.AddDate(0, 0, 30)); len(got) != 0 {
		t.Errorf("after a month: %+v", got)
	}
	if got := apiversion.Stale(read.AddDate(1, 0, 2)); len(got) != len(apiversion.Versions) {
		t.Errorf("after a year %d of %d rows are stale", len(got), len(apiversion.Versions))
	}
}
