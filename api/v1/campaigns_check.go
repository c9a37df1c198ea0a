package v1

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	dbcheck "switchyard/db/launchcheck"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/launchcheck"
)

func (d Deps) launchCheck() route.Route {
	return route.New("GET", "/campaigns/{id}/check", "Campaigns", "what is wrong with a campaign, or not known, before it gets traffic",
		route.HandleRecord((*store.Store).Campaigns, d.checkCampaign), answer.IDCodes).WithShare(route.Reads)
}

func (d Deps) checkCampaign(c *route.Call, campaign models.Campaign) (CheckedCampaign, error) {
	reader, now := dbcheck.Reader{Store: c.Store, Figures: d.reports(c)}, time.Now()
	facts, err := reader.Facts(c.Context(), c.Account, campaign, now)
	if err != nil {
		return CheckedCampaign{}, err
	}
	report := launchcheck.Run(facts)
	return CheckedCampaign{
		ID: campaign.ID, Name: campaign.Name, Status: campaign.Status, CheckedAt: answer.Stamp(now), State: report.State,
		Problems: report.Count[launchcheck.Problem], Unknown: report.Count[launchcheck.Unknown], Warnings: report.Count[launchcheck.Warning],
		Checks: answer.Each(report.Results, checkedArea),
	}, nil
}

// CheckedCampaign is the result of all checks of a campaign.
type CheckedCampaign struct {
	ID        uuid.UUID     `json:"id"`
	Name      string        `json:"name"`
	Status    string        `json:"status" enum:"active,paused,archived"`
	CheckedAt string        `json:"checked_at"`
	State     string        `json:"state" enum:"ok,warning,unknown,problem" doc:"the worst state of the checks. unknown: not checked, which never counts as ok"`
	Problems  int           `json:"problems" doc:"number of findings that cost visitors or money"`
	Unknown   int           `json:"unknown" doc:"number of findings with the state unknown: they were not checked"`
	Warnings  int           `json:"warnings" doc:"number of other findings"`
	Checks    []CheckedArea `json:"checks" doc:"one for each area, in a fixed order"`
}

// CheckedArea is the result of the checks in one area of a campaign.
type CheckedArea struct {
	Check    string         `json:"check" enum:"link,destinations,macros,source,cost,postbacks,payout,shares,fallback,bots,caps,rates,landers,tag"`
	State    string         `json:"state" enum:"ok,warning,unknown,problem" doc:"the worst state of the findings; ok: there are no findings"`
	Findings []CheckFinding `json:"findings" doc:"at most 20 of each code"`
	LeftOff  int            `json:"left_off" doc:"number of findings beyond these"`
	LookedAt *string        `json:"looked_at" doc:"for the checks link and destinations: the time of a worker's last look at the domain or a destination, the oldest if there are several; null: never. The other checks run in this call and have null"`
}

// CheckFinding is a fault of a campaign, or something that was not checked.
type CheckFinding struct {
	Code    string     `json:"code"`
	State   string     `json:"state" enum:"warning,unknown,problem"`
	Message string     `json:"message" doc:"what is wrong"`
	Costs   string     `json:"costs" doc:"what the fault costs"`
	Do      string     `json:"do" doc:"what to do"`
	Mend    string     `json:"mend" enum:"verify_domain,check_link,resume,open" doc:"the call that fixes it: POST /domains/{id}/verify, POST /tools/check-links with the record's id, PATCH of the record with is_active. open: a person has to change the field"`
	Where   CheckPlace `json:"where"`
	Value   string     `json:"value" doc:"what is wrong there, such as an answer, a macro or a currency; may be empty"`
	At      *string    `json:"at" doc:"when the fault was found; null: this call found it, or the record was never checked"`
}

// CheckPlace is where a fault is.
type CheckPlace struct {
	Kind     string     `json:"kind" enum:"campaign,domain,offer,lander,source,network,site,account"`
	ID       *uuid.UUID `json:"id" doc:"null: there is no such record"`
	Name     string     `json:"name"`
	PathID   *string    `json:"path_id" doc:"the path of the campaign's flow that has the fault; null: the fault is in no path"`
	PathName string     `json:"path_name"`
	Field    string     `json:"field" doc:"the field of the record that has the fault; empty: the whole record"`
}

func checkedArea(r launchcheck.Result) CheckedArea {
	return CheckedArea{r.Area, r.State, answer.Each(r.Findings, checkFinding), r.LeftOff, answer.StampOrNull(r.LookedAt)}
}

func checkFinding(f launchcheck.Finding) CheckFinding {
	out := CheckFinding{
		Code: f.Code, State: f.State, Message: f.Filled(f.Says), Costs: f.Costs, Do: f.Filled(f.Do), Mend: f.Mend, Value: f.Value,
		Where: CheckPlace{f.Kind, answer.OrNull(f.ID), f.Name, answer.OrNull(f.Path), f.PathName, f.Field},
	}
	if !f.At.IsZero() {
		out.At = answer.StampOrNull(&f.At)
	}
	return out
}
