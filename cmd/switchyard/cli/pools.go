package cli

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"switchyard/api/route"
	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse"
	"switchyard/ops/config"
	"switchyard/ops/monitor"
)

// pool is a pool of connections to PostgreSQL for one part of a process. Other parts cannot use up its connections.
type pool struct {
	name      string
	conns     int
	statement time.Duration // the longest time that a statement may take
	serial    bool          // a statement uses only one processor, whatever it reads
	reads     bool          // the pool is only for reading data that may be some seconds old
	sessions  bool          // the pool needs sessions of PostgreSQL itself, not of a pooler
}

// These are the pools. ops/README.md states the number of connections of each process.
var (
	// controlPool is for authentication and the records that accounts set up.
	controlPool = pool{name: "control", conns: 10, statement: 10 * time.Second}
	// reportPool is for calls that need a place of route.Reads or route.Lists.
	reportPool = pool{
		name: "reports", conns: route.Reads.Places + route.Lists.Places, statement: 25 * time.Second, serial: true, reads: true,
	}
	// ingestPool is for storing clicks and postbacks, and for reading the data by which clicks are routed.
	ingestPool = pool{name: "ingest", conns: 4}
	// workPool is for the rows of jobs and for short jobs.
	workPool = pool{name: "work", conns: 10}
	// bulkPool is for long reads of jobs: exports and large reports.
	bulkPool = pool{name: "bulk", conns: 8, statement: 5 * time.Minute, serial: true, reads: true}
	// lockPool is for migrations, and for locks that only one of all processes may hold.
	lockPool  = pool{name: "locks", conns: 3, sessions: true}
	clockPool = pool{name: "clock", conns: 2, sessions: true}
)

// pools are the open pools of a process.
type pools struct {
	open    map[pool]*db.DB
	beside  []*db.DB          // the connections that compare the replica with its primary
	replica *db.Replica       // nil without DATABASE_READ_URL
	clicks  *clickhouse.Conn  // nil without CLICKS_URL
	copied  *click.CopyReader // nil: PostgreSQL has all clicks
}

// openPools creates the pools of a process type. It does not connect.
func openPools(cfg config.Config, process string, needed []pool) (p pools, err error) {
	p.open = map[pool]*db.DB{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.clicks, err = openClicks(cfg); err != nil {
		return p, err
	}
	if p.clicks != nil {
		p.copied = click.NewCopyReader(p.clicks)
	}
	if cfg.ReadURL != "" && slices.ContainsFunc(needed, func(n pool) bool { return n.reads }) {
		if err := p.openReplica(cfg, process); err != nil {
			return p, err
		}
	}
	for _, n := range needed {
		name := "switchyard-" + process
		if n.name != process {
			name += "-" + n.name
		}
		o := db.Options{
			MaxConns: n.conns, Name: name, Statement: n.statement, Serial: n.serial, ReadOnly: n.reads, Pooler: cfg.DirectURL != "",
		}
		url := cfg.DatabaseURL
		if n.reads {
			o.Replica, o.ReplicaURL = p.replica, cfg.ReadURL
		}
		if n.sessions {
			url, o.Pooler = cfg.SessionURL(), false
		}
		if p.open[n], err = db.OpenLazy(url, o); err != nil {
			return p, err
		}
	}
	return p, nil
}

// detectMissingCopy logs an error if CLICKS_URL is not set although some clicks are in ClickHouse alone. It waits at most two
// seconds for the database. After the error, queries of these clicks fail.
func (p *pools) detectMissingCopy(ctx context.Context, d *db.DB) {
	if p.copied != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	lost, err := click.UnavailableCopy(ctx, d)
	if err == nil && lost != nil {
		slog.ErrorContext(ctx, "CLICKS_URL is not set, but clicks of old days are in ClickHouse alone: calls for logs and reports about these days fail with 503")
		p.copied = lost
	}
}

// openReplica opens two connections, one to the replica and one to its primary, that measure how far the replica lags behind.
func (p *pools) openReplica(cfg config.Config, process string) error {
	o := db.Options{MaxConns: 1, Name: "switchyard-" + process + "-replica", ReadOnly: true, Pooler: cfg.DirectURL != ""}
	for _, url := range []string{cfg.DatabaseURL, cfg.ReadURL} {
		d, err := db.OpenLazy(url, o)
		if err != nil {
			return err
		}
		p.beside = append(p.beside, d)
	}
	p.replica = db.NewReplica(p.beside[0], p.beside[1], cfg.ReadBehind)
	return nil
}

// of returns an open pool. It panics if the process does not have it.
func (p pools) of(which pool) *db.DB {
	d, ok := p.open[which]
	if !ok {
		panic("switchyard: this process has no pool " + which.name)
	}
	return d
}

func (p pools) close() error {
	var failed error
	if p.clicks != nil {
		failed = p.clicks.Close()
	}
	for _, d := range slices.Concat(p.beside, slices.Collect(maps.Values(p.open))) {
		if d != nil {
			failed = errors.Join(failed, d.Close())
		}
	}
	return failed
}

// registry returns the metrics of a process, including its pools. Rows of jobs are counted with the control pool, else with the
// worker's or the clock's.
func (p pools) registry() *prometheus.Registry {
	var rows *db.DB
	for _, which := range []pool{clockPool, workPool, controlPool} {
		if d, ok := p.open[which]; ok {
			rows = d
		}
	}
	r := monitor.NewRegistry(rows)
	b := readBuild()
	r.MustRegister(monitor.BuildInfo(b.Version, b.Revision, b.Go))
	if p.clicks != nil {
		r.MustRegister(append(answerMetrics(p.copied), monitor.ClickCopy(rows))...)
	}
	if p.replica != nil {
		r.MustRegister(replicaMetrics(p.replica)...)
	}
	for which, d := range p.open {
		if d != rows {
			r.MustRegister(collectors.NewDBStatsCollector(d.DB.DB, which.name))
		}
	}
	return r
}

// reading returns the Readers for code that runs no jobs, such as the handlers of the web process.
func (p pools) reading() Readers { return Readers{copied: p.copied} }

// answerMetrics returns the metrics that count reports by the engine that answered them.
func answerMetrics(k *click.CopyReader) (all []prometheus.Collector) {
	for name, engine := range map[string]int{"postgres": click.FromPostgres, "clickhouse": click.FromCopy} {
		all = append(all, monitor.Counter("report_answers_total", "Reports by the engine that answered them.",
			prometheus.Labels{"engine": name}, func() float64 { return k.Reports(engine) }))
	}
	return all
}

func replicaMetrics(r *db.Replica) []prometheus.Collector {
	const behindHelp = "Largest possible lag of the read replica, as of the last read; -1 if the lag is unknown or nothing was read yet."
	const readsHelp = "Reads for reports, logs and exports, by the server that was read."
	return []prometheus.Collector{
		monitor.Gauge("replica_behind_seconds", behindHelp, nil, func() float64 {
			if behind, known := r.Behind(); known {
				return behind.Seconds()
			}
			return -1
		}),
		monitor.Counter("reads_total", readsHelp, prometheus.Labels{"server": "replica"}, func() float64 {
			onReplica, _ := r.Uses()
			return float64(onReplica)
		}),
		monitor.Counter("reads_total", readsHelp, prometheus.Labels{"server": "primary"}, func() float64 {
			_, onPrimary := r.Uses()
			return float64(onPrimary)
		}),
	}
}
