package v1

import (
	"context"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/click"
	"switchyard/db/copilot"
	"switchyard/db/exchangerate"
	"switchyard/db/jobrow"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/money"
)

// settings returns the routes of /settings.
func settings(d Deps) []route.Route {
	const group = "Account"
	read := route.New("GET", "/settings", group, "account settings", route.Handle(func(c *route.Call) (Settings, error) {
		change, open, err := exchangerate.FindChange(c.Context(), c.Store.Conn(), c.Account.ID)
		out := Settings{SettingsChanged: settingsOf(c.Account), SiteKey: c.Account.SiteKey}
		if open {
			out.JobID = &change.Job
		}
		tagVersion(c, out.Version)
		return out, err
	}))
	read.Versioned = true
	return []route.Route{
		read,
		{
			Method: "PATCH", Path: "/settings", Group: group, Share: route.Lists, Versioned: true,
			Summary: "change the settings of the account",
			Codes: route.Codes("400 invalid_currency invalid_timezone out_of_range", "404 not_found",
				"409 rate_missing busy stale"),
			Starts: currencyJob.Answer(), Handle: route.HandleBody(d.changeSettings), Recorded: recordedSettings,
		},
	}
}

// Settings is the answer of GET /settings.
type Settings struct {
	SettingsChanged
	SiteKey string `json:"siteKey" doc:"the key by which the page tag identifies the account"`
}

// SettingsChanged is the answer of PATCH /settings.
type SettingsChanged struct {
	OrganizationName string     `json:"organizationName"`
	Currency         string     `json:"currency" doc:"currency of all figures"`
	Timezone         string     `json:"timezone" doc:"the time zone of the days that caps, alerts and conditions use"`
	DateFormat       string     `json:"dateFormat"`
	TimeFormat       string     `json:"timeFormat"`
	Assistants       bool       `json:"assistants" doc:"whether /mcp answers the account's keys"`
	AssistantChanges int        `json:"assistantChanges" doc:"maximum number of changes that a key or a connected assistant may make at /mcp in 24 hours"`
	Version          string     `json:"version" doc:"version of the settings, which the header ETag has too; send it as If-Match of PATCH"`
	JobID            *uuid.UUID `json:"jobId" doc:"the job that converts recorded amounts after a change of the currency; null: nothing is converted"`
}

// settingsOf returns the settings of an account. Their version is their hash.
func settingsOf(a models.Account) SettingsChanged {
	out := SettingsChanged{a.Name, a.Currency, a.Timezone, a.DateFormat, a.TimeFormat, a.Assistants, a.AssistantChanges, "", nil}
	out.Version = hashVersion(out)
	return out
}

