// Package people stores the people who sign in to the dashboard: their passwords and codes, sessions, memberships and links.
package people

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// People stores the people who sign in to the dashboard. Memberships give them access to accounts.
type People struct{ s *store.Store }

// New returns People in a store.
func New(s *store.Store) People { return People{s} }

const personColumns = `id, email, name, password, totp IS NOT NULL AS has_totp, theme, language, letter_keys`

// FindByEmail returns the person with an e-mail address. ok is false if no person has the address.
func (p People) FindByEmail(ctx context.Context, email string) (found models.Person, ok bool, err error) {
	return db.First[models.Person](ctx, p.s.Conn(), "person", `SELECT `+personColumns+` FROM users WHERE email = $1`, email)
}

// Ensure returns the person with an e-mail address. If no person has the address, it creates a person with the name and without a
// password.
func (p People) Ensure(ctx context.Context, email, name string) (models.Person, error) {
	const q = `INSERT INTO users (id, email, name) VALUES ($1, $2, $3)
		ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING ` + personColumns
	return db.Get[models.Person](ctx, p.s.Conn(), "person", q, uuid.Must(uuid.NewV7()), email, name)
}

// SetPassword saves the hash of a new password, and the name unless it is empty.
func (p People) SetPassword(ctx context.Context, id uuid.UUID, hash, name string) error {
	return db.ExecOne(ctx, p.s.Conn(), "person", `UPDATE users SET password = $2, name = coalesce(nullif($3, ''), name) WHERE id = $1`, id, hash, name)
}

// SetLook saves a person's name, theme and language, and whether single letters are shortcut keys.
func (p People) SetLook(ctx context.Context, person models.Person) error {
	const q = `UPDATE users SET name = $2, theme = $3, language = $4, letter_keys = $5 WHERE id = $1`
	return db.ExecOne(ctx, p.s.Conn(), "person", q, person.ID, person.Name, person.Theme, person.Language, person.LetterKeys)
}

func totpPlace(id uuid.UUID) seal.Place {
	return seal.Place{Table: "users", Row: id.String(), Column: "totp"}
}

// BeginTOTP stores a new secret. It becomes valid by ConfirmTOTP.
func (p People) BeginTOTP(ctx context.Context, id uuid.UUID, secret string) error {
	sealed, err := p.s.Box().SealForService(ctx, totpPlace(id), []byte(secret))
	if err != nil {
		return err
	}
	return db.ExecOne(ctx, p.s.Conn(), "person", `UPDATE users SET totp_new = $2 WHERE id = $1`, id, sealed)
}

// TOTP returns the valid secret or, if waiting is set, the secret that waits for confirmation. If there is no such secret, TOTP
// returns an empty text.
func (p People) TOTP(ctx context.Context, id uuid.UUID, waiting bool) (string, error) {
	sealed, err := db.Get[[]byte](ctx, p.s.Conn(), "person",
		`SELECT coalesce(CASE WHEN $2 THEN totp_new ELSE totp END, '') FROM users WHERE id = $1`, id, waiting)
	if err != nil || len(sealed) == 0 {
		return "", err
	}
	secret, err := p.s.Box().Open(ctx, totpPlace(id), sealed)
	return string(secret), err
}

