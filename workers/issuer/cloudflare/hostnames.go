package cloudflare

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"switchyard/workers/providers/cloudflare"
)

// Hostname is a custom hostname in Cloudflare's answers.
type Hostname struct {
	ID        string   `json:"id"`
	Hostname  string   `json:"hostname"`
	Status    string   `json:"status"`
	Errors    []string `json:"verification_errors"`
	Ownership *struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"ownership_verification"`
	OwnershipHTTP *struct {
		URL  string `json:"http_url"`
		Body string `json:"http_body"`
	} `json:"ownership_verification_http"`
	CreatedAt time.Time `json:"created_at"`
	SSL       TLS       `json:"ssl"`
}

// TLS is the certificate of a custom hostname in Cloudflare's answers.
type TLS struct {
	Status    string     `json:"status"`
	Method    string     `json:"method"`
	Type      string     `json:"type"`
	ExpiresOn *time.Time `json:"expires_on"`
	Uploaded  *time.Time `json:"uploaded_on"`
	Records   []struct {
		TXTName  string `json:"txt_name"`
		TXTValue string `json:"txt_value"`
		HTTPURL  string `json:"http_url"`
		HTTPBody string `json:"http_body"`
	} `json:"validation_records"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"validation_errors"`
}

const (
	codeDuplicate = 1406
	codeNotFound  = 1436
)

// hostnames is a client for the custom hostnames of a zone.
type hostnames struct {
	*cloudflare.Client
	zone string
}

func (h hostnames) path(id string) string {
	path := "/zones/" + url.PathEscape(h.zone) + "/custom_hostnames"
	if id != "" {
		path += "/" + url.PathEscape(id)
	}
	return path
}

// validation returns the settings with which Cloudflare answers the validation by HTTP itself, so that no manual work is needed.
// Sending them again restarts the validation.
func validation() map[string]any {
	return map[string]any{"method": "http", "type": "dv"}
}

// create creates a hostname. The answer may lack the validation records. The caller then reads the hostname again.
func (h hostnames) create(ctx context.Context, host string) (out Hostname, err error) {
	ssl := validation()
	ssl["bundle_method"] = "ubiquitous"
	ssl["wildcard"] = false
	ssl["settings"] = map[string]any{"min_tls_version": "1.2", "http2": "on", "tls_1_3": "on"}
	body := map[string]any{"hostname": host, "ssl": ssl}
	_, err = h.Do(ctx, cloudflare.Request{Method: http.MethodPost, Path: h.path(""), Body: body}, &out)
	return out, err
}

// find finds the hostname of a host. It compares the names, because Cloudflare's filter may also return other hostnames. It sends
// the filter under two names: Cloudflare's guide calls it hostname, and Cloudflare's newer clients call it hostname.contain.
func (h hostnames) find(ctx context.Context, host string) (out Hostname, ok bool, err error) {
	for n := 1; n <= maxPages; n++ {
		var list []Hostname
		query := url.Values{"hostname": {host}, "hostname.contain": {host}, "page": {strconv.Itoa(n)}, "per_page": {"50"}}
		part, err := h.Do(ctx, cloudflare.Request{Method: http.MethodGet, Path: h.path(""), Query: query}, &list)
		if err != nil {
			return out, false, err
		}
		for _, hostname := range list {
			if hostname.Hostname == host {
				return hostname, true, nil
			}
		}
		if n >= part.Pages {
			break
		}
	}
	return out, false, nil
}

const maxPages = 20

func (h hostnames) read(ctx context.Context, id string) (out Hostname, err error) {
	_, err = h.Do(ctx, cloudflare.Request{Method: http.MethodGet, Path: h.path(id)}, &out)
	return out, err
}

// retry restarts the validation of a hostname.
func (h hostnames) retry(ctx context.Context, id string) (out Hostname, err error) {
	_, err = h.Do(ctx, cloudflare.Request{Method: http.MethodPatch, Path: h.path(id), Body: map[string]any{"ssl": validation()}}, &out)
	return out, err
}

// remove deletes a hostname. It is no error if the hostname no longer exists.
func (h hostnames) remove(ctx context.Context, id string) error {
	_, err := h.Do(ctx, cloudflare.Request{Method: http.MethodDelete, Path: h.path(id)}, nil)
	if cloudflare.HasCode(err, codeNotFound) {
		return nil
	}
	return err
}
