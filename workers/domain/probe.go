package domain

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/workers/egress"
)

type probe struct {
	answeredHere bool
	unknown      bool   // the host could not be asked
	text         string // the reason why answeredHere is false
}

// https returns whether a probe by HTTPS succeeded, or nil if the host could not be asked.
func (p probe) https() *bool {
	if p.unknown {
		return nil
	}
	return &p.answeredHere
}

// probe asks a host to prove that it is this install.
func (w *worker) probe(ctx context.Context, scheme, host, nonce, want string) probe {
	port := w.o.Ports.HTTP
	if scheme == "https" {
		port = w.o.Ports.HTTPS
	}
	to := scheme + "://" + net.JoinHostPort(host, port) + models.DomainChallengePath + "?nonce=" + nonce
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		return probe{unknown: true, text: "its address cannot be asked"}
	}
	answer, err := w.o.Pages.Do(req)
	var failed *egress.Error
	switch {
	case errors.As(err, &failed) && failed.Class == egress.TooLarge:
		return probe{text: "it answers as another server"}
	case errors.As(err, &failed):
		// A host may serve visitors although this worker cannot ask it. Among the errors of this case, only errors of TLS, HTTP and
		// connecting show that the host does not answer as this install.
		sure := failed.Class == egress.TLS || failed.Class == egress.Protocol || failed.Class == egress.Connect
		return probe{unknown: !sure, text: failed.Error()}
	case err != nil:
		return probe{unknown: true, text: "it could not be asked"}
	case answer.Status == http.StatusOK && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(string(answer.Body))), []byte(want)) == 1:
		return probe{answeredHere: true}
	}
	return probe{text: "it answers as another server, with status " + strconv.Itoa(answer.Status)}
}
