// Package config reads the settings of the service from the environment.
//
// To add a setting, add a field to Config and a row to the table.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

// ClickAck says where a click must be stored before its visitor gets an answer.
type ClickAck string

// The values of CLICK_ACK.
const (
	AckDisk     ClickAck = "disk"     // written and synced to the spool in DATA_DIR
	AckPostgres ClickAck = "postgres" // committed in PostgreSQL, for disks that do not outlive the process
)

// Config holds the checked settings. Its LogValue shows no secrets.
type Config struct {
	Port              int
	Bind              string // an address; empty: all addresses of this machine
	OpsAddr           string // host:port
	TLSAddr           string // host:port; empty: the service terminates no TLS
	HTTPAddr          string // host:port, without TLS; empty: there is no such listener
	HSTSMaxAge        time.Duration
	DatabaseURL       string // empty: "switchyard up" starts a private server
	DirectURL         string // empty: DatabaseURL leads to PostgreSQL itself, not to a pooler
	ReadURL           string // empty: reports are read from DatabaseURL
	ReadBehind        time.Duration
	RedisURL          string // empty: "switchyard up" starts a private server
	ClicksURL         string // ClickHouse; empty: clicks are only in PostgreSQL
	ClicksCluster     string // empty: ClicksURL leads to one server
	ClicksBatch       int
	ClicksFlush       time.Duration
	ClicksDays        int    // 0: all clicks stay in PostgreSQL
	BaseURL           string // without a slash at the end
	SharedDomains     []string
	TrackingHost      string
	EncryptionKey     []byte // 32 bytes, or empty: third parties' credentials cannot be stored
	OpsPassword       string // empty: /ops is switched off
	DataDir           string
	MCP               bool
	DashboardDir      string // empty: the dashboard's files come from the binary
	ClickAck          ClickAck
	TrustedProxies    []netip.Prefix
	EgressAllow       []netip.Prefix
	EgressCAFile      string
	EgressHosts       map[string]netip.AddrPort
	DNSServers        []netip.AddrPort
	DomainPorts       [2]string
	ACMEDirectories   []string // empty: the service itself requests no certificates by ACME
	ACMEEmail         string
	ACMEAccounts      []ACMEAccount // in the order of ACMEDirectories
	GeoCityDB         string
	GeoASNDB          string
	GeoAnonymousDB    string
	WebhookSchedule   []time.Duration // empty: the documented schedule
	WebRiskKey        string          // has precedence over SafeBrowsingKey
	SafeBrowsingKey   string
	SafeBrowsingURL   string        // empty: Google's
	GeoLookupURL      string        // empty: the providers'
	DNSProviderURL    string        // empty: the providers'
	RDAPURL           string        // empty: IANA's
	NetworkURL        string        // empty: the platforms' own
	AdURL             string        // empty: the platforms' own
	GoogleAdsVersion  string        // empty: the newest version that this build knows
	MetaVersion       string        // empty: the newest version that this build knows
	RatesURL          string        // empty: the European Central Bank's
	RatesFile         string        // empty: rates are fetched from RatesURL
	Plans             []models.Plan // nil: models.Plans
	GoogleAdsClientID string        // with the secret: accounts can sign in at Google
	GoogleAdsSecret   string
	MicrosoftClientID string // with the secret: accounts can sign in at Microsoft
	MicrosoftSecret   string
	MicrosoftToken    string
	MetaAppID         string // with the secret: accounts can sign in at Meta
	MetaSecret        string
	SignInApps        map[string]SignInApp // of all platforms except Google, Microsoft and Meta, by provider: <PROVIDER>_CLIENT_ID and _CLIENT_SECRET
	OAuthURL          string               // empty: the platforms' own
	CloudflareToken   string               // with CloudflareZone: Cloudflare is the edge
	CloudflareZone    string
	CloudflareAccount string
	CloudflareKV      string // empty: campaigns are not published
	CloudflareURL     string // empty: Cloudflare's own
	ConversionUploads bool
	GoogleUploads     string
	AIProvider        string // with AIKey: accounts without their own key chat through it
	AIKey             string
	AIModel           string // empty: the newest model of the kind that the service prefers at AIProvider
	AIURL             string // empty: the providers' own
	SMTPURL           string // empty: no e-mail is sent
	SMTPFrom          string
	TelegramURL       string // empty: Telegram's own
	EdgeSecret        []byte // 32 bytes, or empty: no edge routes for this install
	PrivacyIP         models.IPPrivacy
	LogLevel          slog.Level
}

