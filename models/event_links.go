package models

import (
	"time"
)

// LinkBrokenData is the payload of link.broken.
type LinkBrokenData struct {
	Kind         string `json:"kind" enum:"offer,lander"`
	ID           string `json:"id" doc:"id of the offer or landing page"`
	Name         string `json:"name"`
	URL          string `json:"url" doc:"the record's URL, with its tokens"`
	Status       *int   `json:"status" doc:"HTTP status of the answer to the last check; null: no answer came"`
	Error        string `json:"error" doc:"why the check failed, as a text for people"`
	Failures     int    `json:"failures" doc:"number of failed checks in a row"`
	FailingSince string `json:"failing_since" doc:"the first of these checks: ISO 8601, UTC, milliseconds"`
	CheckedAt    string `json:"checked_at" doc:"the last of these checks"`
}

// BrokenData returns the payload of link.broken.
func (l Link) BrokenData(s LinkState) LinkBrokenData {
	out := LinkBrokenData{
		Kind: l.Kind, ID: l.ID.String(), Name: l.Name, URL: l.URL, Status: s.Status, Error: s.Error, Failures: s.Failures,
		CheckedAt: s.CheckedAt.UTC().Format(EventTimeFormat),
	}
	if s.FailingSince != nil {
		out.FailingSince = s.FailingSince.UTC().Format(EventTimeFormat)
	}
	return out
}

// LinkUnsafeData is the payload of link.unsafe.
type LinkUnsafeData struct {
	Kind      string   `json:"kind" enum:"offer,lander,domain"`
	ID        string   `json:"id" doc:"id of the offer, landing page or tracking domain"`
	Name      string   `json:"name"`
	URL       string   `json:"url" doc:"the URL of the offer or landing page, with its tokens, or the address of the domain"`
	List      string   `json:"list" enum:"web_risk,safe_browsing" doc:"the list that contains the link"`
	Threats   []string `json:"threats" doc:"the threats in the words of the list, such as MALWARE or SOCIAL_ENGINEERING"`
	CheckedAt string   `json:"checked_at" doc:"ISO 8601, UTC, milliseconds"`

	Failover *LinkFailover `json:"failover" doc:"for a tracking domain whose campaigns must move: where they are now; otherwise null"`
}

// LinkFailover says to which domain campaigns of a listed tracking domain moved. Without a spare domain, they stay.
type LinkFailover struct {
	DomainID   string `json:"domain_id" doc:"the spare domain; empty: there was none"`
	Domain     string `json:"domain"`
	Campaigns  int    `json:"campaigns" doc:"campaigns that moved; their old links still work"`
	Kept       int    `json:"kept" doc:"campaigns that stayed, because there is no spare domain or their alias is taken on it"`
	Smartlinks int    `json:"smartlinks" doc:"smartlinks on the listed domain; they do not move"`
}

// UnsafeData returns the payload of link.unsafe. list is the list that contains the link.
func (l Link) UnsafeData(list string, s ScreenState, moved *LinkFailover) LinkUnsafeData {
	return LinkUnsafeData{
		Kind: l.Kind, ID: l.ID.String(), Name: l.Name, URL: l.URL, List: list, Threats: s.Threats, Failover: moved,
		CheckedAt: s.CheckedAt.UTC().Format(EventTimeFormat),
	}
}

// PlanLimitData is the payload of plan.limit_reached.
type PlanLimitData struct {
	Plan      string `json:"plan"`
	Limit     string `json:"limit" enum:"clicks" doc:"the allowance that was exceeded"`
	Allowance int64  `json:"allowance" doc:"number of clicks a month that the plan includes"`
	Used      int64  `json:"used" doc:"number of clicks of the month, without bots, that were counted when the limit was found to be exceeded"`
	Month     string `json:"month" doc:"YYYY-MM, in UTC"`
	ResetsAt  string `json:"resets_at" doc:"when the next month begins: ISO 8601, UTC, milliseconds"`
}

// LimitData returns the payload of plan.limit_reached for the month that contains the given time. used is the number of clicks in
// that month.
func (p Plan) LimitData(used int64, at time.Time) PlanLimitData {
	return PlanLimitData{
		Plan: p.Name, Limit: "clicks", Allowance: p.ClicksPerMonth, Used: used, Month: MonthOf(at).Format("2006-01"),
		ResetsAt: MonthOf(at).AddDate(0, 1, 0).Format(EventTimeFormat),
	}
}

// MonthOf returns the start of the calendar month that contains a moment, in UTC. Monthly allowances use these months.
func MonthOf(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}
