package config

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

const (
	keyBytes    = 32
	maxText     = 4096
	minPassword = 8
	maxPort     = 65535
	maxWait     = 7 * 24 * time.Hour
	maxWaits    = 20
)

// The errors for secrets never repeat the value.
var (
	errKey = errors.New("must be 32 bytes in hex (64 digits) or base64; make one with: openssl rand -hex 32")
	errURL = errors.New("is not a URL; percent-encode special characters of the password")
)

var hostPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

func text(v string) (string, error) {
	if len(v) > maxText {
		return "", fmt.Errorf("is longer than %d bytes", maxText)
	}
	return v, nil
}

func port(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > maxPort {
		return 0, fmt.Errorf("%q is not a port; use a number from 1 to %d", v, maxPort)
	}
	return n, nil
}

func bindAddress(v string) (string, error) {
	a, err := netip.ParseAddr(v)
	if err != nil {
		return "", fmt.Errorf("%q is not an address; use one of this machine such as 127.0.0.1, or 0.0.0.0 for all", v)
	}
	return a.String(), nil
}

// Without a host, the text means every address of this machine.
func listenAddress(v string) (string, error) {
	name, number, err := net.SplitHostPort(v)
	if err != nil {
		return "", fmt.Errorf("%q is not HOST:PORT; write for example 127.0.0.1:8081, or :8081 for all addresses", v)
	}
	if _, err := port(number); err != nil {
		return "", err
	}
	if _, err := netip.ParseAddr(name); err != nil && name != "" {
		if name, err = host(name); err != nil {
			return "", err
		}
	}
	return net.JoinHostPort(name, number), nil
}

// The host may also be in the query parameter "host".
func address(v string, schemes ...string) (string, error) {
	u, err := url.Parse(v)
	if err != nil || len(v) > maxText {
		return "", errURL
	}
	if !slices.Contains(schemes, u.Scheme) {
		return "", fmt.Errorf("must begin with %s://", strings.Join(schemes, ":// or "))
	}
	if u.Host == "" && u.Query().Get("host") == "" {
		return "", errors.New("names no host")
	}
	return v, nil
}

func databaseURL(v string) (string, error) { return address(v, "postgres", "postgresql") }

func clicksURL(v string) (string, error) { return address(v, "clickhouse", "http", "https") }

// Few characters are accepted, because the name becomes part of SQL statements.
func clusterName(v string) (string, error) {
	if len(v) > 100 || strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != "" {
		return "", errors.New("must be a name of letters, digits, dots, _ and -")
	}
	return v, nil
}

func clicksBatch(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 100 || n > 1_000_000 {
		return 0, errors.New("must be a number from 100 to 1000000")
	}
	return n, nil
}

// 0 means that all clicks stay in PostgreSQL. The smallest other number is 8, because all decisions about a click are made within a
// week.
func clicksDays(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n != 0 && n < 8 || n > 400 {
		return 0, errors.New("must be 0, or a number of days from 8 to 400")
	}
	return n, nil
}

func redisURL(v string) (string, error) {
	if strings.HasPrefix(v, "unix://") {
		return text(v)
	}
	return address(v, "redis", "rediss")
}

func webURL(v string) (string, error) {
	v = strings.TrimRight(v, "/")
	if u, err := url.Parse(v); err == nil && (u.RawQuery != "" || u.Fragment != "" || u.User != nil) {
		return "", errors.New("must be a plain address such as https://api.example.com")
	}
	return address(v, "http", "https")
}

// Errors do not repeat the password.
func smtpURL(v string) (string, error) {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
		return "", errors.New("must be the address of a mail server, such as smtp://user:password@mail.example.com:587")
	}
	if tls := u.Query().Get("tls"); u.RawQuery != "" && (tls != "none" || u.Scheme != "smtp" || len(u.Query()) != 1) {
		return "", errors.New("may only have the parameter tls=none, and only with smtp")
	}
	if _, set := u.User.Password(); u.User != nil && (!set || u.User.Username() == "") {
		return "", errors.New("must have a user and a password, or neither; encode characters such as @ as %40")
	}
	return v, nil
}

func list(v string) []string {
	var items []string
	for item := range strings.SplitSeq(v, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func host(v string) (string, error) {
	v = strings.TrimSuffix(strings.ToLower(v), ".")
	if len(v) > 253 || !hostPattern.MatchString(v) {
		return "", fmt.Errorf("%q is not a host name; give it without scheme, port and path, such as go.example.com", v)
	}
	return v, nil
}

func each[T comparable](v string, parse func(item string) (T, error)) ([]T, error) {
	var all []T
	for _, item := range list(v) {
		parsed, err := parse(item)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, parsed) {
			all = append(all, parsed)
		}
	}
	return all, nil
}

func hosts(v string) ([]string, error) { return each(v, host) }

func key(v string) ([]byte, error) {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if raw, err := decode(v); err == nil && len(raw) == keyBytes {
			return raw, nil
		}
	}
	return nil, errKey
}

