package bench

import (
	"context"
	"strings"
	"time"

	"switchyard/db"
	"switchyard/ops/lab/fleet"
)

type cost struct{ Web, Worker, Postgres, Redis time.Duration }

type meter struct {
	web, worker                          *fleet.Process
	postgres, redis                      fleet.Server
	atWeb, atWorker, atPostgres, atRedis time.Duration
}

func (r *run) newMeter(ctx context.Context) (m *meter, err error) {
	m = &meter{web: r.fleet.Find("web"), worker: r.fleet.Find("worker")}
	if m.postgres, err = r.fleet.Postgres(); err != nil {
		return nil, err
	}
	if m.redis, err = r.fleet.Redis(ctx); err != nil {
		return nil, err
	}
	m.begin()
	return m, nil
}

func (m *meter) begin() {
	m.atWeb, m.atWorker, m.atPostgres, m.atRedis = m.web.CPU(), m.worker.CPU(), m.postgres.CPU(), m.redis.CPU()
}

func (m *meter) used(n int) cost {
	count := time.Duration(n)
	return cost{
		Web: (m.web.CPU() - m.atWeb) / count, Worker: (m.worker.CPU() - m.atWorker) / count,
		Postgres: (m.postgres.CPU() - m.atPostgres) / count, Redis: (m.redis.CPU() - m.atRedis) / count,
	}
}

func (r *run) costs(what string, c cost) {
	list := db.Map([]time.Duration{c.Web, c.Worker, c.Postgres, c.Redis}, func(d time.Duration) string { return d.Round(100 * time.Nanosecond).String() })
	r.add("processor time of "+what+": web, worker, PostgreSQL, Redis", strings.Join(list, ", "), "", true)
}
