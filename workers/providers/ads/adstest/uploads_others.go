package adstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"switchyard/models"
)

var microsoftUploads = uploadFake{UploadPlatform: UploadPlatform{
	Credentials: map[string]string{"account_id": "176", "customer_id": "250"}, Action: "Tracker", Click: "msclkid", SignIn: true, Changes: true,
}, serve: microsoftUploadServe, fail: func(c *uploadCall, busy bool, words string) {
	if c.ofUET() {
		status := http.StatusBadRequest
		if busy {
			status = http.StatusTooManyRequests
		}
		c.respond(status, uetError("BadRequest", words, 0))
		return
	}
	code, name := 100, "NullRequest"
	if busy {
		code, name = 117, "CallRateExceeded"
	}
	c.respond(http.StatusBadRequest, microsoftUploadFault(code, name, words))
}}

func microsoftUploadFault(code int, name, words string) object {
	return object{"TrackingId": "track-1", "Type": "AdApiFaultDetail", "Errors": []object{
		{"Code": code, "ErrorCode": name, "Message": words, "Detail": nil},
	}}
}

func microsoftUploadServe(c *uploadCall) {
	if c.ofUET() {
		uetServe(c)
		return
	}
	h := c.r.Header
	if h.Get("Authorization") != "Bearer "+c.w.signedIn() {
		c.respond(http.StatusUnauthorized, microsoftUploadFault(109, "AuthenticationTokenExpired", "Authentication token expired."))
		return
	}
	var body struct {
		Conversions []microsoftRow `json:"OfflineConversions"`
		Adjustments []microsoftRow `json:"OfflineConversionAdjustments"`
	}
	what := map[string]string{
		"CampaignManagement/v13/OfflineConversions/Apply":           "OfflineConversions",
		"CampaignManagement/v13/OfflineConversionAdjustments/Apply": "OfflineConversionAdjustments",
	}[c.path]
	switch {
	case what == "":
		c.respond(http.StatusNotFound, object{})
		return
	case h.Get("CustomerId") != "250" || h.Get("CustomerAccountId") != "176" || h.Get("DeveloperToken") == "":
		c.respond(http.StatusBadRequest, microsoftUploadFault(105, "InvalidCredentials", "The customer is wrong."))
		return
	}
	if list := flaws("microsoft", what+"Request", c.raw); len(list) > 0 || !c.read(&body) || len(body.Conversions)+len(body.Adjustments) > 1000 {
		c.respond(http.StatusBadRequest, microsoftUploadFault(100, "NullRequest", fmt.Sprintf("The request cannot be read: %v", list)))
		return
	}
	failed := []object{}
	no := func(i int, name string) {
		e := object{"Code": 5201, "ErrorCode": name, "Message": "cannot be applied", "Type": "BatchError"}
		if i > 0 {
			e["Index"] = i
		}
		failed = append(failed, e)
	}
	for i, v := range body.Conversions {
		if _, err := time.Parse("2006-01-02T15:04:05Z", v.Time); err != nil || c.store(Uploaded{
			ID: v.key(), Click: v.Click, Value: v.Value.String(), Currency: v.Currency, Fields: c.item("OfflineConversions", i),
		}, counted) != "" {
			no(i, "OfflineConversionMicrosoftClickIdInvalid")
		}
	}
	for i, v := range body.Adjustments {
		if _, err := time.Parse("2006-01-02T15:04:05Z", v.At); err != nil || !c.change(v.key(), v.Type, v.Adjusted.String(), v.AdjustedIn) {
			no(i, "OfflineConversionNotFound")
		}
	}
	c.respond(http.StatusOK, object{"PartialErrors": failed})
}

