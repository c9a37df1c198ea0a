package dnstest

import "io"

// Refusal is an error of a provider in the form that its source shows, and how it must be understood.
type Refusal struct {
	Status        int
	Header        [2]string // a header of the answer; empty: none
	Body          string
	Words         string // what a person must see
	Refused, Busy bool   // the credentials are refused, or there are too many requests
}

// wait is the header of an answer that asks for a pause.
var wait = [2]string{"Retry-After", "59"}

// Refusals has errors of the providers by name. source.md names where they come from.
var Refusals = map[string][]Refusal{
	"cloudflare": {
		{400, [2]string{}, `{"success":false,"errors":[{"code":6003,"message":"Invalid request headers","error_chain":[{"code":6111,"message":"Invalid format for Authorization header"}]}],"messages":[],"result":null}`, "Invalid format for Authorization header", true, false},
		{403, [2]string{}, `{"success":false,"errors":[{"code":9109,"message":"Unauthorized to access requested resource"}],"messages":[],"result":null}`, "Unauthorized to access", true, false},
		{429, wait, `{"success":false,"errors":[{"code":971,"message":"Please wait and consider throttling your request speed"}],"messages":[],"result":null}`, "consider throttling", false, true},
	},
	"hetzner": {
		{422, [2]string{}, `{"error":{"code":"invalid_input","message":"invalid input in field 'broken_field': is too long","details":{"fields":[{"name":"broken_field","messages":["is too long"]}]}}}`, "invalid input in field", false, false},
		{403, [2]string{}, `{"error":{"code":"resource_limit_exceeded","message":"project limit exceeded","details":{"limits":[{"name":"project_limit"}]}}}`, "project limit exceeded", true, false},
		{429, wait, `{"error":{"code":"rate_limit_exceeded","message":"limit of 3600 requests per hour reached","details":null}}`, "limit of 3600", false, true},
	},
	"digitalocean": {
		{403, [2]string{}, `{"id":"Forbidden","message":"You are not authorized to perform this operation","request_id":"4d9d8375"}`, "not authorized", true, false},
		{429, [2]string{"Ratelimit-Reset", "1444931833"}, `{"id":"too_many_requests","message":"API Rate limit exceeded."}`, "API Rate limit", false, true},
	},
	"linode": {
		{401, [2]string{}, `{"errors":[{"reason":"Your OAuth token is not authorized to use this endpoint."}]}`, "OAuth token", true, false},
		{429, wait, `{"errors":[{"reason":"Too many requests"}]}`, "Too many requests", false, true},
	},
	"vultr": {
		{401, [2]string{}, `{"error":"Unauthorized IP address: 192.0.2.1","status":401}`, "Unauthorized IP address", true, false},
		{429, [2]string{}, `{"error":"Rate limit reached - please try your request again later.","status":429}`, "Rate limit reached", false, true},
	},
	"dnsimple": {
		{402, [2]string{}, `{"message":"Your account is not subscribed to a plan."}`, "not subscribed", false, false},
		{400, [2]string{}, `{"message":"Validation failed","errors":{"name":["can't be blank"]}}`, "can't be blank", false, false},
		{429, wait, `{"message":"quota exceeded"}`, "quota exceeded", false, true},
	},
	"porkbun": {
		{400, [2]string{}, `{"status":"ERROR","message":"Invalid API key. (001)"}`, "Invalid API key", true, false},
		{200, [2]string{}, `{"status":"ERROR","message":"Domain is not opted in to API access."}`, "not opted in", false, false},
	},
	"bunny": {
		{401, [2]string{}, `{"ErrorKey":"unauthorized","Field":"","Message":"The request authorization failed"}`, "authorization failed", true, false},
		{429, wait, ``, "asked too often", false, true},
	},
	"desec": {
		{403, [2]string{}, `{"detail":"You do not have permission to perform this action."}`, "permission", true, false},
		{429, wait, `{"detail":"Request was throttled. Expected available in 59 seconds."}`, "throttled", false, true},
	},
	"godaddy": {
		{403, [2]string{}, `{"code":"ACCESS_DENIED","fields":[{"code":"test","message":"content","path":"/foo","pathRelated":"/bar"}],"message":"Authenticated user is not allowed access"}`, "ten domains or more", true, false},
		{422, [2]string{}, "{\"code\":\"INVALID_BODY\",\"message\":\"Request body doesn't fulfill schema, see details in `fields`\"}", "fulfill schema", false, false},
		{429, wait, `{"code":"TOO_MANY_REQUESTS","retryAfterSec":59,"message":"Too many requests received within interval"}`, "within interval", false, true},
	},
	"gandi": {
		{403, [2]string{}, `{"code":403,"message":"Access was denied to this resource.","object":"HTTPForbidden","cause":"Forbidden"}`, "Access was denied", true, false},
		{400, [2]string{}, `{"status":"error","errors":[{"location":"body","name":"rrset_values.0","description":"Invalid value"}]}`, "Invalid value", false, false},
	},
	"netlify": {
		{401, [2]string{}, `{"code":401,"message":"Access Denied"}`, "Access Denied", true, false},
		{429, [2]string{"X-Ratelimit-Reset", "2026-11-26T00:00:00Z"}, `{"code":429,"message":"API rate limit exceeded"}`, "rate limit", false, true},
	},
	"powerdns": {
		{401, [2]string{}, `Unauthorized`, "refused the credentials", true, false},
		{422, [2]string{}, `{"error":"A human readable error message"}`, "A human readable", false, false},
	},
	"ovh": {
		{403, [2]string{}, `{"errorCode":"NOT_GRANTED_CALL","httpCode":"403 Forbidden","message":"This call has not been granted"}`, "not been granted", true, false},
		{400, [2]string{}, `{"errorCode":"INVALID_SIGNATURE","httpCode":"400 Bad Request","message":"Invalid signature"}`, "Invalid signature", true, false},
	},
	"route53": {
		{403, [2]string{}, awsError("AccessDenied", "User: arn:aws:iam::1:user/a is not authorized to perform: route53:ListHostedZones"), "not authorized to perform", true, false},
		{400, [2]string{}, awsError("Throttling", "Rate exceeded"), "Rate exceeded", false, true},
		{400, [2]string{}, awsError("ThrottlingException", "Rate exceeded"), "Rate exceeded", false, true},
		{400, [2]string{}, awsError("PriorRequestNotComplete", "The request was rejected because Route 53 was still processing a prior request."), "a prior request", false, true},
	},
	"googleclouddns": {
		{403, [2]string{}, `{"error":{"code":403,"message":"Google Cloud DNS API has not been used in project 1 before or it is disabled.","errors":[{"message":"x","domain":"usageLimits","reason":"accessNotConfigured"}],"status":"PERMISSION_DENIED"}}`, "has not been used in project", true, false},
		{429, [2]string{}, `{"error":{"code":429,"message":"Quota exceeded for quota metric 'Queries'","errors":[],"status":"RESOURCE_EXHAUSTED"}}`, "Quota exceeded", false, true},
	},
	"azure": {
		{403, [2]string{}, `{"error":{"code":"AuthorizationFailed","message":"The client 'a' does not have authorization to perform action 'Microsoft.Network/dnszones/read'"}}`, "does not have authorization", true, false},
		{429, wait, `{"error":{"code":"TooManyRequests","message":"The request is being throttled."}}`, "throttled", false, true},
	},
	"namecheap": {
		{200, [2]string{}, namecheapError("1011102", "API Key is invalid or API access has not been enabled"), "API access has not been enabled", true, false},
		{200, [2]string{}, namecheapError("1011150", "Parameter RequestIP is invalid"), "RequestIP is invalid", true, false},
		{200, [2]string{}, namecheapError("500000", "Too many requests"), "Too many requests", false, true},
	},
}