// ConfirmTOTP makes the waiting secret valid, and replaces the recovery codes.
func (p People) ConfirmTOTP(ctx context.Context, id uuid.UUID, codes []string) error {
	return p.s.Tx(ctx, func(s *store.Store) error {
		const q = `UPDATE users SET totp = totp_new, totp_new = NULL WHERE id = $1 AND totp_new IS NOT NULL`
		if err := db.ExecOne(ctx, s.Conn(), "new secret", q, id); err != nil {
			return err
		}
		if err := db.Run(ctx, s.Conn(), "recovery codes", `DELETE FROM recovery_codes WHERE user_id = $1`, id); err != nil {
			return err
		}
		for _, code := range codes {
			const add = `INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)`
			if err := db.Run(ctx, s.Conn(), "recovery code", add, id, models.HashToken(code)); err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveTOTP deletes the person's TOTP secrets and recovery codes.
func (p People) RemoveTOTP(ctx context.Context, id uuid.UUID) error {
	const q = `WITH codes AS (DELETE FROM recovery_codes WHERE user_id = $1)
		UPDATE users SET totp = NULL, totp_new = NULL WHERE id = $1`
	return db.ExecOne(ctx, p.s.Conn(), "person", q, id)
}

// UseStep records that the code of a time step was used. It returns false if a code of this or a later step was already used.
func (p People) UseStep(ctx context.Context, id uuid.UUID, step int64) (bool, error) {
	n, err := db.Exec(ctx, p.s.Conn(), "use code", `UPDATE users SET totp_step = $2 WHERE id = $1 AND totp_step < $2`, id, step)
	return n == 1, err
}

// UseRecoveryCode deletes a recovery code and reports whether the person had it.
func (p People) UseRecoveryCode(ctx context.Context, id uuid.UUID, code string) (bool, error) {
	n, err := db.Exec(ctx, p.s.Conn(), "use recovery code", `DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2`, id, models.HashToken(code))
	return n == 1, err
}

// Join makes a person a member of an account, or changes the role of a member as SetRole does.
func (p People) Join(ctx context.Context, account, id uuid.UUID, role models.Role) error {
	const q = `INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, user_id) DO UPDATE SET role = excluded.role`
	return p.changeMembers(ctx, account, func(s *store.Store) error {
		if err := endLinksOf(ctx, s, account, id, role); err != nil {
			return err
		}
		return db.Run(ctx, s.Conn(), "join", q, account, id, role)
	})
}

// changeMembers runs a change of an account's members in a transaction. It refuses a change that takes away the last owner, with
// the error last_owner. Accounts that only keys use may have no owner.
func (p People) changeMembers(ctx context.Context, account uuid.UUID, change func(*store.Store) error) error {
	const q = `SELECT EXISTS (SELECT FROM memberships WHERE account_id = $1 AND role = $2)`
	return p.s.LockedTx(ctx, account, func(s *store.Store) error {
		before, err := db.Get[bool](ctx, s.Conn(), "owner", q, account, models.RoleOwner)
		if err != nil {
			return err
		}
		if err := change(s); err != nil {
			return err
		}
		after, err := db.Get[bool](ctx, s.Conn(), "owner", q, account, models.RoleOwner)
		if err == nil && before && !after {
			err = models.Conflict("last_owner", "an account needs an owner: make another person an owner first")
		}
		return err
	})
}

// maxMembers is the maximum number of listed members of an account, and of listed accounts of a person.
const maxMembers = 500

const listMembers = `
SELECT u.id, u.email, u.name, u.totp IS NOT NULL AS has_totp, m.role, m.created_at AS joined_at,
	(SELECT max(seen_at) FROM sessions s WHERE s.user_id = u.id AND s.account_id = m.account_id) AS seen_at
FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 ORDER BY m.created_at, u.id LIMIT $2`

// Members lists the members of an account, the earliest first.
func (p People) Members(ctx context.Context, account uuid.UUID) ([]models.Member, error) {
	return db.Select[models.Member](ctx, p.s.Conn(), "members", listMembers, account, maxMembers)
}

// deleteCredentials deletes the password, the TOTP secrets and the recovery codes of a person who has no account left. The
// e-mail address was never confirmed, so someone else may have chosen the password.
const deleteCredentials = `
WITH leavers AS (UPDATE users SET password = '', totp = NULL, totp_new = NULL
	WHERE id = $1 AND NOT EXISTS (SELECT FROM memberships WHERE user_id = $1) RETURNING id)
DELETE FROM recovery_codes WHERE user_id IN (SELECT id FROM leavers)`

// endAssistants ends the grants that a person has given to assistants in an account.
const endAssistants = `UPDATE api_keys k SET revoked_at = now() FROM assistant_grants g
	WHERE g.id = k.id AND g.account_id = $1 AND g.user_id = $2 AND k.revoked_at IS NULL`

// SetRole changes a member's role. An empty role ends the membership with its sessions and connected assistants. The links that
// the member made for others stop working. The last owner cannot lose this role: the error is last_owner.
func (p People) SetRole(ctx context.Context, account, id uuid.UUID, role models.Role) error {
	return p.changeMembers(ctx, account, func(s *store.Store) error {
		if err := endLinksOf(ctx, s, account, id, role); err != nil {
			return err
		}
		if role == "" {
			err := db.ExecOne(ctx, s.Conn(), "member", `DELETE FROM memberships WHERE account_id = $1 AND user_id = $2`, account, id)
			if err == nil {
				err = db.Run(ctx, s.Conn(), "end assistants", endAssistants, account, id)
			}
			if err == nil {
				err = db.Run(ctx, s.Conn(), "forget credentials", deleteCredentials, id)
			}
			return err
		}
		return db.ExecOne(ctx, s.Conn(), "member", `UPDATE memberships SET role = $3 WHERE account_id = $1 AND user_id = $2`, account, id, role)
	})
}

// endLinksOf deletes the unused links that a member made, unless the member has the new role already.
func endLinksOf(ctx context.Context, s *store.Store, account, id uuid.UUID, role models.Role) error {
	const q = `DELETE FROM entry_links WHERE account_id = $1 AND made_by = $2 AND used_at IS NULL
		AND NOT EXISTS (SELECT FROM memberships WHERE account_id = $1 AND user_id = $2 AND role = $3)`
	return db.Run(ctx, s.Conn(), "drop links", q, account, id, role)
}

const listAccountsOf = `
SELECT a.id, a.name, m.role FROM memberships m JOIN accounts a ON a.id = m.account_id
WHERE m.user_id = $1 ORDER BY a.name, a.id LIMIT $2`

// Workplace is an account to which a person belongs.
type Workplace struct {
	ID   uuid.UUID   `db:"id" json:"id"`
	Name string      `db:"name" json:"name"`
	Role models.Role `db:"role" json:"role"`
}

// Accounts lists the accounts to which a person belongs.
func (p People) Accounts(ctx context.Context, id uuid.UUID) ([]Workplace, error) {
	return db.Select[Workplace](ctx, p.s.Conn(), "accounts of a person", listAccountsOf, id, maxMembers)
}

// maxLinks is the maximum number of open links of an account.
const maxLinks = 100

// CreateLink creates a link for an e-mail address and returns its token, which cannot be read later. An earlier open link of the
// same kind for the address stops working.
func (p People) CreateLink(ctx context.Context, wanted models.EntryLink) (link models.EntryLink, token string, err error) {
	token = models.NewToken()
	account, kind, email := wanted.AccountID, wanted.Kind, wanted.Email
	err = p.s.LockedTx(ctx, account, func(s *store.Store) error {
		if err := checkOwner(ctx, s, account, wanted.MadeBy); err != nil {
			return err
		}
		const drop = `DELETE FROM entry_links WHERE account_id = $1 AND kind = $2 AND email = $3 AND used_at IS NULL`
		if err := db.Run(ctx, s.Conn(), "drop link", drop, account, kind, email); err != nil {
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
		link, err = db.Get[models.EntryLink](ctx, s.Conn(), "link", q, uuid.Must(uuid.NewV7()), models.HashToken(token), kind,
			account, email, wanted.Role, wanted.MadeBy, models.EntryLinkLife.Seconds())
		return err
	})
	return link, token, err
}

// checkOwner refuses a link whose maker is not an owner, for example after a concurrent change of the role. A link without a maker
// is allowed.
func checkOwner(ctx context.Context, s *store.Store, account uuid.UUID, maker uuid.NullUUID) error {
	const q = `SELECT $2::uuid IS NULL OR EXISTS (SELECT FROM memberships WHERE account_id = $1 AND user_id = $2 AND role = $3)`
	ok, err := db.Get[bool](ctx, s.Conn(), "maker", q, account, maker, models.RoleOwner)
	if err == nil && !ok {
		err = models.Errorf(models.KindForbidden, "role_required", "you are no longer an owner of this account")
	}
	return err
}

var linkColumns = db.Columns[models.EntryLink]("")

// ErrLink is the error of a link that does not work.
var ErrLink = models.Errorf(models.KindNotFound, "link_gone", "this link was used, withdrawn or tried too often, or is older than a day")

// maxWrongProofs is the number of wrong passwords or codes after which a link stops working.
const maxWrongProofs = 10

// isOpen is SQL that is true for a link that works.
var isOpen = fmt.Sprintf(`(used_at IS NULL AND expires_at > now() AND wrong < %d)`, maxWrongProofs)

// FindLink returns the open link of a token. The error is ErrLink if no open link has this token.
func (p People) FindLink(ctx context.Context, token string) (models.EntryLink, error) {
	q := `SELECT ` + linkColumns + ` FROM entry_links WHERE hash = $1 AND ` + isOpen
	link, ok, err := db.First[models.EntryLink](ctx, p.s.Conn(), "link", q, models.HashToken(token))
	if err == nil && !ok {
		err = ErrLink
	}
	return link, err
}

// UseLink marks a link as used, in the transaction of the action that it allows. Only one of several callers succeeds, and the
// others get ErrLink. Like a change of members, UseLink first locks the account.
func (p People) UseLink(ctx context.Context, link models.EntryLink) error {
	if err := p.s.LockAccount(ctx, link.AccountID); err != nil {
		return err
	}
	n, err := db.Exec(ctx, p.s.Conn(), "use link", `UPDATE entry_links SET used_at = now() WHERE id = $1 AND `+isOpen, link.ID)
	if err == nil && n == 0 {
		err = ErrLink
	}
	return err
}

// CountWrongProof counts a wrong password or code that was sent with a link. After the tenth, the link stops working.
func (p People) CountWrongProof(ctx context.Context, token string) error {
	return db.Run(ctx, p.s.Conn(), "wrong proof", `UPDATE entry_links SET wrong = wrong + 1 WHERE hash = $1`, models.HashToken(token))
}

// Links lists the open links of an account, newest first.
func (p People) Links(ctx context.Context, account uuid.UUID) ([]models.EntryLink, error) {
	q := `SELECT ` + linkColumns + ` FROM entry_links WHERE account_id = $1 AND ` + isOpen + ` ORDER BY id DESC LIMIT $2`
	return db.Select[models.EntryLink](ctx, p.s.Conn(), "links", q, account, maxLinks)
}

// DeleteLink deletes an unused link.
func (p People) DeleteLink(ctx context.Context, account, id uuid.UUID) error {
	return db.ExecOne(ctx, p.s.Conn(), "link", `DELETE FROM entry_links WHERE account_id = $1 AND id = $2 AND used_at IS NULL`, account, id)
}

// auditRetention is how long the audit log is kept.
const auditRetention = 400 * 24 * time.Hour

// DeleteExpired deletes ended sessions, links that ended at least EntryLinkLife ago, and old entries of the audit log. It returns
// the number of deleted rows.
func (p People) DeleteExpired(ctx context.Context) (n int64, err error) {
	for _, d := range []struct {
		query string
		age   time.Duration
	}{
		{`DELETE FROM sessions WHERE created_at < now() - make_interval(secs => $1)`, models.SessionLife},
		{`DELETE FROM sessions WHERE seen_at < now() - make_interval(secs => $1)`, models.SessionIdle},
		{`DELETE FROM entry_links WHERE expires_at < now() - make_interval(secs => $1)`, models.EntryLinkLife},
		{`DELETE FROM audit WHERE ctid = ANY (ARRAY(SELECT ctid FROM audit
			WHERE created_at < now() - make_interval(secs => $1) LIMIT 5000))`, auditRetention},
	} {
		rows, err := db.Exec(ctx, p.s.Conn(), "forget entries", d.query, d.age.Seconds())
		n += rows
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
