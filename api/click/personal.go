package click

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click/visitor"
	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/models/postback"
)

// hashPersonalData replaces the personal data in the parameters of a postback by marks such as (hashed), so that the raw values
// reach neither the disk nor the log of postbacks. If the person has agreed, it sets p.Personal to the hashes.
// If the person has refused, p.Personal says so. hashPersonalData reports whether the postback had personal data.
func (h *Handler) hashPersonalData(r *http.Request, p *models.Postback) bool {
	person, word, removed := postback.RemovePersonal(p.Params, h.isMapped(p.AccountID))
	consent := matchkey.ReadConsent(word)
	if consent == matchkey.ConsentDenied {
		p.Personal = &models.Personal{ConsentDenied: true}
	}
	if len(person) == 0 {
		return removed
	}
	country := ""
	if consent == matchkey.ConsentGranted && person.NeedsCountry() {
		n, _ := h.fieldsOf(p.NetworkID)
		click, _ := postback.NamedClick(p.Params, n, time.Now())
		country = h.countryFinder(r, p.Source == models.FromPixel)(click)
	}
	keys, dropped := matchkey.Receive(person, consent, country)
	postback.MarkPersonal(p.Params, keys, dropped)
	if !keys.IsEmpty() {
		p.Personal = &models.Personal{Keys: keys}
	}
	return true
}

// Values of countryFinder's sentByBrowser.
const (
	fromServer  = false // the account's server
	fromBrowser = true  // the visitor's own browser
)

// countryFinder returns a function that finds the country of a click's visitor, for the events of one message. If the visitor's
// own browser sends the message, the function returns the country of the browser's address.
func (h *Handler) countryFinder(r *http.Request, sentByBrowser bool) func(click uuid.UUID) string {
	unreachable := h.clicks.Conn == nil // a test postback has no database
	return func(click uuid.UUID) string {
		if sentByBrowser {
			var seen visitor.Description
			h.visitors.Describe(r, nil, &seen)
			return seen.Country
		}
		if unreachable || click == uuid.Nil {
			return ""
		}
		c, known := h.findClick(r.Context(), click)
		if unreachable = !known; c == nil {
			return ""
		}
		return c.Country
	}
}

// setMatchKeys hashes the personal data of a site event, if the person has agreed, and seals the hashes.
// user is the part of the event's message that has the personal data, and word is what the message says about consent.
// setMatchKeys returns the keys whose values are not stored, with the reasons. The event's id must be set.
func (h *Handler) setMatchKeys(ctx context.Context, account uuid.UUID, e *models.SiteEvent, user json.RawMessage, word string,
	findCountry func(click uuid.UUID) string,
) ([]matchkey.Dropped, error) {
	consent := matchkey.ReadConsent(word)
	e.ConsentDenied = consent == matchkey.ConsentDenied
	person, unread := matchkey.ReadPerson(user)
	if len(person) == 0 {
		return unread, nil
	}
	code := ""
	if consent == matchkey.ConsentGranted && person.NeedsCountry() {
		code = findCountry(e.ClickID)
	}
	keys, dropped := matchkey.Receive(person, consent, code)
	dropped = append(dropped, unread...)
	for _, name := range person.Unknown() {
		dropped = append(dropped, matchkey.Dropped{Key: name, Reason: "there is no such key"})
	}
	if keys.IsEmpty() {
		return dropped, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), messageBudget)
	defer cancel()
	var err error
	e.KeyNames = strings.Join(keys.Names(), ",")
	e.Keys, err = h.proofs.SealKeys(ctx, account, e.ID, keys)
	return dropped, err
}
