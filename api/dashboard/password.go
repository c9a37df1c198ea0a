package dashboard

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"golang.org/x/sync/semaphore"

	"switchyard/db/people"
	"switchyard/db/store"
	"switchyard/models"
)

// hashCost is the cost of a password hash: 19 MiB and some 50 ms.
var hashCost = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashing limits how many passwords a process hashes at the same time, so that redirects are not slowed down.
var hashing = semaphore.NewWeighted(2)

// checkPassword returns weak_password for a password that is too short or too long.
func checkPassword(password string) error {
	if n := utf8.RuneCountInString(password); n < models.MinPassword || n > models.MaxPassword {
		return models.Invalid("weak_password", "a password has %d to %d characters", models.MinPassword, models.MaxPassword)
	}
	return nil
}

func hashOf(ctx context.Context, password string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	if err := hashing.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer hashing.Release(1)
	return argon2id.CreateHash(password, hashCost)
}

// unusableHash returns a hash that no password matches. For an unknown e-mail, or a person without a password, the given password is
// compared with this hash. The refusal then takes as long as for a wrong password and does not reveal that the person is unknown.
var unusableHash = sync.OnceValue(func() string {
	hash, err := argon2id.CreateHash(models.NewToken(), hashCost)
	if err != nil {
		panic(err) // there are always random bytes
	}
	return hash
})

func isPassword(ctx context.Context, p models.Person, password string) (bool, error) {
	if len(password) > 4*models.MaxPassword {
		return false, nil
	}
	if err := hashing.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer hashing.Release(1)
	if p.PasswordHash == "" {
		_, err := argon2id.ComparePasswordAndHash(password, unusableHash())
		return false, err
	}
	return argon2id.ComparePasswordAndHash(password, p.PasswordHash)
}

// A code is valid for a step of 30 seconds. One step of drift is accepted, and each code works once.
const (
	codeStep  = 30
	codeDrift = 1
)

var codeForm = totp.ValidateOpts{Period: codeStep, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// stepOf returns the step that a code belongs to.
func stepOf(secret, code string, now time.Time) (step int64, ok bool) {
	for drift := -codeDrift; drift <= codeDrift; drift++ {
		at := now.Add(time.Duration(drift*codeStep) * time.Second)
		if right, err := totp.ValidateCustom(code, secret, at, codeForm); err == nil && right {
			return at.Unix() / codeStep, true
		}
	}
	return 0, false
}

// isCode reports whether a code is a person's valid app code or recovery code. A valid code is used up.
func isCode(ctx context.Context, s *store.Store, p models.Person, code string) (bool, error) {
	code = strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(code))
	secret, err := people.New(s).TOTP(ctx, p.ID, false)
	if err != nil {
		return false, err
	}
	if step, ok := stepOf(secret, code, time.Now()); ok && secret != "" {
		return people.New(s).UseStep(ctx, p.ID, step)
	}
	return people.New(s).UseRecoveryCode(ctx, p.ID, code)
}
