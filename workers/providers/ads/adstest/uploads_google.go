package adstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

var googleUploads = uploadFake{UploadPlatform: UploadPlatform{
	Credentials: map[string]string{"customer_id": "123-456-7890", "login_customer_id": "999-888-7777"}, Action: "987654321", Click: "gclid",
	SignIn: true, Changes: true, Tries: true,
}, serve: googleUploadServe, fail: func(c *uploadCall, busy bool, words string) {
	if busy {
		c.says(http.StatusTooManyRequests, googleUploadStatus(429, "RESOURCE_EXHAUSTED", words))
		return
	}
	c.says(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", words))
}}

func googleUploadStatus(code int, status, words string, details ...any) document {
	return document{"error": document{"code": code, "message": words, "status": status, "details": details}}
}

func googleUploadServe(c *uploadCall) {
	if c.r.Header.Get("Authorization") != "Bearer "+c.w.signedIn() {
		c.says(http.StatusUnauthorized, googleUploadStatus(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."))
		return
	}
	switch {
	case c.path == "v1/requestStatus:retrieve" && c.r.Method == http.MethodGet:
		googleStatus(c)
	case c.r.Method != http.MethodPost:
		c.says(http.StatusNotFound, googleUploadStatus(404, "NOT_FOUND", "there is no GET "+c.path))
	case c.path == "v1/events:ingest":
		googleIngest(c)
	case strings.HasSuffix(c.path, "/customers/1234567890:uploadClickConversions") && c.r.Header.Get("Login-Customer-Id") == "9998887777":
		googleConversions(c)
	case strings.HasSuffix(c.path, "/customers/1234567890:uploadConversionAdjustments") && c.r.Header.Get("Login-Customer-Id") == "9998887777":
		googleAdjustments(c)
	default:
		c.says(http.StatusNotFound, googleUploadStatus(404, "NOT_FOUND", "there is no "+c.path))
	}
}

func googleIngest(c *uploadCall) {
	var body struct {
		Destinations []struct {
			Reference        string
			OperatingAccount struct{ AccountType, AccountID string }
			LoginAccount     struct{ AccountType, AccountID string }
			ProductID        string `json:"productDestinationId"`
		}
		Events []struct {
			To        []string `json:"destinationReferences"`
			ID        string   `json:"transactionId"`
			Timestamp string   `json:"eventTimestamp"`
			Currency  string
			Value     json.Number                            `json:"conversionValue"`
			Ads       struct{ Gclid, Gbraid, Wbraid string } `json:"adIdentifiers"`
		}
		Validate bool `json:"validateOnly"`
		Consent  struct{ AdUserData, AdPersonalization string }
	}
	if !c.read(&body) || len(body.Destinations) != 1 || body.Destinations[0].OperatingAccount.AccountID != "1234567890" ||
		body.Destinations[0].LoginAccount.AccountID != "9998887777" || body.Destinations[0].ProductID != "987654321" {
		c.says(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", "the destination is wrong"))
		return
	}
	if len(body.Events) > 2000 {
		c.says(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", "TOO_MANY_EVENTS"))
		return
	}
	var bad []document
	for i, e := range body.Events {
		why := uploadWrong(e.Ads.Gclid + e.Ads.Gbraid + e.Ads.Wbraid)
		if _, err := time.Parse(time.RFC3339, e.Timestamp); err != nil || e.ID == "" {
			why = "form"
		}
		if why != "" {
			bad = append(bad, document{
				"field": fmt.Sprintf("events.events[%d].ad_identifiers.gclid", i), "description": "cannot be parsed", "reason": "INVALID_GCLID",
			})
		}
	}
	if len(bad) > 0 { // one bad event makes the whole request fail
		c.says(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", "There was a problem with the request.", document{
			"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": bad,
		}))
		return
	}
	known := 0
	for _, e := range body.Events {
		if c.w.taken[c.platform+"/"+e.ID] != nil {
			known++
		}
		c.store(Uploaded{
			ID: e.ID, Click: e.Ads.Gclid + e.Ads.Gbraid + e.Ads.Wbraid, Value: e.Value.String(), Currency: e.Currency, Consent: body.Consent.AdUserData,
		}, !body.Validate)
	}
	c.w.requests++
	request := fmt.Sprintf("req-%d", c.w.requests)
	if c.w.decides && !body.Validate {
		c.w.outcomes[request] = googleDecided(known, len(body.Events))
	}
	c.says(http.StatusOK, document{"requestId": request})
}

// googleDecided returns the outcome of a request with all events in total. Google already knew the given number of them.
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

// googleStatus answers with the outcome of a request.
func googleStatus(c *uploadCall) {
	of := c.w.outcomes[c.r.URL.Query().Get("requestId")]
	said := document{"destination": document{}, "requestStatus": "PROCESSING"}
	if of.Status != "" {
		said["requestStatus"] = of.Status
	}
	if of.Reason != "" {
		said["errorInfo"] = document{"errorCounts": []document{{"recordCount": "1", "reason": of.Reason}}}
	}
	c.says(http.StatusOK, document{"requestStatusPerDestination": []document{said}})
}

// googleUploadPartial returns an answer with errors for some items of a list. The error for the first item has no index.
func googleUploadPartial(list []document) document {
	if len(list) == 0 {
		return document{"jobId": "123"}
	}
	return document{"partialFailureError": document{"code": 3, "message": "some failed", "details": []document{{
		"@type": "type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure", "errors": list,
	}}}}
}

func googleUploadError(name string, i int, family, code, text string) document {
	place := document{"fieldName": name}
	if i > 0 {
		place["index"] = i
	}
	return document{
		"errorCode": document{family: code}, "message": text,
		"location": document{"fieldPathElements": []document{place, {"fieldName": "gclid"}}},
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
	if !c.read(&body) || !body.Partial {
		c.says(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", "partial_failure must be set"))
		return
	}
	if code := c.w.whole; code != "" { // an error without a place concerns the whole request
		one := googleUploadError("conversions", 0, "notAllowlistedError", code, "The request as a whole cannot be made.")
		delete(one, "location")
		c.says(http.StatusOK, googleUploadPartial([]document{one}))
		return
	}
	var list []document
	for i, v := range body.Conversions {
		_, err := time.Parse(googleUploadTime, v.At)
		click := v.Gclid + v.Gbraid + v.Wbraid
		why := c.w.taken[c.platform+"/"+v.ID]
		switch {
		case err != nil || v.Action != "customers/1234567890/conversionActions/987654321":
			list = append(list, googleUploadError("conversions", i, "conversionUploadError", "NO_CONVERSION_ACTION_FOUND", "no"))
		case uploadWrong(click) == "bad":
			list = append(list, googleUploadError("conversions", i, "conversionUploadError", "UNPARSEABLE_GCLID", "cannot be parsed"))
		case uploadWrong(click) == "soon":
			list = append(list, googleUploadError("conversions", i, "conversionUploadError", "TOO_RECENT_EVENT", "come back"))
		case why != nil && !body.Validate:
			why.Sent++
			list = append(list, googleUploadError("conversions", i, "conversionUploadError", "CLICK_CONVERSION_ALREADY_EXISTS", "there"))
		default:
			c.store(Uploaded{ID: v.ID, Click: click, Value: v.Value.String(), Currency: v.Currency, Consent: v.Consent.AdUserData}, !body.Validate)
		}
	}
	c.says(http.StatusOK, googleUploadPartial(list))
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
	if !c.read(&body) || !body.Partial {
		c.says(http.StatusBadRequest, googleUploadStatus(400, "INVALID_ARGUMENT", "partial_failure must be set"))
		return
	}
	kinds := map[string]string{"RETRACTION": "retract", "RESTATEMENT": "restate"}
	var list []document
	for i, v := range body.List {
		_, err := time.Parse(googleUploadTime, v.At)
		if err != nil || kinds[v.Type] == "" || !c.change(v.ID, kinds[v.Type], v.Value.Value.String(), v.Value.Currency) {
			list = append(list, googleUploadError("conversionAdjustments", i, "conversionAdjustmentUploadError", "CONVERSION_NOT_FOUND", "no"))
		}
	}
	c.says(http.StatusOK, googleUploadPartial(list))
}
