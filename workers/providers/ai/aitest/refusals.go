package aitest

import (
	"io"
	"mime"
	"net/http"
	"strings"
)

// Refusal is an error answer of a provider, and how the client must understand it.
type Refusal struct {
	Status        int
	RetryAfter    string // header of the answer; empty: none
	Body          string
	Words         string // text that the client's error must contain
	Refused, Busy bool   // whether the error must be rest.ErrRefused or rest.ErrBusy
}

// keyRefused and tooMany make the list below readable.
const keyRefused, tooMany = true, true

// Refusals has error answers by the provider's name. source.md names where they come from.
var Refusals = map[string][]Refusal{
	"openai": {
		{401, "", `{"error":{"message":"Incorrect API key provided: sk-wrong.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, "Incorrect API key", keyRefused, false},
		{403, "", `{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}`, "not supported", keyRefused, false},
		{404, "", "{\"error\":{\"message\":\"The model `gpt-9` does not exist or you do not have access to it.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}", "does not exist", false, false},
		{429, "2", `{"error":{"message":"Rate limit reached for requests","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, "Rate limit reached", false, tooMany},
		{429, "", `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, "has no credit left", false, tooMany},
		{429, "", `{"error":{"message":"Your organization has no prepaid credits remaining.","type":"insufficient_quota","param":null,"code":"credit_balance_exhausted"}}`, "has no credit left", false, tooMany},
		{429, "", `{"error":{"message":"Your project has reached its spend limit.","type":"insufficient_quota","param":null,"code":"project_spend_limit_exceeded"}}`, "has reached its spending or usage limit", false, tooMany},
		{503, "", `{"error":{"message":"That model is currently overloaded with other requests.","type":"server_error","param":null,"code":null}}`, "overloaded", false, false},
	},
	"anthropic": {
		{400, "", anthropicError("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "credit balance", false, false},
		{401, "", anthropicError("authentication_error", "invalid x-api-key"), "invalid x-api-key", keyRefused, false},
		{402, "", anthropicError("billing_error", "There's an issue with your billing."), "billing", keyRefused, false},
		{403, "", anthropicError("permission_error", "Your API key does not have permission to use the specified resource."), "permission", keyRefused, false},
		{404, "", anthropicError("not_found_error", "model: claude-9"), "claude-9", false, false},
		{413, "", anthropicError("request_too_large", "Request exceeds the maximum allowed number of bytes."), "maximum allowed", false, false},
		{429, "2", anthropicError("rate_limit_error", "This request would exceed your organization's rate limit."), "rate limit", false, tooMany},
		{500, "", anthropicError("api_error", "Internal server error"), "Internal server error", false, false},
		{504, "", anthropicError("timeout_error", "Request timeout"), "Request timeout", false, false},
		{529, "", anthropicError("overloaded_error", "Overloaded"), "Overloaded", false, tooMany},
	},
	"gemini": {
		{400, "", `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`, "API key not valid", keyRefused, false},
		{400, "", `{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`, "User location", false, false},
		{402, "", `{"error":{"code":402,"message":"Your prepayment credits are depleted.","status":"RESOURCE_EXHAUSTED"}}`, "has no credit left", keyRefused, false},
		{403, "", `{"error":{"code":403,"message":"Generative Language API has not been used in project 1 before or it is disabled.","status":"PERMISSION_DENIED"}}`, "has not been used", keyRefused, false},
		{404, "", `{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1beta","status":"NOT_FOUND"}}`, "is not found", false, false},
		{429, "", `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}`, "exceeded your current quota", false, tooMany},
		{503, "", `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, "overloaded", false, false},
	},
	"openrouter": {
		{401, "", `{"error":{"code":401,"message":"No auth credentials found"}}`, "No auth credentials", keyRefused, false},
		{402, "", `{"error":{"code":402,"message":"Insufficient credits"}}`, "has no credit left", keyRefused, false},
		{403, "", `{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"],"flagged_input":"x","provider_name":"X","model_slug":"a/b"}}}`, "Input was flagged", keyRefused, false},
		{429, "2", `{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-day"}}`, "Rate limit exceeded", false, tooMany},
		{502, "", `{"error":{"code":502,"message":"Provider returned error","metadata":{"provider_name":"X","raw":"down"}}}`, "Provider returned error", false, false},
		{503, "", `{"error":{"code":503,"message":"No instances available"}}`, "No instances", false, false},
	},
}

func anthropicError(kind, text string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + text + `"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`
}

// Refuse makes all providers refuse all requests. nil ends this.
func (p *Providers) Refuse(r *Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = r
}

// refused answers with the refusal, and returns false if no refusal is set.
func (c *request) refused() (ok bool) {
	c.providers.mu.Lock()
	r := c.providers.refuse
	c.providers.mu.Unlock()
	if r == nil {
		return false
	}
	if r.RetryAfter != "" {
		c.Header().Set("Retry-After", r.RetryAfter)
	}
	c.Header().Set("Content-Type", "application/json")
	c.WriteHeader(r.Status)
	_, _ = io.WriteString(c, r.Body)
	return true
}

// lists has the paths that each provider answers to GET, and their query parameters.
var lists = map[string]map[string]string{
	"openai":     {"/models": ""},
	"anthropic":  {"/v1/models": "after_id before_id limit"},
	"gemini":     {"/v1beta/models": "pageSize pageToken"},
	"openrouter": {"/models": "category supported_parameters", "/key": ""},
}

// flaw returns what is wrong with the method, the path, the parameters or the content type of a request, or "". A GET must have no
// body.
func (c *request) flaw(name string) string {
	switch c.r.Method {
	case http.MethodGet:
		known, ok := lists[name][c.path]
		if !ok || len(c.body) > 0 {
			return "an unknown path for GET, or a body"
		}
		for parameter := range c.r.URL.Query() {
			if !strings.Contains(" "+known+" ", " "+parameter+" ") {
				return "unknown parameter " + parameter
			}
		}
	case http.MethodPost:
		if kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); kind != "application/json" || c.r.URL.RawQuery != "" {
			return "a content type that is not application/json, or parameters in the address"
		}
	default:
		return "the method " + c.r.Method
	}
	return ""
}
