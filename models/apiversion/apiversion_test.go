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

// inPath and inHeader match versions in URLs, paths, headers and parameters of adapters. Versions of OAuth do not count. inConst
// matches the constant of a version that a setting can change. entry matches the row of a provider in a table.
var (
	inPath   = regexp.MustCompile(`"[^"\s]*?/(v[0-9]+(?:\.[0-9]+)?(?:beta)?|[0-9]+\.[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2})[/"]`)
	inHeader = regexp.MustCompile(`(?i)-version"[,:] ?\{?"([^"/]+)"`)
	inConst  = regexp.MustCompile(`models\.(?:GoogleAds|Meta)Version`)
	entry    = regexp.MustCompile(`^\t"(\w+)": +\{`)
)

// providersOf maps the file of an adapter to its providers, if they do not follow from its name.
var providersOf = map[string][]string{
	"ads/google": {models.GoogleAds}, "ads/microsoft": {models.MicrosoftAds}, "ads/upload_microsoft": {models.MicrosoftAds},
	"ads/upload_google": {"google_data_manager"}, "ads/upload_google_status": {"google_data_manager"}, "ads/upload_uet": {"microsoft_uet"},
	"ads/openai": {"openai_ads"}, "ads/upload_openai": {"openai_ads"}, "ads/propeller": {"propellerads"},
	"ai/openai": {"openai", "openrouter"}, "networks/impact_changes": {"impact"},
	"oauth/microsoft": {models.MicrosoftAds}, "oauth/actions_microsoft": {models.MicrosoftAds}, "oauth/signin": {models.GoogleAds, models.Meta},
	"safebrowsing/google": {"safe_browsing", "web_risk"}, "geolookup/geolookup": {"maxmind"}, "cloudflare/client": {"cloudflare"},
}

var constants = map[string]row{
	"models.GoogleAdsVersion": {models.GoogleAds, models.GoogleAdsVersion}, "models.MetaVersion": {models.Meta, models.MetaVersion},
}

type row struct{ provider, version string }

// usage is a version in an adapter, and the providers to which it may belong.
type usage struct {
	version string
	owners  []string
}

// versionsIn returns the versions in the source text of an adapter. file is the path without ".go".
func versionsIn(file, text string) (found []usage) {
	family, name, _ := strings.Cut(file, "/")
	providers, named := providersOf[family+"/"+name]
	if !named {
		providers = []string{strings.TrimPrefix(name, "upload_")}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			continue
		}
		owners := providers
		if m := entry.FindStringSubmatch(line); m != nil {
			owners = m[1:]
		}
		for _, m := range append(inPath.FindAllStringSubmatch(line, -1), inHeader.FindAllStringSubmatch(line, -1)...) {
			if !strings.Contains(m[0], "/oauth2/") {
				found = append(found, usage{m[1], owners})
			}
		}
		for _, name := range inConst.FindAllString(line, -1) {
			found = append(found, usage{constants[name].version, []string{constants[name].provider}})
		}
	}
	return found
}

// TestVersionsOfAdapters checks that each version that an adapter uses has a row, under a provider of this adapter. It also
// checks that each row that is used by default is the version of some adapter.
func TestVersionsOfAdapters(t *testing.T) {
	t.Parallel()
	const adapters = "../../workers/providers/"
	files, err := filepath.Glob(adapters + "*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[row]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, s := range versionsIn(strings.TrimSuffix(strings.TrimPrefix(file, adapters), ".go"), string(text)) {
			rows := 0
			for _, v := range apiversion.Versions {
				if v.Version == s.version && slices.Contains(s.owners, v.Provider) {
					rows++
					used[row{v.Provider, v.Version}] = true
				}
			}
			if rows == 0 {
				t.Errorf("%s uses version %s, which is not in the table for any of %v", file, s.version, s.owners)
			}
		}
	}
	for _, v := range apiversion.Versions {
		if !v.Old && !used[row{v.Provider, v.Version}] {
			t.Errorf("no adapter of %s uses version %s, which its row names", v.Provider, v.Version)
		}
	}
}

