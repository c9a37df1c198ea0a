package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// People are those who sign in to the dashboard. A person is no account's: memberships say on which ones it works.
type People struct{ s *Store }

// People gives the people on this store's connection.
func (s *Store) People() People { return People{s} }

const personColumns = `id, email, name, password, totp IS NOT NULL AS has_totp, theme, language, letter_keys`

// Find finds a person.
func (p People) Find(ctx context.Context, id uuid.UUID) (models.Person, error) {
	return db.Get[models.Person](ctx, p.s.c, "person", `SELECT `+personColumns+` FROM users WHERE id = $1`, id)
}

// FindByEmail finds a person by address. ok is false if no person has the address.
func (p People) FindByEmail(ctx context.Context, email string) (found models.Person, ok bool, err error) {
	return db.First[models.Person](ctx, p.s.c, "person", `SELECT `+personColumns+` FROM users WHERE email = $1`, email)
}

// Ensure finds the person with an address, or makes one with a name and no password.
func (p People) Ensure(ctx context.Context, email, name string) (models.Person, error) {
	const q = `INSERT INTO users (id, email, name) VALUES ($1, $2, $3)
		ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING ` + personColumns
	return db.Get[models.Person](ctx, p.s.c, "person", q, uuid.Must(uuid.NewV7()), email, name)
}

// SetPassword saves the hash of a new password, and the name unless it is empty.
func (p People) SetPassword(ctx context.Context, id uuid.UUID, hash, name string) error {
	return p.s.one(ctx, "person", `UPDATE users SET password = $2, name = coalesce(nullif($3, ''), name) WHERE id = $1`, id, hash, name)
}

// SetLook saves a person's name, theme, language and whether single letters are keys.
func (p People) SetLook(ctx context.Context, of models.Person) error {
	const q = `UPDATE users SET name = $2, theme = $3, language = $4, letter_keys = $5 WHERE id = $1`
	return p.s.one(ctx, "person", q, of.ID, of.Name, of.Theme, of.Language, of.LetterKeys)
}

func totpPlace(id uuid.UUID) seal.Place {
	return seal.Place{Table: "users", Row: id.String(), Column: "totp"}
}

// BeginTOTP stores a secret that ConfirmTOTP makes valid. The present secret stays valid until then.
func (p People) BeginTOTP(ctx context.Context, id uuid.UUID, secret string) error {
	sealed, err := p.s.box.SealOwn(ctx, totpPlace(id), []byte(secret))
	if err != nil {
		return err
	}
	return p.s.one(ctx, "person", `UPDATE users SET totp_new = $2 WHERE id = $1`, id, sealed)
}

// TOTP returns the valid secret or, with waiting, the secret that waits to be confirmed. It is empty if there is no such secret.
func (p People) TOTP(ctx context.Context, id uuid.UUID, waiting bool) (string, error) {
	sealed, err := db.Get[[]byte](ctx, p.s.c, "person",
		`SELECT coalesce(CASE WHEN $2 THEN totp_new ELSE totp END, '') FROM users WHERE id = $1`, id, waiting)
	if err != nil || len(sealed) == 0 {
		return "", err
	}
	secret, err := p.s.box.Open(ctx, totpPlace(id), sealed)
	return string(secret), err
}

// ConfirmTOTP makes the waiting secret valid, and gives the person these recovery codes instead of any others.
func (p People) ConfirmTOTP(ctx context.Context, id uuid.UUID, codes []string) error {
	return p.s.Tx(ctx, func(s *Store) error {
		const q = `UPDATE users SET totp = totp_new, totp_new = NULL WHERE id = $1 AND totp_new IS NOT NULL`
		if err := s.one(ctx, "new secret", q, id); err != nil {
			return err
		}
		if _, err := s.exec(ctx, "recovery codes", `DELETE FROM recovery_codes WHERE user_id = $1`, id); err != nil {
			return err
		}
		for _, code := range codes {
			const add = `INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)`
			if _, err := s.exec(ctx, "recovery code", add, id, models.HashToken(code)); err != nil {
				return err
			}
		}
		return nil
	})
}

