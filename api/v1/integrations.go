package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// integrations returns the routes of /integrations, the accounts at DNS providers.
func integrations(d Deps) []route.Route {
	const group = "Connections"
	save := route.New("PUT", "/integrations", group, "connect or change a DNS account", route.HandleBody(saveIntegration),
		route.Codes("400 unknown_provider invalid_credentials too_many no_encryption_key"), answer.IDCodes)
	save.Version = dnsAccountVersion
	return []route.Route{
		route.New("GET", "/integrations", group, "DNS providers and connected accounts", route.Handle(listIntegrations)),
		save,
		route.New("DELETE", "/integrations", group, "disconnect a DNS account and delete its credentials", route.Handle(deleteIntegration),
			answer.IDCodes).WithQuery(answer.QueryID...),
		route.New("POST", "/integrations/test", group, "test a DNS account", route.HandleBody(d.testIntegration),
			route.Codes("400 invalid_id not_connected")).WithShare(route.Sends).Awaits(testDNSJob.Answer()),
		route.New("GET", "/integrations/zones", group, "the zones in each DNS account",
			route.Handle(d.listZones)).WithShare(route.Sends).Awaits(dnsZonesJob.Answer()),
	}
}

// IntegrationList is the answer of GET /integrations.
type IntegrationList struct {
	Providers           []DNSProviderForm `json:"providers" doc:"the providers that can be connected, each with the fields of its form"`
	Accounts            []DNSAccountShown `json:"accounts"`
	EncryptionAvailable bool              `json:"encryptionAvailable" doc:"false: this install cannot store credentials"`
}

// DNSProviderForm is a DNS provider with the fields of its form.
type DNSProviderForm struct {
	Provider string                        `json:"provider"`
	Label    string                        `json:"label"`
	Apex     string                        `json:"apex" enum:"CNAME,ALIAS,addresses" doc:"the kind of record that points the apex of a zone at the tracker"`
	Fields   []answer.CredentialFieldShown `json:"fields"`
}

// DNSAccountShown is a connected DNS account.
type DNSAccountShown struct {
	ID           uuid.UUID         `json:"id"`
	Provider     string            `json:"provider"`
	Label        string            `json:"label"`
	Credentials  map[string]string `json:"credentials" doc:"the value of each field; secrets are masked"`
	SavedAt      string            `json:"savedAt"`
	CheckedAt    *string           `json:"checkedAt" doc:"when the last request was sent to the provider"`
	FailingSince *string           `json:"failingSince" doc:"since when requests fail; null: they do not fail"`
	Error        *string           `json:"error" doc:"why requests fail; null: they do not fail"`
}

func listIntegrations(c *route.Call) (IntegrationList, error) {
	found, err := c.Store.DNSAccounts().List(c.Context(), c.Account.ID)
	return IntegrationList{
		Providers: answer.Each(models.DNSProviders, providerForm), Accounts: answer.Each(found, dnsAccountAnswer),
		EncryptionAvailable: c.Store.Box().HasKey(),
	}, err
}

func providerForm(p models.DNSProvider) DNSProviderForm {
	apex := p.Apex
	if apex == models.ApexAddress {
		apex = "addresses"
	}
	return DNSProviderForm{p.Name, p.Label, apex, answer.CredentialFields(p.CredentialForm)}
}

func dnsAccountAnswer(a models.DNSAccount) DNSAccountShown {
	p, _ := models.DNSProviderNamed(a.Provider)
	return DNSAccountShown{
		ID: a.ID, Provider: a.Provider, Label: a.Label, Credentials: p.Masked(a.Settings), SavedAt: answer.Stamp(a.SavedAt),
		CheckedAt: answer.StampOrNull(a.CheckedAt), FailingSince: answer.StampOrNull(a.FailingSince),
		Error: answer.OrNull(a.Failure),
	}
}

