package v1

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/integration"
)

// hashVersion returns the version of settings for which no time of the last change is stored. It is a hash of the settings.
func hashVersion(settings any) string {
	raw, _ := json.Marshal(settings) // settings have only texts, numbers and booleans, which cause no error
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12])
}

// tagVersion sets the ETag of the answer to a version.
func tagVersion(c *route.Call, version string) { c.Header().Set("ETag", `"`+version+`"`) }

// notConnected is the version of a connection that does not exist.
const notConnected = "none"

// The following functions return the version of a connection or DNS account: the time at which it was saved. They lock nothing,
// because package middleware and each transaction that saves a connection or DNS account lock the account.

func networkConnectionVersion(c *route.Call, network uuid.UUID) (string, error) {
	if _, err := c.Store.Networks().Find(c.Context(), c.Account.ID, network); err != nil {
		return "", err
	}
	i, err := integration.NewNetworks(c.Store).Find(c.Context(), c.Account.ID, network)
	return connectionVersion(i.SavedAt, err)
}

func sourceConnectionVersion(c *route.Call, source uuid.UUID) (string, error) {
	if _, err := c.Store.Sources().Find(c.Context(), c.Account.ID, source); err != nil {
		return "", err
	}
	i, err := integration.NewSources(c.Store).Find(c.Context(), c.Account.ID, source)
	return connectionVersion(i.SavedAt, err)
}

func dnsAccountVersion(c *route.Call, id uuid.UUID) (string, error) {
	a, err := c.Store.DNSAccounts().Find(c.Context(), c.Account.ID, id)
	return answer.Stamp(a.SavedAt), err
}

func connectionVersion(saved time.Time, err error) (string, error) {
	if errors.Is(err, integration.ErrNotConnected) {
		return notConnected, nil
	}
	return answer.Stamp(saved), err
}
