package conversion

import (
	"context"

	"switchyard/db"
	dbmatchkey "switchyard/db/matchkey"
	"switchyard/models"
	"switchyard/models/matchkey"
)

// sealKeys encrypts the hashed personal data of a trusted message for its click. The data in the notification of a network
// with a scheme are hashed here, because the notification is verified here.
func (r Reader) sealKeys(ctx context.Context, v *Verdict) error {
	m := &v.Message
	var keys matchkey.Hashes
	if p := m.proof.Personal; p != nil {
		keys, v.withdraws = p.Keys, p.ConsentDenied
	}
	if m.proof.Raw != nil {
		consent := matchkey.ReadConsent(m.consent)
		keys, _ = matchkey.Receive(m.buyer, consent, v.Click.Country)
		v.withdraws = consent == matchkey.ConsentDenied
	}
	if keys.IsEmpty() {
		return nil
	}
	sealed, err := r.Store.SealKeys(ctx, v.Decision.AccountID, m.ID, keys)
	v.keys = []dbmatchkey.Row{{
		ID: m.ID, AccountID: v.Decision.AccountID, ClickID: v.Click.ID, Names: keys.Names(), Sealed: sealed, ReceivedAt: models.ClickTime(m.ID),
	}}
	return err
}

// storeKeys stores the hashed personal data of a recorded message. If the person refuses consent, it deletes the data of the click
// instead.
func (v *Verdict) storeKeys(ctx context.Context, c db.Conn) error {
	if v.withdraws {
		id := v.Message.ID
		return dbmatchkey.Withdraw(ctx, c, []dbmatchkey.Row{
			{ID: id, AccountID: v.Decision.AccountID, ClickID: v.Click.ID, ReceivedAt: models.ClickTime(id)},
		})
	}
	return dbmatchkey.Store(ctx, c, v.keys)
}
