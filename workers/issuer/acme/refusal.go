package acme

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"

	"github.com/mholt/acmez/v3/acme"

	"switchyard/workers/egress"
)

// RefusalError is why no CA has issued a certificate.
type RefusalError struct {
	// Code is the type of the CA's problem, such as rateLimited. It is "unreachable" if there was no readable answer, and
	// "refused" if the type is empty or has other characters than letters.
	Code    string
	Message string // for users, without secrets

	cause error
}

// Error implements error.
func (r *RefusalError) Error() string { return "acme: " + r.Code + ": " + r.Message }

// Unwrap returns the cause.
func (r *RefusalError) Unwrap() error { return r.cause }

// maxMessage is the maximum length of a message, in bytes.
const maxMessage = 500

func refusal(err error) *RefusalError {
	r := &RefusalError{Code: "unreachable", Message: "the CA gave no answer that can be read", cause: err}
	if p, ok := errors.AsType[acme.Problem](err); ok {
		r.Code, r.Message = strings.TrimPrefix(p.Type, acme.ProblemTypeNamespace), p.Detail
		if r.Code == "" || strings.Trim(r.Code, letters) != "" {
			r.Code = "refused"
		}
	} else if e, ok := errors.AsType[*egress.Error](err); ok {
		r.Message = "the CA could not be asked: " + e.Error()
	}
	r.Message = strings.ToValidUTF8(r.Message[:min(len(r.Message), maxMessage)], "")
	return r
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// moreTelling returns the first failure if it is a problem that the CA has reported. Otherwise it returns the second failure.
func moreTelling(a, b error) error {
	if a == nil {
		return b
	}
	if _, ok := errors.AsType[acme.Problem](a); !ok {
		return b
	}
	return a
}

func isProblem(err error, kind string) bool {
	p, ok := errors.AsType[acme.Problem](err)
	return ok && p.Type == kind
}

// encoded returns a key and its certificate as PEM.
func encoded(pair *tls.Certificate) ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	for _, der := range pair.Certificate {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return text, nil
}
