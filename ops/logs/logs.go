// Package logs makes the log of a process: JSON lines without secrets.
//
// Types with secrets hide them when they are logged. Redaction is a second safeguard: it works on the finished line, so it also
// finds secrets in errors and in nested values.
package logs

import (
	"bytes"
	"io"
	"log/slog"
	"regexp"
)

// New returns a logger that writes records of the level and above to w, one JSON line each.
func New(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(slog.NewJSONHandler(redactor{w}, &slog.HandlerOptions{Level: level}))
}

// redactor removes secrets from lines. slog writes each line with one call.
type redactor struct{ w io.Writer }

// Write implements io.Writer.
func (r redactor) Write(line []byte) (int, error) {
	if _, err := r.w.Write(Redact(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// rule replaces the matches of a pattern in lines that contain the marker. The marker is there because trying every pattern would
// be slow. The line stays JSON: the first pattern replaces whole JSON strings, and the others stop at a quote or a backslash.
type rule struct {
	marker  string
	pattern *regexp.Regexp
	with    string
}

// secretNames matches the names of members and parameters whose value is a secret.
const secretNames = `(?:[\w-]*(?:password|passwd|secret|api[_-]?key|private[_-]?key|encryption[_-]?key|` +
	`access[_-]?token|refresh[_-]?token|developer[_-]?token|capi[_-]?token|authorization|cookie)|credentials?|token)`

var rules = []rule{
	{`":`, regexp.MustCompile(`(?i)("` + secretNames + `":\s*\[?\s*)"(?:[^"\\]|\\.)*"`), `${1}"[redacted]"`},
	{`=`, regexp.MustCompile(`(?i)([?&;\s"]` + secretNames + `=)[^&;\s"\\]+`), `${1}[redacted]`},
	{`://`, regexp.MustCompile(`(://[^\s/"\\:@]*:)[^\s/"\\@]+@`), `${1}[redacted]@`},
	{`sy_`, regexp.MustCompile(`\bsy_[A-Za-z0-9_-]{8,}`), `sy_[redacted]`},
	{`whsec_`, regexp.MustCompile(`\bwhsec_[A-Za-z0-9+/=_-]{8,}`), `whsec_[redacted]`},
	{`sk-`, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`), `sk-[redacted]`},
	{`earer `, regexp.MustCompile(`\b([Bb]earer )[^\s"\\]+`), `${1}[redacted]`},
	{`asic `, regexp.MustCompile(`\b([Bb]asic )[A-Za-z0-9+/=]{8,}`), `${1}[redacted]`},
}

// Redact returns a line without secrets: values of secretNames, API keys, secrets of webhooks, authorization headers and
// passwords in URLs. It may return the given slice itself.
func Redact(line []byte) []byte {
	for _, r := range rules {
		if bytes.Contains(line, []byte(r.marker)) {
			line = r.pattern.ReplaceAll(line, []byte(r.with))
		}
	}
	return line
}
