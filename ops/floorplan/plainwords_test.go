package floorplan

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// flaggedBlocks is how many blocks of comments and of Markdown contain a marker of wording that is hard to read. It must not be
// raised. Any additional flagged block fails TestPlainWords.
const flaggedBlocks = 0

// markers find wording that has to be read twice. They are a heuristic: a block without a marker can still read badly.
var markers = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"he, his, him for a visitor, caller or program (write the visitor, they, it)", regexp.MustCompile(`\b(he|his|him|himself)\b`)},
	{"anew (again)", regexp.MustCompile(`\banew\b`)},
	{"meanwhile (during that time, until then)", regexp.MustCompile(`\b[Mm]eanwhile\b`)},
	{"but for, beside (except, besides, next to)", regexp.MustCompile(`\b(but for|beside)\b`)},
	{"of now, of before, of then", regexp.MustCompile(`\bof (now|before|then)\b`)},
	{
		"whoever, whom, nobody, somebody, anybody (no one, a caller, the client)",
		regexp.MustCompile(`\b([Ww]hoever|[Ww]hom|[Nn]obody|[Ss]omebody|[Aa]nybody)\b`),
	},
	{"is none, has none (there is no ...)", regexp.MustCompile(`\b(is|are|has|have|was|were) none\b`)},
	{"of which, of what, of whom", regexp.MustCompile(`\bof (which|what|whom|whose)\b`)},
	{"so many, so much, so long (n, that many)", regexp.MustCompile(`\b[Ss]o (many|much|long|few)\b`)},
	{"by itself, as it is (automatically, unchanged)", regexp.MustCompile(`\b(by itself|by themselves|as it is)\b`)},
	{"shall (must, will)", regexp.MustCompile(`\bshall\b`)},
	{"sentence that begins with Of ...", regexp.MustCompile(`(^|[.!?:] )Of (a|an|one|those|what|the|such|these|each|its|all)\b`)},
	{
		"that of, those of, one that, one whose, those that",
		regexp.MustCompile(`\b([Tt]hat of|[Tt]hose of|[Oo]ne that|[Oo]ne whose|[Tt]hose that)\b`),
	},
	{
		"sentence that begins with What is ..., Who ... as a subject",
		regexp.MustCompile(`(^|[.!?:;] )(What|Who) (is|was|has|comes|came|stands|must|may|only|asks|says)\b`),
	},
}

var (
	leftOut      = regexp.MustCompile(`(^|/)(testdata|node_modules|dist|vendor)/|\.gen\.|/text/(de|pseudo)|LICENSE`)
	directive    = regexp.MustCompile(`^(nolint|go:|export |eslint|@ts-|prettier|#!)`)
	slashComment = regexp.MustCompile(`^\s*//\s?(.*)$`)
	dashComment  = regexp.MustCompile(`^\s*--\s?(.*)$`)
	trailing     = regexp.MustCompile(`[;,{})\]\s]//\s(.*)$`)
	inlineCode   = regexp.MustCompile("`[^`]*`")
)

type block struct {
	line int
	text string
}

func blocks(path, content string) (found []block) {
	markdown, program := strings.HasSuffix(path, ".md"), !strings.HasSuffix(path, ".sql")
	var open block
	end := func() {
		if open.text != "" {
			found = append(found, open)
		}
		open = block{}
	}
	fenced := false
	for i, line := range strings.Split(content, "\n") {
		var text string
		if markdown {
			text, fenced = proseOf(line, fenced)
			if startsItem(line) {
				end()
			}
		} else {
			text = commentOf(line, program)
		}
		if text != "" {
			if open.text == "" {
				open.line = i + 1
			}
			open.text = strings.TrimSpace(open.text + " " + text)
			continue
		}
		end()
		if markdown || !program || strings.HasSuffix(path, ".js") {
			continue
		}
		if m := trailing.FindStringSubmatch(line); m != nil && !directive.MatchString(m[1]) {
			found = append(found, block{i + 1, m[1]})
		}
	}
	end()
	return found
}

