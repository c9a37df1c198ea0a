package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"os"
	"strings"
	"sync"
	"testing"

	"switchyard/db"
)

// prepareCleaning adds to the template database a function that empties a used database. The function returns false if the database
// must be dropped, because a test has changed its schema or left large tables. The function needs a superuser, because it switches
// foreign keys and triggers off.
const prepareCleaning = `
CREATE SCHEMA dbtest;
CREATE VIEW dbtest.structure AS SELECT md5(string_agg(line, ' ' ORDER BY line)) AS sum FROM (
	WITH tables AS (SELECT * FROM pg_class WHERE relnamespace = 'public'::regnamespace)
	SELECT row(oid, relname, relkind, reloptions)::text FROM tables
	UNION ALL SELECT row(attrelid, attnum, attname, atttypid, attnotnull, atthasdef)::text FROM pg_attribute
		WHERE attrelid IN (SELECT oid FROM tables)
	UNION ALL SELECT row(oid, conname, convalidated)::text FROM pg_constraint WHERE connamespace = 'public'::regnamespace
	UNION ALL SELECT row(oid, tgname, tgenabled)::text FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM tables)
	UNION ALL SELECT row(oid, proname, prosrc)::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	UNION ALL SELECT i::text FROM installation i
	UNION ALL SELECT g::text FROM goose_db_version g
) parts (line);
CREATE TABLE dbtest.fresh AS SELECT sum, ARRAY(SELECT oid FROM pg_class) AS tables FROM dbtest.structure;
CREATE FUNCTION dbtest.clean() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	fresh dbtest.fresh;
	names text;
	name text;
BEGIN
	PERFORM set_config('session_replication_role', 'replica', true);
	SELECT * INTO fresh FROM dbtest.fresh;
	SELECT string_agg(oid::regclass::text, ', ') INTO names FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND oid <> ALL (fresh.tables);
	IF names IS NOT NULL THEN
		EXECUTE 'DROP TABLE ' || names || ' CASCADE';
	END IF;
	FOR name IN SELECT oid::regclass FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
		AND relname NOT IN ('installation', 'goose_db_version') AND pg_relation_size(oid) > 0 LOOP
		EXECUTE 'DELETE FROM ' || name;
	END LOOP;
	RETURN fresh.sum = (SELECT sum FROM dbtest.structure)
		AND (SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace) < 8e6;
END $$`

const (
	createDatabase = `CREATE DATABASE `
	dropDatabase   = `DROP DATABASE IF EXISTS `
)

// admins are connections to the server's own database. Each database in use is locked by one of them.
var admins = sync.OnceValues(func() (*sql.DB, error) {
	pool, err := sql.Open("postgres", os.Getenv("TEST_DATABASE_URL"))
	if err == nil {
		pool.SetMaxIdleConns(100)
	}
	return pool, err
})

// claim finds an unused database, or creates one. An advisory lock reserves it until the test or its process ends.
func claim(tb testing.TB, server, template string) (*db.DB, string, error) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	pool, err := admins()
	if err != nil {
		return nil, "", err
	}
	admin, err := pool.Conn(ctx)
	if err != nil {
		return nil, "", err
	}
	tb.Cleanup(func() {
		_, _ = admin.ExecContext(ctx, `SELECT pg_advisory_unlock_all()`)
		_ = admin.Close()
	})
	var name string
	const free = `SELECT coalesce(min(datname), '') FROM (SELECT datname FROM pg_database
		WHERE CASE WHEN starts_with(datname, $1) THEN pg_try_advisory_lock(hashtext(datname)) END LIMIT 1) d`
	if err := admin.QueryRowContext(ctx, free, template+"_").Scan(&name); err != nil {
		return nil, "", err
	}
	if name != "" {
		if d := reuse(ctx, admin, server, name); d != nil {
			return d, withDatabase(server, name), nil
		}
		if _, err := admin.ExecContext(ctx, dropDatabase+name+` WITH (FORCE)`); err != nil {
			return nil, "", err
		}
	} else {
		name = template + "_" + strings.ToLower(rand.Text()[:8])
		if _, err := admin.ExecContext(ctx, `SELECT pg_advisory_lock(hashtext($1))`, name); err != nil {
			return nil, "", err
		}
	}
	if _, err := admin.ExecContext(ctx, createDatabase+name+` TEMPLATE `+template); err != nil {
		return nil, "", err
	}
	d, err := db.Open(ctx, withDatabase(server, name), db.Options{Name: "test"})
	return d, withDatabase(server, name), err
}

// reuse opens a database of an earlier test and empties it. It returns nil if the database must be dropped.
func reuse(ctx context.Context, admin *sql.Conn, server, name string) *db.DB {
	const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1` // sessions of killed processes
	if _, err := admin.ExecContext(ctx, end, name); err != nil {
		return nil
	}
	d, err := db.Open(ctx, withDatabase(server, name), db.Options{Name: "test"})
	if err != nil {
		return nil
	}
	var fresh bool
	if err = d.GetContext(ctx, &fresh, `SELECT dbtest.clean()`); err == nil && fresh {
		return d
	}
	_ = d.Close()
	return nil
}