// checkVersion returns the conflict "stale" if the call has If-Match and the settings have another version. With If-Match, it locks
// the account until the transaction ends.
func checkVersion(c *route.Call, tx *store.Store) error {
	if !c.HasIfMatch() {
		return nil
	}
	if err := tx.LockAccount(c.Context(), c.Account.ID); err != nil {
		return err
	}
	now, err := tx.FindAccount(c.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	if version := settingsOf(now).Version; !c.IfMatch(version) {
		return models.Conflict("stale", "the settings have changed: their version is %s now", version)
	}
	return nil
}

// recordedSettings returns the settings for the audit log.
func recordedSettings(c *route.Call, _ uuid.UUID) (any, error) {
	a, err := c.Store.FindAccount(c.Context(), c.Account.ID)
	return map[string]any{
		"currency": a.Currency, "timezone": a.Timezone, "date_format": a.DateFormat, "time_format": a.TimeFormat,
		"organization_name": a.Name, "assistants": a.Assistants, "assistant_changes": a.AssistantChanges,
	}, err
}

// SettingsBody is the body of PATCH /settings.
type SettingsBody struct {
	Currency   bind.Opt[string] `json:"currency" bad:"invalid_currency" trim:"true" case:"upper" pattern:"^[A-Za-z]{3}$" default:"USD" doc:"three letters"`
	Timezone   string           `json:"timezone" trim:"true" format:"timezone" default:"UTC" doc:"a time zone by its IANA name, such as Europe/Berlin"`
	DateFormat bind.Opt[string] `json:"date_format" enum:"YYYY-MM-DD,DD.MM.YYYY,DD/MM/YYYY,MM/DD/YYYY,DD MMM YYYY" default:"YYYY-MM-DD"`
	TimeFormat bind.Opt[string] `json:"time_format" enum:"12h,24h" default:"24h"`
	Name       bind.Opt[string] `json:"organization_name" bad:"invalid_input" trim:"true" minLength:"1" maxLength:"200" doc:"left out: unchanged"`

	Assistants       bind.Opt[bool] `json:"assistants" null:"refused" doc:"whether /mcp answers the account's keys; left out: unchanged"`
	AssistantChanges bind.Opt[int]  `json:"assistant_changes" null:"refused" min:"0" max:"1000" doc:"maximum number of changes that a key or a connected assistant may make at /mcp in 24 hours; left out: unchanged"`
	SettingsAsRead
}

// SettingsAsRead has the fields that have other names in answers, so that a client may send back the settings as it has read them.
type SettingsAsRead struct {
	DateFormatRead bind.Opt[string] `json:"dateFormat" enum:"YYYY-MM-DD,DD.MM.YYYY,DD/MM/YYYY,MM/DD/YYYY,DD MMM YYYY" doc:"used if date_format is left out"`
	TimeFormatRead bind.Opt[string] `json:"timeFormat" enum:"12h,24h" doc:"used if time_format is left out"`
	NameRead       bind.Opt[string] `json:"organizationName" bad:"invalid_input" trim:"true" minLength:"1" maxLength:"200" doc:"used if organization_name is left out"`
	ChangesRead    bind.Opt[int]    `json:"assistantChanges" null:"refused" min:"0" max:"1000" doc:"used if assistant_changes is left out"`
}

// CurrencyChanged is the result of converting the recorded amounts of an account to another currency.
type CurrencyChanged struct {
	From string `json:"from"`
	To   string `json:"to"`
}

var currencyJob = slow.New(jobs.ChangeCurrency, func(a jobs.ChangeCurrencyAnswer) CurrencyChanged { return CurrencyChanged(a) })

// changeSettings saves the settings. If the currency changes and the account has recorded amounts, a job converts them.
func (d Deps) changeSettings(c *route.Call, b SettingsBody) (out SettingsChanged, err error) {
	next := c.Account
	next.Currency, next.Timezone = b.Currency.Or("USD"), b.Timezone
	next.DateFormat = b.DateFormat.Or(b.DateFormatRead.Or("YYYY-MM-DD"))
	next.TimeFormat = b.TimeFormat.Or(b.TimeFormatRead.Or("24h"))
	if next.Currency == money.Unknown {
		return out, models.Invalid("invalid_currency", "%s stands for an unknown currency: send the code of a currency, such as EUR", money.Unknown)
	}
	next.Name = b.Name.Or(b.NameRead.Or(next.Name))
	next.Assistants, next.AssistantChanges = b.Assistants.Or(next.Assistants), b.AssistantChanges.Or(b.ChangesRead.Or(next.AssistantChanges))
	out = settingsOf(next)
	saved, err := saveSettings(c, next)
	if err == nil && saved {
		tagVersion(c, out.Version)
	}
	if err != nil || saved {
		return out, err
	}
	if !b.Currency.Given() {
		return out, models.Invalid("invalid_currency", "amounts are recorded in %s, so the currency must be sent; %q keeps it",
			c.Account.Currency, c.Account.Currency)
	}
	return d.changeCurrency(c, next)
}

// saveSettings saves the settings. It saves nothing and returns false if recorded amounts must be converted first.
func saveSettings(c *route.Call, next models.Account) (saved bool, err error) {
	err = c.Store.Tx(c.Context(), func(tx *store.Store) error {
		if err := checkVersion(c, tx); err != nil {
			return err
		}
		if next.Currency != c.Account.Currency {
			amounts, err := spend.HasAmounts(c.Context(), tx.Conn(), next.ID)
			if err == nil && !amounts {
				amounts, err = copilot.NewRules(tx).HasAmounts(c.Context(), next.ID)
			}
			if err != nil || amounts {
				return err
			}
		}
		saved = true
		return tx.SaveSettings(c.Context(), next, c.Account.Currency)
	})
	return saved, err
}

// changeCurrency saves the settings and starts the job that converts the recorded amounts.
func (d Deps) changeCurrency(c *route.Call, next models.Account) (out SettingsChanged, err error) {
	out = settingsOf(next)
	args := jobs.ChangeCurrencyArgs{From: c.Account.Currency, To: next.Currency}
	id, err := currencyJob.Begin(c, d.Jobs, args, func(tx *store.Store, id uuid.UUID) error {
		if err := checkVersion(c, tx); err != nil {
			return err
		}
		return beginCurrency(c.Context(), tx, next, id)
	})
	// The next fetch of rates loads the missing rate.
	if e, ok := models.AsError(err); ok && e.Code == "rate_missing" {
		if err := exchangerate.RequestRates(c.Context(), c.Store.Conn(), c.Account.ID, next.Currency); err != nil {
			return out, err
		}
	}
	if err == nil {
		tagVersion(c, out.Version)
	}
	out.JobID = &id
	return out, err
}

// restating lists the kinds of jobs that must end before the currency can change.
var restating = []string{
	jobs.CorrectConversions.Kind(), jobs.CorrectCosts.Kind(), jobs.SetCost.Kind(), jobs.UndoCost.Kind(), jobs.ClearCampaign.Kind(),
	jobs.ClearOrphans.Kind(), jobs.RescoreBots.Kind(),
}

func beginCurrency(ctx context.Context, tx *store.Store, next models.Account, job uuid.UUID) error {
	for _, kind := range restating {
		n, err := jobrow.CountOpen(ctx, tx.Conn(), next.ID, kind)
		if err != nil {
			return err
		}
		if n > 0 {
			return models.Conflict("busy", "a job of kind %s changes what is recorded: wait until it has ended", kind)
		}
	}
	rate, err := spend.BeginCurrency(ctx, click.Log{}, tx.Conn(), next.ID, next.Currency, job)
	if err != nil {
		return err
	}
	if err := copilot.NewRules(tx).Convert(ctx, next.ID, rate); err != nil {
		return err
	}
	if err := copilot.NewSuggestions(tx).ExpireAmounts(ctx, next.ID); err != nil {
		return err
	}
	return tx.SaveSettings(ctx, next, next.Currency) // the currency is stored already
}
