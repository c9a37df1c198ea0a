package adstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

var googleUploads = uploadFake{UploadPlatform: UploadPlatform{
	Credentials: map[string]string{"customer_id": "123-456-7890", "login_customer_id": "999-888-7777"}, Action: "987654321", Click: "gclid",
	SignIn: true, Changes: true, Validates: true,
}, serve: googleUploadServe, fail: func(c *uploadCall, busy bool, words string) {
	if busy {
		c.respond(http.StatusTooManyRequests, googleUploadStatus(429, "RESOURCE_EXHAUSTED", words))
		return
	}
	c.respond(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", words))
}}

func googleUploadStatus(code int, status, words string, details ...any) object {
	return object{"error": object{"code": code, "message": words, "status": status, "details": details}}
}

func googleUploadServe(c *uploadCall) {
	if c.r.Header.Get("Authorization") != "Bearer "+c.w.signedIn() {
		c.respond(http.StatusUnauthorized, googleUploadStatus(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."))
		return
	}
	if c.w.projectRefusal != "" {
		c.googleProject()
		return
	}
	switch {
	case c.path == "v1/requestStatus:retrieve" && c.r.Method == http.MethodGet:
		googleStatus(c)
	case c.r.Method != http.MethodPost:
		c.respond(http.StatusNotFound, googleUploadStatus(404, "NOT_FOUND", "there is no GET "+c.path))
	case c.path == "v1/events:ingest":
		googleIngest(c)
	case strings.HasSuffix(c.path, "/customers/1234567890:uploadClickConversions") && c.r.Header.Get("Login-Customer-Id") == "9998887777":
		googleConversions(c)
	case strings.HasSuffix(c.path, "/customers/1234567890:uploadConversionAdjustments") && c.r.Header.Get("Login-Customer-Id") == "9998887777":
		googleAdjustments(c)
	default:
		c.respond(http.StatusNotFound, googleUploadStatus(404, "NOT_FOUND", "there is no "+c.path))
	}
}

// googleOwners has the customer that owns each conversion action.
var googleOwners = map[string]string{"987654321": "1234567890", "555666777": "9999999999"}

// GoogleShared is the resource name of a conversion action that a manager account owns.
const GoogleShared = "customers/9999999999/conversionActions/555666777"

// googleRefusal answers with a google.rpc.Status and its details.
func (c *uploadCall) googleRefusal(status int, word, reason, words string, violations ...object) {
	details := []any{
		object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "datamanager.googleapis.com"},
		object{"@type": "type.googleapis.com/google.rpc.RequestInfo", "requestId": "dm-request-1"},
	}
	if len(violations) > 0 {
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations})
	}
	c.respond(status, googleUploadStatus(status, word, words, details...))
}

func (c *uploadCall) googleInvalid(violations ...object) {
	c.googleRefusal(http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "There was a problem with the request.", violations...)
}

var googleUpper = regexp.MustCompile("[A-Z]")

// googleViolation returns a violation of the field at a path. Data Manager writes names with underscores, and repeats the first name of
// the path, as in events.events[0].event_timestamp.
func googleViolation(path, reason, words string) object {
	list, _, _ := strings.Cut(path, "[")
	path = googleUpper.ReplaceAllStringFunc(path, func(s string) string { return "_" + strings.ToLower(s) })
	return object{"field": list + "." + path, "description": words, "reason": reason}
}

// googleForm reports whether a body has the form of a message. Otherwise it refuses the request.
func googleForm(c *uploadCall, form, message string) bool {
	var missing []object
	for _, f := range flaws(form, message, c.raw) {
		switch f.what {
		case "unknown":
			words := fmt.Sprintf("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", f.name, f.path)
			c.respond(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", words, object{
				"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": []object{{"field": f.path, "description": words}},
			}))
			return false
		case "type":
			words := fmt.Sprintf("Invalid value at '%s'", f.path)
			c.respond(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", words, object{
				"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": []object{{"field": f.path, "description": words}},
			}))
			return false
		}
		missing = append(missing, googleViolation(f.path, "REQUIRED_FIELD_MISSING", "Required field is missing."))
	}
	if len(missing) > 0 {
		c.googleInvalid(missing...)
	}
	return len(missing) == 0
}

