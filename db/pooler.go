package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// session lists the interfaces of a pq connection that database/sql uses.
type session interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	driver.NamedValueChecker
}

// pooled connects to a pooler that lends a session of the server for one transaction, such as PgBouncer with
// pool_mode=transaction. The next transaction may get another session, so each transaction begins with the settings. The driver
// sends a statement in two steps, so a statement outside a transaction gets a transaction of its own.
type pooled struct {
	driver.Connector
	settings string // statements without parameters
	readOnly bool
}

// Connect implements driver.Connector.
func (p pooled) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := connectSession(ctx, p.Connector)
	if err != nil {
		return nil, err
	}
	return &pooledConn{session: c, pooled: p}, nil
}

func connectSession(ctx context.Context, to driver.Connector) (session, error) {
	c, err := to.Connect(ctx)
	if err != nil {
		return nil, err
	}
	s, ok := c.(session)
	if !ok {
		return nil, errors.Join(fmt.Errorf("db: the driver's %T lacks methods that a session needs", c), c.Close())
	}
	return s, nil
}

type pooledConn struct {
	session
	pooled
	inTx bool // a transaction is open
}

// errPrepare refuses statements that would outlive their transactions.
var errPrepare = errors.New("db: a pooler cannot keep a prepared statement: prepare it in a transaction")

// Prepare implements driver.Conn.
func (c *pooledConn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *pooledConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if !c.inTx {
		return nil, errPrepare
	}
	return c.session.PrepareContext(ctx, query)
}

// BeginTx implements driver.ConnBeginTx.
func (c *pooledConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	o.ReadOnly = o.ReadOnly || c.readOnly
	tx, err := c.session.BeginTx(ctx, o)
	if err != nil {
		return nil, err
	}
	if _, err := c.session.ExecContext(ctx, c.settings, nil); err != nil {
		_ = tx.Rollback() // if this fails, the session is not used again
		return nil, err
	}
	c.inTx = true
	return &pooledTx{tx, c}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *pooledConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.inTx {
		return c.session.ExecContext(ctx, query, args)
	}
	tx, err := c.BeginTx(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	result, err := c.session.ExecContext(ctx, query, args)
	if err != nil {
		_ = tx.Rollback() // if this fails, the session is not used again
		return nil, err
	}
	return result, tx.Commit()
}

// QueryContext implements driver.QueryerContext. If it begins a transaction, that transaction ends after the last row or when the
// rows are closed.
func (c *pooledConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inTx {
		return c.session.QueryContext(ctx, query, args)
	}
	tx, err := c.BeginTx(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	rows, err := c.session.QueryContext(ctx, query, args)
	if err != nil {
		_ = tx.Rollback() // if this fails, the session is not used again
		return nil, err
	}
	return &pooledRows{Rows: rows, tx: tx}, nil
}

// pooledTx is a transaction of the caller or of a single statement.
type pooledTx struct {
	driver.Tx
	conn *pooledConn
}

// Commit implements driver.Tx.
func (t *pooledTx) Commit() error {
	t.conn.inTx = false
	return t.Tx.Commit()
}

// Rollback implements driver.Tx.
func (t *pooledTx) Rollback() error {
	t.conn.inTx = false
	return t.Tx.Rollback()
}

// pooledRows are the rows of a statement in its own transaction.
type pooledRows struct {
	driver.Rows
	tx     driver.Tx // nil once it has ended
	failed bool
}

// Next implements driver.Rows. It commits after the last row, so that a caller that reads all rows gets the error of a failed
// commit.
func (r *pooledRows) Next(row []driver.Value) error {
	err := r.Rows.Next(row)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, io.EOF):
		r.failed = true
		return err
	}
	if err := r.end(); err != nil {
		return err
	}
	return io.EOF
}

// Close implements driver.Rows.
func (r *pooledRows) Close() error { return r.end() }

func (r *pooledRows) end() error {
	if r.tx == nil {
		return nil
	}
	tx := r.tx
	r.tx = nil
	if err := r.Rows.Close(); err != nil || r.failed {
		_ = tx.Rollback() // if this fails, the session is not used again
		return err
	}
	return tx.Commit()
}
