package models

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Role is what a person may do on an account.
type Role string

// The roles. Each may do what those before it may.
const (
	RoleViewer      Role = "viewer"
	RoleContributor Role = "contributor"
	RoleMember      Role = "member"
	RoleOwner       Role = "owner"
)

// Roles are all roles, the least first.
var Roles = []Role{RoleViewer, RoleContributor, RoleMember, RoleOwner}

// Includes reports whether a role may do what another one may. An unknown role may nothing.
func (r Role) Includes(other Role) bool {
	return slices.Contains(Roles, r) && slices.Index(Roles, r) >= slices.Index(Roles, other)
}

// Person is a person who signs in. PasswordHash is empty for a person without a password yet.
type Person struct {
	ID           uuid.UUID `db:"id"`
	Email        string    `db:"email"`
	Name         string    `db:"name"`
	PasswordHash string    `db:"password"`
	HasTOTP      bool      `db:"has_totp"`
	Theme        string    `db:"theme"`
	Language     string    `db:"language"` // empty: the browser's language
	LetterKeys   bool      `db:"letter_keys"`
}

// Member is a person of an account.
type Member struct {
	ID       uuid.UUID  `db:"id"`
	Email    string     `db:"email"`
	Name     string     `db:"name"`
	Role     Role       `db:"role"`
	HasTOTP  bool       `db:"has_totp"`
	JoinedAt time.Time  `db:"joined_at"`
	SeenAt   *time.Time `db:"seen_at"` // of the newest session; nil: no session runs
}

// Session is a person signed in at one browser, on one account.
type Session struct {
	ID          uuid.UUID `db:"id"`
	Address     string    `db:"address"`
	Agent       string    `db:"agent"`
	CreatedAt   time.Time `db:"created_at"`
	SeenAt      time.Time `db:"seen_at"`
	ConfirmedAt time.Time `db:"confirmed_at"`
}

// Proven reports whether the last proof of who the person is still counts.
func (s Session) Proven(now time.Time) bool { return now.Sub(s.ConfirmedAt) < SessionProof }

// How long a session lives, how long it lives unused, and how long a proof of a person's identity counts.
const (
	SessionLife   = 30 * 24 * time.Hour
	SessionIdle   = 7 * 24 * time.Hour
	SessionProof  = 15 * time.Minute
	EntryLinkLife = 24 * time.Hour
)

// The kinds of links that let people in. Each works once.
const (
	LinkInvite = "invite" // makes a member, who gives the present password or chooses one
	LinkReset  = "reset"  // sets a new password and ends all sessions
	LinkEntry  = "entry"  // signs in without the password, or asks a person without a password for one; operators make it
)

// EntryLink is a link that lets a person in. Its token is in the address only.
type EntryLink struct {
	ID        uuid.UUID     `db:"id"`
	Kind      string        `db:"kind"`
	AccountID uuid.UUID     `db:"account_id"`
	Email     string        `db:"email"`
	Role      Role          `db:"role"`
	MadeBy    uuid.NullUUID `db:"made_by"` // the member who made it; none: an operator
	CreatedAt time.Time     `db:"created_at"`
	ExpiresAt time.Time     `db:"expires_at"`
	UsedAt    *time.Time    `db:"used_at"`
}

// AuditEntry is one successful change of an account's records, or the wrong passwords and codes that were given for a person in an hour.
type AuditEntry struct {
	ID        uuid.UUID     `db:"id"`
	AccountID uuid.UUID     `db:"account_id"`
	UserID    uuid.NullUUID `db:"user_id"`
	KeyID     uuid.NullUUID `db:"key_id"`
	Who       string        `db:"who"`
	Email     string        `db:"email"` // of a person
	Address   string        `db:"address"`
	Route     string        `db:"route"`
	Record    string        `db:"record"`
	Fields    []string      `db:"fields"`
	Changes   []FieldChange `db:"changes,json"`
	Refused   int           `db:"refused"` // how many wrong passwords and codes; 0: a change
	CreatedAt time.Time     `db:"created_at"`
}

// FieldChange has the value of a field before and after a change, both as JSON. After a deletion, After is null.
type FieldChange struct {
	Field  string          `json:"field"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// Limits of texts that people type, in characters.
const (
	MaxEmail      = 254
	MaxPersonName = 120
	MinPassword   = 10
	MaxPassword   = 200
)

// CleanEmail returns an e-mail address in lower case. ok is false if the text is not an e-mail address.
func CleanEmail(text string) (email string, ok bool) {
	text = strings.TrimSpace(text)
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text || len(text) > MaxEmail {
		return "", false
	}
	return strings.ToLower(text), true
}

// NewToken makes a token of 32 random bytes, for a session or a link.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process first
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// HashToken is the SHA-256 of a token, by which the store finds it.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// EntryURL is the address of a link on the service. The token is behind #, which no browser sends and no log has.
func EntryURL(baseURL, token string) string { return baseURL + "/app/welcome#" + token }
