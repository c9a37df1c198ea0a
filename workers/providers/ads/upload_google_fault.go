package ads

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// googleStatus is an error answer of the Google Ads API or the Data Manager API: a google.rpc.Status with details.
type googleStatus struct {
	Error struct {
		Message string `json:"message"`
		Details []struct {
			Reason     string            `json:"reason"`
			RetryDelay string            `json:"retryDelay"`
			Errors     []googleError     `json:"errors"`
			Violations []googleViolation `json:"fieldViolations"`
		} `json:"details"`
	} `json:"error"`
}

type googleViolation struct {
	Field  string `json:"field"`
	Text   string `json:"description"`
	Reason string `json:"reason"` // a google.ads.datamanager.v1.ErrorReason
}

// googleInstall has the reasons of refusals that concern the Google Cloud project of this install. Only its operator can help. The
// last four reasons are values of google.api.ErrorReason, the others are error codes of the Google Ads API.
var googleInstall = []string{
	"CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION", "CLOUD_PROJECT_NOT_UNDER_ORGANIZATION", "PROJECT_DISABLED", "MISSING_TOS",
	"DEVELOPER_TOKEN_NOT_APPROVED", "DEVELOPER_TOKEN_NOT_ON_ALLOWLIST", "DEVELOPER_TOKEN_PROHIBITED", "SERVICE_ACCESS_DENIED",
	"UNSUPPORTED_VERSION", "CLOUD_PROJECT_NOT_FOUND", "DEVELOPER_TOKEN_PARAMETER_MISSING",
	"SERVICE_DISABLED", "BILLING_DISABLED", "CONSUMER_INVALID", "CONSUMER_SUSPENDED",
}

// googleSettings has the codes with which the Google Ads API refuses each event of a connection because of its conversion action
// or its account.
var googleSettings = []string{
	"NO_CONVERSION_ACTION_FOUND", "INVALID_CONVERSION_ACTION_TYPE", "CUSTOMER_NOT_ACCEPTED_CUSTOMER_DATA_TERMS",
	"CUSTOMER_NOT_ENABLED_ENHANCED_CONVERSIONS_FOR_LEADS", "CUSTOMER_DATA_POLICY_PROHIBITS_ENHANCED_CONVERSIONS",
	"EXTERNAL_ATTRIBUTION_DATA_NOT_SET_FOR_EXTERNALLY_ATTRIBUTED_CONVERSION_ACTION",
	"ORDER_ID_NOT_PERMITTED_FOR_EXTERNALLY_ATTRIBUTED_CONVERSION_ACTION",
	"RESOURCE_NAME_MALFORMED", "BAD_RESOURCE_ID", "RESOURCE_NOT_FOUND", "INVALID_CUSTOMER_ID", "CANNOT_BE_EXECUTED_BY_MANAGER_ACCOUNT",
	"LOGIN_CUSTOMER_ID_PARAMETER_MISSING",
}

func (e googleError) ofSetting() bool { return slices.Contains(googleSettings, e.code()) }

const (
	googleScopeMissing = "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
	googleInstallPause = time.Hour // before an install's project is tried again
)

// ofDestination reports whether a violation concerns the destination of a request, and so each event that is sent to it.
func (v googleViolation) ofDestination() bool {
	return strings.HasPrefix(v.Field, "destinations") || strings.HasPrefix(v.Reason, "DESTINATION_ACCOUNT_") ||
		v.Reason == "TERMS_AND_CONDITIONS_NOT_SIGNED"
}

// text returns a violation in words, with what to do about it if that is known.
func (v googleViolation) text() string {
	text := strings.TrimSpace(v.Reason + ": " + v.Text)
	switch v.Reason {
	case "INVALID_CONVERSION_ACTION_ID":
		return text + " (conversions must be sent to the customer that owns the conversion action: choose the action again from the list, or " +
			"enter it as customers/OWNER/conversionActions/ID)"
	case "INVALID_CONVERSION_ACTION_TYPE":
		return text + " (the action must be of the type import from clicks, UPLOAD_CLICKS)"
	}
	return text
}

// googleFault reads an error answer of the Google Ads API or the Data Manager API.
func googleFault(status int, body []byte) *fault {
	var answer googleStatus
	_ = json.Unmarshal(body, &answer)
	f := &fault{text: fmt.Sprintf("%d %s", status, answer.Error.Message), at: map[int]string{}}
	f.expired, f.refused = status == http.StatusUnauthorized, status == http.StatusForbidden
	var reasons []string
	for _, d := range answer.Error.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			f.after = min(wait, time.Hour)
		}
		if d.Reason != "" && d.Reason != "INVALID_ARGUMENT" {
			reasons = append(reasons, d.Reason)
			f.text += "; " + d.Reason
		}
		for _, other := range d.Errors {
			reasons = append(reasons, other.code())
			f.stop = f.stop || other.ofSetting()
			f.text += "; " + other.code() + " " + other.Message
		}
		f.addViolations(d.Violations)
	}
	switch {
	case f.stop:
		f.event = false
	case slices.Contains(reasons, googleScopeMissing):
		f.refused, f.scope = true, true
		f.text += "; the person who signed in did not grant all permissions: sign in again and grant all requested permissions"
	case slices.ContainsFunc(reasons, func(r string) bool { return slices.Contains(googleInstall, r) }):
		f.refused, f.expired, f.after = false, false, googleInstallPause
		f.text = "Google does not accept the Google Cloud project of this install, so its operator has to help: " + f.text
	}
	return f
}

func (f *fault) addViolations(list []googleViolation) {
	for _, v := range list {
		n, ok := indexIn(v.Field, "events")
		switch {
		case v.ofDestination():
			f.stop = true
			f.text += "; " + v.Field + " " + v.text()
		case ok:
			f.event, f.at[n] = true, v.text()
		default:
			f.text += "; " + v.Field + " " + v.text()
		}
	}
}