func proseOf(line string, fenced bool) (text string, nowFenced bool) {
	trimmed := strings.TrimSpace(line)
	if strings.HasPrefix(trimmed, "```") {
		return "", !fenced
	}
	if fenced || trimmed == "" || strings.HasPrefix(line, "    ") || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "|") {
		return "", fenced
	}
	return inlineCode.ReplaceAllString(trimmed, "x"), false
}

func startsItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "1. ")
}

func commentOf(line string, program bool) string {
	pattern := dashComment
	if program {
		pattern = slashComment
	}
	m := pattern.FindStringSubmatch(line)
	if m == nil || directive.MatchString(m[1]) {
		return ""
	}
	return strings.TrimSpace(m[1])
}

func flaggedBy(text string) string {
	for _, m := range markers {
		if m.pattern.MatchString(text) {
			return m.name
		}
	}
	return ""
}

// TestPlainWords: comments and documents contain no more hard wording than flaggedBlocks allows, and no less.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	all := 0
	var flagged []string
	for _, path := range textFiles(t) {
		content, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks(path, string(content)) {
			all++
			if why := flaggedBy(b.text); why != "" {
				flagged = append(flagged, path+": "+why+"\n    "+b.text[:min(len(b.text), 160)])
			}
		}
	}
	t.Logf("%d of %d blocks are flagged: %.1f %%", len(flagged), all, 100*float64(len(flagged))/float64(max(all, 1)))
	switch {
	case len(flagged) > flaggedBlocks:
		t.Errorf("%d blocks are flagged, and the ceiling is %d: rewrite the new ones. git diff shows which blocks are new; all of them:\n%s",
			len(flagged), flaggedBlocks, strings.Join(flagged, "\n"))
	case len(flagged) < flaggedBlocks:
		t.Errorf("%d blocks are flagged, and the ceiling is %d: set flaggedBlocks to %d", len(flagged), flaggedBlocks, len(flagged))
	}
}

// textFiles lists the files whose comments or prose the test reads. Outside a git checkout the test is skipped.
func textFiles(t *testing.T) (files []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "-C", root, "ls-files",
		"*.go", "*.ts", "*.tsx", "*.sql", "*.md", "*.js").Output()
	if err != nil || len(out) == 0 {
		t.Skip("git does not list the files of the repository")
	}
	for line := range strings.Lines(string(out)) {
		if path := strings.TrimSpace(line); !leftOut.MatchString(path) {
			files = append(files, path)
		}
	}
	return slices.DeleteFunc(files, func(path string) bool { _, err := os.Stat(filepath.Join(root, path)); return err != nil })
}

// TestBlocks: comments, trailing comments in Go, paragraphs and list items are found. Directives, code, headings and tables are not.
func TestBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path, content string
		want          []block
	}{
		{"a.go", "// Package a\n// reads.\npackage a\n\nvar b = 1 // a counter\n//nolint:gosec // why\n", []block{{1, "Package a reads."}, {5, "a counter"}, {6, "why"}}},
		{"a.sql", "-- Rows of accounts.\nSELECT 1; -- one\n", []block{{1, "Rows of accounts."}}},
		{"a.md", "# Title\n\nOne `he` line\nand two.\n- an item\n\n| he | his |\n```\nhe\n```\n    he\n", []block{{3, "One x line and two."}, {5, "- an item"}}},
	}
	for _, test := range tests {
		if got := blocks(test.path, test.content); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.path, got, test.want)
		}
	}
	for text, want := range map[string]bool{
		"The visitor returns.": false, "Of all rows one remains.": true, "It keeps what he saw.": true, "the rates of now": true,
	} {
		if got := flaggedBy(text) != ""; got != want {
			t.Errorf("%q: flagged is %v, want %v", text, got, want)
		}
	}
}
