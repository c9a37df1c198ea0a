package dashboard

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"switchyard/api/route"
	"switchyard/db/people"
	"switchyard/models"
	"switchyard/models/netguard"
)

// Limits on wrong proofs within attemptTime. A proof is a password or a code.
const (
	attemptTime     = 15 * time.Minute
	attemptsNetwork = 150 // from one network, see netguard.NetworkPrefix
	attemptsAddress = 30  // from one address
	// attemptsPerson is the limit for the proofs of one person. Each known browser has this limit for itself, and so has each
	// session in which the person proves again who they are. All unknown browsers share it.
	attemptsPerson = 5
)

const codeRequired = "code_required"

var (
	errWrongSignIn  = models.Errorf(models.KindUnauthenticated, "wrong_sign_in", "this e-mail and password, or this code, are not right")
	errCodeRequired = models.Errorf(models.KindUnauthenticated, codeRequired, "give a code of your app, or a recovery code")
)

// allowance is a number of wrong proofs in attemptTime, counted under a name.
type allowance struct {
	name  string
	limit int
}

// addressAllowances returns the allowances of the caller's address and its network.
func addressAllowances(c *route.Call) []allowance {
	return []allowance{
		{"sign-in address:" + netguard.ClientPrefix(c.Client).String(), attemptsAddress},
		{"sign-in network:" + netguard.NetworkPrefix(c.Client).String(), attemptsNetwork},
	}
}

// personAllowances returns the allowances of proofs for an e-mail, known or not. A browser on which the person has signed in
// before has an allowance of its own, so that guesses of strangers do not lock the person out there.
func (d Deps) personAllowances(c *route.Call, email string) ([]allowance, error) {
	device, err := d.device(c, email)
	if err != nil {
		return nil, err
	}
	if device != "" {
		return []allowance{{"sign-in device:" + device, attemptsPerson}}, nil
	}
	return append(addressAllowances(c), allowance{"sign-in e-mail:" + email, attemptsPerson}), nil
}

// limited limits how often the proof of a person is checked: a password or a code, on the sign-in page or on the page that an
// e-mailed link opens. It calls the function check if an attempt is left.
func (d Deps) limited(c *route.Call, email, code string, check func() error) error {
	allowances, err := d.personAllowances(c, email)
	if err != nil {
		return err
	}
	return d.limitedBy(c, allowances, email, code, check)
}

// limitedBy calls the function check unless one of the allowances is used up. A wrong proof stays counted, and is recorded in the
// audit log. Any other result is taken off the count again.
func (d Deps) limitedBy(c *route.Call, allowances []allowance, email, code string, check func() error) error {
	if err := d.countAttempt(c, allowances); err != nil {
		return err
	}
	err := check()
	if !isWrong(err, code) {
		d.uncountAttempt(c, allowances)
		return err
	}
	operation := c.Route.Method + " " + c.Route.Path
	c.Always(func(ctx context.Context) {
		if err := people.New(c.Store).RecordWrongProof(ctx, email, operation, c.Address()); err != nil {
			slog.ErrorContext(ctx, "wrong proof not in the audit log", "request_id", c.RequestID, "error", err)
		}
	})
	return err
}

// countAttempt counts an attempt against each allowance before the proof is checked, so that simultaneous attempts cannot all
// pass. If an allowance is used up, the attempt is refused and counts against none.
func (d Deps) countAttempt(c *route.Call, allowances []allowance) error {
	for i, a := range allowances {
		if w := d.Rates.AllowWithin(c.Context(), a.name, a.limit, attemptTime); w.Over {
			d.uncountAttempt(c, allowances[:i+1])
			wait := int(w.Reset.Minutes()) + 1
			c.Header().Set("Retry-After", strconv.Itoa(wait*60))
			return models.Errorf(models.KindTooMany, "rate_limited", "too many attempts: wait %d minutes", wait)
		}
	}
	return nil
}

func (d Deps) uncountAttempt(c *route.Call, allowances []allowance) {
	for _, a := range allowances {
		d.Rates.Uncount(c.Context(), a.name)
	}
}

// isWrong reports whether an error says that a password or code was wrong. A missing code does not count as wrong, because the
// password was right.
func isWrong(err error, code string) bool {
	e, ok := models.AsError(err)
	return ok && e.Kind == models.KindUnauthenticated && (e.Code != codeRequired || code != "")
}

// checkProof checks the password and the code of a person. A wrong password and a wrong code give the same error.
func checkProof(c *route.Call, person models.Person, password, code string) error {
	ok, err := isPassword(c.Context(), person, password)
	switch {
	case err != nil:
		return err
	case !ok:
		return errWrongSignIn
	}
	return checkCode(c, person, code)
}

// checkCode checks the code of a person who has set up an authenticator app.
func checkCode(c *route.Call, person models.Person, code string) error {
	switch {
	case !person.HasTOTP:
		return nil
	case code == "":
		return errCodeRequired
	}
	ok, err := isCode(c.Context(), c.Store, person, code)
	if err == nil && !ok {
		err = errWrongSignIn
	}
	return err
}