// DropTOTP ends the asking for codes.
func (p People) DropTOTP(ctx context.Context, id uuid.UUID) error {
	const q = `WITH codes AS (DELETE FROM recovery_codes WHERE user_id = $1)
		UPDATE users SET totp = NULL, totp_new = NULL WHERE id = $1`
	return p.s.one(ctx, "person", q, id)
}

// UseStep reports whether no code of this step or of a later one was used before. From now on this one was.
func (p People) UseStep(ctx context.Context, id uuid.UUID, step int64) (bool, error) {
	n, err := p.s.exec(ctx, "use code", `UPDATE users SET totp_step = $2 WHERE id = $1 AND totp_step < $2`, id, step)
	return n == 1, err
}

// UseRecoveryCode reports whether the person has this code. It is gone from now on.
func (p People) UseRecoveryCode(ctx context.Context, id uuid.UUID, code string) (bool, error) {
	n, err := p.s.exec(ctx, "use recovery code", `DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2`, id, models.HashToken(code))
	return n == 1, err
}

// Join makes a person a member of an account, or changes the role of a member as SetRole does.
func (p People) Join(ctx context.Context, account, id uuid.UUID, role models.Role) error {
	const q = `INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, user_id) DO UPDATE SET role = excluded.role`
	return p.keepOwner(ctx, account, func(s *Store) error {
		if err := s.endLinksOf(ctx, account, id, role); err != nil {
			return err
		}
		_, err := s.exec(ctx, "join", q, account, id, role)
		return err
	})
}

// keepOwner runs a change of an account's members in a transaction, and refuses it with last_owner if it takes the last owner.
// An account without owners, such as an account that is used by keys only, may stay without.
func (p People) keepOwner(ctx context.Context, account uuid.UUID, change func(*Store) error) error {
	const q = `SELECT EXISTS (SELECT FROM memberships WHERE account_id = $1 AND role = $2)`
	return p.s.Tx(ctx, func(s *Store) error {
		if err := s.lockAccount(ctx, account); err != nil {
			return err
		}
		before, err := db.Get[bool](ctx, s.c, "owner", q, account, models.RoleOwner)
		if err != nil {
			return err
		}
		if err := change(s); err != nil {
			return err
		}
		after, err := db.Get[bool](ctx, s.c, "owner", q, account, models.RoleOwner)
		if err == nil && before && !after {
			err = models.Conflict("last_owner", "an account needs an owner: make somebody else one first")
		}
		return err
	})
}

// maxMembers is how many members are listed.
const maxMembers = 500

const listMembers = `
SELECT u.id, u.email, u.name, u.totp IS NOT NULL AS has_totp, m.role, m.created_at AS joined_at,
	(SELECT max(seen_at) FROM sessions s WHERE s.user_id = u.id AND s.account_id = m.account_id) AS seen_at
FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 ORDER BY m.created_at, u.id LIMIT $2`

// Members lists the people of an account, the longest first.
func (p People) Members(ctx context.Context, account uuid.UUID) ([]models.Member, error) {
	return db.Select[models.Member](ctx, p.s.c, "members", listMembers, account, maxMembers)
}

// forgetPerson deletes the password and the codes of a person who works on no account any more. No e-mail was sent to the
// address, so someone else may have chosen them. The next invitation asks for a new password.
const forgetPerson = `
WITH gone AS (UPDATE users SET password = '', totp = NULL, totp_new = NULL
	WHERE id = $1 AND NOT EXISTS (SELECT FROM memberships WHERE user_id = $1) RETURNING id)
DELETE FROM recovery_codes WHERE user_id IN (SELECT id FROM gone)`

