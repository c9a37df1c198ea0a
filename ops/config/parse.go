package config

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	keyBytes    = 32
	maxText     = 4096
	minPassword = 8
	maxWait     = 7 * 24 * time.Hour
	maxWaits    = 20
)

// Errors of secrets never repeat the value.
var (
	errKey = errors.New("must be 32 bytes in hex (64 digits) or base64; make one with: openssl rand -hex 32")
	errURL = errors.New("is not a URL; percent-encode special characters of the password")
)

var hostPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

func text(dst *string, v string) error {
	if len(v) > maxText {
		return fmt.Errorf("is longer than %d characters", maxText)
	}
	*dst = v
	return nil
}

func port(dst *int, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q is not a port; use a number from 1 to 65535", v)
	}
	*dst = n
	return nil
}

// address takes a URL with one of the schemes and a host.
func address(dst *string, v string, schemes ...string) error {
	u, err := url.Parse(v)
	if err != nil || len(v) > maxText {
		return errURL
	}
	if !slices.Contains(schemes, u.Scheme) {
		return fmt.Errorf("must begin with %s://", strings.Join(schemes, ":// or "))
	}
	if u.Host == "" && u.Query().Get("host") == "" {
		return errors.New("names no host")
	}
	*dst = v
	return nil
}

func redisAddress(dst *string, v string) error {
	if strings.HasPrefix(v, "unix://") {
		return text(dst, v)
	}
	return address(dst, v, "redis", "rediss")
}

func webAddress(dst *string, v string) error {
	v = strings.TrimRight(v, "/")
	if u, err := url.Parse(v); err == nil && (u.RawQuery != "" || u.Fragment != "" || u.User != nil) {
		return errors.New("must be a plain address such as https://api.example.com")
	}
	return address(dst, v, "http", "https")
}

// list splits at commas and drops empty items.
func list(v string) []string {
	var items []string
	for item := range strings.SplitSeq(v, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func host(dst *string, v string) error {
	v = strings.TrimSuffix(strings.ToLower(v), ".")
	if len(v) > 253 || !hostPattern.MatchString(v) {
		return fmt.Errorf("%q is not a host name; give it without scheme, port and path, such as go.example.com", v)
	}
	*dst = v
	return nil
}

func hosts(dst *[]string, v string) error {
	for _, item := range list(v) {
		var h string
		if err := host(&h, item); err != nil {
			return err
		}
		if !slices.Contains(*dst, h) {
			*dst = append(*dst, h)
		}
	}
	return nil
}

func key(dst *[]byte, v string) error {
	decoders := []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	}
	for _, decode := range decoders {
		if raw, err := decode(v); err == nil && len(raw) == keyBytes {
			*dst = raw
			return nil
		}
	}
	return errKey
}

func password(dst *string, v string) error {
	if len(v) < minPassword {
		return fmt.Errorf("is shorter than %d characters; make one with: openssl rand -hex 16", minPassword)
	}
	return text(dst, v)
}

func choice[T ~string](dst *T, v string, choices ...T) error {
	if !slices.Contains(choices, T(v)) {
		return fmt.Errorf("%q is not a choice; use one of %v", v, choices)
	}
	*dst = T(v)
	return nil
}

// prefixes takes CIDRs and single addresses.
func prefixes(dst *[]netip.Prefix, v string) error {
	for _, item := range list(v) {
		p, err := netip.ParsePrefix(item)
		if err != nil {
			a, err := netip.ParseAddr(item)
			if err != nil || a.Zone() != "" {
				return fmt.Errorf("%q is neither an address nor a CIDR such as 10.0.0.0/8", item)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		*dst = append(*dst, p.Masked())
	}
	return nil
}

// file takes the path of a file that can be read now, so that a typing error shows at start and not at the first use.
func file(dst *string, v string) error {
	f, err := os.Open(v)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a directory; name the file", v)
	}
	*dst = v
	return nil
}

func durations(dst *[]time.Duration, v string) error {
	items := list(v)
	if len(items) > maxWaits {
		return fmt.Errorf("has more than %d waits", maxWaits)
	}
	waits := make([]time.Duration, 0, len(items))
	for _, item := range items {
		d, err := time.ParseDuration(item)
		if err != nil || d < 0 || d > maxWait {
			return fmt.Errorf("%q is not a wait from 0s to %s; write such as 1s,5m,2h", item, maxWait)
		}
		waits = append(waits, d)
	}
	*dst = waits
	return nil
}

func level(dst *slog.Level, v string) error {
	names := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
	l, ok := names[strings.ToLower(v)]
	if !ok {
		return fmt.Errorf("%q is not a level; use debug, info, warn or error", v)
	}
	*dst = l
	return nil
}

// mask hides what is secret in a value for display.
func (r Row) mask(v string) string {
	if r.Secret {
		return "********"
	}
	if !r.HasURL {
		return v
	}
	u, err := url.Parse(v)
	if err != nil {
		return "********"
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	query := u.Query()
	for _, name := range []string{"password", "sslpassword"} {
		if query.Has(name) {
			query.Set(name, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.String()
}
