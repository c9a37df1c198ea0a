package dnstest

import "io"

// Refusal is an error answer of a provider, and how the client must understand it.
type Refusal struct {
	Status        int
	Header        [2]string // may be empty
	Body          string
	Words         string // what a person must see
	Refused, Busy bool   // the credentials are refused, or there are too many requests
}

// credentialsRefused and tooMany make the list below readable.
const credentialsRefused, tooMany = true, true

var none [2]string

var wait = [2]string{"Retry-After", "59"}

// Refusals has errors of the providers by name. source.md names where they come from.
var Refusals = map[string][]Refusal{
	"cloudflare": {
		{400, none, `{"success":false,"errors":[{"code":6003,"message":"Invalid request headers","error_chain":[{"code":6111,"message":"Invalid format for Authorization header"}]}],"messages":[],"result":null}`, "Invalid format for Authorization header", credentialsRefused, false},
		{403, none, `{"success":false,"errors":[{"code":9109,"message":"Unauthorized to access requested resource"}],"messages":[],"result":null}`, "Unauthorized to access", credentialsRefused, false},
		{429, wait, `{"success":false,"errors":[{"code":971,"message":"Please wait and consider throttling your request speed"}],"messages":[],"result":null}`, "consider throttling", false, tooMany},
	},
	"hetzner": {
		{422, none, `{"error":{"code":"invalid_input","message":"invalid input in field 'broken_field': is too long","details":{"fields":[{"name":"broken_field","messages":["is too long"]}]}}}`, "invalid input in field", false, false},
		{403, none, `{"error":{"code":"resource_limit_exceeded","message":"project limit exceeded","details":{"limits":[{"name":"project_limit"}]}}}`, "project limit exceeded", credentialsRefused, false},
		{429, wait, `{"error":{"code":"rate_limit_exceeded","message":"limit of 3600 requests per hour reached","details":null}}`, "limit of 3600", false, tooMany},
	},
	"digitalocean": {
		{403, none, `{"id":"Forbidden","message":"You are not authorized to perform this operation","request_id":"4d9d8375"}`, "not authorized", credentialsRefused, false},
		{429, [2]string{"Ratelimit-Reset", "1444931833"}, `{"id":"too_many_requests","message":"API Rate limit exceeded."}`, "API Rate limit", false, tooMany},
	},
	"linode": {
		{401, none, `{"errors":[{"reason":"Your OAuth token is not authorized to use this endpoint."}]}`, "OAuth token", credentialsRefused, false},
		{429, wait, `{"errors":[{"reason":"Too many requests"}]}`, "Too many requests", false, tooMany},
	},
	"vultr": {
		{401, none, `{"error":"Unauthorized IP address: 192.0.2.1","status":401}`, "Unauthorized IP address", credentialsRefused, false},
		{429, none, `{"error":"Rate limit reached - please try your request again later.","status":429}`, "Rate limit reached", false, tooMany},
	},
	"dnsimple": {
		{402, none, `{"message":"Your account is not subscribed to a plan."}`, "not subscribed", false, false},
		{400, none, `{"message":"Validation failed","errors":{"name":["can't be blank"]}}`, "can't be blank", false, false},
		{429, wait, `{"message":"quota exceeded"}`, "quota exceeded", false, tooMany},
	},
	"porkbun": {
		{400, none, `{"status":"ERROR","message":"Invalid API key. (001)"}`, "Invalid API key", credentialsRefused, false},
		{200, none, `{"status":"ERROR","message":"Domain is not opted in to API access."}`, "not opted in", false, false},
	},
	"bunny": {
		{401, none, `{"ErrorKey":"unauthorized","Field":"","Message":"The request authorization failed"}`, "authorization failed", credentialsRefused, false},
		{429, wait, ``, "asked too often", false, tooMany},
	},
	"desec": {
		{403, none, `{"detail":"You do not have permission to perform this action."}`, "permission", credentialsRefused, false},
		{429, wait, `{"detail":"Request was throttled. Expected available in 59 seconds."}`, "throttled", false, tooMany},
	},
	"godaddy": {
		{403, none, `{"code":"ACCESS_DENIED","fields":[{"code":"test","message":"content","path":"/foo","pathRelated":"/bar"}],"message":"Authenticated user is not allowed access"}`, "ten domains or more", credentialsRefused, false},
		{422, none, "{\"code\":\"INVALID_BODY\",\"message\":\"Request body doesn't fulfill schema, see details in `fields`\"}", "fulfill schema", false, false},
		{429, wait, `{"code":"TOO_MANY_REQUESTS","retryAfterSec":59,"message":"Too many requests received within interval"}`, "within interval", false, tooMany},
	},
	"gandi": {
		{403, none, `{"code":403,"message":"Access was denied to this resource.","object":"HTTPForbidden","cause":"Forbidden"}`, "Access was denied", credentialsRefused, false},
		{400, none, `{"status":"error","errors":[{"location":"body","name":"rrset_values.0","description":"Invalid value"}]}`, "Invalid value", false, false},
	},
	"netlify": {
		{401, none, `{"code":401,"message":"Access Denied"}`, "Access Denied", credentialsRefused, false},
		{429, [2]string{"X-Ratelimit-Reset", "2026-11-26T00:00:00Z"}, `{"code":429,"message":"API rate limit exceeded"}`, "rate limit", false, tooMany},
	},
	"powerdns": {
		{401, none, `Unauthorized`, "refused the credentials", credentialsRefused, false},
		{422, none, `{"error":"A human readable error message"}`, "A human readable", false, false},
	},
	"ovh": {
		{403, none, `{"errorCode":"NOT_GRANTED_CALL","httpCode":"403 Forbidden","message":"This call has not been granted"}`, "not been granted", credentialsRefused, false},
		{400, none, `{"errorCode":"INVALID_SIGNATURE","httpCode":"400 Bad Request","message":"Invalid signature"}`, "Invalid signature", credentialsRefused, false},
	},
	"route53": {
		{403, none, awsError("AccessDenied", "User: arn:aws:iam::1:user/a is not authorized to perform: route53:ListHostedZones"), "not authorized to perform", credentialsRefused, false},
		{400, none, awsError("Throttling", "Rate exceeded"), "Rate exceeded", false, tooMany},
		{400, none, awsError("ThrottlingException", "Rate exceeded"), "Rate exceeded", false, tooMany},
		{400, none, awsError("PriorRequestNotComplete", "The request was rejected because Route 53 was still processing a prior request."), "a prior request", false, tooMany},
	},
	"googleclouddns": {
		{403, none, `{"error":{"code":403,"message":"Google Cloud DNS API has not been used in project 1 before or it is disabled.","errors":[{"message":"x","domain":"usageLimits","reason":"accessNotConfigured"}],"status":"PERMISSION_DENIED"}}`, "has not been used in project", credentialsRefused, false},
		{429, none, `{"error":{"code":429,"message":"Quota exceeded for quota metric 'Queries'","errors":[],"status":"RESOURCE_EXHAUSTED"}}`, "Quota exceeded", false, tooMany},
	},
	"azure": {
		{403, none, `{"error":{"code":"AuthorizationFailed","message":"The client 'a' does not have authorization to perform action 'Microsoft.Network/dnszones/read'"}}`, "does not have authorization", credentialsRefused, false},
		{429, wait, `{"error":{"code":"TooManyRequests","message":"The request is being throttled."}}`, "throttled", false, tooMany},
	},
	"namecheap": {
		{200, none, namecheapError("1011102", "API Key is invalid or API access has not been enabled"), "API access has not been enabled", credentialsRefused, false},
		{200, none, namecheapError("1011150", "Parameter RequestIP is invalid"), "RequestIP is invalid", credentialsRefused, false},
		{200, none, namecheapError("500000", "Too many requests"), "Too many requests", false, tooMany},
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

// Refuse makes all providers refuse all requests except those for a token. nil ends this.
func (zs *Zones) Refuse(r *Refusal) {
	zs.mu.Lock()
	defer zs.mu.Unlock()
	zs.refuse = r
}

// refused answers with the refusal. It returns false if no refusal is set, or if the request is for a token.
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
