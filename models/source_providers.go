package models

import (
	"slices"

	"switchyard/models/matchkey"
)

// SourceProvider is an ad platform of traffic sources.
type SourceProvider struct {
	Name string // the value of Integration.Provider
	CredentialForm
	// SignIn says that a person has to sign in at the platform before its spend can be read.
	SignIn bool
	// Cost says that spend can be read from the platform. Conversions says that conversions can be uploaded to it.
	Cost, Conversions bool
	// Action says that conversions need a conversion action of the platform.
	Action bool
	// TokenUpload is a second way to upload conversions, without a sign-in.
	TokenUpload TokenUpload
	// Keys are the forms of hashed personal data that the platform takes with a conversion, by their names in package
	// matchkey.
	Keys []string
}

// TokenUpload describes an API of a platform that takes conversions with a token of its own.
type TokenUpload struct {
	Label string
	Token string // the credential that selects this API when it is set
	Tag   string // the credential with the number of the tag, which this API needs too
}

// The providers of traffic sources that the code treats specially.
const (
	GoogleAds    = "google_ads"
	MicrosoftAds = "microsoft_ads"
	Meta         = "meta"
	Snapchat     = "snapchat"
	Pinterest    = "pinterest"
	Reddit       = "reddit"
	CustomCost   = "custom"
)

// The credentials for Microsoft's UET Conversions API.
const (
	UETTag   = "uet_tag_id"
	UETToken = "uet_token"
)

// The supported versions of the APIs of Google Ads and Meta.
const (
	GoogleAdsVersion = "v26"
	MetaVersion      = "v27.0"
)

// RedditAgent is the User-Agent of requests to Reddit, in the form that Reddit asks clients for.
const RedditAgent = "server:switchyard:v1"

// SourceProviderNamed finds a provider by its name.
func SourceProviderNamed(name string) (SourceProvider, bool) {
	return find(SourceProviders, func(p SourceProvider) bool { return p.Name == name })
}

// SourceProviders lists the platforms to which a traffic source can be connected. No field is required, because an account may
// connect a platform only for its spend or only for conversions.
var SourceProviders = []SourceProvider{
	{Name: GoogleAds, SignIn: true, Cost: true, Conversions: true, Action: true, Keys: []string{matchkey.EmailGoogle, matchkey.Phone}, CredentialForm: credentials("Google Ads",
		plain("customer_id", "Customer id", "ten digits, at the top of the account's page").forCost(),
		optional(plain("login_customer_id", "Manager account", "ten digits, if the sign-in reaches the account through a manager account")),
		CredentialField{
			Name: "consent", Label: "Consent of visitors", Values: []string{"granted", "denied"},
			Help: "granted, if all persons whose conversions are uploaded have agreed that Google uses their data for ads; empty: Google is told nothing about consent",
		},
	)},
	{Name: MicrosoftAds, SignIn: true, Cost: true, Conversions: true, Action: true, TokenUpload: TokenUpload{
		Label: "the UET Conversions API", Token: UETToken, Tag: UETTag,
	}, Keys: []string{matchkey.EmailMicrosoft, matchkey.Phone}, CredentialForm: credentials("Microsoft Advertising",
		plain("account_id", "Account id", "the number aid in the address of the account's page").forCost(),
		plain("customer_id", "Customer id", "the number cid in the address of the account's page").forCost(),
		optional(plain(UETTag, "UET tag id", "Conversion tracking > UET tag; for conversions by the UET Conversions API")),
		optional(secret(UETToken, "UET Conversions API token", "UET tag > set up tagging > use Conversions API, where Microsoft has enabled it; if it is set, conversions go to the UET tag without a sign-in, as events with the name of the conversion action or, without one, with the name purchase")),
		CredentialField{
			Name: "consent", Label: "Consent of visitors", Values: []string{"granted", "denied"},
			Help: "for the UET Conversions API: granted, if all persons whose conversions are uploaded have agreed to the storage of data for ads; empty: Microsoft is told nothing about consent",
		},
	)},
	{Name: Meta, SignIn: true, Cost: true, Conversions: true, Keys: nameAndPlace, CredentialForm: credentials("Meta (Facebook, Instagram)",
		plain("ad_account_id", "Ad account id", "Ads Manager > account overview, with or without act_").forCost(),
		plain("pixel_id", "Pixel (data set) id", "Events Manager > data sources; for conversions").forConversions(),
		secret("capi_token", "Conversions API token", "Events Manager > settings > Conversions API; for conversions").forConversions(),
		optional(plain("test_event_code", "Test event code", "Events Manager > test events; Meta then shows there at once what is uploaded, and still counts it")),
	)},
	{Name: "tiktok", Cost: true, Conversions: true, Keys: []string{matchkey.Email, matchkey.Phone, matchkey.FirstName, matchkey.LastName, matchkey.Zip}, CredentialForm: credentials("TikTok",
		secret("access_token", "Access token", "TikTok for Business > Marketing API > your app").forCost().forConversions(),
		plain("advertiser_id", "Advertiser id", "TikTok Ads Manager > account").forCost(),
		plain("pixel_code", "Pixel code", "Events Manager > web events; for conversions").forConversions(),
		optional(plain("test_event_code", "Test event code", "Events Manager > test events; TikTok then shows there at once what is uploaded, one conversion in each request; remove the code after the test")),
	)},
	{Name: Snapchat, SignIn: true, Cost: true, Conversions: true, Keys: nameAndPlace, CredentialForm: credentials("Snapchat",
		plain("ad_account_id", "Ad account id", "Ads Manager > ad accounts; letters, digits and hyphens").forCost(),
		plain("pixel_id", "Pixel id", "Events Manager > your pixel; for conversions").forConversions(),
		secret("conversions_token", "Conversions API token", "Business details > Conversions API tokens; for conversions").forConversions(),
	)},
	{Name: Pinterest, SignIn: true, Cost: true, Conversions: true, Keys: nameAndPlace, CredentialForm: credentials("Pinterest",
		plain("ad_account_id", "Ad account id", "the number in the address of Ads Manager").forCost().forConversions(),
		secret("conversions_token", "Conversion access token", "Ads Manager > Conversions > set up API; for conversions").forConversions(),
	)},
	{Name: Reddit, SignIn: true, Cost: true, Conversions: true, Keys: []string{matchkey.EmailReddit, matchkey.Phone}, CredentialForm: credentials("Reddit",
		plain("ad_account_id", "Ad account id", "Ads Manager > your business's name; it begins with a2_ or t2_").forCost(),
		plain("pixel_id", "Pixel id", "Events Manager > your pixel; for conversions").forConversions(),
		secret("conversions_token", "Conversion access token", "Events Manager > Conversions API; for conversions").forConversions(),
	)},
	{Name: "openai_ads", Cost: true, Conversions: true, Keys: []string{matchkey.Email}, CredentialForm: credentials("OpenAI Ads (ChatGPT)",
		secret("api_key", "API key", "Ads Manager > Settings > API keys").forCost(),
		plain("pixel_id", "Pixel id", "Ads Manager > Conversions > your pixel; for conversions").forConversions(),
		secret("conversions_key", "Conversions API key", "Ads Manager > Conversions > Conversions API; for conversions").forConversions(),
	)},
	{Name: "taboola", Cost: true, CredentialForm: credentials("Taboola",
		plain("client_id", "Client id", "from your account manager at Taboola").forCost(),
		secret("client_secret", "Client secret", "from your account manager at Taboola").forCost(),
		plain("account_id", "Account id", "its name in the address of Realize, such as acme-sc").forCost(),
	)},
	{Name: "outbrain", Cost: true, CredentialForm: credentials("Outbrain",
		plain("username", "User name", "of a user that may use the Amplify API").forCost(),
		secret("password", "Password", "of that user").forCost(),
		plain("marketer_id", "Marketer id", "Amplify dashboard > account settings").forCost(),
	)},
	{Name: "mgid", Cost: true, CredentialForm: credentials("MGID",
		secret("api_token", "API token", "user menu > settings > API: Client API token").forCost(),
		plain("client_id", "Client API id", "beside the token, which is valid for this id only").forCost(),
	)},
	{Name: "revcontent", Cost: true, CredentialForm: credentials("RevContent",
		plain("client_id", "Client id", "Account settings > Stats API credentials; your manager at RevContent opens the API").forCost(),
		secret("client_secret", "Client secret", "beside the id").forCost(),
	)},
	{Name: "propellerads", Cost: true, CredentialForm: credentials("PropellerAds",
		secret("api_token", "API token", "SSP > profile > API token; PropellerAds gives it to accounts that have spent about 1,000 US dollars").forCost(),
	)},
	{Name: "exoclick", Cost: true, CredentialForm: credentials("ExoClick",
		secret("api_token", "API token", "My profile > API").forCost(),
	)},
	{Name: "trafficstars", Cost: true, CredentialForm: credentials("TrafficStars",
		secret("api_key", "API key", "Profile > API key").forCost(),
	)},
	{Name: CustomCost, Cost: true, CredentialForm: credentials("Custom endpoint",
		optional(secret("token", "Token", "takes the place of {token} in the address, the headers and the body of the request")),
	)},
}

