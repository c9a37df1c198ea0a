package adstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// UETTokens are credentials of Microsoft Advertising with which conversions go to the UET Conversions API.
var UETTokens = map[string]string{"uet_tag_id": "187012345", "uet_token": "canary-uet-Zq7"} //nolint:gosec // a made-up one

// UET describes the fake of the UET Conversions API.
var UET = UploadPlatform{Credentials: UETTokens, Click: "msclkid"}

func (c *uploadCall) ofUET() bool { return strings.HasPrefix(c.path, "v1/") }

// uetError returns an answer with an error.
func uetError(code, text string, received int, details ...object) object {
	return object{
		"eventsReceived": received, "traceId": "uet-trace-1", "error": object{"code": code, "message": text, "details": details},
	}
}

// uetServe serves the UET Conversions API. Without continueOnValidationError, one bad event makes the whole request fail.
func uetServe(c *uploadCall) {
	var body struct {
		Continue bool `json:"continueOnValidationError"`
		Data     []struct {
			ID   string `json:"eventId"`
			Name string `json:"eventName"`
			Type string `json:"eventType"`
			URL  string `json:"eventSourceUrl"`
			User struct {
				Click string `json:"msclkid"`
			} `json:"userData"`
			Custom struct {
				Value    json.Number `json:"value"`
				Currency string      `json:"currency"`
			} `json:"customData"`
		} `json:"data"`
	}
	list := flaws("uet", "Request", c.raw)
	switch {
	case c.path != "v1/"+UETTokens["uet_tag_id"]+"/events":
		c.respond(http.StatusNotFound, uetError("NotFound", "There is no such tag.", 0))
		return
	case c.r.Header.Get("Authorization") != "Bearer "+UETTokens["uet_token"] || c.w.expiredTokens > 0:
		c.respond(http.StatusUnauthorized, uetError("Unauthorized", "The token is not valid for this tag.", 0))
		return
	case len(list) > 0 || !c.read(&body) || len(body.Data) > 1000:
		c.respond(http.StatusBadRequest, uetError("BadRequest", fmt.Sprintf("The request cannot be read: %v", list), 0))
		return
	}
	var details []object
	for i, e := range body.Data {
		if clickRefusal(e.User.Click) != "" || e.Type == "custom" && e.Name == "" || e.Type == "pageLoad" && e.URL == "" {
			details = append(details, object{
				"index": i, "propertyName": "userData.msclkid", "attemptedValue": e.User.Click, "errorMessage": "is not valid", "errorCode": "InvalidFormat",
			})
		}
	}
	if len(details) > 0 && !body.Continue {
		c.respond(http.StatusBadRequest, uetError("ValidationError", "Some events are not valid.", 0, details...))
		return
	}
	for i, e := range body.Data {
		c.store(Uploaded{
			ID: e.ID, Click: e.User.Click, Value: e.Custom.Value.String(), Currency: e.Custom.Currency, Fields: c.item("data", i),
		}, counted)
	}
	if len(details) > 0 {
		c.respond(http.StatusOK, uetError("ValidationError", "Some events are not valid.", len(body.Data)-len(details), details...))
		return
	}
	c.respond(http.StatusOK, object{"eventsReceived": len(body.Data), "traceId": "uet-trace-1"})
}
