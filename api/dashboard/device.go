package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/api/route"
	"switchyard/db/people"
)

// A device cookie proves that a person has signed in on this browser before. It does not sign the person in. It only makes wrong
// passwords and codes of this browser count separately from the guesses of strangers. See OWASP's "Slow Down Online Guessing
// Attacks with Device Cookies". The value is the time when the cookie ends, an id, and a signature of both and of the e-mail.
const (
	devicePrefix = "switchyard-device-"
	deviceLife   = 365 * 24 * time.Hour
)

func deviceCookie(email string) string {
	sum := sha256.Sum256([]byte(email))
	return devicePrefix + hex.EncodeToString(sum[:8])
}

func signDevice(key []byte, email, unsigned string) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%d|%s|%s", len(email), email, unsigned)
	return unsigned + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// newDevice makes the device cookie for a browser on which a person has signed in.
func (d Deps) newDevice(c *route.Call, email string) (*http.Cookie, error) {
	key, err := people.New(c.Store).DeviceKey(c.Context())
	unsigned := strconv.FormatInt(time.Now().Add(deviceLife).Unix(), 10) + "." + rand.Text()
	return &http.Cookie{ //nolint:gosec // not always Secure, because a browser drops a Secure cookie that it gets by http
		Name: deviceCookie(email), Value: signDevice(key, email, unsigned), Path: Prefix + "/api", Secure: d.Site.Secure(),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(deviceLife.Seconds()),
	}, err
}

// device returns the id of the caller's browser if the browser has a valid device cookie of this e-mail, and "" otherwise.
func (d Deps) device(c *route.Call, email string) (string, error) {
	cookie, err := c.Request.Cookie(deviceCookie(email))
	if err != nil {
		return "", nil //nolint:nilerr // an unknown browser
	}
	key, err := people.New(c.Store).DeviceKey(c.Context())
	if err != nil {
		return "", err
	}
	parts := strings.Split(cookie.Value, ".")
	if len(parts) != 3 || !hmac.Equal([]byte(signDevice(key, email, parts[0]+"."+parts[1])), []byte(cookie.Value)) {
		return "", nil
	}
	if ends, err := strconv.ParseInt(parts[0], 10, 64); err != nil || time.Now().Unix() > ends {
		return "", nil //nolint:nilerr // the signature is valid, so the time is a number
	}
	return parts[1], nil
}
