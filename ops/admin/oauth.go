package admin

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/oauth"
	"switchyard/models"
)

// Connection is a connection to an ad platform that was made by sign-in, as operators see it.
type Connection struct {
	ID          uuid.UUID `json:"id"`
	AccountID   uuid.UUID `json:"account_id"`
	Provider    string    `json:"provider"`
	UserName    string    `json:"user_name"`
	Status      string    `json:"status"`
	Error       string    `json:"error"`
	ConnectedAt string    `json:"connected_at"`
}

func connectionRecord(c models.OAuthConnection) Connection {
	return Connection{
		ID: c.ID, AccountID: c.AccountID, Provider: c.Provider, UserName: c.UserName, Status: c.Status, Error: c.Failure,
		ConnectedAt: stamp(c.ConnectedAt),
	}
}

// Connections lists the connections of an account that were made by sign-in, the oldest first.
func (a Admin) Connections(ctx context.Context, account string) ([]Connection, error) {
	found, err := a.Account(ctx, account)
	if err != nil {
		return nil, err
	}
	list, err := oauth.NewConnections(a.Store).List(ctx, found.ID)
	return db.Map(list, connectionRecord), err
}

// Account finds an account. Errors: invalid_id, not_found.
func (a Admin) Account(ctx context.Context, account string) (Account, error) {
	id, err := parseID("account", account)
	if err != nil {
		return Account{}, err
	}
	found, err := a.Store.FindAccount(ctx, id)
	return accountRecord(found), hint(err, listAccounts)
}

// Connection finds a connection of an account. Errors: invalid_id, not_found.
func (a Admin) Connection(ctx context.Context, account, connection string) (Connection, error) {
	accountID, err := parseID("account", account)
	if err != nil {
		return Connection{}, err
	}
	id, err := parseID("connection", connection)
	if err != nil {
		return Connection{}, err
	}
	c, err := oauth.NewConnections(a.Store).Find(ctx, accountID, id)
	return connectionRecord(c), hint(err, "`switchyard oauth list --account ID` lists the connections of an account")
}

// Disconnect deletes a connection of an account and its tokens. Errors: invalid_id, not_found.
func (a Admin) Disconnect(ctx context.Context, account, connection string) (Connection, error) {
	c, err := a.Connection(ctx, account, connection)
	if err != nil {
		return c, err
	}
	return c, oauth.NewConnections(a.Store).Remove(ctx, c.AccountID, c.ID)
}
