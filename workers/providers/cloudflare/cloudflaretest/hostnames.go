package cloudflaretest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// stages are the successive states of a certificate. Each read of its hostname advances it by one.
var stages = []string{"initializing", "pending_validation", "pending_issuance", "pending_deployment", "active"}

// Lifetime is the time for which a certificate is valid.
const Lifetime = 90 * 24 * time.Hour

type hostname struct {
	id, host    string
	status, ssl string
	fixed       bool // the hostname stays in its state
	errors      []string
	expires     time.Time
	created     time.Time
	isRead      bool // it was read after its creation, so its validation records are shown
}

// SetStates sets the states of a host's hostname. The hostname keeps them until a PATCH. errors are the verification errors.
func (f *Fake) SetStates(host, status, ssl string, errors ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h := f.of(host); h != nil {
		h.status, h.ssl, h.fixed, h.errors = status, ssl, true, errors
	}
}

// Add creates a hostname, as if another user of the zone had requested it, and returns its id.
func (f *Fake) Add(host string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.add(host).id
}

// Remove deletes the hostname of a host, as if another user of the zone had deleted it.
func (f *Fake) Remove(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h := f.of(host); h != nil {
		delete(f.hosts, h.id)
	}
}

// Hosts lists the hosts that have a hostname, in order.
func (f *Fake) Hosts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, h := range f.hosts {
		out = append(out, h.host)
	}
	slices.Sort(out)
	return out
}

func (f *Fake) of(host string) *hostname {
	for _, h := range f.hosts {
		if h.host == host {
			return h
		}
	}
	return nil
}

func (f *Fake) add(host string) *hostname {
	f.sequence++
	h := &hostname{
		id: fmt.Sprintf("0d89c70d-ad9f-4843-b99f-%012d", f.sequence), host: host, status: "pending", ssl: stages[0], created: f.now(),
	}
	f.hosts[h.id] = h
	return h
}

const (
	hostnamesPath = "/zones/{zone}/custom_hostnames"
	hostnamePath  = hostnamesPath + "/{id}"
)

func (f *Fake) hostnameRoutes(mux *http.ServeMux) {
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request){
		"POST " + hostnamesPath: f.createHostname, "GET " + hostnamesPath: f.listHostnames, "GET " + hostnamePath: f.readHostname,
		"PATCH " + hostnamePath: f.changeHostname, "DELETE " + hostnamePath: f.deleteHostname,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.PathValue("zone") != Zone {
				fail(w, http.StatusForbidden, 10000, "Authentication error")
				return
			}
			serve(w, r)
		})
	}
}

type body struct {
	Hostname *string
	SSL      *struct {
		Method, Type string
		Settings     map[string]any
		Bundle       string `json:"bundle_method"`
	}
	Metadata json.RawMessage `json:"custom_metadata"`
	Origin   string          `json:"custom_origin_server"`
}

// refuse returns the error for a body that is not allowed, or the code 0.
func (b body) refuse() (status, code int, text string) {
	const bad = http.StatusBadRequest
	switch {
	case len(b.Metadata) > 0:
		return http.StatusForbidden, 1413, "No custom metadata access has been allocated for this zone."
	case b.Origin != "":
		return http.StatusForbidden, 1414, "No custom origin server access has been allocated for this zone."
	case b.SSL == nil:
		return 0, 0, ""
	case (b.SSL.Method == "") != (b.SSL.Type == ""):
		return bad, 1440, "Both SSL method and type are required."
	case !slices.Contains([]string{"http", "txt", "email"}, b.SSL.Method):
		return bad, 1432, "Invalid SSL validation method."
	case b.SSL.Type != "dv":
		return bad, 1433, "Invalid SSL type."
	case !slices.Contains([]string{"", "ubiquitous", "optimal", "force"}, b.SSL.Bundle):
		return bad, 1449, "Invalid bundle method."
	}
	for name, values := range map[string][]string{"http2": {"on", "off"}, "tls_1_3": {"on", "off"}, "min_tls_version": {"1.0", "1.1", "1.2", "1.3"}} {
		if v, set := b.SSL.Settings[name]; set && !slices.Contains(values, fmt.Sprint(v)) {
			return bad, map[string]int{"http2": 1422, "tls_1_3": 1424, "min_tls_version": 1425}[name], "Invalid " + name + " setting."
		}
	}
	return 0, 0, ""
}

func refuseName(host string) (code int, text string) {
	suffix, _ := publicsuffix.PublicSuffix(host)
	_, last, _ := strings.Cut(host, ".")
	switch {
	case host == "" || last == "" && suffix != host || strings.ContainsAny(host, " /:*"):
		return 1407, "Invalid custom hostname."
	case strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "":
		return 1408, "Custom hostnames must be ASCII."
	case strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".invalid"):
		return 1409, "Custom hostnames cannot be below a reserved top-level domain."
	case suffix == host:
		return 1410, "Custom hostnames cannot be a public suffix."
	case slices.Contains([]string{"example.com", "example.net", "example.org"}, registered(host)):
		return 1411, "Custom hostnames ending in example.com, example.net, or example.org are prohibited."
	}
	return 0, ""
}

// registered returns the registrable domain of a host: its public suffix with one more label, such as example.com.
func registered(host string) string {
	name, _ := publicsuffix.EffectiveTLDPlusOne(host)
	return name
}