// googleEvents is a request to ingest events.
type googleEvents struct {
	Destinations []struct {
		Reference        string
		OperatingAccount struct{ AccountType, AccountID string }
		LoginAccount     struct{ AccountType, AccountID string }
		ProductID        string `json:"productDestinationId"`
	}
	Events   []googleEvent
	Encoding string
	Validate bool `json:"validateOnly"`
	Consent  struct{ AdUserData, AdPersonalization string }
}

type googleEvent struct {
	To       []string `json:"destinationReferences"`
	ID       string   `json:"transactionId"`
	Currency string
	Value    json.Number                            `json:"conversionValue"`
	Ads      struct{ Gclid, Gbraid, Wbraid string } `json:"adIdentifiers"`
	User     struct {
		Identifiers []struct{ EmailAddress, PhoneNumber string } `json:"userIdentifiers"`
	} `json:"userData"`
}

func (e googleEvent) click() string { return e.Ads.Gclid + e.Ads.Gbraid + e.Ads.Wbraid }

// googleDestination reports whether the destination of a request is right. Otherwise it refuses the request.
func googleDestination(c *uploadCall, body googleEvents) bool {
	to := body.Destinations[0]
	switch {
	case len(body.Destinations) > 1:
		c.googleInvalid(googleViolation("destinations", "TOO_MANY_DESTINATIONS", "The fake takes one."))
	case to.LoginAccount.AccountID != "9998887777":
		c.googleRefusal(http.StatusForbidden, "PERMISSION_DENIED", "PERMISSION_DENIED", "The caller does not have permission")
	case googleOwners[to.ProductID] == "" || googleOwners[to.ProductID] != to.OperatingAccount.AccountID:
		c.googleInvalid(googleViolation("destinations[0].productDestinationId", "INVALID_CONVERSION_ACTION_ID", "Conversion action ID is not valid."))
	default:
		return true
	}
	return false
}

// googleViolations returns the violations of the events of a request. Google refuses the whole request for one violation.
func googleViolations(c *uploadCall, body googleEvents) (bad []object) {
	for i, e := range body.Events {
		at := fmt.Sprintf("events[%d].", i)
		known := len(e.User.Identifiers)
		switch {
		case clickRefusal(e.click()) != "":
			bad = append(bad, googleViolation(at+"adIdentifiers.gclid", "INVALID_FORMAT", "INVALID_GCLID: cannot be parsed"))
		case e.click() == "" && known == 0:
			bad = append(bad, googleViolation(at+"adIdentifiers", "NO_IDENTIFIERS_PROVIDED", "Events data contains no identifiers."))
		case known > 0 && c.w.termsRefused:
			bad = append(bad, googleViolation(at+"userData", "DESTINATION_ACCOUNT_ENHANCED_CONVERSIONS_TERMS_NOT_SIGNED", "The terms are not signed."))
		case known > 10:
			bad = append(bad, googleViolation(at+"userData.userIdentifiers", "TOO_MANY_USER_IDENTIFIERS", "At most 10."))
		}
		for n, id := range e.User.Identifiers {
			if body.Encoding != "HEX" || !hexDigest.MatchString(id.EmailAddress+id.PhoneNumber) {
				bad = append(bad, googleViolation(fmt.Sprintf("%suserData.userIdentifiers[%d]", at, n), "INVALID_SHA256_FORMAT", "malformed"))
			}
		}
	}
	return bad
}

