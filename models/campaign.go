package models

import (
	"time"

	"github.com/google/uuid"
)

// The states of a campaign. Only an active one routes visitors.
const (
	CampaignActive   = "active"
	CampaignPaused   = "paused"
	CampaignArchived = "archived"
)

// UniqueByParam is the uniqueness method that needs a parameter's name.
const UniqueByParam = "param"

// Campaign is a tracking link with its settings. Its flow is kept apart: lists do not read it.
type Campaign struct {
	ID                 uuid.UUID
	AccountID          uuid.UUID
	Name               string
	Alias              string    // unique on the domain
	DomainID           uuid.UUID // zero on the way in: the account's default domain, else the shared link domain
	SourceID           uuid.UUID // zero: none
	Status             string
	Mode               string
	DestinationURL     string
	PrimaryGoalKey     string
	MeasurementSiteID  uuid.UUID // zero: none
	TrackedGoalKeys    []string
	CostModel          string
	CostValue          Money
	Currency           string
	FlowRotation       string
	BindVisitors       string
	UniquenessMethod   string
	UniquenessParam    string
	UniquenessTTLHours int
	TrafficLossPct     Money // percent, not an amount: exact with at most two decimals
	GroupName          string
	Country            string // two capital letters, or empty
	Tags               []string
	IsPinned           bool
	Notes              string
	FallbackURL        string
	CreatedAt          time.Time
	UpdatedAt          time.Time

	// Read with the campaign, not written with it.
	Host       string // of the domain
	SharedHost bool   // the domain is one of the install's, which every account may use
	SourceName string
	PathCount  int
}

// NewCampaign gives a campaign with every default. Currency is the account's.
func NewCampaign(account Account) Campaign {
	return Campaign{
		AccountID: account.ID, Status: CampaignActive, Mode: "affiliate", CostModel: "auto", Currency: account.Currency,
		FlowRotation: "position", BindVisitors: "none", UniquenessMethod: "ip_ua", UniquenessTTLHours: 24, Tags: []string{},
	}
}

// TracksGoals tells whether the campaign's mode needs goal tracking in the plan.
func (c Campaign) TracksGoals() bool { return c.Mode != "affiliate" }

// Paused is the payload of the event that the campaign was paused.
func (c Campaign) Paused(by string) CampaignPausedData {
	return CampaignPausedData{CampaignID: c.ID.String(), Name: c.Name, Alias: c.Alias, By: by}
}
