package smoke

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

type response struct {
	status  int
	to      string // where the visitor is sent, by header or by the page
	body    string
	header  http.Header
	cookies string
}

// request requests a tracking URL as the visitor's browser does. The header X-Forwarded-For has the visitor's IP address. link is
// a URL, or a path of t.host.
func (t *traffic) request(ctx context.Context, method, link string, v visitor, cookies string, headers ...string) (
	*response, error,
) {
	u, err := url.Parse(link)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, t.base+u.RequestURI(), nil)
	if err != nil {
		return nil, err
	}
	if req.Host = u.Host; u.Host == "" {
		req.Host = t.host
	}
	req.Header = browserHeaders(v, cookies)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	out := &response{status: resp.StatusCode, body: string(body), header: resp.Header, to: resp.Header.Get("Location")}
	var jar []string
	for _, c := range resp.Cookies() {
		jar = append(jar, c.Name+"="+c.Value)
	}
	out.cookies = strings.Join(jar, "; ")
	if out.to == "" && method == http.MethodGet {
		out.to = t.pageTarget(out.body)
	}
	return out, nil
}

func browserHeaders(v visitor, cookies string) http.Header {
	h := http.Header{
		"User-Agent":      {v.UserAgent},
		"Accept":          {v.Accept()},
		"Accept-Encoding": {"identity"},
		"Accept-Language": {v.header},
		"Cache-Control":   {"max-age=0"},
		"X-Forwarded-For": {v.IP},
	}
	if v.referrer != "" {
		h.Set("Referer", v.referrer)
	}
	if cookies != "" {
		h.Set("Cookie", cookies)
	}
	return h
}

// pageTarget returns the address to which a page sends its reader: the first address in the body that leads to this test's own
// pages.
func (t *traffic) pageTarget(body string) string {
	body = html.UnescapeString(body)
	body = strings.NewReplacer(`\u0026`, "&", `\x26`, "&", `\u003d`, "=", `\/`, "/", `\u002b`, "+").Replace(body)
	at := strings.Index(body, t.pages.url)
	if at < 0 {
		return ""
	}
	return addressPattern.FindString(body[at:])
}

var addressPattern = regexp.MustCompile("^[^\"'`<>\\s\\\\]*")

// visit opens one of this test's own pages.
func (t *traffic) visit(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %d", address, resp.StatusCode)
	}
	return nil
}

func newClient() *http.Client {
	return &http.Client{
		Timeout:   20 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}
