package egress

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// HTTP returns the client as an *http.Client, for libraries. Each request must complete within limit. Redirects are not followed,
// and the whole body is read before the response is returned.
func (c *Client) HTTP(limit time.Duration) *http.Client {
	return &http.Client{
		Transport:     library{c, limit},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type library struct {
	out   *Client
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (l library) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), l.limit)
	defer cancel()
	answer, err := l.out.Do(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(answer.Status), StatusCode: answer.Status, Header: answer.Header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(answer.Body)), ContentLength: int64(len(answer.Body)), Request: req,
	}, nil
}
