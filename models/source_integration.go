package models

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// SourceIntegration is the connection of a traffic source to the API of its platform. It does not contain the secret credentials.
type SourceIntegration struct {
	Integration
	SourceIntegrationFields
	SourceUploads

	SecretNames []string `db:"secret_names"`
	Currency    string   `db:"currency"` // currency of the account at the platform, as last read
	Zone        string   `db:"zone"`
}

// SourceUploads is the state of a connection's uploads.
type SourceUploads struct {
	UploadsReadyAt   *time.Time `db:"uploads_ready_at"` // the platform accepts no uploads before this time; nil: at any time
	UploadsStopped   string     `db:"uploads_stopped"`  // why uploads were stopped; empty: they were not stopped
	UploadsStoppedAt *time.Time `db:"uploads_stopped_at"`
	UploadFailure    string     `db:"upload_failure"` // why the last upload job failed; empty: it did not fail
	UploadFailures   int        `db:"upload_failures"`
	UploadSince      *time.Time `db:"upload_failing_since"`
}

// SourceIntegrationFields are the settings of a connection that an account chooses, without its credentials.
type SourceIntegrationFields struct {
	Endpoint           CostEndpoint  `db:"cost_endpoint,json"`
	ConnectionID       uuid.NullUUID `db:"oauth_connection_id"`
	CampaignParam      string        `db:"campaign_param"`
	ConversionAction   string        `db:"conversion_action"`
	ConversionStatuses []string      `db:"conversion_statuses"`
	ConversionsEnabled bool          `db:"conversions_enabled"`
	UploadMode         string        `db:"upload_mode"`
	DailyCapCount      int           `db:"daily_cap_count"` // maximum number of conversions uploaded in a day
	DailyCapValue      Money         `db:"daily_cap_value"` // maximum value uploaded in a day, in the account's currency
	SendKeys           bool          `db:"send_keys"`       // hashed personal data of people who have agreed are uploaded too
}

// The daily caps of a new connection: conversions, and their value in the account's currency.
const (
	DefaultCapCount = 10000
	DefaultCapValue = 100000
)

// CostEndpoint is an address that returns spend as JSON. RowsPath and the settings whose names end in Field are paths to
// members of this JSON, with dots between names.
type CostEndpoint struct {
	URL              string            `json:"url" bad:"invalid_input" trim:"true" maxLength:"4000" doc:"https address that returns spend; {from} and {to} become days in the form of dateFormat, {page} becomes the number of the requested page, and {token} becomes the credential named token; put secrets into that credential or into headers"`
	Method           string            `json:"method" bad:"invalid_input" case:"upper" enum:"GET,POST" default:"GET"`
	Headers          map[string]string `json:"headers" doc:"object of header names and their values, at most 20; values are stored encrypted and shown as ********; sending ******** back keeps the stored value"`
	Body             json.RawMessage   `json:"body,omitempty" is:"json" doc:"body of a POST: JSON, or a text that is sent unchanged; {from}, {to}, {page} and {token} are replaced as in url"`
	RowsPath         string            `json:"rowsPath" bad:"invalid_input" trim:"true" maxLength:"255" doc:"path to the rows, such as data.rows; empty: the answer itself is the list of rows; if the path ends with .*, the rows are the members of an object, and the field {key} stands for a member's name"`
	DayField         string            `json:"dayField" bad:"invalid_input" trim:"true" maxLength:"255" default:"day" doc:"path to the day, YYYY-MM-DD or the beginning of a time"`
	CampaignField    string            `json:"campaignField" bad:"invalid_input" trim:"true" maxLength:"255" doc:"path to the platform's campaign id; empty: the spend belongs to the whole source"`
	SpendField       string            `json:"spendField" bad:"invalid_input" trim:"true" maxLength:"255" default:"spend"`
	ClicksField      string            `json:"clicksField" bad:"invalid_input" trim:"true" maxLength:"255"`
	ImpressionsField string            `json:"impressionsField" bad:"invalid_input" trim:"true" maxLength:"255"`
	SpendDivisor     *Money            `json:"spendDivisor" bad:"invalid_input" min:"0" max:"1000000000" doc:"number by which spend is divided: 100 for cents, 1000000 for micros; default 1"`
	Currency         string            `json:"currency" bad:"invalid_input" trim:"true" case:"upper" pattern:"^([A-Z]{3})?$" doc:"currency of the spend, three letters; empty: the account's currency"`
	DateFormat       string            `json:"dateFormat" bad:"invalid_input" trim:"true" enum:"YYYY-MM-DD,DD.MM.YYYY,DD/MM/YYYY,MM/DD/YYYY,YYYYMMDD" default:"YYYY-MM-DD" doc:"form of the days in {from} and {to}"`
	OneDay           bool              `json:"oneDay" doc:"true: the rows name no day, so each day is read by a separate request"`
	PageRows         int               `json:"pageRows" bad:"invalid_input" min:"0" max:"10000" doc:"number of rows on a full page; after a full page the next one is requested by {page}; 0: there is only one page"`
	FirstPage        int               `json:"firstPage" bad:"invalid_input" min:"0" max:"1" doc:"number of the first page"`
}

