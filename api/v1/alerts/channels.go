package alerts

import (
	"net/mail"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	dbalerts "switchyard/db/alerts"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/netguard"
	"switchyard/models/token"
)

// channelRoutes returns the routes of /alerts/channels, the channels to which alerts are sent.
func channelRoutes(d Deps) []route.Route {
	const group = "Account"
	return []route.Route{
		route.New("GET", "/alerts/channels", group, "the channels to which alerts are sent", route.Handle(d.listAlertChannels)),
		route.New("POST", "/alerts/channels", group, "send alerts by e-mail or to a chat, when they begin and when they end",
			route.HandleBody(d.addAlertChannel),
			route.Codes("400 unknown_kind invalid_credentials invalid_url too_many no_encryption_key not_configured")).
			WithShare(route.Sends).Creates(),
		route.New("PATCH", "/alerts/channels", group, "rename a channel, change which alerts it gets, or switch it on or off",
			route.HandleBody(changeAlertChannel), route.Codes("400 no_fields"), answer.IDCodes),
		route.New("DELETE", "/alerts/channels", group, "delete a channel and its credentials", route.Handle(deleteAlertChannel),
			answer.IDCodes).WithQuery(answer.QueryID...),
		route.New("POST", "/alerts/channels/confirm", group, "confirm an e-mail address with the code that was sent to it",
			route.HandleBody(confirmAlertChannel), route.Codes("400 invalid_code"), answer.IDCodes),
		route.New("POST", "/alerts/channels/test", group, "send a test message to a channel now", route.HandleBody(d.testAlertChannel),
			route.Codes("400 not_confirmed"), answer.IDCodes).WithShare(route.Sends).Awaits(testAlertJob.Answer()),
	}
}

// AlertChannelList is the answer of GET /alerts/channels.
type AlertChannelList struct {
	Kinds               []AlertChannelForm  `json:"kinds" doc:"the kinds of channel that can be added, each with the fields of its form"`
	Channels            []AlertChannelShown `json:"channels"`
	EncryptionAvailable bool                `json:"encryptionAvailable" doc:"false: this install cannot store credentials"`
}

// AlertChannelForm is a kind of channel with the fields of its form.
type AlertChannelForm struct {
	Kind      string                        `json:"kind"`
	Label     string                        `json:"label"`
	Available bool                          `json:"available" doc:"false: the operator of this install has not set up this kind"`
	Fields    []answer.CredentialFieldShown `json:"fields"`
}

// AlertChannelShown is a channel.
type AlertChannelShown struct {
	ID           uuid.UUID         `json:"id"`
	Kind         string            `json:"kind" enum:"email,slack,discord,telegram"`
	Name         string            `json:"name"`
	Severity     string            `json:"severity" enum:"warning,critical" doc:"the lowest severity of the alerts that are sent to the channel"`
	IsActive     bool              `json:"is_active"`
	Confirmed    bool              `json:"confirmed" doc:"false: the channel gets no alerts until its code is sent to POST /alerts/channels/confirm"`
	Credentials  map[string]string `json:"credentials" doc:"the value of each field; secrets are masked"`
	CreatedAt    string            `json:"created_at"`
	SentAt       *string           `json:"sent_at" doc:"when the last message was accepted"`
	FailingSince *string           `json:"failing_since" doc:"since when messages fail; null: they do not fail"`
	Error        *string           `json:"error" doc:"why the last message was not accepted"`
}

func channelAnswer(c models.AlertChannel) AlertChannelShown {
	kind, _ := models.AlertChannelKindNamed(c.Kind)
	return AlertChannelShown{
		ID: c.ID, Kind: c.Kind, Name: c.Name, Severity: c.MinSeverity, IsActive: c.IsActive, Confirmed: !c.Unconfirmed,
		Credentials: kind.Masked(c.Settings), CreatedAt: answer.Stamp(c.CreatedAt), SentAt: answer.StampOrNull(c.SentAt),
		FailingSince: answer.StampOrNull(c.FailingSince), Error: answer.OrNull(c.Failure),
	}
}

func (d Deps) listAlertChannels(c *route.Call) (AlertChannelList, error) {
	found, err := dbalerts.NewChannels(c.Store).List(c.Context(), c.Account.ID)
	return AlertChannelList{
		Kinds: answer.Each(models.AlertChannelKinds, func(k models.AlertChannelKind) AlertChannelForm {
			return AlertChannelForm{k.Name, k.Label, d.Email || k.Name != models.ChannelEmail, answer.CredentialFields(k.CredentialForm)}
		}),
		Channels: answer.Each(found, channelAnswer), EncryptionAvailable: c.Store.Box().HasKey(),
	}, err
}

// AlertChannelBody is the body of POST /alerts/channels.
type AlertChannelBody struct {
	Kind        string            `json:"kind" required:"unknown_kind" bad:"unknown_kind" trim:"true" case:"lower" doc:"one of the kinds that GET /alerts/channels lists"`
	Name        string            `json:"name" bad:"invalid_input" trim:"true" maxLength:"100" doc:"your name for the channel"`
	Severity    string            `json:"severity" bad:"invalid_input" enum:"warning,critical" default:"warning" doc:"the lowest severity of the alerts that are sent to the channel"`
	Credentials map[string]string `json:"credentials" bad:"invalid_credentials" doc:"the value of each field that the kind has in GET /alerts/channels"`
}

