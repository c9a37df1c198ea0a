package domain

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/openrdap/rdap"
	"github.com/openrdap/rdap/bootstrap"

	"switchyard/db/store"
	"switchyard/models"
)

const (
	registrationsAtOnce = 500              // domains that a sweep claims at once
	registryTimeout     = 10 * time.Second // for one answer
	// The waits before the next request for a name: if the registry does not know when the registration ends, if it ends in
	// more than twice models.RegistrationEndsSoon, and if it ends earlier.
	registrySilent   = 30 * 24 * time.Hour
	registrationFar  = 7 * 24 * time.Hour
	registrationNear = 24 * time.Hour
)

// registries asks registries by RDAP (RFC 9082 and 9083). IANA's list (RFC 9224) names the registry of each name. The list is
// read once a day.
type registries struct{ client *rdap.Client }

func newRegistries(o Options) *registries {
	if o.Registries == nil {
		return nil
	}
	out := o.Registries.HTTP(registryTimeout)
	list := &bootstrap.Client{HTTP: out}
	if o.RegistryList != nil {
		list.BaseURL = o.RegistryList
	}
	return &registries{&rdap.Client{HTTP: out, Bootstrap: list, UserAgent: "Switchyard"}}
}

// registeredUntil asks the registry for the time at which the registration of a name ends. It returns nil if the name has no
// registry or is not registered there, or if the registry names no date. It is not safe for concurrent use.
func (r *registries) registeredUntil(ctx context.Context, name string) (*time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*registryTimeout)
	defer cancel()
	answer, err := r.client.Do((&rdap.Request{Type: rdap.DomainRequest, Query: name}).WithContext(ctx))
	if refused, ok := errors.AsType[*rdap.ClientError](err); ok &&
		(refused.Type == rdap.BootstrapNoMatch || refused.Type == rdap.ObjectDoesNotExist) {
		return nil, nil //nolint:nilnil // the end is not known
	}
	if err != nil {
		return nil, err
	}
	found, ok := answer.Object.(*rdap.Domain)
	if !ok {
		return nil, errors.New("the registry did not answer with a domain")
	}
	return expiration(found.Events), nil
}

// expiration returns when a registration ends. The registry's date has precedence, because a registrar's date may be earlier.
func expiration(events []rdap.Event) *time.Time {
	for _, action := range []string{"expiration", "registrar expiration"} {
		for _, e := range events {
			if e.Action != action {
				continue
			}
			if at, err := time.Parse(time.RFC3339, e.Date); err == nil {
				return &at
			}
		}
	}
	return nil
}

// sweepRegistrations asks the registries when the registrations of verified domains end, one name after another. All hosts below
// one name need only one request.
func (w *worker) sweepRegistrations(ctx context.Context) error {
	if w.registries == nil {
		return nil
	}
	for ctx.Err() == nil {
		due, err := w.store.Domains().ClaimDueRegistrations(ctx, w.o.Now(), registrationsAtOnce)
		if err != nil || len(due) == 0 {
			return err
		}
		below := map[string][]store.DueRegistration{}
		for _, d := range due {
			name := models.Apex(d.Host)
			below[name] = append(below[name], d)
		}
		for name, domains := range below {
			if err := w.fetchRegistration(ctx, name, domains); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// fetchRegistration asks the registry of one name and stores the answer for all its domains. If the registry fails, it is asked
// again the next day.
func (w *worker) fetchRegistration(ctx context.Context, name string, domains []store.DueRegistration) error {
	until, err := w.registries.registeredUntil(ctx, name)
	if err != nil {
		slog.InfoContext(ctx, "registration of a domain is not known", "name", name, "error", err)
		return ctx.Err()
	}
	now := w.o.Now()
	next := now.Add(registrySilent)
	if until != nil {
		next = now.Add(registrationFar)
		if until.Before(now.Add(2 * models.RegistrationEndsSoon)) {
			next = now.Add(registrationNear)
		}
	}
	for _, d := range domains {
		err = errors.Join(err, w.store.Domains().RecordRegistration(ctx, d.DueDomain, until, now, next))
	}
	return err
}