type microsoftRow struct {
	Click      string      `json:"MicrosoftClickId"`
	Name       string      `json:"ConversionName"`
	Time       string      `json:"ConversionTime"`
	Value      json.Number `json:"ConversionValue"`
	Currency   string      `json:"ConversionCurrencyCode"`
	Type       string      `json:"AdjustmentType"`
	At         string      `json:"AdjustmentTime"`
	Adjusted   json.Number `json:"AdjustmentValue"`
	AdjustedIn string      `json:"AdjustmentCurrencyCode"`
}

func (v microsoftRow) key() string { return v.Click + "|" + v.Name + "|" + v.Time }

var metaUploads = uploadFake{UploadPlatform: UploadPlatform{
	Credentials: map[string]string{"pixel_id": "1234567890", "capi_token": "canary-capi-token-Zq7"}, Click: "fbclid", //nolint:gosec // a made-up one
}, serve: metaUploadServe, fail: func(c *uploadCall, busy bool, words string) {
	code := 200
	if busy {
		code = 80006
	}
	c.respond(http.StatusBadRequest, metaUploadError(code, 0, words))
}}

func metaUploadError(code, subcode int, words string) object {
	return object{"error": object{
		"message": words, "type": "OAuthException", "code": code, "error_subcode": subcode, "is_transient": false, "fbtrace_id": "A1",
	}}
}

func metaUploadServe(c *uploadCall) {
	good := c.credentials
	if c.r.Header.Get("Authorization") != "Bearer "+good["capi_token"] || c.w.expiredTokens > 0 {
		c.respond(http.StatusBadRequest, metaUploadError(190, 463, "Error validating access token: the session has expired"))
		return
	}
	if c.path != models.MetaVersion+"/"+good["pixel_id"]+"/events" {
		c.respond(http.StatusBadRequest, metaUploadError(100, 33, "Unsupported post request."))
		return
	}
	if list := flaws("meta", "Request", c.raw); len(list) > 0 {
		f := list[0]
		words := fmt.Sprintf("(#100) Invalid parameter: %s", f.path)
		if f.what == "unknown" {
			words = fmt.Sprintf("(#100) Unexpected key %q on param %q.", f.name, f.path)
		}
		c.respond(http.StatusBadRequest, metaUploadError(100, 0, words))
		return
	}
	var body struct {
		Data []struct {
			ID   string `json:"event_id"`
			User struct {
				Fbc string `json:"fbc"`
			} `json:"user_data"`
			Custom struct {
				Value    json.Number `json:"value"`
				Currency string      `json:"currency"`
			} `json:"custom_data"`
		} `json:"data"`
	}
	if !c.read(&body) || len(body.Data) > 1000 {
		c.respond(http.StatusBadRequest, metaUploadError(100, 0, "(#100) Too many events."))
		return
	}
	for i, e := range body.Data {
		var subdomain, ms int
		var click string
		if n, _ := fmt.Sscanf(e.User.Fbc, "fb.%d.%d.%s", &subdomain, &ms, &click); n != 3 || clickRefusal(click) != "" || e.ID == "" {
			words := "Invalid parameter"
			if !c.w.omitsRefused {
				words = fmt.Sprintf("Invalid parameter: data[%d]", i)
			}
			c.respond(http.StatusBadRequest, metaUploadError(100, 2804009, words))
			return
		}
	}
	for i, e := range body.Data {
		c.store(Uploaded{
			ID: e.ID, Click: e.User.Fbc, Value: e.Custom.Value.String(), Currency: e.Custom.Currency, Fields: c.item("data", i),
		}, counted) // Meta counts test events too, so this fake does
	}
	c.respond(http.StatusOK, object{"events_received": len(body.Data), "messages": []string{}, "fbtrace_id": "A1"})
}

var tiktokUploads = uploadFake{UploadPlatform: UploadPlatform{
	Credentials: map[string]string{"access_token": "canary-tiktok-Zq7", "advertiser_id": "7", "pixel_code": "PX7"}, //nolint:gosec // a made-up one
	Click:       "ttclid",
}, serve: tiktokUploadServe, fail: func(c *uploadCall, busy bool, words string) {
	code := 40003
	if busy {
		code = 40100
	}
	c.respond(http.StatusOK, tiktokUploadAnswer(code, words, object{}))
}}

