package adstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

var microsoftUploads = uploadFake{UploadPlatform: UploadPlatform{
	Credentials: map[string]string{"account_id": "176", "customer_id": "250"}, Action: "Tracker", Click: "msclkid", SignIn: true, Changes: true,
}, serve: microsoftUploadServe, fail: func(c *uploadCall, busy bool, words string) {
	code, name := 100, "NullRequest"
	if busy {
		code, name = 117, "CallRateExceeded"
	}
	c.says(http.StatusBadRequest, microsoftUploadFault(code, name, words))
}}

func microsoftUploadFault(code int, name, words string) document {
	return document{"TrackingId": "track-1", "Type": "AdApiFaultDetail", "Errors": []document{
		{"Code": code, "ErrorCode": name, "Message": words, "Detail": nil},
	}}
}

func microsoftUploadServe(c *uploadCall) {
	h := c.r.Header
	if h.Get("Authorization") != "Bearer "+c.w.signedIn() {
		c.says(http.StatusUnauthorized, microsoftUploadFault(109, "AuthenticationTokenExpired", "Authentication token expired."))
		return
	}
	var body struct {
		Conversions []microsoftRow `json:"OfflineConversions"`
		Adjustments []microsoftRow `json:"OfflineConversionAdjustments"`
	}
	if !c.read(&body) || h.Get("CustomerId") != "250" || h.Get("CustomerAccountId") != "176" ||
		len(body.Conversions)+len(body.Adjustments) > 1000 {
		c.says(http.StatusBadRequest, microsoftUploadFault(105, "InvalidCredentials", "The customer is wrong."))
		return
	}
	failed := []document{}
	no := func(i int, name string) {
		e := document{"Code": 5201, "ErrorCode": name, "Message": "cannot be applied", "Type": "BatchError"}
		if i > 0 {
			e["Index"] = i
		}
		failed = append(failed, e)
	}
	for i, v := range body.Conversions {
		if _, err := time.Parse("2006-01-02T15:04:05Z", v.Time); err != nil || c.store(Uploaded{
			ID: v.key(), Click: v.Click, Value: v.Value.String(), Currency: v.Currency,
		}, true) != "" {
			no(i, "OfflineConversionMicrosoftClickIdInvalid")
		}
	}
	for i, v := range body.Adjustments {
		if _, err := time.Parse("2006-01-02T15:04:05Z", v.At); err != nil || !c.change(v.key(), v.Type, v.Adjusted.String(), v.AdjustedIn) {
			no(i, "OfflineConversionNotFound")
		}
	}
	c.says(http.StatusOK, document{"PartialErrors": failed})
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
		code = 80004
	}
	c.says(http.StatusBadRequest, metaUploadError(code, 0, words))
}}

func metaUploadError(code, subcode int, words string) document {
	return document{"error": document{
		"message": words, "type": "OAuthException", "code": code, "error_subcode": subcode, "is_transient": false, "fbtrace_id": "A1",
	}}
}

func metaUploadServe(c *uploadCall) {
	good := c.good
	if c.r.Header.Get("Authorization") != "Bearer "+good["capi_token"] || c.w.expired > 0 {
		c.says(http.StatusBadRequest, metaUploadError(190, 463, "Error validating access token: the session has expired"))
		return
	}
	var body struct {
		Data []struct {
			Name   string `json:"event_name"`
			Time   int64  `json:"event_time"`
			ID     string `json:"event_id"`
			Source string `json:"action_source"`
			User   struct {
				Fbc string `json:"fbc"`
			} `json:"user_data"`
			Custom struct {
				Value    json.Number `json:"value"`
				Currency string      `json:"currency"`
			} `json:"custom_data"`
		} `json:"data"`
	}
	if !c.read(&body) || len(body.Data) > 1000 || c.path != "v27.0/"+good["pixel_id"]+"/events" {
		c.says(http.StatusBadRequest, metaUploadError(100, 33, "Unsupported post request."))
		return
	}
	for i, e := range body.Data {
		var subdomain, ms int
		var click string
		if n, _ := fmt.Sscanf(e.User.Fbc, "fb.%d.%d.%s", &subdomain, &ms, &click); n != 3 || uploadWrong(click) != "" || e.Name == "" || e.ID == "" ||
			e.Source != "website" {
			words := "Invalid parameter"
			if !c.w.silent {
				words = fmt.Sprintf("Invalid parameter: data[%d]", i)
			}
			c.says(http.StatusBadRequest, metaUploadError(100, 2804009, words))
			return
		}
	}
	for _, e := range body.Data {
		c.store(Uploaded{ID: e.ID, Click: e.User.Fbc, Value: e.Custom.Value.String(), Currency: e.Custom.Currency}, true) // a test event too
	}
	c.says(http.StatusOK, document{"events_received": len(body.Data), "messages": []string{}, "fbtrace_id": "A1"})
}

var tiktokUploads = uploadFake{UploadPlatform: UploadPlatform{
	Credentials: map[string]string{"access_token": "canary-tiktok-Zq7", "advertiser_id": "7", "pixel_code": "PX7"}, //nolint:gosec // a made-up one
	Click:       "ttclid",
}, serve: tiktokUploadServe, fail: func(c *uploadCall, busy bool, words string) {
	code := 40003
	if busy {
		code = 40100
	}
	c.says(http.StatusOK, tiktokUploadAnswer(code, words, document{}))
}}

func tiktokUploadAnswer(code int, words string, data any) document {
	return document{"code": code, "message": words, "request_id": "r-1", "data": data}
}

func tiktokUploadServe(c *uploadCall) {
	good := c.good
	if c.r.Header.Get("Access-Token") != good["access_token"] || c.w.expired > 0 {
		c.says(http.StatusOK, tiktokUploadAnswer(40105, "Access token is incorrect or has been revoked.", document{}))
		return
	}
	var body struct {
		Source string `json:"event_source_id"`
		Data   []struct {
			Event string `json:"event"`
			Time  int64  `json:"event_time"`
			ID    string `json:"event_id"`
			User  struct {
				Click string `json:"ttclid"`
			} `json:"user"`
			Properties struct {
				Value    json.Number `json:"value"`
				Currency string      `json:"currency"`
			} `json:"properties"`
		} `json:"data"`
	}
	if !c.read(&body) || c.path != "open_api/v1.3/event/track/" || body.Source != good["pixel_code"] || len(body.Data) > 50 {
		c.says(http.StatusOK, tiktokUploadAnswer(40001, "No permission to operate the pixel.", document{}))
		return
	}
	var failed []document
	for i, e := range body.Data {
		if uploadWrong(e.User.Click) == "" {
			continue
		}
		if c.w.silent {
			c.says(http.StatusOK, tiktokUploadAnswer(40002, "Invalid ttclid.", document{}))
			return
		}
		failed = append(failed, document{"order_in_batch": i, "error_message": "invalid ttclid"})
	}
	for _, e := range body.Data {
		c.store(Uploaded{ID: e.ID, Click: e.User.Click, Value: e.Properties.Value.String(), Currency: e.Properties.Currency}, true)
	}
	if len(failed) > 0 {
		c.says(http.StatusOK, tiktokUploadAnswer(20001, "Partial success", document{"failed_events": failed}))
		return
	}
	c.says(http.StatusOK, tiktokUploadAnswer(0, "OK", document{}))
}
