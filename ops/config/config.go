// Package config reads the settings of the service from the environment.
//
// Table is the one place that names them: reading, checking, masking and the operators' listing all go by its rows.
// To add a setting, add a field to Config and a row to Table.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"time"
)

// ClickAck says what must have happened to a click before its visitor is answered.
type ClickAck string

// The values of CLICK_ACK.
const (
	AckDisk     ClickAck = "disk"     // written and synced to the spool below DATA_DIR
	AckPostgres ClickAck = "postgres" // committed in PostgreSQL, for disks that do not outlive the process
)

// Config is all settings, checked. Fields that hold secrets are masked when it is logged.
type Config struct {
	Port            int
	DatabaseURL     string // empty: "switchyard up" brings a private server
	RedisURL        string // empty: "switchyard up" brings a private server
	BaseURL         string // without a slash at the end
	SharedDomains   []string
	TrackingHost    string
	EncryptionKey   []byte // 32 bytes, or empty: third parties' credentials cannot be stored
	OpsPassword     string // empty: /ops is switched off
	DataDir         string
	ClickAck        ClickAck
	TrustedProxies  []netip.Prefix
	EgressAllow     []netip.Prefix
	EgressCAFile    string
	GeoCityDB       string
	GeoASNDB        string
	GeoAnonymousDB  string
	WebhookSchedule []time.Duration // empty: the documented schedule
	WebRiskKey      string          // has precedence over SafeBrowsingKey
	SafeBrowsingKey string
	SafeBrowsingURL string // empty: Google's
	LogLevel        slog.Level
}

// Row describes one setting.
type Row struct {
	Name    string
	Default string
	Doc     string
	Secret  bool // the whole value is a secret
	HasURL  bool // a URL that may hold a password
	parse   func(c *Config, value string) error
}

// Entry is a row with what this process was given.
type Entry struct {
	Name    string `json:"name"`
	Value   string `json:"value"` // as used; secrets masked
	Set     bool   `json:"set"`   // given by the environment, not the default
	Default string `json:"default"`
	Doc     string `json:"meaning"`
	Error   string `json:"error,omitempty"`
}

// Load reads every setting with getenv (os.Getenv in the binary). An empty variable counts as not set. The error
// names every wrong setting and what to do, one per line.
func Load(getenv func(string) string) (Config, error) {
	var c Config
	var errs []error
	for _, row := range Table {
		if err := row.read(&c, getenv); err != nil {
			errs = append(errs, err)
		}
	}
	c.derive()
	return c, errors.Join(errs...)
}

// Describe lists every setting for operators, wrong ones with their error.
func Describe(getenv func(string) string) []Entry {
	entries := make([]Entry, 0, len(Table))
	for _, row := range Table {
		given := strings.TrimSpace(getenv(row.Name))
		e := Entry{Name: row.Name, Value: row.Default, Set: given != "", Default: row.Default, Doc: row.Doc}
		if e.Set {
			e.Value = row.mask(given)
		}
		if err := row.read(&Config{}, getenv); err != nil {
			e.Error = err.Error()
		}
		entries = append(entries, e)
	}
	return entries
}

func (r Row) read(c *Config, getenv func(string) string) error {
	value := strings.TrimSpace(getenv(r.Name))
	if value == "" {
		value = r.Default
	}
	if value == "" {
		return nil
	}
	if err := r.parse(c, value); err != nil {
		return fmt.Errorf("config: %s: %w", r.Name, err)
	}
	return nil
}

// derive fills what follows from other settings.
func (c *Config) derive() {
	if c.BaseURL == "" {
		c.BaseURL = fmt.Sprintf("http://localhost:%d", c.Port)
	}
	if c.TrackingHost == "" && len(c.SharedDomains) > 0 {
		c.TrackingHost = c.SharedDomains[0]
	}
}

// LogValue keeps secrets out of logs: it shows which of them are set, nothing else.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("port", c.Port),
		slog.String("base_url", c.BaseURL),
		slog.String("data_dir", c.DataDir),
		slog.String("click_ack", string(c.ClickAck)),
		slog.Any("shared_domains", c.SharedDomains),
		slog.Bool("encryption_key_set", len(c.EncryptionKey) > 0),
		slog.Bool("ops_password_set", c.OpsPassword != ""),
	)
}
