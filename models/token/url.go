package token

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

var (
	errScheme  = errors.New("the address must begin with http:// or https://")
	errHost    = errors.New("the address needs a plain host name, without tokens and without a user name")
	errControl = errors.New("the address contains spaces or control characters outside the arguments of its tokens")
)

var (
	placeholder = regexp.MustCompile(`\{[^{}\s]*\}`)
	// argument matches a token with an argument, which may contain spaces: {date:Y-m-d H:i}.
	argument = regexp.MustCompile(`\{\w+:[^{}\x00-\x1f\x7f]*\}`)
)

func hasSpaces(template string) bool {
	isSpace := func(r rune) bool { return r <= ' ' || r == 0x7f }
	return strings.ContainsFunc(template, isSpace) && strings.ContainsFunc(argument.ReplaceAllLiteralString(template, "x"), isSpace)
}

// IsURL reports whether a template is an http or https address with a host. Placeholders may stand anywhere after the scheme,
// even in the host. Addresses to which visitors can be sent must satisfy ValidURL.
func IsURL(template string) bool {
	if hasSpaces(template) {
		return false
	}
	plain := argument.ReplaceAllLiteralString(template, "x")
	u, err := url.Parse(placeholder.ReplaceAllLiteralString(plain, "x"))
	if err != nil || u.Hostname() == "" {
		return false
	}
	return strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https")
}

// ValidURL returns an error if a template is not an http(s) address to which visitors can be redirected. Such an address has a
// literal host (a name or an IP address, with an optional port), no user part and no control characters. It may contain spaces only
// in the arguments of tokens. The caller has to limit its length.
func ValidURL(template string) error {
	if hasSpaces(template) {
		return errControl
	}
	start, end := authority(template)
	if start == 0 {
		return errScheme
	}
	if !validHost(template[start:end]) {
		return errHost
	}
	return nil
}

// ASCIIHost returns an http(s) address with its host in the ASCII form that DNS uses. Any other text, and an address with a host
// that DNS does not allow, is returned unchanged.
func ASCIIHost(address string) string {
	start, end := authority(address)
	authority := address[start:end]
	if start == 0 || strings.IndexFunc(authority, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return address
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 {
		host, port = authority[:i], authority[i:]
	}
	host, err := idna.Lookup.ToASCII(host)
	if err != nil || strings.ContainsAny(host, "/?#@:") {
		return address
	}
	return address[:start] + host + port + address[end:]
}

// Origin returns the scheme, host and port of an address that ValidURL accepts. This part contains no tokens.
func Origin(template string) string {
	_, end := authority(template)
	return template[:end]
}

// LeadsTo reports whether an address that ValidURL accepts leads to the host of another address, at port 80, port 443
// or the other address's own port. Browsers read 127.1 and 0x7f000001 as 127.0.0.1. Therefore, if the other host is
// an IP address, a host whose last label begins with a digit counts as leading there, unless it is a complete IP
// address.
func LeadsTo(template, other string) bool {
	to, port := hostAndPort(template)
	otherHost, otherPort := hostAndPort(other)
	if !slices.Contains([]string{otherPort, "80", "443"}, port) {
		return false
	}
	otherIP, err := netip.ParseAddr(otherHost)
	if err != nil || to == otherHost {
		return to == otherHost
	}
	if ip, err := netip.ParseAddr(to); err == nil {
		return ip.Unmap() == otherIP.Unmap()
	}
	last := to[strings.LastIndexByte(to, '.')+1:]
	return last != "" && last[0] >= '0' && last[0] <= '9'
}

// The host is in lower case and without a final dot. An address without a port has the usual port of its scheme.
func hostAndPort(address string) (host, port string) {
	start, end := authority(address)
	u := url.URL{Host: address[start:end]}
	if port = u.Port(); port == "" {
		port = "443"
		if start == len("http://") {
			port = "80"
		}
	}
	port = strings.TrimLeft(port, "0") // browsers read :0443 as :443
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), port
}

// authority returns the bounds of host and port in an http(s) address. start is 0 if the text is not such an address.
func authority(s string) (start, end int) {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			start = len(scheme)
		}
	}
	if start == 0 {
		return 0, 0
	}
	if i := strings.IndexAny(s[start:], "/?#"); i >= 0 {
		return start, start + i
	}
	return start, len(s)
}

func validHost(s string) bool {
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		host, port = s[:i], s[i+1:]
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	if v6, ok := strings.CutPrefix(host, "["); ok {
		v6, ok = strings.CutSuffix(v6, "]")
		a, err := netip.ParseAddr(v6)
		return ok && err == nil && a.Is6() && a.Zone() == ""
	}
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(host, "."), ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, hostChars) != "" ||
			label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return true
}

const hostChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

var secretName = regexp.MustCompile(`(?i)secret|token|passw|pwd|api_?key|auth|signature|^key$|^sig$|^pass$|_key$`)

// Masked replaces values in a template's query that look like secrets of the account, judged by the names of their parameters.
// Placeholders stay, because their values come from the click.
func Masked(template string) string {
	address, query, ok := strings.Cut(template, "?")
	if !ok {
		return template
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if name, value := secretOf(part); value != "" {
			parts[i] = name + "=***"
		}
	}
	return address + "?" + strings.Join(parts, "&")
}

// shortestSecret is the length from which a value can be distinguished from other text.
const shortestSecret = 3

// Secrets returns the values that Masked hides, both as written and as the receiver decodes them. It leaves out values that are
// shorter than shortestSecret.
func Secrets(template string) (list []string) {
	template, _, _ = strings.Cut(template, "#")
	_, query, _ := strings.Cut(template, "?")
	for part := range strings.SplitSeq(query, "&") {
		_, value := secretOf(part)
		if len(value) < shortestSecret {
			continue
		}
		list = append(list, value)
		if decoded, err := url.QueryUnescape(value); err == nil && decoded != value {
			list = append(list, decoded)
		}
	}
	return list
}

func secretOf(part string) (name, value string) {
	name, value, _ = strings.Cut(part, "=")
	if !secretName.MatchString(name) || placeholder.MatchString(value) {
		return name, ""
	}
	return name, value
}