func awsError(code, text string) string {
	return `<?xml version="1.0"?><ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error><Type>Sender</Type><Code>` + code +
		`</Code><Message>` + text + `</Message></Error><RequestId>b25f48e8</RequestId></ErrorResponse>`
}

func namecheapError(number, text string) string {
	return `<?xml version="1.0" encoding="utf-8"?><ApiResponse Status="ERROR" xmlns="http://api.namecheap.com/xml.response"><Errors><Error Number="` +
		number + `">` + text + `</Error></Errors><Warnings /><RequestedCommand /><Server>PHX01SBAPI01</Server></ApiResponse>`
}

// Refuse makes a provider refuse all requests except those for a token. nil ends this.
func (w *World) Refuse(r *Refusal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = r
}

// refused answers a call with the refusal that is set. ok is true if there is one.
func (c *call) refused(r *Refusal) (ok bool) {
	if r == nil || c.path == "/token" || c.path == "/tenant-1/oauth2/v2.0/token" {
		return false
	}
	if r.Header[0] != "" {
		c.Header().Set(r.Header[0], r.Header[1])
	}
	if len(r.Body) > 0 && r.Body[0] == '{' {
		c.Header().Set("Content-Type", "application/json")
	}
	c.WriteHeader(r.Status)
	_, _ = io.WriteString(c, r.Body)
	return true
}