func tiktokUploadAnswer(code int, words string, data any) object {
	return object{"code": code, "message": words, "request_id": "r-1", "data": data}
}

func tiktokUploadServe(c *uploadCall) {
	good := c.credentials
	if c.r.Header.Get("Access-Token") != good["access_token"] || c.w.expiredTokens > 0 {
		c.respond(http.StatusOK, tiktokUploadAnswer(40105, "Access token is incorrect or has been revoked.", object{}))
		return
	}
	var body struct {
		Source string `json:"event_source_id"`
		Test   string `json:"test_event_code"`
		Data   []struct {
			ID   string `json:"event_id"`
			User struct {
				Click string `json:"ttclid"`
			} `json:"user"`
			Properties struct {
				Value    json.Number `json:"value"`
				Currency string      `json:"currency"`
			} `json:"properties"`
		} `json:"data"`
	}
	read, list := c.read(&body), flaws("tiktok", "Request", c.raw)
	switch {
	case c.path != "open_api/v1.3/event/track/":
		c.respond(http.StatusOK, tiktokUploadAnswer(40400, "Route not found.", object{}))
		return
	case !read || body.Source != good["pixel_code"]:
		c.respond(http.StatusOK, tiktokUploadAnswer(40001, "No permission to operate pixel code: "+body.Source, object{}))
		return
	case len(list) > 0:
		words := map[string]string{"unknown": "Unknown field", "missing": "Missing data for required field", "type": "Not a valid value"}[list[0].what]
		c.respond(http.StatusOK, tiktokUploadAnswer(40002, tiktokPlace(list[0])+": "+words+".", object{}))
		return
	case len(body.Data) > 50, body.Test != "" && len(body.Data) > 1:
		c.respond(http.StatusOK, tiktokUploadAnswer(40061, "Invalid batch size.", object{}))
		return
	}
	tiktokStore(c, func(i int) Uploaded {
		e := body.Data[i]
		return Uploaded{ID: e.ID, Click: e.User.Click, Value: e.Properties.Value.String(), Currency: e.Properties.Currency, Fields: c.item("data", i)}
	}, len(body.Data))
}

// tiktokPlace returns the place of a flaw as TikTok writes it, such as Batch.0.properties.value.
func tiktokPlace(f flaw) string {
	path := strings.NewReplacer("[", ".", "]", "").Replace(f.path)
	if f.what == "unknown" {
		path += "." + f.name
	}
	return "Batch" + strings.TrimPrefix(path, "data")
}

// tiktokStore stores n events, except those whose click id is to be refused. If a click id begins with "form", it stores nothing
// and names that event. With omitsRefused, it also stores nothing if it refuses any click id, and then it names no event.
func tiktokStore(c *uploadCall, at func(i int) Uploaded, n int) {
	var failed []object
	for i := range n {
		if strings.HasPrefix(at(i).Click, "form") {
			c.respond(http.StatusOK, tiktokUploadAnswer(40002, fmt.Sprintf("Batch.%d.user.ttclid: Not a valid string", i), object{}))
			return
		}
		if clickRefusal(at(i).Click) == "" {
			continue
		}
		if c.w.omitsRefused {
			c.respond(http.StatusOK, tiktokUploadAnswer(40002, "Invalid ttclid.", object{}))
			return
		}
		failed = append(failed, object{"order_in_batch": i, "error_message": "invalid ttclid"})
	}
	for i := range n {
		c.store(at(i), counted)
	}
	if len(failed) > 0 {
		c.respond(http.StatusOK, tiktokUploadAnswer(20001, "Partial success", object{"failed_events": failed}))
		return
	}
	c.respond(http.StatusOK, tiktokUploadAnswer(0, "OK", object{}))
}
