// Package api tests what clients, networks and visitors send and get.
package api

import (
	"testing"

	"switchyard/cmd/switchyard/cli"
	"switchyard/db"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/ops/lab/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, cli.Main, nil, nil) }

func openSpool(t *testing.T) *spool.Spool {
	t.Helper()
	s, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t *testing.T, s *spool.Spool, records ...spool.Record) {
	t.Helper()
	for _, r := range records {
		if err := s.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func drain(t *testing.T, s *spool.Spool, d *db.DB, o ingest.Options) {
	t.Helper()
	if err := ingest.NewIngester(s, d, o).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func storeRecords(t *testing.T, d *db.DB, records ...spool.Record) {
	t.Helper()
	s := openSpool(t)
	put(t, s, records...)
	drain(t, s, d, ingest.Options{})
}
