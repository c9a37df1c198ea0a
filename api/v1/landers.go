package v1

import (
	"strings"

	"github.com/google/uuid"

	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/check"
)

// landers are the rows of /landers.
func landers() []route.Route {
	const group = "Landing pages"
	res := resource[models.Lander, LanderAnswer]{
		table:  func(s *store.Store) table[models.Lander] { return s.Landers() },
		own:    func(l *models.Lander, account, id uuid.UUID) { l.AccountID, l.ID = account, id },
		answer: landerAnswer,
	}
	bodyCodes := route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_country",
		"409 duplicate_name")
	return []route.Route{
		{
			Method: "GET", Path: "/landers", Group: group, Summary: "landing pages with figures for the window",
			Window: true, Page: true,
			Handle: list(res, "lander_id", func(l models.Lander) uuid.UUID { return l.ID }, landerRow),
		},
		{
			Method: "POST", Path: "/landers", Group: group, Summary: "create a landing page", Scope: route.Write,
			Status: 201, Codes: bodyCodes, Handle: create[LanderBody](res),
		},
		{
			Method: "PUT", Path: "/landers", Group: group, Summary: "replace a landing page", Scope: route.Write,
			Codes:  append(idCodes, bodyCodes...),
			Handle: put[LanderPut](res, func(l models.Lander) IDAnswer { return IDAnswer{l.ID} }),
		},
		{
			Method: "PATCH", Path: "/landers", Group: group, Scope: route.Write,
			Summary: "pause or resume a landing page, or change its protection",
			Body:    LanderPatch{}, Codes: append(route.Codes("400 invalid_fallback"), idCodes...),
			Handle: route.Take(patchLander),
		},
		{
			Method: "DELETE", Path: "/landers", Group: group, Summary: "deactivate a landing page", Scope: route.Write,
			Query: queryID, Codes: idCodes, Handle: deactivate(res),
		},
		{
			Method: "POST", Path: "/landers/{id}/clone", Group: group, Summary: "copy a landing page",
			Scope: route.Write, Status: 201, BadID: "invalid_id", Codes: idCodes,
			Handle: clone((*store.Store).Landers, landerAnswer),
		},
	}
}

// LanderBody is the body of POST /landers.
type LanderBody struct {
	Name       string   `json:"name" required:"true" maxLength:"255"`
	URL        string   `json:"url" required:"true" doc:"http(s); {token} placeholders allowed"`
	ClickSlots *int     `json:"click_slots" bad:"invalid_number" min:"1" max:"20" default:"1" doc:"call-to-action slots"`
	GroupName  string   `json:"group_name" maxLength:"255"`
	Country    string   `json:"country" bad:"invalid_country" doc:"two letters, or empty"`
	Tags       []string `json:"tags" maxItems:"20"`
	Notes      string   `json:"notes" maxLength:"2000"`
}

// LanderPut is the body of PUT /landers: every field is written, one left out goes back to its default. The
// protection stays as it is.
type LanderPut struct {
	bind.ID
	LanderBody
}

const maxClickSlots = 20

// Record checks the body.
func (b LanderBody) Record() (models.Lander, error) {
	l := models.Lander{
		Name: strings.TrimSpace(b.Name), URL: strings.TrimSpace(b.URL), ClickSlots: 1,
		GroupName: strings.TrimSpace(b.GroupName), Notes: b.Notes, Protection: models.DefaultProtection(),
	}
	if b.ClickSlots != nil {
		l.ClickSlots = *b.ClickSlots
	}
	err := check.First(
		check.Name("name", l.Name),
		check.Required("url", l.URL),
		routable("invalid_url", "url", l.URL),
		check.IntRange("click_slots", l.ClickSlots, 1, maxClickSlots),
		check.Text("notes", l.Notes, 2000),
		check.Text("group_name", l.GroupName, 255),
	)
	if err == nil {
		l.Country, err = check.Country(b.Country)
	}
	if err == nil {
		l.Tags, err = check.Tags(b.Tags)
	}
	return l, err
}

// LanderAnswer is the saved landing page.
type LanderAnswer struct {
	ID         uuid.UUID         `json:"id"`
	Name       string            `json:"name"`
	URL        string            `json:"url"`
	ClickSlots int               `json:"click_slots"`
	GroupName  string            `json:"group_name"`
	Country    string            `json:"country"`
	Tags       []string          `json:"tags"`
	Notes      string            `json:"notes"`
	Protection models.Protection `json:"protection"`
	Status     string            `json:"status" enum:"active,paused"`
	CreatedAt  string            `json:"created_at"`
	UpdatedAt  string            `json:"updated_at"`
}

func landerAnswer(l models.Lander) LanderAnswer {
	return LanderAnswer{
		ID: l.ID, Name: l.Name, URL: l.URL, ClickSlots: l.ClickSlots, GroupName: l.GroupName, Country: l.Country,
		Tags: l.Tags, Notes: l.Notes, Protection: l.Protection, Status: models.StatusOf(l.IsActive),
		CreatedAt: stamp(l.CreatedAt), UpdatedAt: stamp(l.UpdatedAt),
	}
}

// LanderRow is a landing page in the list.
type LanderRow struct {
	LanderAnswer
	Figures
}

func landerRow(l models.Lander, f Figures) LanderRow { return LanderRow{landerAnswer(l), f} }