// TestVersionsIn checks which versions are found in a line, and to which provider they belong.
func TestVersionsIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, version, owner string }{
		{"ads/acme", `base: "https://api.acme.example/v7",`, "v7", "acme"},
		{"ads/upload_acme", `path := "/v3/" + pixel + "/events"`, "v3", "acme"},
		{"networks/acme", `Header: map[string]string{"Acme-Version": "16"},`, "16", "acme"},
		{"dns/dns", "\t\"acme\": {\"https://api.acme.example/2.0\", openAcme},", "2.0", "acme"},
		{"dns/acme", `url.Values{"api-version": {"2018-05-01"}}`, "2018-05-01", "acme"},
		{"ads/upload_openai", `"https://bzr.openai.com/v1"`, "v1", "openai_ads"},
		{"ads/google", `version: models.GoogleAdsVersion,`, models.GoogleAdsVersion, models.GoogleAds},
	} {
		if got := versionsIn(c.file, c.text); len(got) != 1 || got[0].version != c.version || !slices.Equal(got[0].owners, []string{c.owner}) {
			t.Errorf("%s in %s has the versions %v, want only %s of %s", c.text, c.file, got, c.version, c.owner)
		}
	}
	for _, text := range []string{`// "https://api.acme.example/v7"`, `"https://login.acme.example/oauth2/v2.0/token"`, `"2006-01-02"`} {
		if got := versionsIn("ads/acme", text); len(got) != 0 {
			t.Errorf("%s has the versions %v, want none", text, got)
		}
	}
}

// TestRows checks that rows are complete. Only a setting can select an old version.
func TestRows(t *testing.T) {
	t.Parallel()
	seen := map[row]bool{}
	for _, v := range apiversion.Versions {
		key := row{v.Provider, v.Version}
		_, checkedErr := time.Parse(time.DateOnly, v.Checked)
		_, endsErr := time.Parse(time.DateOnly, v.Ends)
		if seen[key] || checkedErr != nil || v.Ends != "" && endsErr != nil || !strings.HasPrefix(v.Page, "https://") || v.Old && v.Setting == "" {
			t.Errorf("the row is repeated, or lacks a valid date, a page or, if it is old, a setting: %+v", v)
		}
		seen[key] = true
	}
	if !seen[row{models.GoogleAds, models.GoogleAdsVersion}] || !seen[row{models.Meta, models.MetaVersion}] {
		t.Error("the versions that are used by default are not in the table")
	}
}

func usedOf(provider string, chosen map[string]string) (used []apiversion.Version) {
	return slices.DeleteFunc(apiversion.Used(chosen), func(v apiversion.Version) bool { return v.Provider != provider })
}

// TestUsed checks that a setting replaces the default version. A version that is not in the table has no end.
func TestUsed(t *testing.T) {
	t.Parallel()
	for named, want := range map[string]apiversion.Version{
		"":      {Version: models.MetaVersion},
		"v25.0": {Version: "v25.0", Ends: "2027-02-23"},
		"v99.0": {Version: "v99.0"},
	} {
		got := usedOf(models.Meta, map[string]string{models.Meta: named})
		if len(got) != 1 || got[0].Version != want.Version || got[0].Ends != want.Ends || got[0].Setting != "META_VERSION" {
			t.Errorf("META_VERSION=%q selects %+v, want %+v with the setting META_VERSION", named, got, want)
		}
	}
	if got := usedOf("tiktok", nil); len(got) != 1 || got[0].Version != "v1.3" {
		t.Errorf("tiktok uses the versions %+v, want only v1.3", got)
	}
}

// TestEndsSoon checks that operators are warned from 60 days before the end on.
func TestEndsSoon(t *testing.T) {
	t.Parallel()
	v := apiversion.Version{Ends: "2027-02-23"}
	ends := time.Date(2027, 2, 23, 0, 0, 0, 0, time.UTC)
	for before, want := range map[time.Duration]bool{apiversion.Notice + time.Second: false, apiversion.Notice - time.Second: true, -time.Hour: true} {
		if v.EndsSoon(ends.Add(-before)) != want {
			t.Errorf("%s before the end, EndsSoon is %v, want %v", before, !want, want)
		}
	}
	if (apiversion.Version{}).EndsSoon(ends) {
		t.Error("a version without an announced end ends soon")
	}
}

// TestStale checks that a row becomes stale a year after its page was read.
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
		t.Errorf("rows are stale a month after their check: %+v", got)
	}
	if got := apiversion.Stale(read.AddDate(1, 0, 2)); len(got) != len(apiversion.Versions) {
		t.Errorf("after a year only %d of %d rows are stale", len(got), len(apiversion.Versions))
	}
}