// SignInApp identifies this install at an ad platform. If both fields are set, accounts can sign in there.
type SignInApp struct{ ID, Secret string }

// SessionURL returns the URL for sessions of PostgreSQL itself, without a pooler. Such a session lives as long as its
// connection.
func (c Config) SessionURL() string { return cmp.Or(c.DirectURL, c.DatabaseURL) }

// Entry is a setting as operators see it.
type Entry struct {
	Name    string `json:"name"`
	Value   string `json:"value"` // the value in use; secrets are masked
	Set     bool   `json:"set"`
	Default string `json:"default"`
	Doc     string `json:"meaning"`
	Error   string `json:"error,omitempty"`
}

// Load reads every setting with getenv (os.Getenv in the binary). An empty variable counts as not set. The error
// names every wrong setting and what to do, one per line. If several settings do not fit together, it names only the
// first such case.
func Load(getenv func(string) string) (Config, error) {
	var c Config
	var errs []error
	for _, r := range table(&c) {
		errs = append(errs, r.load(getenv))
	}
	errs = append(errs, c.derive())
	return c, errors.Join(errs...)
}

// Describe lists every setting for operators.
func Describe(getenv func(string) string) []Entry {
	rows := table(&Config{})
	entries := make([]Entry, 0, len(rows))
	for _, r := range rows {
		given := strings.TrimSpace(getenv(r.name))
		e := Entry{Name: r.name, Value: cmp.Or(given, r.fallback), Set: given != "", Default: r.fallback, Doc: r.doc}
		if e.Set && r.mask != nil {
			e.Value = r.mask(given)
		}
		if err := r.load(getenv); err != nil {
			e.Error = err.Error()
		}
		entries = append(entries, e)
	}
	return entries
}

func (r row) load(getenv func(string) string) error {
	value := cmp.Or(strings.TrimSpace(getenv(r.name)), r.fallback)
	if value == "" {
		return nil
	}
	if err := r.read(value); err != nil {
		return fmt.Errorf("config: %s: %w", r.name, err)
	}
	return nil
}

func (c *Config) derive() error {
	if c.OpsAddr == "" {
		c.OpsAddr = DefaultOpsAddr(c.Port)
	}
	if c.BaseURL == "" {
		c.BaseURL = c.LocalURL()
	}
	if c.TrackingHost == "" && len(c.SharedDomains) > 0 {
		c.TrackingHost = c.SharedDomains[0]
	}
	if c.CloudflareToken == "" && c.CloudflareZone+c.CloudflareKV != "" {
		return errors.New("config: CLOUDFLARE_API_TOKEN: is required with CLOUDFLARE_ZONE_ID or CLOUDFLARE_KV_NAMESPACE")
	}
	if _, p, _ := net.SplitHostPort(c.OpsAddr); p == strconv.Itoa(c.Port) {
		return fmt.Errorf("config: OPS_ADDR: port %s is the same as PORT; choose another", p)
	}
	return c.checkCombinations()
}

func (c *Config) checkCombinations() error {
	switch {
	case c.CloudflareKV != "" && c.CloudflareAccount == "":
		return errors.New("config: CLOUDFLARE_ACCOUNT_ID: is required with CLOUDFLARE_KV_NAMESPACE")
	case c.CloudflareKV != "" && len(c.EdgeSecret) == 0:
		return errors.New("config: EDGE_SECRET: is required with CLOUDFLARE_KV_NAMESPACE: without it clicks of the edge are refused and lost")
	case c.AIKey != "" && c.AIProvider == "":
		return errors.New("config: AI_PROVIDER: is required with AI_KEY")
	case c.AIProvider != "" && c.AIKey == "":
		return errors.New("config: AI_KEY: is required with AI_PROVIDER")
	case c.SMTPURL != "" && c.SMTPFrom == "":
		return errors.New("config: SMTP_FROM: is required with SMTP_URL: set the sender address of e-mail")
	case c.ClicksURL == "" && c.ClicksCluster != "":
		return errors.New("config: CLICKS_URL: is required with CLICKS_CLUSTER")
	case c.TLSAddr != "" && c.TLSAddr == c.HTTPAddr:
		return errors.New("config: HTTP_ADDR: is the same as TLS_ADDR; choose another")
	case len(c.ACMEDirectories) > 0 && len(c.ACMEAccounts) > len(c.ACMEDirectories):
		return fmt.Errorf("config: ACME_EAB: has %d accounts, but ACME_DIRECTORY has only %d directories", len(c.ACMEAccounts), len(c.ACMEDirectories))
	}
	return nil
}

