package copilot

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
)

// Proposals stores the changes that the chat, a key or an assistant has proposed.
type Proposals struct{ s *store.Store }

// NewProposals returns Proposals in a store.
func NewProposals(s *store.Store) Proposals { return Proposals{s} }

const (
	// maxProposals is the maximum number of open proposals of an account, and of listed proposals.
	maxProposals = 100
	// proposalRetention is how long a proposal can be applied, and how long it is stored after that.
	proposalRetention = 7 * 24 * time.Hour
)

var createProposal = `
INSERT INTO copilot_proposals (id, account_id, campaign_id, title, reason, action, digest, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING ` + db.Columns[copilot.Proposal]("")

// Create stores a proposal if its action can be applied now and the account has fewer than maxProposals open proposals.
func (p Proposals) Create(ctx context.Context, proposal copilot.Proposal, now time.Time) (copilot.Proposal, error) {
	account, a := proposal.AccountID, proposal.Action
	if err := a.Validate(); err != nil {
		return proposal, err
	}
	record, err := NewSuggestions(p.s).Record(ctx, account, a)
	if e, ok := models.AsError(err); ok {
		return proposal, models.Invalid("invalid", "%s", e.Message)
	}
	if err != nil {
		return proposal, err
	}
	after, _, _, err := a.Apply(record)
	if err != nil {
		return proposal, err
	}
	for i := range after.Entries {
		if err := checkEntry(&after.Entries[i]); err != nil {
			return proposal, err
		}
	}
	proposal.Title = a.Title(record)
	return store.LockedTxOf(ctx, p.s, account, func(s *store.Store) (copilot.Proposal, error) {
		if err := db.Run(ctx, s.Conn(), "delete expired proposals", `DELETE FROM copilot_proposals WHERE account_id = $1 AND expires_at < $2`,
			account, now.Add(-proposalRetention)); err != nil {
			return proposal, err
		}
		open, err := db.Get[int](ctx, s.Conn(), "proposals", `SELECT count(*) FROM copilot_proposals
			WHERE account_id = $1 AND status = 'open' AND expires_at > $2`, account, now)
		if err != nil {
			return proposal, err
		}
		if open >= maxProposals {
			return proposal, models.Invalid("invalid", "%d proposals are open: apply or cancel some first", maxProposals)
		}
		return db.Get[copilot.Proposal](ctx, s.Conn(), "proposal", createProposal, uuid.Must(uuid.NewV7()), account, proposal.CampaignID,
			proposal.Title, proposal.Reason, db.Document(a), a.JudgedDigest(record), now, now.Add(proposalRetention))
	})
}

const listProposals = ` FROM copilot_proposals WHERE account_id = $1 AND (status <> 'open' OR expires_at > $2)
ORDER BY created_at DESC, id DESC LIMIT $3`

// List lists at most 100 open and decided proposals, newest first. Open proposals that have expired are left out.
func (p Proposals) List(ctx context.Context, account uuid.UUID, now time.Time) ([]copilot.Proposal, error) {
	return db.Select[copilot.Proposal](ctx, p.s.Conn(), "proposals", `SELECT `+db.Columns[copilot.Proposal]("")+listProposals, account, now, maxProposals)
}