var costDates = map[string]string{
	"": time.DateOnly, "YYYY-MM-DD": time.DateOnly, "DD.MM.YYYY": "02.01.2006", "DD/MM/YYYY": "02/01/2006", "MM/DD/YYYY": "01/02/2006",
	"YYYYMMDD": "20060102",
}

// WithDefaults returns the endpoint with defaults in place of empty settings.
func (e CostEndpoint) WithDefaults() CostEndpoint {
	e.Method, e.DateFormat = cmp.Or(e.Method, "GET"), cmp.Or(e.DateFormat, "YYYY-MM-DD")
	e.DayField, e.SpendField = cmp.Or(e.DayField, "day"), cmp.Or(e.SpendField, "spend")
	return e
}

// Date returns a day in the endpoint's DateFormat.
func (e CostEndpoint) Date(day time.Time) string { return day.Format(costDates[e.DateFormat]) }

// MemberKey is the field name that stands for the name of a row, if the rows are the members of an object.
const MemberKey = "{key}"

const pageNumber = "{page}"

const (
	maxCostHeaders    = 20
	maxCostHeaderName = 100
	maxCostBody       = 8000 // bytes, as JSON
)

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// Check returns an error if a setting is invalid, or if settings do not fit together. An empty URL is allowed.
func (e CostEndpoint) Check() error {
	if u, err := url.Parse(e.URL); e.URL != "" && (err != nil || u.Host == "" || u.Scheme != "https") {
		return Invalid("invalid_input", "cost_endpoint.url must be an https address")
	}
	if len(e.Headers) > maxCostHeaders {
		return Invalid("invalid_input", "cost_endpoint.headers may have at most %d headers", maxCostHeaders)
	}
	for name, value := range e.Headers {
		if len(name) > maxCostHeaderName || !headerName.MatchString(name) {
			return Invalid("invalid_input", "%.100q is not a valid name of a header", name)
		}
		if strings.ContainsFunc(value, unicode.IsControl) {
			return Invalid("invalid_input", "the header %s contains a control character", name)
		}
	}
	if e.SpendDivisor != nil && !e.SpendDivisor.IsPositive() {
		return Invalid("invalid_input", "cost_endpoint.spendDivisor must be above 0")
	}
	if len(e.Body) > maxCostBody {
		return Invalid("invalid_input", "cost_endpoint.body may have at most %d bytes", maxCostBody)
	}
	if paged := strings.Contains(e.URL, pageNumber) || strings.Contains(string(e.Body), pageNumber); e.URL != "" && paged != (e.PageRows > 0) {
		return Invalid("invalid_input", "cost_endpoint.pageRows needs {page} in the url or the body, and {page} needs pageRows")
	}
	return nil
}

// HeaderCredential is the prefix of the names under which the headers of a custom endpoint are stored as secrets.
// originCredential is the setting that holds the endpoint's scheme and host. If these change, the client must send
// the secrets again.
const (
	HeaderCredential = "header."
	originCredential = "endpoint.origin"
)

// Form returns the form of the connection's credentials: the provider's fields and, for a custom endpoint, its headers and its
// origin.
func (p SourceProvider) Form(e CostEndpoint) CredentialForm {
	form := p.CredentialForm
	if p.Name != CustomCost {
		return form
	}
	form.Fields = append(slices.Clone(form.Fields), CredentialField{Name: originCredential, Address: true})
	for name := range e.Headers {
		form.Fields = append(form.Fields, CredentialField{Name: HeaderCredential + name, Secret: true, Required: true})
	}
	return form
}

// Sent returns the credentials that the client sent, together with the header values and the origin of a custom
// endpoint.
func (e CostEndpoint) Sent(sent map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, sent)
	for name, value := range e.Headers {
		out[HeaderCredential+name] = value
	}
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		out[originCredential] = strings.ToLower(u.Scheme + "://" + u.Host)
	}
	return out
}

// WithoutValues returns the endpoint in the form in which it is stored and shown. The values of its headers are masked, because
// they are secrets.
func (e CostEndpoint) WithoutValues() CostEndpoint {
	names := e.Headers
	e.Headers = map[string]string{}
	for name := range names {
		e.Headers[name] = MaskedSecret
	}
	return e
}

// Masked returns the credentials as answers show them, with secrets masked.
func (i SourceIntegration) Masked() map[string]string {
	p, _ := SourceProviderNamed(i.Provider)
	out := map[string]string{}
	for _, f := range p.Fields {
		if value := i.Settings[f.Name]; value != "" {
			out[f.Name] = value
		}
		if slices.Contains(i.SecretNames, f.Name) {
			out[f.Name] = MaskedSecret
		}
	}
	return out
}

// The interval and the windows in which spend is read automatically. The windows reach back because platforms revise
// spend for some days.
const (
	SpendEvery    = 3 * time.Hour
	SpendDays     = 3
	SpendWideDays = 30
)

