package matchkey

import (
	"net/url"
	"regexp"
	"strings"
)

// Hidden replaces personal data in a text that is kept.
const Hidden = "(personal data)"

var personMember = regexp.MustCompile(`^(?:.*[\[\].])?(?:billing|buyer|client|contact|customer|lead|payer|person|shipping|subscriber|user|visitor)` +
	`(?:_data)?[\[\]._-]+([a-z0-9_]+)\]?$`)

// KeyOf returns the name of the key whose value a parameter contains, as NameOf does. In addition, it accepts the name of the
// person's record before the key, as in user[email] and customer_email.
func KeyOf(param string) string {
	param = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(param)), "[]")
	if name := NameOf(param); name != "" || !strings.ContainsAny(param, "[._-") {
		return name
	}
	if found := personMember.FindStringSubmatch(param); found != nil {
		return NameOf(found[1])
	}
	return ""
}

var address = regexp.MustCompile(`(?i)[^\s@<>()"',:;&=?/\\#%{}]+(?:@|%40|%2540)[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,24}`)

// HideAddresses returns a text in which each e-mail address is replaced by Hidden.
func HideAddresses(text string) string {
	if !strings.Contains(text, "@") && !strings.Contains(text, "40") {
		return text
	}
	return address.ReplaceAllLiteralString(text, Hidden)
}

// HasAddress reports whether a text contains an e-mail address.
func HasAddress(text string) bool { return HideAddresses(text) != text }

// CleanURL returns a URL without personal data. It removes parameters that contain an e-mail address or a key other than a place
// (see IsPlace), and parameters that cannot be decoded. It also removes the user name, the fragment, and a path that contains an
// e-mail address. The result is empty if the text is not an http or https URL with a host.
func CleanURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if HasAddress(u.Path) {
		u.Path, u.RawPath = "/", ""
	}
	var kept []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		plainName, badName := url.QueryUnescape(name)
		plainValue, badValue := url.QueryUnescape(value)
		key := KeyOf(plainName)
		if part == "" || badName != nil || badValue != nil || key != "" && !IsPlace(key) || HasAddress(plainName) || HasAddress(plainValue) {
			continue
		}
		kept = append(kept, part)
	}
	u.RawQuery, u.ForceQuery = strings.Join(kept, "&"), false
	return u.String()
}

// IsPlace reports whether a key is only a place: a city, a region, a postal code or a country.
func IsPlace(key string) bool {
	return key == City || key == Region || key == Zip || key == Country
}