// SetRole changes a member's role; an empty one ends the membership and with it the sessions. The links that the member made
// for others stop working. The last owner stays one: last_owner.
func (p People) SetRole(ctx context.Context, account, id uuid.UUID, role models.Role) error {
	return p.keepOwner(ctx, account, func(s *Store) error {
		if err := s.endLinksOf(ctx, account, id, role); err != nil {
			return err
		}
		if role == "" {
			err := s.one(ctx, "member", `DELETE FROM memberships WHERE account_id = $1 AND user_id = $2`, account, id)
			if err == nil {
				_, err = s.exec(ctx, "forget credentials", forgetPerson, id)
			}
			return err
		}
		return s.one(ctx, "member", `UPDATE memberships SET role = $3 WHERE account_id = $1 AND user_id = $2`, account, id, role)
	})
}

// endLinksOf deletes the open links that a member made, unless the member has the role already.
func (s *Store) endLinksOf(ctx context.Context, account, id uuid.UUID, role models.Role) error {
	const q = `DELETE FROM entry_links WHERE account_id = $1 AND made_by = $2 AND used_at IS NULL
		AND NOT EXISTS (SELECT FROM memberships WHERE account_id = $1 AND user_id = $2 AND role = $3)`
	_, err := s.exec(ctx, "drop links", q, account, id, role)
	return err
}

const listAccountsOf = `
SELECT a.id, a.name, m.role FROM memberships m JOIN accounts a ON a.id = m.account_id
WHERE m.user_id = $1 ORDER BY a.name, a.id LIMIT $2`

// Workplace is an account that a person works on.
type Workplace struct {
	ID   uuid.UUID   `db:"id" json:"id"`
	Name string      `db:"name" json:"name"`
	Role models.Role `db:"role" json:"role"`
}

// Accounts lists the accounts that a person works on.
func (p People) Accounts(ctx context.Context, id uuid.UUID) ([]Workplace, error) {
	return db.Select[Workplace](ctx, p.s.c, "accounts of a person", listAccountsOf, id, maxMembers)
}

// maxLinks is how many links of an account may be open at once.
const maxLinks = 100

// CreateLink makes a link for an address and returns its token, for the only time. An earlier open link of the same
// kind for the address stops working. of has its kind, account, e-mail, role and maker.
func (p People) CreateLink(ctx context.Context, of models.EntryLink) (link models.EntryLink, token string, err error) {
	token = models.NewToken()
	account, kind, email := of.AccountID, of.Kind, of.Email
	err = p.s.Tx(ctx, func(s *Store) error {
		if err := s.lockAccount(ctx, account); err != nil {
			return err
		}
		if err := s.stillOwner(ctx, account, of.MadeBy); err != nil {
			return err
		}
		const drop = `DELETE FROM entry_links WHERE account_id = $1 AND kind = $2 AND email = $3 AND used_at IS NULL`
		if _, err := s.exec(ctx, "drop link", drop, account, kind, email); err != nil {
			return err
		}
		open, err := People{s}.Links(ctx, account)
		if err != nil {
			return err
		}
		if len(open) >= maxLinks {
			return models.Invalid("too_many", "%d links of the account are open: withdraw one", len(open))
		}
		q := `INSERT INTO entry_links (id, hash, kind, account_id, email, role, made_by, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) RETURNING ` + linkColumns
		link, err = db.Get[models.EntryLink](ctx, s.c, "link", q, uuid.Must(uuid.NewV7()), models.HashToken(token), kind,
			account, email, of.Role, of.MadeBy, models.EntryLinkLife.Seconds())
		return err
	})
	return link, token, err
}

// stillOwner refuses a maker of a link who was removed, or is no owner any more, while the call was on its way.
func (s *Store) stillOwner(ctx context.Context, account uuid.UUID, maker uuid.NullUUID) error {
	const q = `SELECT $2::uuid IS NULL OR EXISTS (SELECT FROM memberships WHERE account_id = $1 AND user_id = $2 AND role = $3)`
	ok, err := db.Get[bool](ctx, s.c, "maker", q, account, maker, models.RoleOwner)
	if err == nil && !ok {
		err = models.Errorf(models.KindForbidden, "role_required", "you are no owner of this account any more")
	}
	return err
}

