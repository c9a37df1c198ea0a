package clickhouse_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/clickhouse"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/models/await"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// faultyProxy is a proxy that loses random inserts or their answers, or kills the server during inserts.
type faultyProxy struct {
	target  string
	server  *clickhousetest.Engine // the server to kill; nil: none
	ended   atomic.Bool            // no more faults
	faults  atomic.Int64
	pending sync.WaitGroup // kills that have not happened yet
}

// Each fault happens to one in faultOdds inserts.
const (
	loseRequest      = 1 + iota
	killWhileStoring // without a server to kill, nothing happens
	killAfterStoring // without a server to kill, only the answer is lost
	loseAnswer

	faultOdds = 8
)

func (p *faultyProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := 0
	if strings.HasPrefix(r.URL.Query().Get("query"), "INSERT") && !p.ended.Load() {
		fault = rand.IntN(faultOdds)
	}
	if fault >= loseRequest && fault <= loseAnswer {
		p.faults.Add(1)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || fault == loseRequest {
		panic(http.ErrAbortHandler)
	}
	if fault == killWhileStoring && p.server != nil {
		p.pending.Go(func() {
			<-time.After(time.Duration(rand.IntN(20_000)) * time.Microsecond)
			p.server.Kill()
		})
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	req.Header = r.Header.Clone()
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if p.server != nil {
		p.server.RecordAnswer()
	}
	answer, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if fault == killAfterStoring && p.server != nil {
		p.server.Kill()
	}
	if err != nil || fault == killAfterStoring || fault == loseAnswer {
		panic(http.ErrAbortHandler)
	}
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	_, _ = w.Write(answer)
}

func (p *faultyProxy) open(t *testing.T, password string) *clickhouse.Conn {
	t.Helper()
	front := httptest.NewServer(p)
	t.Cleanup(front.Close)
	u, err := url.Parse(front.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User, u.Path = url.UserPassword("default", password), "/default"
	return clickhousetest.NewOn(t, u.String(), words)
}

// store runs three writers until the function enough returns true, and checks that every row has arrived. Writers send some rows
// twice.
func (p *faultyProxy) store(t *testing.T, conn *clickhouse.Conn, enough func() bool) {
	t.Helper()
	var total atomic.Int64
	var stores sync.WaitGroup
	for range 3 {
		stores.Go(func() {
			for !enough() && !t.Failed() {
				rows := make([][]any, 40)
				for i := range rows {
					rows[i] = []any{uuid.New(), "a", uint64(1)}
				}
				for again := range 1 + rand.IntN(2) {
					if err := conn.Put(t.Context(), words, slices.Values(rows[again*20:])); err != nil {
						t.Error(err)
					}
				}
				total.Add(int64(len(rows)))
			}
		})
	}
	stores.Wait()
	p.pending.Wait()
	p.ended.Store(true)
	var n uint64
	await.Until(t, "the server answers", func() bool {
		err := conn.Each(t.Context(), "words", func(scan func(...any) error) error { return scan(&n) }, `SELECT count() FROM words FINAL`)
		return err == nil
	})
	if n != uint64(total.Load()) {
		t.Errorf("%d rows are stored, want %d", n, total.Load())
	}
	t.Logf("%d rows, %d faults", total.Load(), p.faults.Load())
}

// TestFaultyConnections checks that every row is stored once although requests and answers are lost.
func TestFaultyConnections(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	u, err := url.Parse(clickhousetest.Server(t))
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	p := &faultyProxy{target: u.Host}
	p.store(t, p.open(t, password), func() bool { return p.faults.Load() >= 100 })
}

const (
	someKills = 15
	manyKills = 1000 // used by make chaos
)

// TestKilledEngine checks that every row is stored once although the server is killed while it stores rows.
func TestKilledEngine(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	kills := someKills
	if longtest.On() {
		kills = manyKills
	}
	e := clickhousetest.Start(t)
	p := &faultyProxy{target: e.Address, server: e}
	p.store(t, p.open(t, e.Password), func() bool { return e.Kills() >= kills })
}
