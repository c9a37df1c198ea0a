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

// Role determines what a person may do on an account.
type Role string

// The roles. Each role may also do everything that the roles before it may do.
const (
	RoleViewer      Role = "viewer"
	RoleContributor Role = "contributor"
	RoleMember      Role = "member"
	RoleOwner       Role = "owner"
)

// Roles lists all roles, the least powerful first.
var Roles = []Role{RoleViewer, RoleContributor, RoleMember, RoleOwner}

// Includes reports whether a role may do everything that the other role may do. An unknown role may do nothing.
func (r Role) Includes(other Role) bool {
	return slices.Contains(Roles, r) && slices.Index(Roles, r) >= slices.Index(Roles, other)
}

// Person is a person who signs in. PasswordHash is empty until the person has a password.
type Person struct {
	ID           uuid.UUID `db:"id"`
	Email        string    `db:"email"`
	Name         string    `db:"name"`
	PasswordHash string    `db:"password"`
	HasTOTP      bool      `db:"has_totp"`
	Theme        string    `db:"theme"`
	Language     string    `db:"language"` // empty: the language of the browser
	LetterKeys   bool      `db:"letter_keys"`
}

// Member is a person who belongs to an account.
type Member struct {
	ID       uuid.UUID  `db:"id"`
	Email    string     `db:"email"`
	Name     string     `db:"name"`
	Role     Role       `db:"role"`
	HasTOTP  bool       `db:"has_totp"`
	JoinedAt time.Time  `db:"joined_at"`
	SeenAt   *time.Time `db:"seen_at"` // last use of any of the person's sessions in the account; nil: no session
}

// Session is the sign-in of a person on one account, in one browser.
type Session struct {
	ID          uuid.UUID `db:"id"`
	Address     string    `db:"address"`
	Agent       string    `db:"agent"`
	CreatedAt   time.Time `db:"created_at"`
	SeenAt      time.Time `db:"seen_at"`
	ConfirmedAt time.Time `db:"confirmed_at"`
}

// Proven reports whether the person's last proof of identity still counts.
func (s Session) Proven(now time.Time) bool { return now.Sub(s.ConfirmedAt) < SessionProof }

// The lifetime of a session, its lifetime without use, the time for which a proof of identity counts, and the lifetime of an
// entry link.
const (
	SessionLife   = 30 * 24 * time.Hour
	SessionIdle   = 7 * 24 * time.Hour
	SessionProof  = 15 * time.Minute
	EntryLinkLife = 24 * time.Hour
)

// The kinds of links that let people in. Each link works only once.
const (
	LinkInvite = "invite" // makes the person a member; the person enters the current password or chooses a password
	LinkReset  = "reset"
	LinkEntry  = "entry" // signs in without a password, or lets a person without a password choose one; made by operators
)

// EntryLink is a link that lets a person in. Its token is only in the URL.
type EntryLink struct {
	ID        uuid.UUID     `db:"id"`
	Kind      string        `db:"kind"`
	AccountID uuid.UUID     `db:"account_id"`
	Email     string        `db:"email"`
	Role      Role          `db:"role"`
	MadeBy    uuid.NullUUID `db:"made_by"` // the member who made the link; null: an operator made it
	CreatedAt time.Time     `db:"created_at"`
	ExpiresAt time.Time     `db:"expires_at"`
	UsedAt    *time.Time    `db:"used_at"`
}

// AuditEntry is an entry of an account's audit log. It is a successful change, a sign-in, the use of a link or a switch between
// accounts, or the number of wrong passwords and codes that were entered for a person within an hour.
type AuditEntry struct {
	ID        uuid.UUID     `db:"id"`
	AccountID uuid.UUID     `db:"account_id"`
	UserID    uuid.NullUUID `db:"user_id"`
	KeyID     uuid.NullUUID `db:"key_id"`
	Who       string        `db:"who"`
	Email     string        `db:"email"`
	Address   string        `db:"address"`
	Route     string        `db:"route"`
	Record    string        `db:"record"`
	Fields    []string      `db:"fields"`
	Changes   []FieldChange `db:"changes,json"`
	Refused   int           `db:"refused"` // number of wrong passwords and codes; 0: the entry is of another kind
	CreatedAt time.Time     `db:"created_at"`

	Via
}

// Via says through which interface a change came, if the caller did not call the API directly. Client is the name that the
// caller's program has given itself.
type Via struct {
	Through string `db:"via"` // ViaMCP, or empty
	Client  string `db:"client"`
	Tool    string `db:"tool"`
}

// ViaMCP marks changes that assistants made.
const ViaMCP = "mcp"

// FieldChange has the value of a field before and after a change, both as JSON. If the record was deleted, After is null.
type FieldChange struct {
	Field  string          `json:"field"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// MaxAuditValue is the longest value of a FieldChange that the audit log stores, in bytes of JSON. If a value is longer, the log
// names only its field.
const MaxAuditValue = 500

// Limits of the texts that people type: MaxEmail in bytes, the others in characters.
const (
	MaxEmail    = 254
	MinPassword = 10
	MaxPassword = 200
)

// CleanEmail returns an e-mail address in lower case and without spaces around it. ok is false if the text is not an e-mail
// address.
func CleanEmail(text string) (email string, ok bool) {
	text = strings.TrimSpace(text)
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text || len(text) > MaxEmail {
		return "", false
	}
	return strings.ToLower(text), true
}

// NewToken returns 32 random bytes as text, such as the token of a session or a link.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process first
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// HashToken returns the SHA-256 of a token, an API key or a goal secret. The store finds them by this hash. These texts are
// so random that no slow hash is needed.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// EntryURL returns the URL of an entry link. The token follows a #, so browsers do not send it and logs do not contain it.
func EntryURL(baseURL, token string) string { return baseURL + "/app/welcome#" + token }
