// Package mail sends e-mail through the SMTP server of the install.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	smtp "github.com/wneessen/go-mail"
)

// Options are the options of New.
type Options struct {
	// URL is the server: smtp://user:password@host:587 with STARTTLS, smtps://host:465 with TLS from the beginning, or
	// smtp://host:25?tls=none without TLS, for a server on this machine.
	URL    string
	From   string // address that messages come from
	CAFile string // PEM file of authorities that are trusted besides the system's
}

// Client sends messages. It is safe for concurrent use.
type Client struct {
	from string
	host string
	opts []smtp.Option
	hide *strings.Replacer // replaces the password with ***
}

const timeout = 20 * time.Second

// New makes a Client. It opens no connection.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("mail: SMTP_URL is not an address")
	}
	c := &Client{from: o.From, host: u.Hostname(), opts: []smtp.Option{smtp.WithTimeout(timeout)}}
	switch {
	case u.Scheme == "smtps":
		c.opts = append(c.opts, smtp.WithSSL(), smtp.WithTLSPolicy(smtp.TLSMandatory))
	case u.Query().Get("tls") == "none":
		c.opts = append(c.opts, smtp.WithTLSPolicy(smtp.NoTLS))
	default:
		c.opts = append(c.opts, smtp.WithTLSPolicy(smtp.TLSMandatory))
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		c.opts = append(c.opts, smtp.WithPort(port))
	}
	c.hide = strings.NewReplacer()
	if password, ok := u.User.Password(); ok && password != "" {
		c.hide = strings.NewReplacer(password, "***")
		c.opts = append(c.opts, smtp.WithSMTPAuth(smtp.SMTPAuthAutoDiscover), smtp.WithUsername(u.User.Username()), smtp.WithPassword(password))
	}
	if o.CAFile != "" {
		trusted, err := authorities(o.CAFile)
		if err != nil {
			return nil, err
		}
		c.opts = append(c.opts, smtp.WithTLSConfig(&tls.Config{ServerName: c.host, RootCAs: trusted, MinVersion: tls.VersionTLS12}))
	}
	_, err = smtp.NewClient(c.host, c.opts...)
	return c, err
}

func authorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	pool.AppendCertsFromPEM(pem)
	return pool, nil
}

// Message is a text for one receiver.
type Message struct {
	To, Subject, Text string
	ID                string // UUID by which receivers recognize a message that is sent again
}

// Send hands a message to the server, which is then responsible for its delivery. The error is for a person and does not
// contain the password.
func (c *Client) Send(ctx context.Context, m Message) error {
	msg := smtp.NewMsg()
	if err := errors.Join(msg.From(c.from), msg.To(m.To)); err != nil {
		return errors.New("the address cannot be read")
	}
	msg.Subject(m.Subject)
	msg.SetBodyString(smtp.TypeTextPlain, m.Text)
	msg.SetDate()
	if m.ID != "" {
		msg.SetMessageIDWithValue(m.ID + "@" + c.host)
	}
	client, err := smtp.NewClient(c.host, c.opts...)
	if err != nil {
		return errors.New("the mail server is not set up")
	}
	err = client.DialAndSendWithContext(ctx, msg)
	var refused *smtp.SendError
	var answered *textproto.Error // the server refuses the user, the password or the session
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return fmt.Errorf("the mail server refused the message: %.200s", c.hide.Replace(refused.Error()))
	case errors.As(err, &answered):
		return fmt.Errorf("the mail server refused the connection: %.200s", c.hide.Replace(answered.Error()))
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("the mail server was not reached: %.200s", c.hide.Replace(err.Error()))
}
