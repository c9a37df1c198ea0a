package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"
)

// ACMEAccount identifies an account that the operator has at a certificate authority. The service binds its own ACME account to
// this account (external account binding). The zero value means no binding.
type ACMEAccount struct{ KeyID, Secret string }

const (
	maxDirectories = 8
	maxHSTS        = 2 * 365 * 24 * time.Hour
)

func directories(v string) ([]string, error) {
	all, err := each(v, func(item string) (string, error) {
		u, err := url.Parse(item)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
			return "", fmt.Errorf("%q is not an https address such as https://acme-v02.api.letsencrypt.org/directory", item)
		}
		return item, nil
	})
	if err == nil && len(all) > maxDirectories {
		err = fmt.Errorf("has more than %d directories", maxDirectories)
	}
	return all, err
}

func email(v string) (string, error) {
	a, err := mail.ParseAddress(v)
	if err != nil || a.Address != v || strings.ContainsAny(v, ",?&") {
		return "", fmt.Errorf("%q is not an address such as ops@example.com", v)
	}
	return v, nil
}

// The list has the order of the directories in ACME_DIRECTORY, so an empty item keeps its place as a zero account. Errors do not
// repeat the secrets.
func acmeAccounts(v string) ([]ACMEAccount, error) {
	var all []ACMEAccount
	for item := range strings.SplitSeq(v, ",") {
		item = strings.TrimSpace(item)
		id, secret, found := strings.Cut(item, ":")
		if item != "" && (!found || id == "" || secret == "") {
			return nil, errors.New("each account is KEY_ID:HMAC_KEY, as the authority shows them, or empty")
		}
		secret = strings.TrimRight(secret, "=")
		if _, err := base64.RawURLEncoding.DecodeString(secret); err != nil {
			return nil, errors.New("an HMAC_KEY is not base64url")
		}
		all = append(all, ACMEAccount{id, secret})
	}
	if len(all) > maxDirectories {
		return nil, fmt.Errorf("has more than %d accounts", maxDirectories)
	}
	return all, nil
}

func duration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < time.Second || d > maxHSTS {
		return 0, fmt.Errorf("%q is not a time from 1s to %s; write for example 720h", v, maxHSTS)
	}
	return d, nil
}

func twoPorts(v string) (both [2]string, err error) {
	items := list(v)
	if len(items) != len(both) {
		return both, errors.New("must be two ports such as 80,443")
	}
	for i, item := range items {
		if _, err := port(item); err != nil {
			return both, err
		}
		both[i] = item
	}
	return both, nil
}