// The offset skips the ports that a process manager, such as foreman, assigns to the other processes of a Procfile.
const opsOffset = 1000

// DefaultOpsAddr returns the default of OPS_ADDR for a value of PORT: loopback, with the port PORT + opsOffset, or PORT -
// opsOffset if the sum is too large.
func DefaultOpsAddr(port int) string {
	if port += opsOffset; port > maxPort {
		port -= 2 * opsOffset
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// Tracker returns the host that customers point their domains at. OwnTargets is true if TRACKING_HOST is a name with a dot and not
// a shared domain. ops/README.md asks operators to let all names below such a host lead here. Names below a shared domain need not
// lead here.
func (c Config) Tracker() models.DomainTracker {
	_, named := models.HostOf(c.TrackingHost)
	return models.DomainTracker{Host: c.TrackingHost, OwnTargets: named && !slices.Contains(c.SharedDomains, c.TrackingHost)}
}

// LocalURL returns the URL at which this machine reaches the web process. It has an IP address instead of localhost, because
// tracking links are at localhost by default, and they should not share a host with the dashboard.
func (c Config) LocalURL() string {
	return "http://" + net.JoinHostPort(Reachable(c.Bind), strconv.Itoa(c.Port))
}

// Reachable returns the host at which this machine reaches a listener on host. It is 127.0.0.1 if host is empty or an
// unspecified address.
func Reachable(host string) string {
	if a, err := netip.ParseAddr(host); host == "" || err == nil && a.IsUnspecified() {
		return "127.0.0.1"
	}
	return host
}

// CheckLinkHosts refuses settings that put tracking links at the host of the dashboard. A link there could post a form as the
// person who clicks it. If only this machine can reach the install, both may share a host.
func (c Config) CheckLinkHosts() error {
	u, err := url.Parse(c.BaseURL)
	if err != nil || !slices.Contains(c.SharedDomains, models.BareHost(u.Host)) {
		return nil //nolint:nilerr // BASE_URL was checked when it was read
	}
	local := func(address string) bool {
		host, _, _ := net.SplitHostPort(address)
		return address == "" || models.Loopback(host)
	}
	if models.Loopback(u.Host) && models.Loopback(c.Bind) && local(c.TLSAddr) && local(c.HTTPAddr) {
		return nil
	}
	return fmt.Errorf("config: SHARED_DOMAINS: %s is the host of BASE_URL: tracking links need a host of their own; "+
		"name another host that leads here, or change BASE_URL. If only this machine uses the install, set BIND=127.0.0.1; both may "+
		"then share a host", models.BareHost(u.Host))
}

// DashboardHost returns the host of BASE_URL, at which no tracking link is served. It is empty if the host is also among the
// shared domains, which CheckLinkHosts allows only if no other machine can reach the install.
func (c Config) DashboardHost() string {
	u, err := url.Parse(c.BaseURL)
	if err != nil || slices.Contains(c.SharedDomains, models.BareHost(u.Host)) {
		return "" // err is nil, because BASE_URL was checked when it was read
	}
	return models.BareHost(u.Host)
}

// Edge returns the edge of this install (see models.EdgeOwn), or an empty text.
func (c Config) Edge() string {
	if c.CloudflareToken != "" && c.CloudflareZone != "" {
		return models.EdgeCloudflare
	}
	if len(c.ACMEDirectories) > 0 || c.TLSAddr != "" {
		return models.EdgeOwn
	}
	return ""
}

// LogValue implements slog.LogValuer. It shows a part of the settings, and whether ENCRYPTION_KEY and OPS_PASSWORD are set.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("port", c.Port),
		slog.String("bind", c.Bind),
		slog.String("ops_addr", c.OpsAddr),
		slog.String("base_url", c.BaseURL),
		slog.String("data_dir", c.DataDir),
		slog.String("click_ack", string(c.ClickAck)),
		slog.Any("shared_domains", c.SharedDomains),
		slog.Bool("encryption_key_set", len(c.EncryptionKey) > 0),
		slog.Bool("ops_password_set", c.OpsPassword != ""),
	)
}
