package dashboard

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	screenPath = regexp.MustCompile(`path: '/app(?:/([a-z]+))?', icon`)
	helpLink   = regexp.MustCompile(`\]\(([^)]*)\)`)
	boldText   = regexp.MustCompile(`\*\*([^*\n]+)\*\*`)
	literal    = regexp.MustCompile(`'((?:[^'\\\n]|\\.)*)'`)
)

// helpNames returns the names of the pages that must exist.
func helpNames(t *testing.T) []string {
	t.Helper()
	shell, err := os.ReadFile("web/src/parts/shell.tsx")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"flow", "link", "me", "connect", "index"}
	for _, m := range screenPath.FindAllSubmatch(shell, -1) {
		name := string(m[1])
		if name == "" {
			name = "overview"
		}
		names = append(names, name)
	}
	if len(names) < 30 {
		t.Fatalf("only %v were found in the navigation, want at least 30 names", names)
	}
	return names
}

// readTexts returns the literals in single quotes of all files with the dashboard's texts in a language.
func readTexts(t *testing.T, lang string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("web/src/text/" + lang + "/*.ts")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, file := range append(files, "web/src/text/"+lang+".ts") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllSubmatch(text, -1) {
			out[string(m[1])] = true
		}
	}
	return out
}

// Every screen has a page of help in each language. The links of a page lead to pages of help, and each name in bold is shown
// somewhere in the dashboard.
func TestHelpPages(t *testing.T) {
	t.Parallel()
	names := helpNames(t)
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			files, err := helpPages.ReadDir("help/" + lang)
			if err != nil || len(files) != len(names) {
				t.Errorf("there are %d pages of help for %d screens, want one for each; error %v", len(files), len(names), err)
			}
			shown := readTexts(t, lang)
			index, _ := helpPages.ReadFile("help/" + lang + "/index.md")
			for _, name := range names {
				text, err := helpPages.ReadFile("help/" + lang + "/" + name + ".md")
				if err != nil || !strings.HasPrefix(string(text), "# ") {
					t.Errorf("%s has no page with a title: %v", name, err)
				}
				if lines := strings.Count(string(text), "\n"); lines < 12 || lines > 45 {
					t.Errorf("%s has %d lines, want 12 to 45", name, lines)
				}
				for _, m := range helpLink.FindAllSubmatch(text, -1) {
					if !slices.Contains(names, string(m[1])) {
						t.Errorf("%s links to %s, which is no page", name, m[1])
					}
				}
				for _, m := range boldText.FindAllSubmatch(text, -1) {
					if !shown[string(m[1])] {
						t.Errorf("%s names %q, which the dashboard does not show", name, m[1])
					}
				}
				if name != "index" && !strings.Contains(string(index), "]("+name+")") {
					t.Errorf("the index lacks %s", name)
				}
			}
		})
	}
}

func TestHelpIsServed(t *testing.T) {
	t.Parallel()
	get := func(lang, name string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", "/app/help/"+lang+"/page", nil), httptest.NewRecorder()
		r.SetPathValue("lang", lang)
		r.SetPathValue("name", name)
		pages{}.help(w, r)
		return w
	}
	for _, lang := range languages {
		w := get(lang, "flow")
		if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "<h1>Flow</h1>") || !strings.Contains(body, `<a href="offers">`) {
			t.Errorf("%s: the page of the flow gets the status %d, want 200 with a title and a link to offers: %s", lang, w.Code, body)
		}
	}
	for _, name := range []string{"none", "..", "../de/flow/x", ""} {
		if w := get("en", name); w.Code != 404 {
			t.Errorf("the page %q gets the status %d, want 404", name, w.Code)
		}
	}
	for _, lang := range []string{"fr", "..", ""} {
		if w := get(lang, "flow"); w.Code != 404 {
			t.Errorf("a page in the language %q gets the status %d, want 404", lang, w.Code)
		}
	}
}
