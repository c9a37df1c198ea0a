package main

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"switchyard/api/route"
	"switchyard/db"
	"switchyard/ops/monitor"
)

// pool is a pool of connections to PostgreSQL that one part of a process has for itself, so that no other part can take
// its connections.
type pool struct {
	name      string
	conns     int
	statement time.Duration // the longest that a statement may take
	serial    bool          // a statement takes one processor, whatever it reads
}

// The pools. A process takes as many connections as its pools have together: web 24, and one that listens for changes;
// worker 20; clock 2; up 44 and one. ops/README.md says so too.
var (
	// controlPool is for authentication and the records that accounts set up.
	controlPool = pool{name: "control", conns: 10, statement: 10 * time.Second}
	// reportPool is for the calls that share route.Reads or route.Lists. The statement of a caller who went away is
	// cancelled.
	reportPool = pool{
		name: "reports", conns: route.Reads.Places + route.Lists.Places, statement: 25 * time.Second, serial: true,
	}
	// ingestPool is for clicks, postbacks and what routes them.
	ingestPool = pool{name: "ingest", conns: 4}
	// workPool is for the rows of jobs and for short jobs.
	workPool = pool{name: "work", conns: 12}
	// bulkPool is for what jobs read at length: exports and large reports.
	bulkPool  = pool{name: "bulk", conns: 8, statement: 5 * time.Minute, serial: true}
	clockPool = pool{name: "clock", conns: 2}
)

// pools are the open pools of a process.
type pools map[pool]*db.DB

// openPools makes the pools of a process type, without connecting.
func openPools(url, process string, needed []pool) (pools, error) {
	opened := pools{}
	for _, p := range needed {
		name := "switchyard-" + process
		if p.name != process {
			name += "-" + p.name
		}
		d, err := db.OpenLazy(url, db.Options{MaxConns: p.conns, Name: name, Statement: p.statement, Serial: p.serial})
		if err != nil {
			return nil, errors.Join(err, opened.close())
		}
		opened[p] = d
	}
	return opened, nil
}

// of is an open pool. One that the process does not have is a programming mistake.
func (p pools) of(which pool) *db.DB {
	d, ok := p[which]
	if !ok {
		panic("switchyard: this process has no pool " + which.name)
	}
	return d
}

func (p pools) close() error {
	var failed error
	for _, d := range p {
		failed = errors.Join(failed, d.Close())
	}
	return failed
}

// registry makes the metrics of a process with the figures of its pools. The rows of jobs are counted over the first of
// these that the process has: the control plane, the worker's, the clock's.
func (p pools) registry() *prometheus.Registry {
	var rows *db.DB
	for _, which := range []pool{clockPool, workPool, controlPool} {
		if d, ok := p[which]; ok {
			rows = d
		}
	}
	r := monitor.NewRegistry(rows)
	b := readBuild()
	r.MustRegister(monitor.BuildInfo(b.Version, b.Revision, b.Go))
	for which, d := range p {
		if d != rows {
			r.MustRegister(collectors.NewDBStatsCollector(d.DB.DB, which.name))
		}
	}
	return r
}
