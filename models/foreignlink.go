package models

import "github.com/google/uuid"

// ForeignLink is a link of another tracker that leads to a campaign. Package foreign describes Form and ForeignID. A null
// DomainID means every verified domain of the account.
type ForeignLink struct {
	ID         uuid.UUID     `db:"id" json:"id"`
	AccountID  uuid.UUID     `db:"account_id" json:"-"`
	DomainID   uuid.NullUUID `db:"domain_id" json:"domain_id"`
	Form       string        `db:"form" json:"form"`
	ForeignID  string        `db:"foreign_id" json:"foreign_id"`
	CampaignID uuid.UUID     `db:"campaign_id" json:"campaign_id"`
}

// An account may have foreignLinksPerCampaign foreign links for each campaign of its plan, and at most mostForeignLinks.
const (
	foreignLinksPerCampaign = 4
	mostForeignLinks        = 200_000
)

// ForeignLinks returns the number of links of other trackers that the plan allows.
func (p Plan) ForeignLinks() int {
	if p.Campaigns == Unlimited {
		return mostForeignLinks
	}
	return min(p.Campaigns*foreignLinksPerCampaign, mostForeignLinks)
}
