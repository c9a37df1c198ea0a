package chdb

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Server answers ClickHouse's HTTP interface: GET /ping, and POST or GET / with a statement in the parameter query, the body
// or both. If query has an INSERT, the body is its data. The parameter param_NAME fills {NAME:Type}. All other parameters that
// are not in noSettings are settings. Server checks the password but not the name of the user, refuses compressed data and keeps
// no sessions.
type Server struct {
	Engine   *Engine
	Password string
}

// maxStatement is the greatest length of a statement in a body, in bytes. The data of an INSERT has no limit.
const maxStatement = 16 << 20

var noSettings = map[string]bool{
	"query": true, "database": true, "default_format": true, "client_protocol_version": true, "query_id": true,
	"user": true, "password": true, "wait_end_of_query": true,
}

// ServeHTTP implements http.Handler.
func (s Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ping" {
		answer(w, r, []byte("Ok.\n"))
		return
	}
	if !s.allowed(r) {
		refuse(w, r, fault{516, "default: Authentication failed", "AUTHENTICATION_FAILED"})
		return
	}
	st, err := statement(r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	if strings.HasPrefix(strings.TrimSpace(st.Text), hello) {
		version, _ := strconv.Atoi(r.URL.Query().Get("client_protocol_version"))
		answer(w, r, s.hello(r, version))
		return
	}
	st.Text = onOneServer(st.Text)
	out, err := s.Engine.Do(r.Context(), st)
	if err != nil {
		refuse(w, r, err)
		return
	}
	answer(w, r, out)
}

func (s Server) allowed(r *http.Request) bool {
	key := r.Header.Get("X-ClickHouse-Key")
	if _, password, ok := r.BasicAuth(); ok {
		key = password
	}
	return subtle.ConstantTimeCompare([]byte(key), []byte(s.Password)) == 1
}

var insertsData = regexp.MustCompile(`(?is)^\s*INSERT\s+INTO\s`)

func statement(r *http.Request) (Statement, error) {
	params := r.URL.Query()
	st := Statement{
		Text: params.Get("query"), Database: params.Get("database"), Format: params.Get("default_format"),
		Settings: map[string]string{}, Params: map[string]string{},
	}
	if st.Format == "" {
		st.Format = "TabSeparated"
	}
	for name := range params {
		switch param, isParam := strings.CutPrefix(name, "param_"); {
		case isParam:
			st.Params[param] = params.Get(name)
		case !noSettings[name]:
			if !settingName.MatchString(name) {
				return st, fault{115, "Unknown setting", "UNKNOWN_SETTING"}
			}
			st.Settings[name] = params.Get(name)
		}
	}
	if params.Get("decompress") == "1" || r.Header.Get("Content-Encoding") != "" {
		return st, fault{48, "this server takes no compressed data", "NOT_IMPLEMENTED"}
	}
	if insertsData.MatchString(st.Text) && r.ContentLength != 0 {
		st.Data = r.Body
		return st, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxStatement+1))
	if len(body) > maxStatement {
		err = fault{62, "the statement is too long", "SYNTAX_ERROR"}
	}
	st.Text += string(body)
	return st, err
}

var settingName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

func answer(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if _, err := w.Write(body); err != nil {
		slog.DebugContext(r.Context(), "clickhouse: the client is gone", "error", err)
	}
}

// fault is an error that Error writes in the form of the engine's errors.
type fault struct {
	code       int
	text, name string
}

// Error implements error.
func (f fault) Error() string {
	return fmt.Sprintf("Code: %d. DB::Exception: %s. (%s)", f.code, f.text, f.name)
}

var errorCode = regexp.MustCompile(`Code: (\d+)\.`)

func refuse(w http.ResponseWriter, r *http.Request, err error) {
	code := "1002"
	if found := errorCode.FindStringSubmatch(err.Error()); found != nil {
		code = found[1]
	}
	w.Header().Set("X-ClickHouse-Exception-Code", code)
	w.WriteHeader(http.StatusInternalServerError)
	if _, err := io.WriteString(w, err.Error()+"\n"); err != nil {
		slog.DebugContext(r.Context(), "clickhouse: the client is gone", "error", err)
	}
}

// hello is the beginning of the Go client's first query, which asks for the server's name and protocol revision. Server writes the
// answer itself and reports revision 0, because the engine writes blocks of revision 0 but would report another revision.
const hello = "SELECT displayName(), version(), revision(), timezone()"

// customSerialization is the first protocol revision in which each column states its serialization.
const customSerialization = 54454

func (s Server) hello(r *http.Request, revision int) []byte {
	version, err := s.Engine.Do(r.Context(), Statement{Text: "SELECT version()", Format: "RawBLOB"})
	if err != nil {
		slog.WarnContext(r.Context(), "clickhouse: cannot read the engine's version", "error", err)
	}
	var b bytes.Buffer
	text := func(s string) {
		b.Write(binary.AppendUvarint(nil, uint64(len(s))))
		b.WriteString(s)
	}
	if revision > 0 {
		b.Write([]byte{1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0}) // the info of a block: no overflow rows, no bucket
	}
	b.Write([]byte{4, 1})
	for _, c := range []struct{ name, kind, value string }{
		{"displayName()", "String", "chdb"},
		{"version()", "String", string(version)},
		{"revision()", "UInt32", ""},
		{"timezone()", "String", "UTC"},
	} {
		text(c.name)
		text(c.kind)
		if revision >= customSerialization {
			b.WriteByte(0)
		}
		if c.kind == "UInt32" {
			b.Write([]byte{0, 0, 0, 0})
			continue
		}
		text(c.value)
	}
	return b.Bytes()
}

func address(host, password string) string {
	u := url.URL{Scheme: "http", Host: host, User: url.UserPassword("default", password), Path: "/default"}
	return u.String()
}
