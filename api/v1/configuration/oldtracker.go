package configuration

import (
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/db/oldtracker"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/foreign"
	"switchyard/models/netguard"
	"switchyard/models/token"
)

// OldTrackerRoutes returns the routes of /old-tracker.
func OldTrackerRoutes(d Deps) []route.Route {
	const group = "Account"
	return []route.Route{
		route.New("GET", "/old-tracker", group, "the tracker that the account used before, and what happened to the postbacks",
			route.Handle(findOldTracker)).WithWindow().WithShare(route.Reads),
		{
			Method: "PUT", Path: "/old-tracker", Group: group, Summary: "choose the old tracker and where postbacks about its clicks are forwarded",
			Codes: route.Codes("400 invalid_url"), Handle: route.HandleBody(d.changeOldTracker), Recorded: recordedOldTracker,
		},
	}
}

// OldTrackerSettings are an account's settings for the tracker that it moved from.
type OldTrackerSettings struct {
	Tracker string `json:"tracker" enum:"keitaro,binom,voluum,redtrack,bemob,clickflare," doc:"the old tracker, whose form of click ids is recognised; empty: no tracker was chosen"`
	URL     string `json:"url" doc:"the address to which postbacks about the old tracker's clicks are forwarded; empty: no postbacks are forwarded"`
}

// OldTracker is the answer of GET /old-tracker.
type OldTracker struct {
	OldTrackerSettings

	Range bind.Range      `json:"range"`
	Days  []OldTrackerDay `json:"days" doc:"newest first; days without postbacks are left out"`
}

// OldTrackerDay has the numbers of postbacks that arrived on a day.
type OldTrackerDay struct {
	Day     string `json:"day" doc:"YYYY-MM-DD, in the account's time zone"`
	Known   int64  `json:"known" doc:"postbacks that name a click of this account"`
	SentOn  int64  `json:"sent_on" doc:"postbacks that were forwarded to the old tracker and that it accepted"`
	Waiting int64  `json:"waiting" doc:"postbacks that wait to be forwarded, for the first time or again"`
	Failed  int64  `json:"failed" doc:"postbacks that the old tracker did not accept, or that could not be forwarded"`
	Unknown int64  `json:"unknown" doc:"postbacks without a known click that are not forwarded; of postbacks without a click id, each web process counts about 20 an hour at most"`
}

const maxOldTrackerDays = 92

func findOldTracker(c *route.Call) (out OldTracker, err error) {
	if c.Window.To.Sub(c.Window.From) > maxOldTrackerDays*24*time.Hour {
		return out, models.Invalid("invalid_input", "from and to may be at most %d days apart", maxOldTrackerDays)
	}
	s, err := oldtracker.Find(c.Context(), c.Store.Conn(), c.Account.ID)
	if err != nil {
		return out, err
	}
	out = OldTracker{OldTrackerSettings: OldTrackerSettings(s), Range: c.Window.Range(), Days: []OldTrackerDay{}}
	days, err := oldtracker.Days(c.Context(), c.Store.Conn(), c.Account.ID, c.Window.From, c.Window.To.Add(time.Second))
	for _, d := range days {
		out.Days = append(out.Days, OldTrackerDay(d))
	}
	return out, err
}

// OldTrackerBody is the body of PUT /old-tracker.
type OldTrackerBody struct {
	Tracker string `json:"tracker" optional:"true" enum:"keitaro,binom,voluum,redtrack,bemob,clickflare," doc:"required if url is not empty"`
	URL     string `json:"url" bad:"invalid_url" optional:"true" trim:"true" maxLength:"1000" doc:"the address at which the old tracker answers now: http or https, on the public internet, without tokens or a #, and not a domain of this service. If the address has neither a path nor a query, the path at which a postback arrived is added. Empty: no postbacks are forwarded"`
}

func (d Deps) changeOldTracker(c *route.Call, b OldTrackerBody) (OldTrackerSettings, error) {
	s := OldTrackerSettings(b)
	if s.URL != "" {
		if !foreign.Known(s.Tracker) {
			return s, models.Invalid("invalid_input", "choose the tracker: one of %s", strings.Join(foreign.Trackers, ", "))
		}
		if err := d.checkOldTracker(c, s.URL); err != nil {
			return s, err
		}
	}
	return s, oldtracker.Save(c.Context(), c.Store.Conn(), c.Account.ID, oldtracker.Settings(s))
}

// checkOldTracker refuses an address that is not on the public internet, has tokens or a fragment, or leads back to this service.
func (d Deps) checkOldTracker(c *route.Call, text string) error {
	if err := (netguard.Policy{Schemes: []string{"https", "http"}, Allow: d.EgressAllow}).Check(text); err != nil {
		return err
	}
	if strings.ContainsAny(text, "#{}") {
		return models.Invalid("invalid_url", "the address of the old tracker must not have tokens or a #: postbacks are forwarded unchanged")
	}
	u, err := url.Parse(text)
	if err != nil {
		return models.Invalid("invalid_url", "the address cannot be read")
	}
	ours, err := oldtracker.IsOurs(c.Context(), c.Store.Conn(), c.Account.ID, u.Hostname())
	if err != nil {
		return err
	}
	base, _ := url.Parse(d.BaseURL)
	host := strings.ToLower(u.Hostname())
	tracker := strings.ToLower(d.Tracker.Host)
	if ours || base != nil && host == strings.ToLower(base.Hostname()) ||
		tracker != "" && (host == tracker || strings.HasSuffix(host, "."+tracker)) {
		return models.Invalid("invalid_url", "%s leads to this service: enter the address at which the old tracker answers now", u.Hostname())
	}
	return nil
}

// recordedOldTracker returns the settings for the audit log. The path of the address may contain a key, so it is left out.
func recordedOldTracker(c *route.Call, _ uuid.UUID) (any, error) {
	s, err := oldtracker.Find(c.Context(), c.Store.Conn(), c.Account.ID)
	return map[string]string{"tracker": s.Tracker, "url": token.Origin(s.URL)}, err
}