// nameAndPlace are the keys for platforms that take all keys except the street. Google gets no postal address, because it wants
// the country and the postal code in clear.
var nameAndPlace = []string{
	matchkey.Email, matchkey.PhoneDigits, matchkey.FirstName, matchkey.LastName, matchkey.City, matchkey.Region, matchkey.Zip, matchkey.Country,
}

func optional(f CredentialField) CredentialField {
	f.Required = false
	return f
}

func (f CredentialField) forCost() CredentialField {
	f.Required, f.ForCost = false, true
	return f
}

func (f CredentialField) forConversions() CredentialField {
	f.Required, f.ForConversions = false, true
	return f
}

// MissingForCost returns the names of the fields that are needed to read spend and are missing in the credentials.
func (p SourceProvider) MissingForCost(credentials map[string]string) []string {
	return p.missing(credentials, func(f CredentialField) bool { return f.ForCost })
}

// MissingForConversions returns the names of the fields that are needed to upload conversions and are missing in the
// credentials.
func (p SourceProvider) MissingForConversions(credentials map[string]string) []string {
	return p.missing(credentials, func(f CredentialField) bool { return f.ForConversions })
}

func (p SourceProvider) missing(credentials map[string]string, needed func(f CredentialField) bool) []string {
	var missing []string
	for _, f := range p.Fields {
		if needed(f) && credentials[f.Name] == "" {
			missing = append(missing, f.Name)
		}
	}
	return missing
}

// ByTokenUpload reports whether the credentials choose the platform's TokenUpload for conversions.
func (p SourceProvider) ByTokenUpload(credentials map[string]string) bool {
	return p.TokenUpload.Token != "" && credentials[p.TokenUpload.Token] != ""
}

// UploadsByToken reports whether conversions are uploaded with a token from the credentials, not with a token from a
// sign-in.
func (p SourceProvider) UploadsByToken(credentials map[string]string) bool {
	return p.ByTokenUpload(credentials) || slices.ContainsFunc(p.Fields, func(f CredentialField) bool { return f.ForConversions && f.Secret })
}