var linkColumns = db.Columns[models.EntryLink]("")

// ErrLink says that a link does not work.
var ErrLink = models.Errorf(models.KindNotFound, "link_gone", "this link was used already, has been withdrawn or is older than a day")

// maxWrongProofs is how many wrong passwords or codes end a link.
const maxWrongProofs = 10

// isOpen is SQL for a link that works.
var isOpen = fmt.Sprintf(`(used_at IS NULL AND expires_at > now() AND wrong < %d)`, maxWrongProofs)

// FindLink finds the open link of a token, else ErrLink.
func (p People) FindLink(ctx context.Context, token string) (models.EntryLink, error) {
	q := `SELECT ` + linkColumns + ` FROM entry_links WHERE hash = $1 AND ` + isOpen
	link, ok, err := db.First[models.EntryLink](ctx, p.s.c, "link", q, models.HashToken(token))
	if err == nil && !ok {
		err = ErrLink
	}
	return link, err
}

// UseLink ends the link that FindLink found. If several calls do it at once, one succeeds and the others get ErrLink. Call it in the
// transaction that does what the link is for. It locks the account first, as a change of members does.
func (p People) UseLink(ctx context.Context, link models.EntryLink) error {
	if err := p.s.lockAccount(ctx, link.AccountID); err != nil {
		return err
	}
	n, err := p.s.exec(ctx, "use link", `UPDATE entry_links SET used_at = now() WHERE id = $1 AND `+isOpen, link.ID)
	if err == nil && n == 0 {
		err = ErrLink
	}
	return err
}

// CountWrongProof counts a wrong password or code that was given with a link. The tenth ends the link.
func (p People) CountWrongProof(ctx context.Context, token string) error {
	_, err := p.s.exec(ctx, "wrong proof", `UPDATE entry_links SET wrong = wrong + 1 WHERE hash = $1`, models.HashToken(token))
	return err
}

// Links lists the open links of an account, newest first.
func (p People) Links(ctx context.Context, account uuid.UUID) ([]models.EntryLink, error) {
	q := `SELECT ` + linkColumns + ` FROM entry_links WHERE account_id = $1 AND ` + isOpen + ` ORDER BY id DESC LIMIT $2`
	return db.Select[models.EntryLink](ctx, p.s.c, "links", q, account, maxLinks)
}

// DropLink withdraws an open link.
func (p People) DropLink(ctx context.Context, account, id uuid.UUID) error {
	return p.s.one(ctx, "link", `DELETE FROM entry_links WHERE account_id = $1 AND id = $2 AND used_at IS NULL`, account, id)
}

// auditKept is how long the audit log goes back.
const auditKept = 400 * 24 * time.Hour

// ForgetEntries deletes sessions and links that have ended, and old entries of the audit log. n counts the rows.
func (s *Store) ForgetEntries(ctx context.Context) (n int64, err error) {
	for _, d := range []struct {
		query string
		age   time.Duration
	}{
		{`DELETE FROM sessions WHERE created_at < now() - make_interval(secs => $1)`, models.SessionLife},
		{`DELETE FROM sessions WHERE seen_at < now() - make_interval(secs => $1)`, models.SessionIdle},
		{`DELETE FROM entry_links WHERE expires_at < now() - make_interval(secs => $1)`, models.EntryLinkLife},
		{`DELETE FROM audit WHERE ctid = ANY (ARRAY(SELECT ctid FROM audit
			WHERE created_at < now() - make_interval(secs => $1) LIMIT 5000))`, auditKept},
	} {
		rows, err := s.exec(ctx, "forget entries", d.query, d.age.Seconds())
		if n += rows; err != nil {
			return n, err
		}
	}
	return n, nil
}
