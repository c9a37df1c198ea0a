package ads

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

// metaUploads sends conversions to Meta by the Conversions API. Meta recognizes a conversion by event_id and event_name, and
// refuses a whole request because of one bad event. It can neither change nor retract a conversion. It has no trial mode either:
// an event with a test event code counts like any other. Events of web pages need a user agent and the address of the page.
// Unverified: that a request may have 1,000 events, and that a refusal names the positions of the bad events.
var metaUploads = uploads{
	base: "https://graph.facebook.com", maxEvents: 1000, maxAge: 7 * 24 * time.Hour,
	click: func(e Event) string { return cmp.Or(metaClick(e), e.param("fbp")) }, clicks: "fbclid, fbc or fbp",
	secret:   "capi_token",
	send:     metaSend,
	whyUnfit: metaUnfit,
	fault:    metaFault, faultIn200: true,
}

// metaUnfit returns the reason why Meta would refuse an event of a web page: no user agent or no page address. It returns "" if the
// event has both.
func metaUnfit(e Event) string {
	switch {
	case e.UserAgent == "":
		return "its click has no user agent, which the platform requires for events of web pages"
	case e.Page == "":
		return noPage
	}
	return ""
}

// metaClick returns the click in the form of Meta's own cookie _fbc.
func metaClick(e Event) string {
	if fbc := e.param("fbc"); fbc != "" {
		return fbc
	}
	if id := e.param("fbclid"); id != "" {
		return fmt.Sprintf("fb.1.%d.%s", e.Clicked.UnixMilli(), id)
	}
	return ""
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(text))))
	return hex.EncodeToString(sum[:])
}

func metaSend(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		user := map[string]any{"external_id": []string{hashed(e.Click)}}
		fill(user, map[string]string{
			"fbc": metaClick(e), "fbp": e.param("fbp"), "client_ip_address": e.IP, "client_user_agent": e.UserAgent,
		})
		addKeys(user, e.Keys)
		list[i] = map[string]any{
			"event_name": cmp.Or(u.action, "Purchase"), "event_time": e.Time.Unix(), "event_id": e.ID, "action_source": "website",
			"user_data": user, "custom_data": map[string]any{"value": e.amount(), "currency": e.Currency, "order_id": e.ID},
		}
		fill(list[i], map[string]string{"event_source_url": e.Page, "referrer_url": e.Referrer})
	}
	body := map[string]any{"data": list}
	if code := u.c["test_event_code"]; code != "" {
		body["test_event_code"] = code
	}
	var answer struct {
		Received int    `json:"events_received"`
		Trace    string `json:"fbtrace_id"`
	}
	err := u.post(ctx, u.API, "/"+u.o.version(models.Meta)+"/"+u.c["pixel_id"]+"/events", body, &answer)
	switch {
	case err != nil:
		return nil, err
	case answer.Received < len(events):
		return nil, &UploadError{text: fmt.Sprintf("the platform received %d of %d events", answer.Received, len(events))}
	}
	return accepted(events, "trace "+answer.Trace), nil
}

// Meta's error codes.
var (
	metaBusyCodes = []int{4, 17, 32, 613, 80000, 80001, 80002, 80003, 80004, 80005, 80006, 80008} // Meta asks for fewer requests
	metaTransient = []int{1, 2, 21009}
)

const (
	metaToken   = 190
	metaInvalid = 100
	metaMissing = 33 // subcode: the object does not exist, or access to it is denied
	metaPause   = 5 * time.Minute
)

func metaFault(status int, body []byte) *fault {
	var answer struct {
		Error *struct {
			Text      string `json:"message"`
			Title     string `json:"error_user_title"`
			Words     string `json:"error_user_msg"`
			Code      int    `json:"code"`
			Subcode   int    `json:"error_subcode"`
			Transient bool   `json:"is_transient"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &answer) // an answer of another form: the status is used
	e := answer.Error
	switch {
	case e == nil && status/100 == 2:
		return nil
	case e == nil:
		return &fault{text: strconv.Itoa(status), refused: status == http.StatusUnauthorized || status == http.StatusForbidden}
	}
	words := []string{fmt.Sprintf("code %d/%d", e.Code, e.Subcode)}
	for _, w := range []string{e.Text, e.Title, e.Words} {
		if w != "" {
			words = append(words, w)
		}
	}
	f := &fault{text: strings.Join(words, "; ")}
	switch {
	case e.Transient, status >= http.StatusInternalServerError, slices.Contains(metaTransient, e.Code):
	case slices.Contains(metaBusyCodes, e.Code):
		f.after = metaPause
	// The codes 10 and 200 to 299 say that a permission is missing.
	case e.Code == metaToken, e.Code == 10, e.Code >= 200 && e.Code <= 299, e.Code == metaInvalid && e.Subcode == metaMissing:
		f.refused = true
	case e.Code == metaInvalid:
		f.event = true
		for _, w := range []string{e.Words, e.Text} {
			if n, ok := indexIn(w, "data"); ok && f.at == nil {
				f.at = map[int]string{n: f.text}
			}
		}
	}
	return f
}
