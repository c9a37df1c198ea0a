// Package egress provides the HTTP client for all outgoing requests. It reaches only the public internet, and private addresses
// that Options.Allow names.
//
// The client resolves a name once and refuses it if any of its addresses may not be reached. It dials one of the checked
// addresses, so it does not matter if the name resolves to another address a moment later. It follows no redirects, uses no proxy
// and decompresses nothing. The timeout of a request covers everything from the look-up to the last byte of the body.
package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"switchyard/models/netguard"
)

// Resolver looks up the addresses of a name; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options of a Client. All are optional.
type Options struct {
	Allow      []netip.Prefix // private addresses that may be reached; default none
	CAFile     string         // PEM file of authorities that are trusted besides the system's; default none
	Schemes    []string       // default https
	MaxBody    int64          // bytes of an answer's body, more is an error; default 16 KiB
	MaxHeaders int64          // bytes of an answer's headers, more is an error; default 16 KiB
	Resolver   Resolver       // default the system's
	// Hosts maps host names, in lower case, to the addresses to dial, in place of the resolver's addresses. A port other than 0
	// also replaces the request's port. These addresses are checked like all others.
	Hosts map[string]netip.AddrPort
}

// Client sends requests to the public internet. It is safe for concurrent use.
type Client struct {
	o    Options
	http *http.Client
}

// New makes a client. It reads the CA file.
func New(o Options) (*Client, error) {
	o.MaxBody = cmp.Or(o.MaxBody, 16<<10)
	o.MaxHeaders = cmp.Or(o.MaxHeaders, 16<<10)
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	roots, err := authorities(o.CAFile)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            c.dial,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
			DisableCompression:     true,
			MaxResponseHeaderBytes: o.MaxHeaders,
			// A connection is used once: an idle one would outlive the check of its address.
			DisableKeepAlives: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

func authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // none means the system's
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("egress: authorities: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("egress: authorities: no certificate in %s", file)
	}
	return roots, nil
}

// Answer is the answer to a request. If the body is too large, Body has only its beginning.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request and reads the whole answer. Errors are *Error.
func (c *Client) Do(req *http.Request) (Answer, error) {
	ctx := req.Context()
	if len(req.URL.String()) > netguard.MaxURL {
		return Answer{}, &Error{Class: LongURL}
	}
	if err := (netguard.Policy{Schemes: c.o.Schemes, Allow: c.o.Allow, Known: c.hosted}).Check(req.URL.String()); err != nil {
		return Answer{}, &Error{Class: Blocked, cause: err}
	}
	res, err := c.http.Do(req) //nolint:gosec // the dialer refuses addresses that are not public
	if err != nil {
		return Answer{}, classify(ctx, err)
	}
	defer res.Body.Close() // the connection is not used again
	a := Answer{Status: res.StatusCode, Header: res.Header}
	a.Body, err = io.ReadAll(io.LimitReader(res.Body, c.o.MaxBody+1))
	if err != nil {
		return a, classify(ctx, err)
	}
	if int64(len(a.Body)) > c.o.MaxBody {
		a.Body = a.Body[:c.o.MaxBody]
		return a, &Error{Class: TooLarge, Status: a.Status, cause: errors.New("the body is too large")}
	}
	return a, nil
}

// Deliver sends a request. A 2xx status means that the receiver has accepted it, even if the body of the answer is too long. For
// another status, the error names the receiver.
func (c *Client) Deliver(req *http.Request, receiver string) (Answer, error) {
	answer, err := c.Do(req)
	if failure, ok := errors.AsType[*Error](err); ok && failure.Class == TooLarge {
		err = nil
	}
	if err == nil && (answer.Status < 200 || answer.Status > 299) {
		err = fmt.Errorf("the %s answered %d", receiver, answer.Status)
	}
	return answer, err
}

// StatusOrNil returns the status, or nil if no answer came.
func (a Answer) StatusOrNil() *int {
	if a.Status == 0 {
		return nil
	}
	return &a.Status
}

func (c *Client) hosted(host string) bool {
	_, ours := c.o.Hosts[host]
	return ours
}

var errBlocked = errors.New("address not on the public internet")

func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ip, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if at := c.o.Hosts[strings.ToLower(host)]; at.Port() != 0 {
		port = strconv.Itoa(int(at.Port()))
	}
	d := net.Dialer{
		Timeout:        10 * time.Second,
		ControlContext: c.control, // checks the address that the socket connects to
	}
	return d.DialContext(ctx, network, net.JoinHostPort(ip.String(), port))
}

