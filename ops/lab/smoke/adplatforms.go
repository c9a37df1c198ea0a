package smoke

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// AdFake is a fake of the published API of an ad platform. Its handlers get paths without the host.
type AdFake struct {
	ClientID, ClientSecret string            // of the install's app
	Credentials            map[string]string // with which an account connects
	Account                string            // id of the ad account in the list of a sign-in
	Currency, Zone         string            // of the ad account
	SignIn, Spend, Uploads http.Handler
	SetSpend               func([]AdSpend)
}

// AdSpend is what a platform reports for a day and a campaign. The amount is in the ad account's currency.
type AdSpend struct {
	Day, Campaign, Amount string
	Clicks                int
}

// adPlatform is a platform of the run. To add one, add a row to adPlatforms.
type adPlatform struct {
	name     string // of its template and of its provider
	settings string // prefix of the settings of the install's app
	macro    string // the template's macro for the platform's campaign id, or empty
	click    string // the parameter of a tracking link that contains the platform's click id
	action   string // the conversion action of the connection
	routes   []adRoute
	email    string // buyerEmail in the form that is hashed for the platform
	phone    string // buyerPhone in this form
	sent     adForm
}

// adRoute passes requests to a part of a fake. The fake gets the text `to` in place of the text `from`, with which host and path begin.
type adRoute struct {
	from, to string
	part     string // adSignIn, adSpend or adUploads
	body     string // the route applies only to requests whose body contains this text
}

const (
	adSignIn  = "sign-in"
	adSpend   = "spend"
	adUploads = "uploads"
)

// adForm says where the members of an uploaded conversion are. Paths are as in "user.email.0".
type adForm struct {
	list                                     string            // path from the body to the list of conversions
	id, click, value, currency, email, phone string            // paths from an item of this list
	head                                     map[string]string // values that the body must have, by path
}

// adPlatforms lists the ad platforms of the run, except Meta.
var adPlatforms = []adPlatform{
	{
		name: "google_ads", settings: "GOOGLE_ADS", macro: "{campaignid}", click: "gclid",
		// The conversion action belongs to a manager account, so the uploads go to this account.
		action: "customers/9999999999/conversionActions/555666777",
		routes: []adRoute{
			{from: "accounts.google.com/o/oauth2/v2/auth", to: "/authorize", part: adSignIn},
			{from: "oauth2.googleapis.com/token", to: "/token", part: adSignIn},
			{from: "googleads.googleapis.com/", to: "/", part: adSignIn, body: "FROM customer_client "},
			{from: "googleads.googleapis.com/", to: "/", part: adSpend, body: `"query"`},
			{from: "googleads.googleapis.com/", to: "/", part: adSignIn},
			{from: "datamanager.googleapis.com/", to: "/", part: adUploads},
		},
		email: "janedoe@gmail.com", phone: "+442079460958",
		sent: adForm{
			list: "events", id: "transactionId", click: "adIdentifiers.gclid", value: "conversionValue", currency: "currency",
			email: "userData.userIdentifiers.0.emailAddress", phone: "userData.userIdentifiers.1.phoneNumber",
			head: map[string]string{
				"destinations.0.operatingAccount.accountId": "9999999999", "destinations.0.loginAccount.accountId": "9998887777",
				"destinations.0.productDestinationId": "555666777",
			},
		},
	},
	{
		name: "snapchat", settings: "SNAPCHAT", macro: "{{campaign.id}}", click: "ScCid",
		routes: []adRoute{
			{from: "accounts.snapchat.com/login/oauth2/authorize", to: "/authorize", part: adSignIn},
			{from: "accounts.snapchat.com/login/oauth2/access_token", to: "/token", part: adSignIn},
			{from: "adsapi.snapchat.com/v1/me", to: "/me", part: adSignIn},
			{from: "adsapi.snapchat.com/", to: "/", part: adSpend},
			{from: "tr.snapchat.com/", to: "/", part: adUploads},
		},
		email: "jane.doe+shop@gmail.com", phone: "442079460958",
		sent: adForm{
			list: "data", id: "event_id", click: "user_data.sc_click_id", value: "custom_data.value", currency: "custom_data.currency",
			email: "user_data.em.0", phone: "user_data.ph.0",
		},
	},
	{
		name: "reddit", settings: "REDDIT", click: "rdt_cid",
		routes: []adRoute{
			{from: "www.reddit.com/api/v1/authorize", to: "/authorize", part: adSignIn},
			{from: "www.reddit.com/api/v1/access_token", to: "/token", part: adSignIn},
			{from: "oauth.reddit.com/api/v1/", to: "/", part: adSignIn},
			{from: "ads-api.reddit.com/api/v3/me", to: "/me", part: adSignIn},
			{from: "ads-api.reddit.com/api/v3/businesses", to: "/businesses", part: adSignIn},
			{from: "ads-api.reddit.com/api/v3/pixels", to: "/pixels", part: adUploads},
			{from: "ads-api.reddit.com/", to: "/", part: adSpend},
		},
		email: "janedoe@gmail.com", phone: "+442079460958",
		sent: adForm{
			list: "data.events", id: "metadata.conversion_id", click: "click_id", value: "metadata.value", currency: "metadata.currency",
			email: "user.email", phone: "user.phone_number",
		},
	},
}

