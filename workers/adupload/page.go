package adupload

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"

	"switchyard/models"
	"switchyard/models/matchkey"
)

// pageOf returns the address of the page that a click's visitor was sent to. It is empty if the address is not known. Everything that
// identifies the click is left out. Otherwise the platform could report conversions to this service, because a click id is enough
// for that. Personal data are left out too.
func pageOf(c models.Click) string {
	u, err := url.Parse(matchkey.CleanURL(c.Destination))
	if err != nil || u.Host == "" {
		return ""
	}
	if identifies(c, u.Path) {
		u.Path, u.RawPath = "/", ""
	}
	var kept []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		_, value, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(value); err == nil && part != "" && !identifies(c, plain) {
			kept = append(kept, part)
		}
	}
	u.RawQuery, u.ForceQuery = strings.Join(kept, "&"), false
	return u.String()
}

// identifies reports whether a text contains the click's id, or is a key that contains it. Protected landing pages get such keys.
func identifies(c models.Click, text string) bool {
	if strings.Contains(text, models.FormatClickID(c.ID)) || strings.Contains(strings.ToLower(text), c.ID.String()) {
		return true
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && bytes.Contains(raw, c.ID[:])
}