func (d Deps) addAlertChannel(c *route.Call, b AlertChannelBody) (AlertChannelShown, error) {
	kind, ok := models.AlertChannelKindNamed(b.Kind)
	if !ok {
		return AlertChannelShown{}, models.Invalid("unknown_kind", "there is no kind %.60q: see GET /alerts/channels", b.Kind)
	}
	if kind.Name == models.ChannelEmail && !d.Email {
		return AlertChannelShown{}, models.Invalid("not_configured", "this install sends no e-mail: its operator can set SMTP_URL")
	}
	credentials, err := kind.Complete(b.Credentials, nil)
	if err == nil {
		err = d.checkAlertReceiver(credentials)
	}
	if err != nil {
		return AlertChannelShown{}, err
	}
	saved, messages, err := dbalerts.NewChannels(c.Store).Add(c.Context(), models.AlertChannel{
		AccountID: c.Account.ID, Name: b.Name, MinSeverity: b.Severity,
	}, kind, credentials)
	if err != nil {
		return AlertChannelShown{}, err
	}
	d.Jobs.DispatchFor(c.Context(), c.Account.ID, models.KindSendAlert, messages...)
	return channelAnswer(saved), nil
}

// checkAlertReceiver checks the URL or the e-mail address in the credentials. It replaces the host of the URL by its ASCII form.
func (d Deps) checkAlertReceiver(credentials map[string]string) error {
	if url := token.ASCIIHost(credentials["url"]); url != "" {
		credentials["url"] = url
		return netguard.Policy{Allow: d.EgressAllow}.CheckSent(url)
	}
	address := credentials["address"]
	if address == "" {
		return nil
	}
	const maxAddress = 254 // RFC 5321
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || len(address) > maxAddress || !strings.Contains(address[strings.LastIndexByte(address, '@'):], ".") ||
		slices.ContainsFunc([]byte(address), func(b byte) bool { return b <= ' ' || b > '~' || b == ',' }) {
		return models.Invalid("invalid_credentials", "an e-mail address looks like you@example.com")
	}
	return nil
}

// AlertChannelPatch is the body of PATCH /alerts/channels. A field that is left out keeps its value.
type AlertChannelPatch struct {
	bind.ID
	Name     bind.Opt[string] `json:"name" bad:"invalid_input" trim:"true" maxLength:"100"`
	Severity bind.Opt[string] `json:"severity" bad:"invalid_input" null:"refused" enum:"warning,critical"`
	IsActive bind.Opt[bool]   `json:"is_active" bad:"invalid_input" null:"refused"`
}

func changeAlertChannel(c *route.Call, b AlertChannelPatch) (AlertChannelShown, error) {
	if !b.Name.Set && !b.Severity.Set && !b.IsActive.Set {
		return AlertChannelShown{}, models.Invalid("no_fields", "there is nothing to change")
	}
	saved, err := dbalerts.NewChannels(c.Store).Update(c.Context(), c.Account.ID, b.RecordID(), b.Name.Sent(), b.Severity.Sent(), b.IsActive.Sent())
	return channelAnswer(saved), err
}

func deleteAlertChannel(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.Deleted(c.ID), dbalerts.NewChannels(c.Store).Delete(c.Context(), c.Account.ID, c.ID)
}

// AlertChannelCode is the body of POST /alerts/channels/confirm.
type AlertChannelCode struct {
	bind.ID
	Code string `json:"code" required:"invalid_code" bad:"invalid_code" trim:"true" maxLength:"20" doc:"eight digits"`
}

// AlertChannelConfirmed is the answer of POST /alerts/channels/confirm.
type AlertChannelConfirmed struct {
	Confirmed bool `json:"confirmed"`
}

func confirmAlertChannel(c *route.Call, b AlertChannelCode) (AlertChannelConfirmed, error) {
	err := dbalerts.NewChannels(c.Store).Confirm(c.Context(), c.Account.ID, b.RecordID(), b.Code)
	return AlertChannelConfirmed{err == nil}, err
}

// AlertChannelID is the body of POST /alerts/channels/test.
type AlertChannelID struct{ bind.ID }

// AlertTested is the answer of POST /alerts/channels/test.
type AlertTested struct {
	Sent  bool    `json:"sent" doc:"the receiver, or its mail server, accepted the message"`
	Error *string `json:"error" doc:"why the message was not accepted"`
}

var testAlertJob = slow.New(jobs.TestAlert, func(a jobs.TestedAlert) AlertTested {
	return AlertTested{a.Sent, answer.OrNull(a.Error)}
})

func (d Deps) testAlertChannel(c *route.Call, b AlertChannelID) (AlertTested, error) {
	found, err := dbalerts.NewChannels(c.Store).Find(c.Context(), c.Account.ID, b.RecordID())
	if err == nil && found.Unconfirmed {
		err = models.Invalid("not_confirmed", "the channel is not confirmed yet: confirm it first with the code that was sent to its receiver")
	}
	if err != nil {
		return AlertTested{}, err
	}
	return testAlertJob.Run(c, d.Jobs, jobs.TestAlertArgs{ID: b.RecordID()})
}
