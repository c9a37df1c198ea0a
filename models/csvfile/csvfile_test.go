package csvfile

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func encoded(t *testing.T, e encoding.Encoding, text string) []byte {
	t.Helper()
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(out)
}

// TestDecode checks that the byte order mark or the bytes of a file decide its charset.
func TestDecode(t *testing.T) {
	t.Parallel()
	little, big := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	russian, german := "День;Источник;Расход\n2026-11-01;Реклама;1,5\n", "Tag;Quelle;Kosten\n2026-11-01;Öffentlich für Größe;1,5 €\n"
	for name, c := range map[string]struct {
		raw           []byte
		text, charset string
	}{
		"UTF-8":                     {[]byte(russian), russian, UTF8},
		"UTF-8 with a mark":         {[]byte("\uFEFF" + german), german, UTF8},
		"ASCII":                     {[]byte("a,b\n1,2"), "a,b\n1,2", UTF8},
		"empty":                     {nil, "", UTF8},
		"UTF-16 LE with a mark":     {encoded(t, little, "\uFEFF"+russian), russian, UTF16LE},
		"UTF-16 BE with a mark":     {encoded(t, big, "\uFEFF"+russian), russian, UTF16BE},
		"UTF-16 LE without a mark":  {encoded(t, little, german), german, UTF16LE},
		"UTF-16 BE without a mark":  {encoded(t, big, german), german, UTF16BE},
		"windows-1251":              {encoded(t, charmap.Windows1251, russian), russian, Windows1251},
		"windows-1252":              {encoded(t, charmap.Windows1252, german), german, Windows1252},
		"windows-1251, Ukrainian":   {encoded(t, charmap.Windows1251, "Джерело,Витрати\nПошук,5\n"), "Джерело,Витрати\nПошук,5\n", Windows1251},
		"windows-1252, a few signs": {encoded(t, charmap.Windows1252, "Café,10 £\n"), "Café,10 £\n", Windows1252},
	} {
		text, charset, err := Decode(c.raw)
		if err != nil || text != c.text || charset != c.charset {
			t.Errorf("%s: Decode returns %q, %s (error %v), want %q, %s", name, text, charset, err, c.text, c.charset)
		}
		if text, err := FromText(string(c.raw)); err != nil || text != c.text {
			t.Errorf("%s: FromText returns %q (error %v), want %q", name, text, err, c.text)
		}
	}
	for name, raw := range map[string]string{"zip": "PK\x03\x04\x14\x00\x00\x00", "NUL": "a,b\n1\x00,2\n", "zeros": "\x00\x00\x00\x00"} {
		if text, _, err := Decode([]byte(raw)); err == nil {
			t.Errorf("%s is decoded as %q, want ErrBinary", name, text)
		}
	}
}

func all(s *Scanner) (out [][]string) {
	for r, ok := s.Next(); ok; r, ok = s.Next() {
		if !r.Blank() {
			out = append(out, r.Cells)
		}
	}
	return out
}

// TestStart checks that the separator that the first line names is tried first.
func TestStart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		comma string
		named bool
	}{
		"sep=;\na;b\n": {";", true}, "SEP=,\r\na;b\n": {",", true}, "\"sep=;\"\na;b\n": {";", true}, "\"sep=,\",,\na;b\n": {",", true},
		"sep=\t\na;b\n": {"\t", true}, "sep=\\t\na;b\n": {"\t", true}, "sep=|\ra;b\n": {"|", true}, "sep=\na;b\n": {",", true},
		"a;b\n": {",", false}, "sep=;": {",", false}, "separator\na;b\n": {",", false},
	} {
		s := NewStart(text)
		if s.Named != want.named || s.Commas[:1] != want.comma {
			t.Errorf("the start of %q is %+v, want the first separator %q, named: %v", text, s, want.comma, want.named)
		}
		if got := all(s.Scanner(';')); want.named && !slices.Equal(got[0], []string{"a", "b"}) {
			t.Errorf("the records of %q are %q, want a and b in the first", text, got)
		}
	}
}

// TestLines checks that a record has the number of its first line, with any line breaks.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", "\r\n", "\r"} {
		s := NewScanner(strings.Join([]string{"a,b", "", "\"c", "d\",e", ",", "f"}, end), ',')
		var got []int
		for r, ok := s.Next(); ok; r, ok = s.Next() {
			if !r.Blank() {
				got = append(got, r.Line)
			}
		}
		if !slices.Equal(got, []int{1, 3, 6}) {
			t.Errorf("with the line break %q, the records begin on the lines %v, want 1, 3 and 6", end, got)
		}
	}
}

// FuzzWritten checks that the scanner reads what the standard library has written. Only spaces and line breaks at the ends of a
// cell may differ.
func FuzzWritten(f *testing.F) {
	f.Add("a", "b\n\"c", " d", byte(';'))
	f.Add("", "€,;\t|", "\r\n", byte(','))
	f.Fuzz(func(t *testing.T, a, b, c string, comma byte) {
		if !strings.ContainsRune(separators, rune(comma)) || strings.Contains(a+b+c, "\r") || len(a+b+c) > maxQuoted/4 {
			return
		}
		want := [][]string{{"x", a, b}, {"y", c, a}}
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.Comma = rune(comma)
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}
		got := all(NewScanner(text.String(), comma))
		trimmed := func(records [][]string) (out [][]string) {
			for _, r := range records {
				var cells []string
				for _, cell := range r {
					cells = append(cells, strings.TrimSpace(cell))
				}
				out = append(out, cells)
			}
			return out
		}
		if diff := cmp.Diff(trimmed(want), trimmed(got)); diff != "" {
			t.Errorf("the cells read from %q differ: %s", text.String(), diff)
		}
	})
}

// FuzzCharsets checks that UTF-8 and both byte orders of UTF-16 give the same text.
func FuzzCharsets(f *testing.F) {
	f.Add("Tag;Größe\n1;2\n")
	f.Add("День;Расход\n1;2\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, 0) { // a text file has no zero byte
			return
		}
		text = strings.TrimPrefix(strings.ToValidUTF8(text, ""), "\uFEFF")
		for _, e := range []encoding.Encoding{
			unicode.UTF8BOM, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		} {
			raw, err := e.NewEncoder().String(text)
			if err != nil || strings.HasPrefix(text, "\uFEFF") {
				return
			}
			if got, charset, err := Decode([]byte(raw)); err != nil || got != text {
				t.Errorf("%q in the charset %s is read as %q (error %v)", text, charset, got, err)
			}
		}
	})
}