func password(v string) (string, error) {
	if len(v) < minPassword {
		return "", fmt.Errorf("is shorter than %d characters; make one with: openssl rand -hex 16", minPassword)
	}
	return text(v)
}

// The APIs through which conversions are uploaded to Google Ads.
const (
	GoogleDataManager      = "data_manager"
	GoogleClickConversions = "click_conversions"
)

func aiProvider(v string) (string, error) {
	names := make([]string, len(models.AIProviders))
	for i, p := range models.AIProviders {
		names[i] = p.Name
	}
	return oneOf(names...)(v)
}

func onOff(v string) (bool, error) {
	word, err := oneOf("on", "off", "true", "false")(v)
	return word == "on" || word == "true", err
}

func oneOf[T ~string](choices ...T) func(string) (T, error) {
	return func(v string) (T, error) {
		if !slices.Contains(choices, T(v)) {
			return "", fmt.Errorf("%q is not a choice; use one of %v", v, choices)
		}
		return T(v), nil
	}
}

func prefixes(v string) ([]netip.Prefix, error) {
	return each(v, func(item string) (netip.Prefix, error) {
		p, err := netip.ParsePrefix(item)
		if err != nil {
			a, err := netip.ParseAddr(item)
			if err != nil || a.Zone() != "" {
				return p, fmt.Errorf("%q is neither an address nor a CIDR such as 10.0.0.0/8", item)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		return p.Masked(), nil
	})
}

// The default port is 53.
func addresses(v string) ([]netip.AddrPort, error) {
	return each(v, func(item string) (netip.AddrPort, error) {
		at, err := addressAndPort(item, 53)
		if err != nil {
			return at, fmt.Errorf("%q is not an address such as 192.0.2.53 or [2001:db8::1]:5353", item)
		}
		return at, nil
	})
}

func addressAndPort(text string, defaultPort uint16) (netip.AddrPort, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at, nil
	}
	a, err := netip.ParseAddr(text)
	return netip.AddrPortFrom(a, defaultPort), err
}

// Port 0 means the port of the request.
func hostAddresses(v string) (map[string]netip.AddrPort, error) {
	all := map[string]netip.AddrPort{}
	for _, item := range list(v) {
		name, address, _ := strings.Cut(item, "=")
		name, err := host(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		at, err := addressAndPort(strings.TrimSpace(address), 0)
		if err != nil {
			return nil, fmt.Errorf("%q is not a host and its address, such as api.example.com=10.0.0.5", item)
		}
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("%q appears twice", name)
		}
		all[name] = at
	}
	return all, nil
}

// A wrong path fails at the start and not at the first use.
func file(v string) (string, error) {
	f, err := os.Open(v)
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", err)
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("cannot be read: %w", err)
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s is a directory; name the file", v)
	}
	return v, nil
}

const maxPlansFile = 1 << 20

func plansFile(v string) ([]models.Plan, error) {
	name, err := file(v)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxPlansFile))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return models.ParsePlans(raw)
}

func durations(v string) ([]time.Duration, error) {
	items := list(v)
	if len(items) > maxWaits {
		return nil, fmt.Errorf("has more than %d waits", maxWaits)
	}
	waits := make([]time.Duration, len(items))
	for i, item := range items {
		d, err := time.ParseDuration(item)
		if err != nil || d < 0 || d > maxWait {
			return nil, fmt.Errorf("%q is not a wait from 0s to %s; write for example 1s,5m,2h", item, maxWait)
		}
		waits[i] = d
	}
	return waits, nil
}

func level(v string) (slog.Level, error) {
	names := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
	l, ok := names[strings.ToLower(v)]
	if !ok {
		return l, fmt.Errorf("%q is not a level; use debug, info, warn or error", v)
	}
	return l, nil
}

func cloudflareID(v string) (string, error) {
	if raw, err := hex.DecodeString(v); err != nil || len(raw) != 16 {
		return "", errors.New("must be the 32 hexadecimal digits that Cloudflare's dashboard shows")
	}
	return strings.ToLower(v), nil
}

func maskAll(string) string { return "********" }

func maskURL(v string) string {
	u, err := url.Parse(v)
	if err != nil {
		return maskAll(v)
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	query := u.Query()
	for _, name := range []string{"password", "sslpassword", "sentinel_password"} {
		if query.Has(name) {
			query.Set(name, "xxxxx")
			u.RawQuery = query.Encode()
		}
	}
	return u.String()
}
