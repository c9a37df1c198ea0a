package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/workers/providers/ai/aitest"
)

func (w *env) offer(account uuid.UUID, name string) models.Offer {
	w.Helper()
	o := models.Offer{Pausable: models.Pausable{IsActive: true}}
	o.AccountID, o.Name, o.URL = account, name, "https://o.example/"
	o, err := w.store.Offers().Create(w.Context(), o)
	if err != nil {
		w.Fatal(err)
	}
	return o
}

// TestPropose checks that proposed changes are stored for a person, up to maxProposals. The records themselves stay unchanged.
func TestPropose(t *testing.T) {
	t.Parallel()
	w, _ := newChat(t, nil)
	w.connect(w.account.ID, "openai")
	own := w.offer(w.account.ID, "Own")
	other, err := w.store.CreateAccount(t.Context(), "B", "scale")
	if err != nil {
		t.Fatal(err)
	}
	foreign := w.offer(other.ID, "Foreign")
	propose := func(action string) aitest.Call {
		return call("propose", `{"reason":"Raise\nthe cap: it loses 77.","action":`+action+`}`)
	}
	action := func(op string, o models.Offer) string { return fmt.Sprintf(`{"op":%q,"offer_id":%q}`, op, o.ID) }
	var results []aitest.Result
	w.Reply = func(a aitest.Received) aitest.Turn {
		if len(a.Results) == 0 {
			return aitest.Turn{Calls: []aitest.Call{
				propose(action("pause_offer", own)), propose(action("pause_offer", foreign)), propose(action("pause_offer", models.Offer{})),
				propose(fmt.Sprintf(`{"op":"set_cap","offer_id":%q,"cap":500}`, own.ID)), propose(`{"op":"set_cap","cap":5}`),
				propose(fmt.Sprintf(`{"op":"set_cap","offer_id":%q,"cap":7}`, own.ID)), propose(action("pause_offer", own)),
			}}
		}
		results = a.Results
		return aitest.Turn{Text: "I propose a cap of 500, or 600."}
	}
	got, err := w.question(!readOnly)
	if err != nil || len(got.Proposals) != 3 || !strings.HasSuffix(got.Answer, "Not confirmed by what was looked up: 600.") {
		t.Fatalf("%+v, %v", got, err)
	}
	if p := got.Proposals[0]; p.Title != "Pause offer “Own”" || p.Reason != "Raise the cap: it loses 77." || p.Status != copilot.StatusOpen || p.Action.OfferID.UUID != own.ID || p.ID == uuid.Nil || p.ExpiresAt.IsZero() {
		t.Errorf("%+v", p)
	}
	if results[1].Text != results[2].Text || !strings.Contains(results[1].Text, "no such offer") {
		t.Errorf("offer of another account: %q, unknown offer: %q", results[1].Text, results[2].Text)
	}
	if !strings.Contains(results[6].Text, "enough") {
		t.Errorf("a fourth proposal: %q", results[6].Text)
	}
	var stored []struct {
		Account uuid.UUID `db:"account_id"`
		Digest  string    `db:"digest"`
	}
	if err := w.db.SelectContext(t.Context(), &stored, `SELECT account_id, digest FROM copilot_proposals`); err != nil || len(stored) != 3 {
		t.Fatalf("%+v, %v", stored, err)
	}
	now, err := w.store.Offers().Find(t.Context(), w.account.ID, own.ID)
	if err != nil || !now.IsActive || now.DailyCap != nil {
		t.Errorf("%+v, %v", now, err)
	}
	for _, p := range stored {
		if p.Account != w.account.ID || p.Digest != (copilot.Action{Op: copilot.OpPauseOffer}).JudgedDigest(copilot.Record{Offer: &now}) {
			t.Errorf("%+v", p)
		}
	}
	// With these and the three stored proposals, 100 are open.
	dbtest.Exec(t, w.db, `INSERT INTO copilot_proposals (id, account_id, title, action, expires_at)
		SELECT gen_random_uuid(), $1, 'x', '{}', now() + interval '1 day' FROM generate_series(1, 97)`, w.account.ID)
	if got, err = w.question(!readOnly); err != nil || len(got.Proposals) != 0 || !strings.Contains(results[0].Text, "100 proposals are open") {
		t.Errorf("%+v, %+v, %v", got.Proposals, results, err)
	}
}