// googleProject refuses the request for the reason in projectRefusal.
func (c *uploadCall) googleProject() {
	reason := c.w.projectRefusal
	if reason == "UNSUPPORTED_VERSION" || reason == "INVALID_CUSTOMER_ID" {
		c.respond(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", "Request contains an invalid argument.", object{
			"@type":  "type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure",
			"errors": []object{{"errorCode": object{"requestError": reason}, "message": "The request is invalid."}},
		}))
		return
	}
	if strings.HasPrefix(reason, "CLOUD_PROJECT_") {
		c.respond(http.StatusForbidden, googleUploadStatus(403, "PERMISSION_DENIED", "The caller does not have permission", object{
			"@type":  "type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure",
			"errors": []object{{"errorCode": object{"authorizationError": reason}, "message": "The project has test access only."}},
		}))
		return
	}
	c.googleRefusal(http.StatusForbidden, "PERMISSION_DENIED", reason, "Request had insufficient authentication scopes.")
}

func googleIngest(c *uploadCall) {
	if !googleForm(c, "datamanager", "IngestEventsRequest") {
		return
	}
	var body googleEvents
	if !c.read(&body) || !googleDestination(c, body) {
		return
	}
	if len(body.Events) > 2000 {
		c.googleInvalid(object{"field": "events", "description": "At most 2000.", "reason": "TOO_MANY_EVENTS"})
		return
	}
	if bad := googleViolations(c, body); len(bad) > 0 {
		c.googleInvalid(bad...)
		return
	}
	known := 0
	for i, e := range body.Events {
		if c.w.stored[c.platform+"/"+e.ID] != nil {
			known++
		}
		c.store(Uploaded{
			ID: e.ID, Click: e.click(), Value: e.Value.String(), Currency: e.Currency, Consent: body.Consent.AdUserData,
			To: body.Destinations[0].OperatingAccount.AccountID, Fields: c.item("events", i),
		}, !body.Validate)
	}
	c.w.requests++
	request := fmt.Sprintf("req-%d", c.w.requests)
	if c.w.decidesAtOnce && !body.Validate {
		c.w.outcomes[request] = googleDecided(known, len(body.Events))
	}
	c.respond(http.StatusOK, object{"requestId": request})
}

// googleDecided returns the outcome of a request, from the number of events that Google already had and the number of all events.
func googleDecided(known, all int) RequestOutcome {
	const reason = "PROCESSING_ERROR_REASON_DUPLICATE_TRANSACTION_ID"
	switch known {
	case 0:
		return RequestOutcome{Status: "SUCCESS"}
	case all:
		return RequestOutcome{Status: "FAILED", Reason: reason}
	}
	return RequestOutcome{Status: "PARTIAL_SUCCESS", Reason: reason}
}

func googleStatus(c *uploadCall) {
	outcome := c.w.outcomes[c.r.URL.Query().Get("requestId")]
	destination := object{"requestStatus": "PROCESSING", "destination": object{
		"operatingAccount": object{"accountType": "GOOGLE_ADS", "accountId": "1234567890"}, "productDestinationId": "987654321",
	}}
	if outcome.Status != "" {
		destination["requestStatus"] = outcome.Status
		destination["eventsIngestionStatus"] = object{"recordCount": "1"}
	}
	if outcome.Reason != "" {
		destination["errorInfo"] = object{"errorCounts": []object{{"recordCount": "1", "reason": outcome.Reason}}}
	}
	answer := object{"requestStatusPerDestination": []object{destination}}
	if raw, _ := json.Marshal(answer); len(flaws("datamanager", "RetrieveRequestStatusResponse", raw)) > 0 {
		c.respond(http.StatusNotImplemented, object{"flaws": flaws("datamanager", "RetrieveRequestStatusResponse", raw)})
		return
	}
	c.respond(http.StatusOK, answer)
}

// googleUploadPartial returns an answer with the errors in list.
func googleUploadPartial(list []object) object {
	if len(list) == 0 {
		return object{"jobId": "123"}
	}
	return object{"partialFailureError": object{"code": 3, "message": "some failed", "details": []object{{
		"@type": "type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure", "errors": list,
	}}}}
}

// googleUploadError returns an error for one item of a request. The error for the first item has no index.
func googleUploadError(name string, i int, family, code, text string) object {
	place := object{"fieldName": name}
	if i > 0 {
		place["index"] = i
	}
	return object{
		"errorCode": object{family: code}, "message": text,
		"location": object{"fieldPathElements": []object{place, {"fieldName": "gclid"}}},
	}
}

