package apitest

import (
	"net/http"
	"testing"
)

// TestDifference checks that difference finds answers that deviate from the OpenAPI document.
func TestDifference(t *testing.T) {
	t.Parallel()
	status := `{"data":{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","status":"paused"},"error":null}`
	for _, c := range []struct {
		method, path string
		status       int
		body         string
		conforms     bool
	}{
		{"PATCH", "/offers", 200, status, true},
		{"PATCH", "/offers", 200, `{"data":{"id":"x"},"error":null}`, false},
		{"PATCH", "/offers", 200, `{"data":{"id":5,"status":"paused"},"error":null}`, false},
		{"PATCH", "/offers", 200, `{"data":{"id":"x","status":"gone"},"error":null}`, false},
		{"PATCH", "/offers", 200, `{"data":null,"error":null}`, false},
		{"PATCH", "/offers", 418, status, false},
		{"PATCH", "/offers", 404, `{"data":null,"error":{"message":"m","code":"not_found"}}`, true},
		{"PATCH", "/offers", 404, `{"data":null,"error":{"message":"m","code":"other"}}`, false},
		{"DELETE", "/offers?id=x", 400, `{"data":null,"error":{"message":"m","code":"invalid_id"}}`, true},
		{"GET", "/not-in-the-document", 200, `{}`, true},
	} {
		a := Answer{Status: c.status, Header: http.Header{"Content-Type": {"application/json"}}, Raw: []byte(c.body)}
		if err := difference(c.method, c.path, a); (err == nil) != c.conforms {
			t.Errorf("%s %s with %d %s: the difference is %v, want one: %t", c.method, c.path, c.status, c.body, err, !c.conforms)
		}
	}
}
