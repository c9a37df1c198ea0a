package cloudflaretest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// parameters lists the query parameters of each route that has any.
var parameters = map[string]string{
	"GET " + hostnamesPath: "certificate_authority custom_origin_server direction hostname hostname.contain hostname_status id order page per_page ssl ssl_status wildcard",
}

// fields lists the members that the body of each route, or each item of a body that is a list, may have. The name "ssl.type" means
// the member "type" of the object "ssl". The name "metadata.*" means all members of the object "metadata".
var fields = map[string]string{
	"POST " + hostnamesPath:  sslFields + " hostname custom_metadata custom_metadata.*",
	"PATCH " + hostnamePath:  sslFields + " custom_metadata custom_metadata.* custom_origin_server custom_origin_sni",
	"PUT " + kvPath + "bulk": "key value base64 expiration expiration_ttl metadata metadata.*",
}

const sslFields = "ssl ssl.bundle_method ssl.certificate_authority ssl.cloudflare_branding ssl.custom_cert_bundle ssl.custom_certificate " +
	"ssl.custom_csr_id ssl.custom_key ssl.method ssl.type ssl.wildcard ssl.settings ssl.settings.ciphers ssl.settings.early_hints " +
	"ssl.settings.http2 ssl.settings.min_tls_version ssl.settings.tls_1_3"

// flaw returns what is wrong with the query parameters, the content type or the body of a request, or "".
func flaw(pattern string, r *http.Request) string {
	for name := range r.URL.Query() {
		if !has(parameters[pattern], name) {
			return "unknown parameter " + name
		}
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) == 0 {
		return ""
	}
	if r.Header.Get("Content-Type") != "application/json" {
		return "the content type " + r.Header.Get("Content-Type")
	}
	var v any
	if json.Unmarshal(body, &v) != nil {
		return "a body that is not JSON"
	}
	return unknownField(v, "", fields[pattern])
}

func unknownField(v any, at, known string) string {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if f := unknownField(item, at, known); f != "" {
				return f
			}
		}
	case map[string]any:
		for name, item := range v {
			if at != "" {
				name = at + "." + name
			}
			if !has(known, name) {
				return "unknown field " + name
			}
			if f := unknownField(item, name, known); f != "" {
				return f
			}
		}
	}
	return ""
}

func has(list, name string) bool {
	for l := range strings.FieldsSeq(list) {
		below, open := strings.CutSuffix(l, "*")
		if l == name || open && strings.HasPrefix(name, below) {
			return true
		}
	}
	return false
}
