// Package mailtest runs an SMTP server in tests.
package mailtest

import (
	"bytes"
	"crypto/tls"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"switchyard/workers/egress/egresstest"
)

// The only user that may send mail through the server.
const (
	User     = "alerts@mail.acme.com"
	Password = "s3cret-of-smtp" //nolint:gosec // of a server that ends with its test
)

// Message is a message as it arrived.
type Message struct {
	From, To string // addresses of the envelope
	Header   netmail.Header
	Subject  string // decoded
	Text     string // decoded
}

// Server accepts mail by STARTTLS, and only from User.
type Server struct {
	URL    string // for SMTP_URL
	CAFile string // for EGRESS_CA_FILE

	mu      sync.Mutex
	stored  []Message
	refused string
}

// New starts a server.
func New(tb testing.TB) *Server {
	tb.Helper()
	trusted := httptest.NewTLSServer(nil) // only its certificate for 127.0.0.1 is used
	tb.Cleanup(trusted.Close)
	s := &Server{CAFile: egresstest.CAFile(tb, trusted)}
	server := smtp.NewServer(s)
	server.Domain, server.TLSConfig = "mail.acme.com", &tls.Config{Certificates: trusted.TLS.Certificates, MinVersion: tls.VersionTLS12}
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = server.Serve(l); close(done) }()
	tb.Cleanup(func() { _ = server.Close(); <-done })
	s.URL = "smtp://" + strings.ReplaceAll(User, "@", "%40") + ":" + Password + "@" + l.Addr().String()
	return s
}

// Refuse makes the server refuse all receivers. The text is the message of its error. After Refuse(""), it accepts receivers again.
func (s *Server) Refuse(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = text
}

// Received returns the accepted messages.
func (s *Server) Received() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message{}, s.stored...)
}

// NewSession implements smtp.Backend.
func (s *Server) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &session{server: s, conn: c}, nil
}

type session struct {
	server   *Server
	conn     *smtp.Conn
	signedIn bool
	m        Message
}

func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if _, encrypted := s.conn.TLSConnectionState(); !encrypted || user != User || password != Password {
			return smtp.ErrAuthFailed
		}
		s.signedIn = true
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if !s.signedIn {
		return smtp.ErrAuthRequired
	}
	s.m = Message{From: from}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.refused != "" {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: s.server.refused}
	}
	s.m.To = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	parsed, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	s.m.Header = parsed.Header
	if s.m.Subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
		return err
	}
	body := parsed.Body
	if strings.EqualFold(parsed.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	s.m.Text = strings.ReplaceAll(string(text), "\r\n", "\n")
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.stored = append(s.server.stored, s.m)
	return nil
}

func (s *session) Reset() {}

func (s *session) Logout() error { return nil }
