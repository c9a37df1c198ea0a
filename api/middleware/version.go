package middleware

import (
	"errors"
	"net/http"

	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
)

// matched compares the version of the record that a call changes with the call's If-Match. The answer is 409 stale if they
// differ. The record stays locked from the comparison to the commit. The account is locked before the record, as in every
// transaction that locks both.
func (p *Pipeline) matched(next step) step {
	return func(c *route.Call) envelope.Reply {
		if c.Route.Version == nil || !c.HasIfMatch() {
			return next(c)
		}
		var reply envelope.Reply
		err := p.store.LockedTx(c.Context(), c.Account.ID, func(tx *store.Store) error {
			c.Store = tx
			defer func() { c.Store = p.store }()
			version, err := c.Route.Version(c, namedRecord(c))
			switch _, refused := models.AsError(err); {
			case err == nil && !c.IfMatch(version):
				err = models.Conflict("stale", "the record has changed: its version is %s now", version)
				reply = envelope.New(c, nil, err)
			case err == nil || refused: // the handler reports a record that does not exist
				reply = next(c)
			default:
				return err
			}
			if reply.Status >= http.StatusBadRequest {
				return errUndo
			}
			return nil
		})
		switch {
		case errors.Is(err, errUndo):
			return reply
		case err != nil:
			c.DiscardAfter()
			return envelope.New(c, nil, err)
		}
		c.RunAfter()
		return reply
	}
}
