package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
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
			Handle: list((*store.Store).Landers, "lander_id", func(l models.Lander) uuid.UUID { return l.ID }, landerRow),
		},
		{
			Method: "POST", Path: "/landers", Group: group, Summary: "create a landing page", Scope: route.Write,
			Status: 201, Codes: bodyCodes, Handle: create[LanderBody](res),
		},
		{
			Method: "PUT", Path: "/landers", Group: group, Summary: "replace a landing page", Scope: route.Write,
			Codes:  append(answer.IDCodes, bodyCodes...),
			Handle: put[LanderPut](res, func(l models.Lander) IDAnswer { return IDAnswer{l.ID} }),
		},
		{
			Method: "PATCH", Path: "/landers", Group: group, Scope: route.Write,
			Summary: "pause or resume a landing page, or change its protection",
			Body:    LanderPatch{}, Codes: append(route.Codes("400 invalid_fallback"), answer.IDCodes...),
			Handle: route.Take(patchLander),
		},
		{
			Method: "DELETE", Path: "/landers", Group: group, Summary: "deactivate a landing page", Scope: route.Write,
			Query: answer.QueryID, Codes: answer.IDCodes, Handle: deactivate((*store.Store).Landers),
		},
		{
			Method: "POST", Path: "/landers/{id}/clone", Group: group, Summary: "copy a landing page",
			Scope: route.Write, Status: 201, BadID: "invalid_id", Codes: answer.IDCodes,
			Handle: clone((*store.Store).Landers, landerAnswer),
		},
	}
}

// LanderBody is the body of POST /landers.
type LanderBody struct {
	Name       string    `json:"name" required:"true" trim:"true" maxLength:"255"`
	URL        string    `json:"url" required:"true" trim:"true" maxLength:"4000" format:"routable" doc:"http(s); {token} placeholders allowed"`
	ClickSlots *int      `json:"click_slots" bad:"invalid_number,out_of_range" min:"1" max:"20" default:"1" doc:"call-to-action slots"`
	GroupName  string    `json:"group_name" trim:"true" maxLength:"255"`
	Country    string    `json:"country" bad:"invalid_country" trim:"true" format:"country" doc:"two letters, or empty"`
	Tags       bind.Tags `json:"tags"`
	Notes      string    `json:"notes" maxLength:"2000"`
}

// LanderPut is the body of PUT /landers: every field is written, one left out goes back to its default. The
// protection stays as it is.
type LanderPut struct {
	bind.ID
	LanderBody
}

// Record gives the landing page that the body describes.
func (b LanderBody) Record() (models.Lander, error) {
	return models.Lander{
		Name: b.Name, URL: b.URL, ClickSlots: *b.ClickSlots, GroupName: b.GroupName, Country: b.Country, Tags: b.Tags,
		Notes: b.Notes, Protection: models.DefaultProtection(),
	}, nil
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
		CreatedAt: answer.Stamp(l.CreatedAt), UpdatedAt: answer.Stamp(l.UpdatedAt),
	}
}

// LanderRow is a landing page in the list.
type LanderRow struct {
	LanderAnswer
	answer.Figures
}

func landerRow(l models.Lander, f answer.Figures) LanderRow { return LanderRow{landerAnswer(l), f} }
