package keitaro

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The limits of a dump without the tables of clicks, which are skipped.
const (
	maxValue   = 16 << 20  // bytes of a value
	maxKept    = 512 << 20 // bytes of all kept values
	maxColumns = 500
	maxRows    = 2_000_000
)

var (
	errNoDump  = errors.New("the file is not a dump of mysqldump")
	errTooMuch = errors.New("the dump has more settings than can be read")
)

// sqlReader reads CREATE TABLE, for the names of columns, and the rows of INSERT INTO and REPLACE INTO.
type sqlReader struct {
	in      *bufio.Reader
	wanted  func(table string) bool
	row     func(table string, columns []string, values []value) error
	columns map[string][]string
	kept    int
	rows    int
	check   func() error // its error ends the reading
}

type value struct {
	text   string
	isNull bool
}

func unzipped(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<20)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be unpacked: %w", err)
	}
	return bufio.NewReaderSize(z, 1<<20), nil
}

func (s *sqlReader) read() error {
	s.columns = map[string][]string{}
	for {
		if err := s.check(); err != nil {
			return err
		}
		t, err := s.token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case t.is("create"):
			err = s.create()
		case t.is("insert"), t.is("replace"):
			err = s.insert()
		case t.kind == ';':
		default:
			err = s.skip()
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
}

// skip skips the rest of a statement.
func (s *sqlReader) skip() error {
	for n := 0; ; n++ {
		c, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case c == ';':
			return nil
		case c == '\'' || c == '"' || c == '`':
			if _, err = s.quoted(c, false); err != nil {
				return err
			}
		case c == '/' && s.next('*'):
			if err = s.skipPast("*/"); err != nil {
				return err
			}
		}
		if n&0xfffff == 0xfffff {
			if err := s.check(); err != nil {
				return err
			}
		}
	}
}

// table reads a name, with or without the database, and the token after it.
func (s *sqlReader) table() (name string, behind part, err error) {
	for {
		t, err := s.token()
		if err != nil {
			return "", t, err
		}
		switch {
		case t.is("if"), t.is("not"), t.is("exists"), t.is("ignore"), t.is("into"), t.is("table"):
		case t.kind == 'n', t.kind == 'w' && t.text != ".":
			name = t.text
			if behind, err = s.token(); err != nil {
				return "", t, err
			}
			if behind.kind != 'w' || behind.text != "." {
				return name[strings.LastIndexByte(name, '.')+1:], behind, nil
			}
		default:
			return "", t, errNoDump
		}
	}
}

func (s *sqlReader) create() error {
	t, err := s.token()
	if err != nil {
		return err
	}
	if !t.is("table") {
		return s.skip()
	}
	name, t, err := s.table()
	if err != nil || t.kind != '(' {
		return errors.Join(err, s.skip())
	}
	var columns []string
	for depth, begins := 1, true; depth > 0; {
		if t, err = s.token(); err != nil {
			return err
		}
		switch t.kind {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			begins = depth == 1
			continue
		case 'n':
			if begins && depth == 1 {
				columns = append(columns, strings.ToLower(t.text))
			}
		}
		begins = false
		if len(columns) > maxColumns {
			return errTooMuch
		}
	}
	if s.wanted(name) {
		s.columns[name] = columns
	}
	return s.skip()
}

// insert skips tables that are not wanted.
func (s *sqlReader) insert() error {
	name, t, err := s.table()
	if err != nil {
		return err
	}
	if !s.wanted(name) {
		return s.skip()
	}
	columns := s.columns[name]
	if t.kind == '(' {
		columns = nil
		for t.kind != ')' {
			if t, err = s.token(); err != nil {
				return err
			}
			if t.kind == 'n' || t.kind == 'w' {
				columns = append(columns, strings.ToLower(t.text))
			}
			if len(columns) > maxColumns {
				return errTooMuch
			}
		}
		if t, err = s.token(); err != nil {
			return err
		}
	}
	if !t.is("values") || len(columns) == 0 {
		return fmt.Errorf("the table %.60q of the dump has no columns that can be read", name)
	}
	for {
		if t, err = s.token(); err != nil || t.kind == ';' {
			return err
		}
		if t.kind == ',' {
			continue
		}
		if t.kind != '(' {
			return errNoDump
		}
		if err := s.tuple(name, columns); err != nil {
			return err
		}
	}
}

func (s *sqlReader) tuple(table string, columns []string) error {
	values := make([]value, 0, len(columns))
	var now *value
	for {
		t, err := s.token()
		if err != nil {
			return err
		}
		switch {
		case t.kind == ')' || t.kind == ',':
			if now == nil {
				return errNoDump
			}
			values, now = append(values, *now), nil
			if len(values) > len(columns) {
				return errNoDump
			}
			if t.kind == ')' {
				if s.rows++; s.rows > maxRows || s.kept > maxKept {
					return errTooMuch
				}
				if len(values) != len(columns) {
					return fmt.Errorf("a row of the table %.60q has %d values for %d columns", table, len(values), len(columns))
				}
				return s.row(table, columns, values)
			}
		case t.kind == 'w' && strings.HasPrefix(t.text, "_"): // charset of the next text
		case t.kind == 'w' || t.kind == 's':
			if now != nil {
				return errNoDump
			}
			now = &value{text: t.text, isNull: t.is("null")}
			if t.kind == 'w' && strings.HasPrefix(t.text, "0x") {
				raw, err := hex.DecodeString(t.text[2:])
				if err != nil {
					return errNoDump
				}
				now.text = string(raw)
			}
			s.kept += len(now.text)
		default:
			return errNoDump
		}
	}
}