// adServer serves the hosts of adPlatforms by the fakes, and keeps the uploads that they accept.
type adServer struct {
	fakes map[string]AdFake // by platform

	mu      sync.Mutex
	bodies  map[string][]any // of accepted uploads, by platform
	refused []string
}

func newAdServer(fake func(platform string) AdFake) *adServer {
	s := &adServer{fakes: map[string]AdFake{}, bodies: map[string][]any{}}
	for _, p := range adPlatforms {
		s.fakes[p.name] = fake(p.name)
	}
	return s
}

func (*adServer) hosts() (list []string) {
	for _, p := range adPlatforms {
		for _, r := range p.routes {
			if host, _, _ := strings.Cut(r.from, "/"); !slices.Contains(list, host) {
				list = append(list, host)
			}
		}
	}
	return list
}

func (s *adServer) settings() (list []string) {
	for _, p := range adPlatforms {
		list = append(list, p.settings+"_CLIENT_ID="+s.fakes[p.name].ClientID, p.settings+"_CLIENT_SECRET="+s.fakes[p.name].ClientSecret)
	}
	return list
}

// ServeHTTP implements http.Handler.
func (s *adServer) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the worker is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	for _, p := range adPlatforms {
		for _, route := range p.routes {
			rest, found := strings.CutPrefix(r.Host+r.URL.Path, route.from)
			if !found || !bytes.Contains(raw, []byte(route.body)) {
				continue
			}
			asked := r.Method + " " + r.Host + r.URL.Path
			fake := s.fakes[p.name]
			r.URL.Path, r.URL.RawPath = route.to+rest, ""
			out := &answered{ResponseWriter: rw, status: http.StatusOK}
			map[string]http.Handler{adSignIn: fake.SignIn, adSpend: fake.Spend, adUploads: fake.Uploads}[route.part].ServeHTTP(out, r)
			s.record(p.name, route.part, asked, out.status, raw)
			return
		}
	}
	s.record("", "", r.Method+" "+r.Host+r.URL.Path, http.StatusNotFound, nil)
	http.NotFound(rw, r)
}

// record keeps accepted uploads and refused requests. It ignores the sign-in, because the fakes rightly refuse some of its requests.
func (s *adServer) record(platform, part, asked string, status int, raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case part == adSignIn:
	case status != http.StatusOK:
		s.refused = append(s.refused, strconv.Itoa(status)+" "+asked)
	case part == adUploads && len(raw) > 0:
		var body any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if d.Decode(&body) == nil {
			s.bodies[platform] = append(s.bodies[platform], body)
		}
	}
}

// received returns the accepted uploads of a platform, and the refused requests of all.
func (s *adServer) received(platform string) (bodies []any, refused []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies[platform]), slices.Clone(s.refused)
}

type answered struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (a *answered) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// at returns the value at a path in JSON, such as "user.email.0", or nil.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}