// IntegrationBody is the body of PUT /integrations.
type IntegrationBody struct {
	Provider    string            `json:"provider" required:"unknown_provider" bad:"unknown_provider" trim:"true" case:"lower" doc:"a provider that GET /integrations lists"`
	ID          uuid.UUID         `json:"id" bad:"invalid_id" doc:"id of the DNS account to change; left out: connect a new account"`
	Label       bind.Opt[string]  `json:"label" bad:"invalid_input" trim:"true" maxLength:"100" null:"empty" doc:"your name for the DNS account"`
	Credentials map[string]string `json:"credentials" bad:"invalid_credentials" doc:"the value of each field; when an account is changed, fields that are blank or left out keep their values"`
}

// IntegrationSaved is the answer of PUT /integrations.
type IntegrationSaved struct {
	Saved bool      `json:"saved"`
	ID    uuid.UUID `json:"id"`
}

func saveIntegration(c *route.Call, b IntegrationBody) (IntegrationSaved, error) {
	p, ok := models.DNSProviderNamed(b.Provider)
	if !ok {
		return IntegrationSaved{}, models.Invalid("unknown_provider", "there is no provider %.60q: see GET /integrations", b.Provider)
	}
	saved, err := c.Store.DNSAccounts().Save(c.Context(), c.Account.ID, b.ID, p, b.Label.Sent(), b.Credentials)
	return IntegrationSaved{true, saved}, err
}

func deleteIntegration(c *route.Call) (Disconnected, error) {
	err := c.Store.DNSAccounts().Remove(c.Context(), c.Account.ID, c.ID)
	return Disconnected{err == nil}, err
}

// IntegrationTested is the answer of POST /integrations/test.
type IntegrationTested struct {
	OK      bool     `json:"ok" doc:"whether the provider accepts the credentials"`
	Message string   `json:"message"`
	Detail  *string  `json:"detail" doc:"the provider's message if the test failed"`
	Zones   []string `json:"zones" doc:"the zones in the account"`
}

var testDNSJob = slow.New(jobs.TestDNS, func(z jobs.DNSZones) IntegrationTested {
	out := IntegrationTested{OK: z.OK, Message: "the provider accepts the credentials", Zones: z.Zones}
	if !z.OK {
		out.Message, out.Detail = "the test failed", &z.Message
	}
	return out
})

// DNSAccountID is the body of POST /integrations/test.
type DNSAccountID struct{ bind.ID }

func (d Deps) testIntegration(c *route.Call, b DNSAccountID) (IntegrationTested, error) {
	if _, err := c.Store.DNSAccounts().Named(c.Context(), c.Account.ID, b.RecordID(), "not_connected"); err != nil {
		return IntegrationTested{}, err
	}
	return testDNSJob.Run(c, d.Jobs, jobs.DNSArgs{ID: b.RecordID()})
}

// ZonesOfAccounts is the answer of GET /integrations/zones.
type ZonesOfAccounts struct {
	Accounts []ZonesOfAccount `json:"accounts"`
}

// ZonesOfAccount lists the zones of a DNS account.
type ZonesOfAccount struct {
	ID       uuid.UUID `json:"id"`
	Provider string    `json:"provider"`
	Label    string    `json:"label"`
	OK       bool      `json:"ok"`
	Error    *string   `json:"error" doc:"why the zones of the account could not be listed"`
	Zones    []string  `json:"zones"`
}

var dnsZonesJob = slow.New(jobs.ListDNSZones, func(all []jobs.DNSZones) ZonesOfAccounts {
	return ZonesOfAccounts{answer.Each(all, func(z jobs.DNSZones) ZonesOfAccount {
		return ZonesOfAccount{z.ID, z.Provider, z.Label, z.OK, answer.OrNull(z.Message), z.Zones}
	})}
})

func (d Deps) listZones(c *route.Call) (ZonesOfAccounts, error) {
	return dnsZonesJob.Run(c, d.Jobs, jobs.None{})
}