// NextSpend returns the time from a sync to the next one, after a number of failures in a row.
func NextSpend(failures int) time.Duration { return backOff(SpendEvery, failures) }

// RunCostSync is the kind of runs that read the spend of a traffic source.
const RunCostSync = "cost_sync"

const minCapiToken = 16

var pixelID = regexp.MustCompile(`^[0-9]{5,20}$`)

// CheckPixel returns an error if Meta cannot have issued the given credentials for conversions. Credentials of other
// providers are not checked, because their ids have other forms.
func CheckPixel(provider string, credentials map[string]string) error {
	if provider != Meta {
		return nil
	}
	if id := strings.TrimSpace(credentials["pixel_id"]); id != "" && !pixelID.MatchString(id) {
		return Invalid("invalid_pixel_id", "pixel_id must have 5 to 20 digits")
	}
	token := strings.TrimSpace(credentials["capi_token"])
	if token == "" || token == MaskedSecret {
		return nil
	}
	if utf8.RuneCountInString(token) < minCapiToken || strings.ContainsFunc(token, unicode.IsSpace) {
		return Invalid("invalid_capi_token", "capi_token must have at least %d characters and no spaces", minCapiToken)
	}
	return nil
}

// The limit applies to all platforms except Google Ads.
const maxConversionAction = 100

var (
	actionResource = regexp.MustCompile(`^customers/([0-9-]{1,20})/conversionActions/([0-9]{1,20})$`)
	onlyDigits     = regexp.MustCompile(`^[0-9]{1,20}$`)
)

// ConversionAction parses a text in which a client names a conversion action of the provider. For Google Ads it accepts the id of
// a conversion action, its resource name or a link to its page. For a resource name it returns this name in full, for an id
// or a link the id. For other providers it accepts and returns a name.
func ConversionAction(provider, text string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", nil
	case utf8.RuneCountInString(text) > maxConversionAction && provider != GoogleAds:
		return "", Invalid("invalid_conversion_action", "the name of a conversion may have at most %d characters", maxConversionAction)
	case provider != GoogleAds, onlyDigits.MatchString(text):
		return text, nil
	}
	if owner, id := GoogleAction(text); owner != "" {
		return "customers/" + owner + "/conversionActions/" + id, nil
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" && onlyDigits.MatchString(u.Query().Get("ctId")) {
		return u.Query().Get("ctId"), nil
	}
	return "", Invalid("invalid_conversion_action", "conversion_action must be the number of a conversion action, its resource name or a link to its page")
}

// GoogleAction returns the owner and the id of a conversion action of Google Ads that is stored as its id or its resource name.
// owner is empty if the action is stored as an id.
func GoogleAction(text string) (owner, id string) {
	m := actionResource.FindStringSubmatch(text)
	if m == nil {
		return "", text
	}
	return strings.ReplaceAll(m[1], "-", ""), m[2]
}

// CheckConversions returns an error if conversions are enabled but cannot be uploaded.
func (f SourceIntegrationFields) CheckConversions(p SourceProvider, credentials map[string]string) error {
	missing := p.MissingForConversions(credentials)
	switch {
	case !f.ConversionsEnabled:
		return nil
	case !p.Conversions:
		return Invalid("invalid_input", "%s accepts no conversions", p.Label)
	case len(missing) > 0:
		return Invalid("no_capi_credentials", "conversions at %s also need %s", p.Label, strings.Join(missing, " and "))
	case p.ByTokenUpload(credentials):
		if way := p.TokenUpload; !onlyDigits.MatchString(strings.TrimSpace(credentials[way.Tag])) {
			return Invalid("no_capi_credentials", "conversions by %s need %s, a number", way.Label, way.Tag)
		}
		return nil
	case p.Action && f.ConversionAction == "":
		return Invalid("no_conversion_action", "conversions need a conversion_action")
	}
	return nil
}

// NeedsSignIn reports whether the connection works only if a person signs in at the platform.
func (f SourceIntegrationFields) NeedsSignIn(p SourceProvider, enabled bool, credentials map[string]string) bool {
	return p.SignIn && (enabled || f.ConversionsEnabled && !p.UploadsByToken(credentials))
}

// ChooseConnection returns the sign-in connection that a traffic source uses: the wanted connection, or else the only existing
// one. Otherwise it returns no id if no connection is needed. It fails with the code not_connected or choose_connection.
func ChooseConnection(existing []uuid.UUID, wanted uuid.NullUUID, needed bool) (uuid.NullUUID, error) {
	switch {
	case wanted.Valid && !slices.Contains(existing, wanted.UUID), needed && len(existing) == 0:
		return uuid.NullUUID{}, Invalid("not_connected", "the platform is not connected: sign in there first")
	case wanted.Valid:
		return wanted, nil
	case len(existing) == 1:
		return uuid.NullUUID{UUID: existing[0], Valid: true}, nil
	case needed:
		return uuid.NullUUID{}, Invalid("choose_connection", "the platform is connected several times: name one as oauth_connection_id")
	}
	return uuid.NullUUID{}, nil
}