const googleUploadTime = "2006-01-02 15:04:05-07:00"

func googleConversions(c *uploadCall) {
	var body struct {
		Conversions []struct {
			Gclid, Gbraid, Wbraid string
			Action                string      `json:"conversionAction"`
			At                    string      `json:"conversionDateTime"`
			Value                 json.Number `json:"conversionValue"`
			Currency              string      `json:"currencyCode"`
			ID                    string      `json:"orderId"`
			Consent               struct{ AdUserData, AdPersonalization string }
		}
		Partial  bool `json:"partialFailure"`
		Validate bool `json:"validateOnly"`
	}
	if !googleForm(c, "googleads", "UploadClickConversionsRequest") {
		return
	}
	if !c.read(&body) || !body.Partial {
		c.respond(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", "partial_failure must be set"))
		return
	}
	if code := c.w.requestRefusal; code != "" { // an error without a place concerns the whole request
		one := googleUploadError("conversions", 0, "notAllowlistedError", code, "The request as a whole cannot be made.")
		delete(one, "location")
		c.respond(http.StatusOK, googleUploadPartial([]object{one}))
		return
	}
	var list []object
	for i, v := range body.Conversions {
		_, err := time.Parse(googleUploadTime, v.At)
		click := v.Gclid + v.Gbraid + v.Wbraid
		earlier := c.w.stored[c.platform+"/"+v.ID]
		switch {
		case err != nil || googleOwners[v.Action[strings.LastIndexByte(v.Action, '/')+1:]] == "":
			list = append(list, googleUploadError("conversions", i, "conversionUploadError", "NO_CONVERSION_ACTION_FOUND", "no"))
		case clickRefusal(click) == "bad":
			list = append(list, googleUploadError("conversions", i, "conversionUploadError", "UNPARSEABLE_GCLID", "cannot be parsed"))
		case clickRefusal(click) == "soon":
			list = append(list, googleUploadError("conversions", i, "conversionUploadError", "TOO_RECENT_EVENT", "come back"))
		case earlier != nil && !body.Validate:
			earlier.Sent++
			list = append(list, googleUploadError("conversions", i, "conversionUploadError", "CLICK_CONVERSION_ALREADY_EXISTS", "there"))
		default:
			c.store(Uploaded{ID: v.ID, Click: click, Value: v.Value.String(), Currency: v.Currency, Consent: v.Consent.AdUserData, Fields: c.item("conversions", i)}, !body.Validate)
		}
	}
	c.respond(http.StatusOK, googleUploadPartial(list))
}

func googleAdjustments(c *uploadCall) {
	var body struct {
		List []struct {
			Action string `json:"conversionAction"`
			Type   string `json:"adjustmentType"`
			At     string `json:"adjustmentDateTime"`
			ID     string `json:"orderId"`
			Value  struct {
				Value    json.Number `json:"adjustedValue"`
				Currency string      `json:"currencyCode"`
			} `json:"restatementValue"`
		} `json:"conversionAdjustments"`
		Partial bool `json:"partialFailure"`
	}
	if !googleForm(c, "googleads", "UploadConversionAdjustmentsRequest") {
		return
	}
	if !c.read(&body) || !body.Partial {
		c.respond(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", "partial_failure must be set"))
		return
	}
	kinds := map[string]string{"RETRACTION": "retract", "RESTATEMENT": "restate"}
	var list []object
	for i, v := range body.List {
		_, err := time.Parse(googleUploadTime, v.At)
		if err != nil || kinds[v.Type] == "" || !c.change(v.ID, kinds[v.Type], v.Value.Value.String(), v.Value.Currency) {
			list = append(list, googleUploadError("conversionAdjustments", i, "conversionAdjustmentUploadError", "CONVERSION_NOT_FOUND", "no"))
		}
	}
	c.respond(http.StatusOK, googleUploadPartial(list))
}