// resolve looks up the address to dial. It prefers IPv4, because more of the customers' servers have an IPv4 address. It refuses
// a name if any of its addresses may not be dialled: a name with both public and private addresses is an attack.
func (c *Client) resolve(ctx context.Context, host string) (netip.Addr, error) {
	ips := []netip.Addr{}
	if at, ours := c.o.Hosts[strings.ToLower(host)]; ours {
		ips = append(ips, at.Addr())
	} else if literal, err := netip.ParseAddr(host); err == nil {
		ips = append(ips, literal)
	} else if ips, err = c.o.Resolver.LookupNetIP(ctx, "ip", host); err != nil {
		return netip.Addr{}, err
	}
	var chosen netip.Addr
	for _, ip := range ips {
		ip = ip.Unmap()
		if !c.mayDial(ip) {
			return netip.Addr{}, errBlocked
		}
		if !chosen.IsValid() || chosen.Is6() && ip.Is4() {
			chosen = ip
		}
	}
	if !chosen.IsValid() {
		return chosen, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	return chosen, nil
}

// Address resolves a host to an address that may be dialled, for protocols other than HTTP. The caller must dial this address and
// must not resolve the host again. Errors are *Error.
func (c *Client) Address(ctx context.Context, host string) (netip.Addr, error) {
	ip, err := c.resolve(ctx, host)
	if err != nil {
		return ip, classify(ctx, err)
	}
	if !c.mayDial(ip.Unmap()) {
		return netip.Addr{}, &Error{Class: Blocked, cause: errBlocked}
	}
	return ip.Unmap(), nil
}

func (c *Client) mayDial(ip netip.Addr) bool {
	return !netguard.Blocked(ip) || ip.Zone() == "" && netguard.Within(ip, c.o.Allow)
}

func (c *Client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !c.mayDial(at.Addr().Unmap()) {
		return errBlocked
	}
	return nil
}

// Class is the kind of a failure.
type Class string

// The classes. Blocked, DNS and Connect have the same text for customers, because the difference would let them map a private
// network.
const (
	Blocked  Class = "blocked"
	DNS      Class = "dns"
	Connect  Class = "connect"
	TLS      Class = "tls"
	Timeout  Class = "timeout"
	TooLarge Class = "too_large"
	Protocol Class = "protocol"
	LongURL  Class = "long_url"
)

// texts are the errors that customers see.
var texts = map[Class]string{
	Blocked: "could not connect", DNS: "could not connect", Connect: "could not connect",
	TLS: "the TLS certificate or handshake was not accepted", Timeout: "no complete answer in time",
	TooLarge: "the answer is too large", Protocol: "the answer was not valid HTTP or ended early",
	LongURL: fmt.Sprintf("not sent: the address is longer than %d bytes", netguard.MaxURL),
}

// Error is the error of a request without a complete answer.
type Error struct {
	Class  Class
	Status int // of an answer that is too large; else 0

	cause error
}

// Error returns the text for customers. It contains neither the URL nor an address.
func (e *Error) Error() string { return texts[e.Class] }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// classify finds the class of an error.
func classify(ctx context.Context, err error) *Error {
	e := &Error{Class: Protocol, cause: err}
	var (
		dns     *net.DNSError
		op      *net.OpError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		verify  *tls.CertificateVerificationError
		timeout interface{ Timeout() bool }
	)
	switch {
	case errors.Is(err, errBlocked):
		e.Class = Blocked
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Class = Timeout
	case errors.As(err, &dns):
		e.Class = DNS
	case errors.As(err, &verify), errors.As(err, &record), errors.As(err, &alert):
		e.Class = TLS
	case errors.As(err, &op) && op.Op == "dial":
		e.Class = Connect
	case errors.As(err, &op) && op.Op == "remote error":
		e.Class = TLS
	}
	return e
}

// Request makes a request with a timeout. Call the CancelFunc after reading the answer.
func Request(ctx context.Context, limit time.Duration, method, to string, body io.Reader,
) (*http.Request, context.CancelFunc, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	req, err := http.NewRequestWithContext(limited, method, to, body)
	if err != nil {
		cancel()
		if _, bad := errors.AsType[*url.Error](err); bad {
			err = errors.New("egress: the url cannot be read")
		}
		return nil, nil, err
	}
	return req, cancel, nil
}
