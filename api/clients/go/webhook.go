package switchyard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookEvent is the event that a webhook delivers. ID is the same at each attempt, so that you can ignore repeats.
type WebhookEvent struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt time.Time       `json:"created_at"`
	AccountID string          `json:"account_id"`
	Data      json.RawMessage `json:"data"` // its form depends on the type, such as CampaignPausedData
}

// SignatureAge is how far the time of a signature may be from now.
const SignatureAge = 5 * time.Minute

// ErrSignature is the error of a webhook that the service did not sign, or whose signature has a time more than five minutes before
// or after now.
var ErrSignature = errors.New("switchyard: the signature of the webhook does not match")

// ReadWebhook checks the signature of a webhook by the endpoint's signing secret, and reads the event. For a day after a rotation
// of the secret, the new and the old secret are both accepted.
func ReadWebhook(secret string, header http.Header, body []byte, now time.Time) (event WebhookEvent, err error) {
	var at string
	var signatures []string
	for part := range strings.SplitSeq(header.Get("Switchyard-Signature"), ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			at = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > SignatureAge {
		return event, ErrSignature
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	want := hex.EncodeToString(mac.Sum(nil))
	for _, got := range signatures {
		if hmac.Equal([]byte(got), []byte(want)) {
			return event, json.Unmarshal(body, &event)
		}
	}
	return event, ErrSignature
}
