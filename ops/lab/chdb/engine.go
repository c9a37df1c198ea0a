package chdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Texts are passed as a pointer and a length, except the arguments of connect. Results and streams are handles.
type functions struct {
	connect      func(argc int32, argv **byte) *uintptr
	signals      func(enabled int32)
	query        func(c uintptr, q *byte, n uintptr, f *byte, fn uintptr, k **byte, kn *uintptr, v **byte, vn *uintptr, params uintptr) uintptr
	insert       func(c uintptr, q *byte, n uintptr, f *byte, fn uintptr) uintptr
	push         func(stream uintptr, data *byte, n uintptr) int32
	done         func(stream uintptr) uintptr
	cancel       func(stream uintptr)
	insertError  func(stream uintptr) string
	closeInsert  func(stream uintptr)
	resultError  func(result uintptr) string
	resultBuffer func(result uintptr) *byte
	resultLength func(result uintptr) uintptr
	closeResult  func(result uintptr)
}

func (f *functions) names() map[string]any {
	return map[string]any{
		"chdb_connect": &f.connect, "chdb_set_signal_handlers_enabled": &f.signals, "chdb_query_with_params_n": &f.query,
		"chdb_stream_insert_n": &f.insert, "chdb_stream_append": &f.push, "chdb_stream_done": &f.done,
		"chdb_stream_cancel_insert": &f.cancel, "chdb_stream_insert_error": &f.insertError,
		"chdb_destroy_insert_stream": &f.closeInsert, "chdb_result_error": &f.resultError,
		"chdb_result_buffer": &f.resultBuffer, "chdb_result_length": &f.resultLength,
		"chdb_destroy_query_result": &f.closeResult,
	}
}

// Engine is the loaded library with an open data directory.
type Engine struct {
	lib   functions
	conns chan uintptr
}

// Connections is the number of statements that can run at the same time.
const Connections = 8

// Open loads the library and opens a data directory. A process may call it only once.
func Open(library, dir string) (*Engine, error) {
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("chdb: load: %w", err)
	}
	e := &Engine{conns: make(chan uintptr, Connections)}
	for name, fn := range e.lib.names() {
		purego.RegisterLibFunc(fn, handle, name)
	}
	e.lib.signals(0)
	config, err := configure(dir)
	if err != nil {
		return nil, err
	}
	args := []*byte{terminated("clickhouse"), terminated("--path=" + dir), terminated("--config-file=" + config)}
	for range Connections {
		c := e.lib.connect(int32(len(args)), &args[0])
		if c == nil || *c == 0 {
			return nil, fmt.Errorf("chdb: cannot open %s", dir)
		}
		e.conns <- *c
	}
	runtime.KeepAlive(args)
	return e, nil
}

func terminated(s string) *byte { return unsafe.StringData(s + "\x00") }

// Statement is the statement of one request.
type Statement struct {
	Text     string
	Database string // empty: default
	Format   string // the format of the answer, unless the text names a format
	Settings map[string]string
	Params   map[string]string // the values of {name:Type} in the text
	Data     io.Reader         // data of an INSERT, in the FORMAT at the end of the text (default Values); nil: no separate data
}

// Do runs a statement and returns its answer. An INSERT stores nothing if Data cannot be read to its end. If the engine refuses the
// statement, the error begins with "Code".
func (e *Engine) Do(ctx context.Context, s Statement) ([]byte, error) {
	var c uintptr
	select {
	case c = <-e.conns:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { e.conns <- c }()
	if _, err := e.run(c, "USE "+quoted(orDefault(s.Database), '`'), "Null", nil); err != nil {
		return nil, err
	}
	defer e.reset(c, s.Settings)
	for _, name := range slices.Sorted(maps.Keys(s.Settings)) {
		if _, err := e.run(c, "SET "+name+" = "+quoted(s.Settings[name], '\''), "Null", nil); err != nil {
			return nil, err
		}
	}
	if s.Data != nil {
		return nil, e.insert(c, s.Text, s.Data)
	}
	return e.run(c, s.Text, s.Format, s.Params)
}

// Errors are ignored: an unknown setting has already been refused.
func (e *Engine) reset(c uintptr, settings map[string]string) {
	for name := range settings {
		_, _ = e.run(c, "SET "+name+" = DEFAULT", "Null", nil)
	}
}

func orDefault(database string) string {
	if database == "" {
		return "default"
	}
	return database
}

func quoted(text string, quote byte) string {
	q := string(quote)
	return q + strings.NewReplacer(`\`, `\\`, q, `\`+q).Replace(text) + q
}

func (e *Engine) run(c uintptr, text, format string, params map[string]string) ([]byte, error) {
	names := slices.Sorted(maps.Keys(params))
	keys, values := make([]*byte, len(names)+1), make([]*byte, len(names)+1)
	keyLens, valueLens := make([]uintptr, len(names)+1), make([]uintptr, len(names)+1)
	for i, name := range names {
		keys[i], keyLens[i] = pointer(name)
		values[i], valueLens[i] = pointer(params[name])
	}
	q, n := pointer(text)
	f, fn := pointer(format)
	r := e.lib.query(c, q, n, f, fn, &keys[0], &keyLens[0], &values[0], &valueLens[0], uintptr(len(names)))
	runtime.KeepAlive(keys)
	runtime.KeepAlive(values)
	return e.copyResult(r)
}

// The address is never nil, even for an empty text.
func pointer(s string) (*byte, uintptr) {
	if s == "" {
		return new(byte), 0
	}
	return unsafe.StringData(s), uintptr(len(s))
}

func (e *Engine) copyResult(result uintptr) ([]byte, error) {
	if result == 0 {
		return nil, errors.New("chdb: the engine gave no result")
	}
	defer e.lib.closeResult(result)
	if text := e.lib.resultError(result); text != "" {
		return nil, errors.New(text)
	}
	n := e.lib.resultLength(result)
	if n == 0 {
		return nil, nil
	}
	return slices.Clone(unsafe.Slice(e.lib.resultBuffer(result), n)), nil
}

var formatClause = regexp.MustCompile(`(?is)\s+FORMAT\s+(\w+)\s*;?\s*$`)

// chunkSize is the largest number of bytes that one call passes to the engine.
const chunkSize = 1 << 18

func (e *Engine) insert(c uintptr, text string, data io.Reader) error {
	format := "Values"
	if found := formatClause.FindStringSubmatchIndex(text); found != nil {
		text, format = text[:found[0]], text[found[2]:found[3]]
	}
	q, n := pointer(text)
	f, fn := pointer(format)
	stream := e.lib.insert(c, q, n, f, fn)
	if stream == 0 {
		return errors.New("chdb: the engine gave no stream")
	}
	defer e.lib.closeInsert(stream)
	if text := e.lib.insertError(stream); text != "" {
		return errors.New(text)
	}
	chunk := make([]byte, chunkSize)
	for {
		n, err := data.Read(chunk)
		if n > 0 && e.lib.push(stream, &chunk[0], uintptr(n)) != 0 {
			text := e.lib.insertError(stream)
			e.lib.cancel(stream)
			return errors.New(text)
		}
		if errors.Is(err, io.EOF) { // a body that was cut off ends with another error
			_, err := e.copyResult(e.lib.done(stream))
			return err
		}
		if err != nil {
			e.lib.cancel(stream)
			return fmt.Errorf("chdb: data of an insert: %w", err)
		}
	}
}