func (f *Fake) createHostname(w http.ResponseWriter, r *http.Request) {
	var b body
	if json.NewDecoder(r.Body).Decode(&b) != nil || b.Hostname == nil || b.SSL == nil {
		fail(w, http.StatusBadRequest, 1400, "Unable to decode the JSON request body.")
		return
	}
	host := strings.ToLower(*b.Hostname)
	if code, text := refuseName(host); code != 0 {
		fail(w, http.StatusBadRequest, code, text)
		return
	}
	if status, code, text := b.refuse(); code != 0 {
		fail(w, status, code, text)
		return
	}
	switch {
	case f.of(host) != nil:
		fail(w, http.StatusConflict, 1406, "Duplicate custom hostname found.")
	case f.quota == 0:
		fail(w, http.StatusForbidden, 1404, "No custom hostnames have been allocated for this zone.")
	case len(f.hosts) >= f.quota:
		fail(w, http.StatusForbidden, 1405, "Quota exceeded.")
	default:
		answer(w, http.StatusCreated, f.add(host).answer(), nil)
	}
}

func (f *Fake) listHostnames(w http.ResponseWriter, r *http.Request) {
	q, result := r.URL.Query(), []object{}
	if q.Get("id") != "" && q.Get("hostname.contain") != "" {
		fail(w, http.StatusBadRequest, 1438, "Cannot specify other filter parameters in addition to id.")
		return
	}
	for _, h := range f.hosts {
		// Both filters by name find the hostnames that contain their text.
		if strings.Contains(h.host, q.Get("hostname")) && strings.Contains(h.host, q.Get("hostname.contain")) && (q.Get("id") == "" || q.Get("id") == h.id) {
			result = append(result, h.answer())
		}
	}
	slices.SortFunc(result, func(a, b object) int { return strings.Compare(a["hostname"].(string), b["hostname"].(string)) })
	n, size := number(q.Get("page"), 1), min(number(q.Get("per_page"), 20), 50)
	total := len(result)
	from := min((n-1)*size, total)
	result = result[from:min(from+size, total)]
	answer(w, http.StatusOK, result, object{
		"page": n, "per_page": size, "count": len(result), "total_count": total, "total_pages": (total + size - 1) / size,
	})
}

// number returns a number of a query, or fallback if the text is not a number of at least 1.
func number(text string, fallback int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fallback
	}
	return n
}

// one returns the hostname that a request names, or answers the request and returns nil.
func (f *Fake) one(w http.ResponseWriter, r *http.Request) *hostname {
	h := f.hosts[r.PathValue("id")]
	if h == nil {
		fail(w, http.StatusNotFound, 1436, "The custom hostname was not found.")
	}
	return h
}

func (f *Fake) readHostname(w http.ResponseWriter, r *http.Request) {
	h := f.one(w, r)
	if h == nil {
		return
	}
	h.advance(f.now())
	answer(w, http.StatusOK, h.answer(), nil)
}

func (f *Fake) changeHostname(w http.ResponseWriter, r *http.Request) {
	h := f.one(w, r)
	if h == nil {
		return
	}
	var b body
	if json.NewDecoder(r.Body).Decode(&b) != nil || b.SSL == nil {
		fail(w, http.StatusBadRequest, 1400, "Unable to decode the JSON request body.")
		return
	}
	if status, code, text := b.refuse(); code != 0 {
		fail(w, status, code, text)
		return
	}
	h.status, h.ssl, h.fixed, h.errors = "pending", "pending_validation", false, nil
	answer(w, http.StatusAccepted, h.answer(), nil)
}

func (f *Fake) deleteHostname(w http.ResponseWriter, r *http.Request) {
	h := f.one(w, r)
	if h == nil {
		return
	}
	delete(f.hosts, h.id)
	write(w, http.StatusOK, object{"id": h.id}) // without an envelope
}

func (h *hostname) advance(now time.Time) {
	h.isRead = true
	i := slices.Index(stages, h.ssl)
	if h.fixed || i < 0 || i == len(stages)-1 {
		return
	}
	if h.ssl = stages[i+1]; h.ssl == "active" {
		h.status, h.expires = "active", now.Add(Lifetime)
	}
}

func (h *hostname) answer() object {
	ssl := object{
		"id": "ssl-" + h.id, "type": "dv", "method": "http", "status": h.ssl, "certificate_authority": "google", "wildcard": false,
		"bundle_method": "ubiquitous", "settings": object{"http2": "on", "min_tls_version": "1.2", "tls_1_3": "on"},
	}
	out := object{
		"id": h.id, "hostname": h.host, "ssl": ssl, "status": h.status, "custom_metadata": object{},
		"created_at": h.created.UTC().Format(time.RFC3339Nano),
	}
	if !h.expires.IsZero() {
		ssl["expires_on"] = h.expires.UTC().Format(time.RFC3339)
		ssl["uploaded_on"] = h.expires.Add(-Lifetime).UTC().Format(time.RFC3339Nano)
	}
	if strings.HasSuffix(h.ssl, "_timed_out") {
		ssl["validation_errors"] = []object{{"message": "SERVFAIL looking up CAA for " + h.host}}
	}
	if h.status == "active" {
		return out
	}
	out["verification_errors"] = append([]string{}, h.errors...)
	if !h.isRead {
		return out
	}
	out["ownership_verification"] = object{"type": "txt", "name": "_cf-custom-hostname." + h.host, "value": "38ddbedc-6cc3-4a4c-af67-9c5b02344ce0"}
	out["ownership_verification_http"] = object{
		"http_url":  "http://" + h.host + "/.well-known/cf-custom-hostname-challenge/37c82d20-99fb-490e-ba0a-489fa483b776",
		"http_body": "38ddbedc-6cc3-4a4c-af67-9c5b02344ce0",
	}
	ssl["validation_records"] = []object{{
		"txt_name": "_acme-challenge." + h.host, "txt_value": "810b7d5f01154524b961ba0cd578acc2",
		"http_url": "http://" + h.host + "/.well-known/pki-validation/ca3-7734681.txt", "http_body": "ca3-574923932a82475cb8592200f1a2a23d",
	}}
	return out
}
