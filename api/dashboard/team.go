package dashboard

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/people"
	"switchyard/models"
)

// ownerRoute returns a row that only owners of the account may call. Everything except a GET asks for a recent proof of identity.
func ownerRoute(method, path, summary string, h route.Handler, codes ...string) route.Route {
	row := personRoute(method, path, summary, h, codes...)
	row.Role, row.Confirm = models.RoleOwner, method != http.MethodGet
	return row
}

func team(d Deps) []route.Route {
	role := ownerRoute("PATCH", "/team/{id}", "change a person's role", route.HandleBody(changeRole), "400 invalid_role", "404 not_found", "409 last_owner")
	leave := ownerRoute("DELETE", "/team/{id}", "remove a person from the account; the person's sessions end", route.Handle(removeMember),
		"404 not_found", "409 last_owner")
	role.Recorded, leave.Recorded = recordedMember, recordedMember
	return []route.Route{
		ownerRoute("GET", "/team", "people of the account, and open invitations", route.Handle(listTeam)),
		ownerRoute("POST", "/team", "invite a person by a link", route.HandleBody(d.invite), "400 required too_long too_many invalid_email invalid_role"),
		role, leave,
		ownerRoute("DELETE", "/team/links/{id}", "withdraw an invitation", route.Handle(removeLink), "404 not_found"),
	}
}

// MemberRow is a person of the account.
type MemberRow struct {
	ID       uuid.UUID   `json:"id"`
	Email    string      `json:"email"`
	Name     string      `json:"name"`
	Role     models.Role `json:"role" enum:"viewer,contributor,member,owner"`
	HasCodes bool        `json:"has_codes"`
	JoinedAt string      `json:"joined_at"`
	SeenAt   *string     `json:"seen_at"`
}

// LinkRow is an entry link that still works, such as the link of an invitation.
type LinkRow struct {
	ID        uuid.UUID   `json:"id"`
	Kind      string      `json:"kind" enum:"invite,reset,entry"`
	Email     string      `json:"email"`
	Role      models.Role `json:"role" enum:"viewer,contributor,member,owner"`
	ExpiresAt string      `json:"expires_at"`
}

// Team lists the people of an account and the open links.
type Team struct {
	Rows  []MemberRow `json:"rows"`
	Links []LinkRow   `json:"links"`
}

func listTeam(c *route.Call) (Team, error) {
	members, err := people.New(c.Store).Members(c.Context(), c.Account.ID)
	if err != nil {
		return Team{}, err
	}
	links, err := people.New(c.Store).Links(c.Context(), c.Account.ID)
	return Team{
		answer.Each(members, func(m models.Member) MemberRow {
			return MemberRow{m.ID, m.Email, m.Name, m.Role, m.HasTOTP, answer.Stamp(m.JoinedAt), answer.StampOrNull(m.SeenAt)}
		}), answer.Each(links, linkRow),
	}, err
}

func linkRow(l models.EntryLink) LinkRow {
	return LinkRow{l.ID, l.Kind, l.Email, l.Role, answer.Stamp(l.ExpiresAt)}
}

type inviteBody struct {
	Email string      `json:"email" required:"true" maxLength:"254"`
	Role  models.Role `json:"role" required:"true"`
}

// Invitation is an invitation with the address to send to the invited person.
type Invitation struct {
	LinkRow
	URL string `json:"url"`
}

func (d Deps) invite(c *route.Call, b inviteBody) (Invitation, error) {
	email, ok := models.CleanEmail(b.Email)
	if !ok {
		return Invitation{}, models.Invalid("invalid_email", "this is not an e-mail address")
	}
	if !b.Role.Includes(models.RoleViewer) {
		return Invitation{}, errRole
	}
	link, token, err := people.New(c.Store).CreateLink(c.Context(), models.EntryLink{
		Kind: models.LinkInvite, AccountID: c.Account.ID, Email: email, Role: b.Role,
		MadeBy: uuid.NullUUID{UUID: c.Person.ID, Valid: c.Person.ID != uuid.Nil},
	})
	return Invitation{linkRow(link), models.EntryURL(d.BaseURL, token)}, err
}

var errRole = models.Invalid("invalid_role", "a role is viewer, contributor, member or owner")

type roleBody struct {
	Role models.Role `json:"role" required:"true"`
}

func recordedMember(c *route.Call, id uuid.UUID) (any, error) {
	members, err := people.New(c.Store).Members(c.Context(), c.Account.ID)
	i := slices.IndexFunc(members, func(m models.Member) bool { return m.ID == id })
	if err != nil || i < 0 {
		return nil, err
	}
	return map[string]any{"name": cmp.Or(members[i].Name, members[i].Email), "role": members[i].Role}, nil
}

func changeRole(c *route.Call, b roleBody) (answer.DeletedAnswer, error) {
	if !b.Role.Includes(models.RoleViewer) {
		return answer.DeletedAnswer{}, errRole
	}
	return answer.DeletedAnswer{ID: c.ID}, people.New(c.Store).SetRole(c.Context(), c.Account.ID, c.ID, b.Role)
}

func removeMember(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.Deleted(c.ID), people.New(c.Store).SetRole(c.Context(), c.Account.ID, c.ID, "") // a person without a role is not in the account
}

func removeLink(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.Deleted(c.ID), people.New(c.Store).DeleteLink(c.Context(), c.Account.ID, c.ID)
}
