package aitest

import (
	"io"
	"mime"
	"net/http"
	"strings"
)

// Refusal is an error of a provider in the form that its source shows, and how it must be understood.
type Refusal struct {
	Status        int
	Header        [2]string // a header of the answer; empty: none
	Body          string
	Words         string // what a person must see
	Refused, Busy bool   // the key is refused, or there are too many requests
}

var again = [2]string{"Retry-After", "2"}

// Refusals has errors of the providers by name. source.md names where they come from.
var Refusals = map[string][]Refusal{
	"openai": {
		{401, [2]string{}, `{"error":{"message":"Incorrect API key provided: sk-wrong.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, "Incorrect API key", true, false},
		{403, [2]string{}, `{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}`, "not supported", true, false},
		{404, [2]string{}, "{\"error\":{\"message\":\"The model `gpt-9` does not exist or you do not have access to it.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}", "does not exist", false, false},
		{429, again, `{"error":{"message":"Rate limit reached for requests","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, "Rate limit reached", false, true},
		{429, [2]string{}, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, "has no credit left", false, true},
		{429, [2]string{}, `{"error":{"message":"Your organization has no prepaid credits remaining.","type":"insufficient_quota","param":null,"code":"credit_balance_exhausted"}}`, "has no credit left", false, true},
		{429, [2]string{}, `{"error":{"message":"Your project has reached its spend limit.","type":"insufficient_quota","param":null,"code":"project_spend_limit_exceeded"}}`, "has reached its spending or usage limit", false, true},
		{503, [2]string{}, `{"error":{"message":"That model is currently overloaded with other requests.","type":"server_error","param":null,"code":null}}`, "overloaded", false, false},
	},
	"anthropic": {
		{400, [2]string{}, anthropicError("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "credit balance", false, false},
		{401, [2]string{}, anthropicError("authentication_error", "invalid x-api-key"), "invalid x-api-key", true, false},
		{402, [2]string{}, anthropicError("billing_error", "There's an issue with your billing."), "billing", true, false},
		{403, [2]string{}, anthropicError("permission_error", "Your API key does not have permission to use the specified resource."), "permission", true, false},
		{404, [2]string{}, anthropicError("not_found_error", "model: claude-9"), "claude-9", false, false},
		{413, [2]string{}, anthropicError("request_too_large", "Request exceeds the maximum allowed number of bytes."), "maximum allowed", false, false},
		{429, again, anthropicError("rate_limit_error", "This request would exceed your organization's rate limit."), "rate limit", false, true},
		{500, [2]string{}, anthropicError("api_error", "Internal server error"), "Internal server error", false, false},
		{504, [2]string{}, anthropicError("timeout_error", "Request timeout"), "Request timeout", false, false},
		{529, [2]string{}, anthropicError("overloaded_error", "Overloaded"), "Overloaded", false, true},
	},
	"gemini": {
		{400, [2]string{}, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`, "API key not valid", true, false},
		{400, [2]string{}, `{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`, "User location", false, false},
		{402, [2]string{}, `{"error":{"code":402,"message":"Your prepayment credits are depleted.","status":"RESOURCE_EXHAUSTED"}}`, "has no credit left", true, false},
		{403, [2]string{}, `{"error":{"code":403,"message":"Generative Language API has not been used in project 1 before or it is disabled.","status":"PERMISSION_DENIED"}}`, "has not been used", true, false},
		{404, [2]string{}, `{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1beta","status":"NOT_FOUND"}}`, "is not found", false, false},
		{429, [2]string{}, `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}`, "exceeded your current quota", false, true},
		{503, [2]string{}, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, "overloaded", false, false},
	},
	"openrouter": {
		{401, [2]string{}, `{"error":{"code":401,"message":"No auth credentials found"}}`, "No auth credentials", true, false},
		{402, [2]string{}, `{"error":{"code":402,"message":"Insufficient credits"}}`, "has no credit left", true, false},
		{403, [2]string{}, `{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"],"flagged_input":"x","provider_name":"X","model_slug":"a/b"}}}`, "Input was flagged", true, false},
		{429, again, `{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-day"}}`, "Rate limit exceeded", false, true},
		{502, [2]string{}, `{"error":{"code":502,"message":"Provider returned error","metadata":{"provider_name":"X","raw":"down"}}}`, "Provider returned error", false, false},
		{503, [2]string{}, `{"error":{"code":503,"message":"No instances available"}}`, "No instances", false, false},
	},
}

func anthropicError(kind, text string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + text + `"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`
}

// Refuse makes all providers refuse all requests. nil ends this.
func (w *World) Refuse(r *Refusal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = r
}

// refused answers a request with the refusal that is set. ok is true if there is one.
func (c *request) refused() (ok bool) {
	c.world.mu.Lock()
	r := c.world.refuse
	c.world.mu.Unlock()
	if r == nil {
		return false
	}
	if r.Header[0] != "" {
		c.Header().Set(r.Header[0], r.Header[1])
	}
	c.Header().Set("Content-Type", "application/json")
	c.WriteHeader(r.Status)
	_, _ = io.WriteString(c, r.Body)
	return true
}

// lists has the parameters of each provider's lists, by the path. Other paths take no GET.
var lists = map[string]map[string]string{
	"openai":     {"/models": ""},
	"anthropic":  {"/v1/models": "after_id before_id limit"},
	"gemini":     {"/v1beta/models": "pageSize pageToken"},
	"openrouter": {"/models": "category supported_parameters", "/key": ""},
}

// flaw returns how the outside of a request differs from the provider's form: its method, path, parameters and content type.
func (c *request) flaw(name string) string {
	switch c.r.Method {
	case http.MethodGet:
		known, ok := lists[name][c.path]
		if !ok || len(c.body) > 0 {
			return "no list, or a body"
		}
		for parameter := range c.r.URL.Query() {
			if !strings.Contains(" "+known+" ", " "+parameter+" ") {
				return "unknown parameter " + parameter
			}
		}
	case http.MethodPost:
		if kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); kind != "application/json" || c.r.URL.RawQuery != "" {
			return "another content type, or parameters"
		}
	default:
		return "the method " + c.r.Method
	}
	return ""
}
